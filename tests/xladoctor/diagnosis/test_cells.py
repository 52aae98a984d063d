"""Lines of a notebook are told by cell; its runner's exception is no second cause; a stop is no exit of the program."""

from __future__ import annotations

import json

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import PID, Run
from xladoctor.diagnosis.cells import Cell, file_name, in_cells
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.report import render

CELLS = ["import tensorflow as tf", "x = 1\n\ndef fold(x):\n    return tf.reshape(x, [7])", "fold(3)"]


def test_the_names_of_a_kernel():
    known = {"": 3990065800, "a": 2167009006, "x = 1\ny = 2é": 4131062881}
    assert {text: file_name(text) for text in known} == known


def test_the_cell_and_the_line_in_it():
    name = f"/tmp/ipykernel_30556/{file_name(CELLS[1])}.py"
    proof = Proof("log", f'  File "{name}", line 4, in fold; {name}:4 and /tmp/ipykernel_1/77.py:2')
    finding = Finding("XD301", "reshape-mismatch", "error", "root", "t", f"at {name}:4", evidence=(proof,),
                      location=Location(name, 4, "fold"), details={"born": [f"{name}:4 in fold"]})  # fmt: skip
    found = in_cells(finding, {str(file_name(CELLS[1])): Cell("study.ipynb", 2)})
    assert str(found.location) == "study.ipynb: cell 2, line 4 in fold"
    assert (found.location.file, found.location.cell, found.location.line) == ("study.ipynb", 2, 4)
    assert found.message == "at study.ipynb: cell 2, line 4"
    assert found.details == {"born": ["study.ipynb: cell 2, line 4 in fold"]}
    assert "cell 2, line 4, in fold" in found.evidence[0].text and "ipykernel_1/77.py:2" in found.evidence[0].text


def test_a_run_of_a_notebook(tmp_path):
    book = {"cells": [{"cell_type": "code", "source": [text]} for text in CELLS]}
    (tmp_path / "study.ipynb").write_text(json.dumps(book))
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"},
              command=["jupyter", "execute", "study.ipynb"])  # fmt: skip
    run.events[0]["cwd"] = str(tmp_path)
    frame = {"file": f"/tmp/ipykernel_9/{file_name(CELLS[1])}.py", "line": 4, "function": "fold", "user": True}
    run.event("failure", failure=1, exception="KeyError", message="'rows'", state="raised", during="program",
              module="builtins", frames=[frame])  # fmt: skip
    run.event("failure", failure=1, exception="KeyError", state="uncaught")
    found = scanned(run, tmp_path / "run")
    assert str(found.root.location) == "study.ipynb: cell 2, line 4 in fold"
    assert "study.ipynb: cell 2, line 4" in render(found, "console") and "ipykernel" not in render(found, "markdown")


@pytest.mark.parametrize(("state", "said"), [("timed-out", "stopped by the doctor"), ("interrupted", "interrupted")])
def test_a_stop_is_no_exit_of_the_program(tmp_path, state, said):
    from xladoctor.report.view import View

    run = Run(outcome={"state": state, "code": None, "signal": "SIGTERM", "seconds": 9.0, "probes": "recorded"})
    found = scanned(run, tmp_path)
    for format in ("console", "markdown", "html"):
        text = " ".join(render(found, format, None, View(target_status=124)).split())
        assert said in text and "ended with 124" not in text


def test_the_runner_of_a_notebook_only_passes_on(tmp_path):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    for number, (name, message) in enumerate([("ValueError", "rows"), ("CellExecutionError", "An error occurred")], 1):
        run.event("failure", failure=number, exception=name, message=message, state="raised", during="program",
                  module="x", frames=[])  # fmt: skip
        run.event("failure", failure=number, exception=name, state="uncaught")
    path = run.write(tmp_path / "run")
    lines = (path / f"events-{PID}.jsonl").read_text().splitlines()
    (path / f"events-{PID}.jsonl").write_text("\n".join([lines[0], *lines[3:]]) + "\n")
    (path / "events-8.jsonl").write_text("\n".join(lines[:3]) + "\n")
    from xladoctor.saved import scan_run

    found = scan_run(path)
    assert [(f.role, f.details["kind"]) for f in found.findings] == [("root", "ValueError")]

"""Run folders of strangers: nothing crashes, nothing hangs, nothing outside is read or written."""

from __future__ import annotations

import gzip
import json
import os
import random
import time
from pathlib import Path

import pytest

from tests.xladoctor.altered import folder_of
from tests.xladoctor.many_events import calls, environment, lost_rows, overrides, uses
from tests.xladoctor.recordings import Run, collapsed
from xladoctor import documents
from xladoctor.errors import XladoctorError
from xladoctor.evidence import files
from xladoctor.evidence.run import read_run
from xladoctor.replay.run_folder import stamped
from xladoctor.replay.subject import find
from xladoctor.report import render
from xladoctor.session import scan_run, trace_run
from xladoctor.survey.find import targets_in

ROUNDS = int(os.environ.get("XLADOCTOR_FUZZ_ROUNDS", "40"))
"""How many altered folders are read; `XLADOCTOR_FUZZ_ROUNDS=5000` for a long search."""

SOURCE = ["m.py", 3, "f"]
BIRTH = {
    "node": "a/b", "op": "Reshape", "path": ["x"], "function": "f", "inner_node": "b", "axis": 0, "shape": [1, 5],
    "inputs": [{"tensor": "a:0", "shape": [4, 5], "value": [1]}], "sources": [SOURCE],
}  # fmt: skip
BAKED = {
    "op": "Reshape", "node": "n", "argument": "shape", "from": [{"kind": "input", "name": "x"}], "sources": [SOURCE],
    "recompiles": {"seconds": [1.0, 0.1, 1.0], "again": True},
}  # fmt: skip
FLIP = {
    "name": "env:X", "store": "env", "key": "X", "value": "1", "other": "0", "ended": True,
    "functions": [
        {"function": "f", "capsule": "c", "step": True, "same": same, "compiled": [1, 1], "nodes": [3, 3]}
        for same in (True, False)
    ],
}  # fmt: skip
REPLAY = {
    "schema": "xladoctor.replay/1", "subject": "s", "folder": "f",
    "sweep": {"outcomes": [{"case": {"batch": 4, "vary": [["jit", "on"]]}, "state": "failed", "rows_in": 4,
                            "signature": {"class": "x"}, "message": "m", "run_seconds": 0.1}],
              "rules": [{"vary": [], "text": "t"}]},
    "isolated": {"op": "Reshape", "node": "n", "inputs": [{"shape": [4], "dtype": "float32"}], "ops": 3,
                 "chain": [{"op": "o", "shape": "f32[2]", "node": "n"}]},
    "parity": {"agreements": [{"output": "o", "ways": ["plain", "xla"], "agree": False, "deviation": "NaN",
                               "tolerance": 1e-6, "shapes": [[4], [4]], "rows": [1],
                               "map": {"rows": [[0, 0.1]], "cells": [[0.1]], "shape": [1, 1], "block": 1, "row": 0}}],
               "first_node": {"node": "n", "op": "o", "deviation": 1.0}, "not_comparable": ["x"]},
    "remedies": [{"remedy": "r", "title": "t", "result": "cured", "safety": "safe", "how": "h", "deviation": 0.1,
                  "speed_ratio": 1.0, "message": "m"}],
    "lowering": {"platform": "gpu", "ok": False, "unsupported": ["A"], "message": "m"},
    "repro": {"path": "p", "reproduced": True, "message": "m"},
}  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A recorded run with everything that a folder can hold."""
    run = collapsed()
    for add in (uses, overrides, calls, lost_rows, environment):
        add(run, 8)
    run.worker.append({"capsule": "7-1-step", "request": "birth", "batch": 4, "result": BIRTH})
    run.worker.append({"capsule": "7-1-step", "request": "failing_op", "batch": 4, "result": {**BIRTH, "order": [1]}})
    run.worker.append({"capsule": "7-1-step", "request": "baked", "result": [BAKED]})
    place = {"name": "gears.ops:shift", "contract": "x (B N) -> (B)", "axes": {"N": "m:f()"}}
    run.places = {"schema": "xladoctor.places/1", "file": "p", "places": [place], "problems": ["no"]}
    folder = run.write(tmp_path_factory.mktemp("runs") / "run")
    (folder / "flips.json").write_text(json.dumps({"schema": "xladoctor.flips/1", "flips": [FLIP]}))
    (folder / "replays" / "1").mkdir(parents=True)
    (folder / "replays" / "1" / "replay.json").write_text(json.dumps(REPLAY))
    sources = gzip.compress(json.dumps({"g1": {"b": [SOURCE], "a": [SOURCE]}}).encode())
    (folder / "capsules" / "7-1-step" / "sources.json.gz").write_bytes(sources)
    (folder / "stderr.log").write_text("InvalidArgumentError: Incompatible shapes: [2,3] vs. [4]\n" * 3)
    return folder


def read_in_every_way(folder: Path) -> None:
    """What commands do with a run folder, without a worker. Errors of ours are answers."""
    for look in (_scan, _trace, _report, lambda f: find(str(f), None)):
        try:
            look(folder)
        except XladoctorError as error:
            assert error.exit_code == 2, error


def _scan(folder: Path) -> None:
    found = scan_run(folder)
    for form in ("json", "markdown", "sarif", "junit", "csv"):
        render(found, form, None)


def _trace(folder: Path) -> None:
    from xladoctor.report.trace import render as render_trace

    render_trace(trace_run(folder), "json", None)


def _report(folder: Path) -> None:
    document = documents.redacted(documents.of_run(folder))
    render(document.diagnosis, "html", None, document.view)
    render(document.diagnosis, "markdown", None, document.view)


def test_the_original_has_nothing_wrong(original):
    assert scan_run(original).problems == ()


@pytest.mark.parametrize("seed", range(4))
def test_altered_folders_are_read_without_a_crash(original, tmp_path, seed):
    for number in range(seed, ROUNDS, 4):
        try:
            read_in_every_way(folder_of(original, tmp_path / str(number), random.Random(number)))
        except Exception as error:
            raise AssertionError(f"round {number}") from error

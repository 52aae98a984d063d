"""Source lines: only from files that a run of this user's own recorded, and never because a log names a path."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.xladoctor.recordings import Run
from xladoctor import excerpts
from xladoctor.model.diagnosis import CallStack, Diagnosis, Finding, Location, StackFrame
from xladoctor.recording import mark
from xladoctor.report.excerpt import text

SOURCE = 'import x\n\ndef f(a, b):\n    key = "k"\n    return a + b  # both\n'


def diagnosis(file, line=5, code=None, marks=None, **location):
    place = Location(str(file), line, "f", **location)
    frames = (StackFrame(str(file), line, "f", True, code, marks),)
    finding = Finding("XD302", "broadcast-mismatch", "error", "root", "t", "m", location=place)
    return Diagnosis("log", "failed", (finding,), stacks=(CallStack("exception", "E", frames),))


@pytest.fixture
def own(tmp_path, monkeypatch):
    """(run folder of this user, a file that it recorded, a file that it did not)."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("train.py", "ops.py", "other.py"):
        (tmp_path / name).write_text(SOURCE)
        os.utime(tmp_path / name, (1000, 1000))
    run = Run(cwd=str(tmp_path), started=time.time())
    run.event("first-op", where={"file": str(tmp_path / "ops.py"), "line": 1, "function": "f"})
    run.event("failure", message=f'File "{tmp_path / "other.py"}", line 5: "file":"{tmp_path / "other.py"}"')
    folder = run.write(tmp_path / "run")
    # As the recorder writes it: without blanks.
    for file in folder.glob("events-*.jsonl"):
        rows = [json.dumps(json.loads(row), separators=(",", ":")) for row in file.read_text().splitlines()]
        file.write_text("\n".join(rows) + "\n")
    mark.sign(folder)
    return folder


def shown(*args):
    return [text(excerpt) or excerpt.note for excerpt in excerpts.of(*args)]


WHOLE = '3 | def f(a, b):\n4 |     key = "k"\n5 |     return a + b  # both\n  |     ^^^^^^^^^^^^'


@pytest.mark.parametrize("name", ["train.py", "ops.py"])
def test_a_file_of_the_run_is_shown_with_the_statement_marked(own, name):
    assert shown(diagnosis(own.parent / name), own) == [WHOLE]


def test_python_s_own_marks_are_taken(own):
    found = diagnosis(own.parent / "ops.py", code="return a + b  # both", marks="       ~~^~~")
    assert shown(found, own)[0].endswith("  |            ^^^^^")


@pytest.mark.parametrize("file", ["other.py", "/etc/passwd", "../x.py"])
def test_a_file_that_only_a_message_names_is_not_opened(own, file):
    assert shown(diagnosis(own.parent / file, 1), own) == []


def test_a_foreign_or_changed_folder_and_a_log_show_only_what_was_printed(own, monkeypatch):
    found = diagnosis(own.parent / "ops.py", code="return a - b")
    assert shown(found) == ["5 | return a - b\n  | ^^^^^^^^^^^^"]
    (own / "events-7.jsonl").write_text((own / "events-7.jsonl").read_text() + "\n")
    assert shown(diagnosis(own.parent / "ops.py"), own) == []
    monkeypatch.setenv("XDG_STATE_HOME", str(own / "another"))
    assert shown(diagnosis(own.parent / "train.py"), own) == []


def test_a_file_that_changed_is_not_shown(own):
    os.utime(own.parent / "ops.py", (time.time() + 99, time.time() + 99))
    assert shown(diagnosis(own.parent / "ops.py"), own) == [
        "ops.py changed after the run started: its lines are not shown."
    ]
    os.utime(own.parent / "ops.py", (1000, 1000))
    # Nor where the line is not the one that the traceback printed.
    printed = diagnosis(own.parent / "ops.py", code="return a * b")
    assert shown(printed, own) == ["5 | return a * b\n  | ^^^^^^^^^^^^"]


def test_a_secret_is_not_shown(own):
    assert "hunter2" not in shown(diagnosis("x.py", code='login(password="hunter2hunter2")'))[0]


def test_a_diagnosis_of_anybody_s_is_no_reason_to_crash():
    for line, code, marks in ((5, 3, None), (5, "x", 3), ("5", "x", "^"), (-1, "x", "^"), (5, "x", "  ^^^")):
        assert all("/etc" not in row for row in shown(diagnosis("/etc/passwd", line, code, marks)))


def test_a_cell_of_the_notebook_that_the_command_names(own):
    facts = json.loads((own / "run.json").read_text())
    (own / "run.json").write_text(json.dumps({**facts, "command": ["jupyter", "study.ipynb"]}))
    (own / mark.FILE).unlink()
    mark.sign(own)
    cells = [{"cell_type": "markdown", "source": ["# x"]}, {"cell_type": "code", "source": ["a = 1\n", "a + b"]}]
    for name in ("study.ipynb", "other.ipynb"):
        (own.parent / name).write_text(json.dumps({"cells": cells}))
    assert shown(diagnosis("study.ipynb", 2, cell=1), own) == ["1 | a = 1\n2 | a + b\n  | ^^^^^"]
    assert shown(diagnosis("other.ipynb", 2, cell=1), own) == []


def test_a_line_without_a_comment_is_not_split_into_tokens(monkeypatch):
    assert excerpts._end_of_code("y = '#'  # why") == len("y = '#'")
    monkeypatch.setattr(excerpts, "tokenize", None)
    assert excerpts._end_of_code("y = x  ") == len("y = x")

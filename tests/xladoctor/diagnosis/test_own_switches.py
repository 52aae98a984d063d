"""A switch of the program's own that was set after it had been read."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.recording import mark
from xladoctor.saved import scan_run

AT_IMPORT = """import os
BACKEND = os.environ.get("BACKEND", "fast")
def distances(a):
    return quick(a) if BACKEND == "fast" else exact(a)
def main():
    os.environ["BACKEND"] = "exact"
    distances(1)
    print(os.environ["BACKEND"])
"""


def scan(tmp_path, source, *events):
    """The findings of a run of `source` in which these (action, value, line, function) were recorded."""
    file = tmp_path / "main.py"
    file.write_text(source, encoding="utf-8")
    run = Run(command=["python", str(file)], started=4e9)
    for number, (action, value, line, function) in enumerate(events):
        where = {"file": str(file), "line": line, "function": function}
        run.event("setting", store="env", key="BACKEND", action=action, value=value, where=where, site=number + 1)
    folder = run.write(tmp_path / "run")
    mark.sign(folder)
    return [(f.slug, f.location.line) for f in scan_run(folder).findings]


def test_a_late_write_is_told_though_another_line_prints_it(tmp_path):
    events = [("read", None, 2, "<module>"), ("write", "exact", 6, "main"), ("read", "exact", 8, "main")]
    assert scan(tmp_path, AT_IMPORT, *events) == [("setting-too-late", 2)]


@pytest.mark.parametrize("value", ["fast"])
def test_a_write_with_the_same_decision_is_none(tmp_path, value):
    events = [("read", None, 2, "<module>"), ("write", value, 6, "main")]
    assert scan(tmp_path, AT_IMPORT, *events) == []


def test_a_function_that_reads_at_each_call_sees_the_later_value(tmp_path):
    source = AT_IMPORT.replace(
        'BACKEND = os.environ.get("BACKEND", "fast")', 'def kind(): return os.environ.get("BACKEND", "fast")'
    ).replace("BACKEND ==", "kind() ==")
    events = [("write", "exact", 6, "main"), ("read", "exact", 2, "kind")]
    assert scan(tmp_path, source, *events) == []


def test_a_default_that_is_set_where_none_was_is_none(tmp_path):
    source = 'import os\nif os.environ.get("BACKEND") is None:\n    os.environ["BACKEND"] = "exact"\n'
    assert scan(tmp_path, source, ("read", None, 2, "<module>"), ("write", "exact", 3, "<module>")) == []

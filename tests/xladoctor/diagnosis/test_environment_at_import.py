"""Environment variables that modules of the program read at import, and that it sets afterwards."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.recording import mark
from xladoctor.saved import scan_run

SETTINGS = """import os
def number(name, default):
    return int(os.environ.get(name, default))
HISTORY = number("FORECAST_HISTORY", 4)
def now():
    return number("FORECAST_HISTORY", 4)
"""
MAIN = """import os
import settings
def profile():
    os.environ["FORECAST_HISTORY"] = "24"
def main():
    profile()
    print(settings.HISTORY)
main()
"""


def scan(tmp_path, *events, main=MAIN, key="FORECAST_HISTORY"):
    """(class, file, line) of the findings; an event is (action, value, [(file, line, function), …])."""
    for name, text in (("settings.py", SETTINGS), ("main.py", main)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = Run(command=["python", str(tmp_path / "main.py")], started=4e9)
    for number, (action, value, frames) in enumerate(events):
        stack = [{"file": str(tmp_path / file), "line": line, "function": f} for file, line, f in frames]
        more = {"frames": stack} if action == "read" else {}
        run.event("setting", store="env", key=key, action=action, value=value, where=stack[0], site=number + 1, **more)
    folder = run.write(tmp_path / f"run{len(list(tmp_path.iterdir()))}")
    mark.sign(folder)
    return [(f.slug, f.location.file.rpartition("/")[2], f.location.line) for f in scan_run(folder).findings]


IMPORTED = [("settings.py", 3, "number"), ("settings.py", 4, "<module>"), ("main.py", 2, "<module>")]
WRITTEN = [("main.py", 4, "profile")]
CALLED = [("settings.py", 3, "number"), ("settings.py", 6, "now"), ("main.py", 7, "main"), ("main.py", 8, "<module>")]


def test_a_profile_that_comes_after_the_import(tmp_path):
    found = scan(tmp_path, ("read", None, IMPORTED), ("write", "24", WRITTEN))
    assert found == [("setting-too-late", "settings.py", 4)]


@pytest.mark.parametrize(
    "events",
    [
        [("write", "24", WRITTEN), ("read", "24", IMPORTED)],
        [("read", "24", IMPORTED), ("write", "24", WRITTEN)],
        [("read", None, IMPORTED), ("write", "24", WRITTEN), ("read", "24", CALLED)],
        [("read", None, CALLED), ("write", "24", WRITTEN)],
        [("read", None, IMPORTED), ("write", "24", [("settings.py", 4, "<module>")])],
    ],
)
def test_a_variable_that_was_set_in_time_or_is_asked_for_again(tmp_path, events):
    assert scan(tmp_path, *events) == []


def test_a_variable_of_a_library_and_one_for_another_process(tmp_path):
    late = (("read", None, IMPORTED), ("write", "24", WRITTEN))
    assert scan(tmp_path, *late, key="OMP_NUM_THREADS") == []
    assert scan(tmp_path, *late, main=MAIN + "import subprocess\n") == []

import json
import sys

import pytest

from tests.xladoctor.recordings import healthy
from xladoctor.replay import mark, run_folder
from xladoctor.replay.subject import find


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_mark_is_of_this_user_and_of_this_text(home, monkeypatch, tmp_path):
    made = mark.make({"interpreters": ["/usr/bin/python3"]})
    assert mark.holds(made, {"interpreters": ["/usr/bin/python3"]})
    assert not mark.holds(made, {"interpreters": ["/tmp/evil"]})
    assert not mark.holds(None, {}) and not mark.holds(3, {})
    assert (home / "xladoctor" / "key").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not mark.holds(made, {"interpreters": ["/usr/bin/python3"]})
    assert not (tmp_path / "another").exists()


def run_of(tmp_path, executable, ours):
    """A run folder with one healthy step, whose events name an interpreter."""
    run = healthy()
    run.events[0]["executable"] = executable
    folder = run.write(tmp_path / "run")
    facts = json.loads((folder / "run.json").read_text())
    if ours:
        (folder / "run.json").write_text(json.dumps(run_folder.marked(facts, folder)))
    return folder


def test_the_interpreter_of_a_run_of_ours_is_used(tmp_path):
    program = tmp_path / "python"
    program.symlink_to(sys.executable)
    found = find(str(run_of(tmp_path, str(program), ours=True)), None)
    assert (found.python, found.foreign) == (str(program), False)


def test_of_a_run_from_elsewhere_nothing_is_started_that_it_names(tmp_path):
    program = tmp_path / "python"
    program.symlink_to(sys.executable)
    found = find(str(run_of(tmp_path, str(program), ours=False)), None)
    assert found.python != str(program)
    assert found.foreign


def test_a_run_of_ours_that_was_changed_afterwards_is_not_believed(tmp_path):
    folder = run_of(tmp_path, sys.executable, ours=True)
    (events,) = folder.glob("events-*.jsonl")
    program = tmp_path / "evil"
    program.symlink_to(sys.executable)
    events.write_text(events.read_text().replace(sys.executable, str(program)))
    found = find(str(folder), None)
    assert found.foreign and found.python != str(program)


def test_a_home_that_cannot_be_written_costs_the_mark_only(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert mark.make({}) is None
    assert not mark.holds("0" * 64, {})

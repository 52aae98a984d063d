import json
import shutil
import sys

import pytest

from tests.xladoctor.recordings import healthy
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.recording import mark
from xladoctor.recording.run import read_run
from xladoctor.recording.run_folder import foreign_note, why_foreign
from xladoctor.saved import scan_run
from xladoctor.workers.subject import find

CAPSULE = "capsules/7-1-step/capsule.json"


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


def run_of(tmp_path, executable, ours=True):
    """A run folder with one healthy step, whose events name an interpreter."""
    run = healthy()
    run.events[0]["executable"] = executable
    folder = run.write(tmp_path / "run")
    if ours:
        mark.sign(folder)
    return folder


@pytest.fixture
def program(tmp_path):
    """An interpreter that is none of ours."""
    file = tmp_path / "python"
    file.symlink_to(sys.executable)
    return str(file)


def test_the_interpreter_of_a_run_of_ours_is_used(tmp_path, program):
    folder = run_of(tmp_path, program)
    found = find(str(folder), None)
    assert (found.python, found.foreign) == (program, False)
    assert found.seal and foreign_note(read_run(folder)) is None
    # Wherever it stands.
    shutil.move(folder, tmp_path / "elsewhere")
    assert find(str(tmp_path / "elsewhere"), None).python == program


def test_of_a_run_from_elsewhere_nothing_is_started_that_it_names(tmp_path, program):
    folder = run_of(tmp_path, program, ours=False)
    found = find(str(folder), None)
    assert found.python != program and found.foreign
    assert "foreign (it was not recorded by you on this machine)" in "".join(scan_run(folder).notes)


def later_start(folder, program):
    """An interpreter in another START event than the first of its file."""
    (events,) = folder.glob("events-*.jsonl")
    with events.open("a") as file:
        file.write(json.dumps({"seq": 99, "t": 1.0, "kind": "start", "executable": program}) + "\n")


def another_process(folder, program):
    """An interpreter in a file that was not there."""
    text = json.dumps({"seq": 0, "t": 0.0, "kind": "start", "executable": program}) + "\n"
    (folder / "events-1.jsonl").write_text(text)


def in_place(folder, program):
    (events,) = folder.glob("events-*.jsonl")
    events.write_text(events.read_text().replace(sys.executable, program))


def digests_worked_out_again(folder, program):
    """As whoever changed a file could do without the key."""
    in_place(folder, program)
    table = json.loads((folder / mark.FILE).read_text())
    (events,) = folder.glob("events-*.jsonl")
    table["files"][events.name] = mark.digest(folder, events.name)
    (folder / mark.FILE).write_text(json.dumps(table))


def another_run(folder, program):
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, "command": ["other"]}))


def new_answers(folder, program):
    (folder / "worker.jsonl").write_text('{"request": 1}\n')


@pytest.mark.parametrize(
    "alter", [later_start, another_process, in_place, digests_worked_out_again, another_run, new_answers]
)
def test_a_run_of_ours_that_was_changed_afterwards_is_foreign(tmp_path, program, alter):
    folder = run_of(tmp_path, sys.executable)
    alter(folder, program)
    found = find(str(folder), None)
    assert found.foreign and found.python != program and found.seal is None
    assert "This run folder is foreign" in "".join(scan_run(folder).notes)
    # When the doctor adds something, what was changed is not signed along.
    (folder / "replays").mkdir()
    mark.sign_more(folder, "replays", "run.json", "events-7.jsonl", "worker.jsonl")
    assert why_foreign(read_run(folder)) is not None


@pytest.mark.parametrize("how", ["changed", "added", "linked"])
def test_a_capsule_of_ours_that_was_changed_afterwards_is_foreign(tmp_path, program, how):
    folder = run_of(tmp_path, program)
    if how == "changed":
        (folder / CAPSULE).write_text(json.dumps({**json.loads((folder / CAPSULE).read_text()), "xla": True}))
    elif how == "added":
        (folder / "capsules/7-1-step/graph.pb.gz").write_bytes(b"another program")
    else:
        (folder / "capsules/7-1-step/graph.pb.gz").symlink_to("/etc/passwd")
    found = find(str(folder), None)
    assert found.foreign and found.seal is None
    asked = found.about(requests.Run(), Case(4))
    assert asked.foreign and asked.seal is None and asked.capsule == str(found.folder)


def test_what_the_doctor_adds_is_signed(tmp_path, program):
    folder = run_of(tmp_path, program, ours=False)
    answers = (folder / "worker.jsonl").read_bytes()
    (folder / "worker.jsonl").unlink()
    mark.sign(folder)
    (folder / "worker.jsonl").write_bytes(answers)
    assert why_foreign(read_run(folder)) == "worker.jsonl changed after it was recorded"
    (folder / "replays" / "1").mkdir(parents=True)
    (folder / "replays" / "1" / "replay.json").write_text("{}")
    mark.sign_more(folder, "worker.jsonl", "replays/1")
    assert why_foreign(read_run(folder)) is None
    assert {"run.json", "events-7.jsonl", "worker.jsonl", CAPSULE, "replays/1/replay.json"} == set(mark.listed(folder))


def test_a_folder_of_a_stranger_is_not_signed_because_we_wrote_into_it(tmp_path, program):
    folder = run_of(tmp_path, program, ours=False)
    mark.sign_more(folder, "run.json")
    assert not (folder / mark.FILE).exists()


def test_a_home_that_cannot_be_written_costs_the_mark_only(tmp_path, monkeypatch, program):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert mark.make({}) is None
    assert not mark.holds("0" * 64, {})
    assert find(str(run_of(tmp_path, program)), None).foreign

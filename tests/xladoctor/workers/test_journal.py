"""The journal: an answer belongs to its whole question, and no secret of either is on disk."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.xladoctor.experiments import fake
from xladoctor.errors import XladoctorError
from xladoctor.experiments import request
from xladoctor.experiments.session import replay
from xladoctor.model.replay import Case
from xladoctor.recording import mark
from xladoctor.recording.run_folder import write_json
from xladoctor.workers import journal
from xladoctor.workers.journal import Journal
from xladoctor.workers.subject import Subject

ANSWER = {"state": "ok", "result": {"outcome": "passed"}, "kind": None, "message": None, "signal": None, "seconds": 0.1}


def question(password: str) -> dict:
    case = Case(4, (("env:DB_PASSWORD", password),))
    return {"op": "call", "case": {"batch": case.batch, "vary": [list(pair) for pair in case.vary]}, "request": {}}


@pytest.mark.parametrize("key", [True, False], ids=["key", "no-key"])
def test_questions_that_differ_only_in_a_secret_have_answers_of_their_own(tmp_path, monkeypatch, key):
    if not key:
        monkeypatch.setattr(mark, "make", lambda told: None)
    file = tmp_path / journal.NAME
    one = Journal(file)
    one.keep(question("hunter2"), ANSWER)
    one.keep(question("swordfish"), {**ANSWER, "state": "refused", "message": "password=swordfish is wrong"})
    assert one.get(question("hunter2"))["state"] == "ok"
    assert one.get(question("swordfish"))["state"] == "refused"
    assert one.get(question("other")) is None
    one.close()
    assert "hunter2" not in file.read_text() and "swordfish" not in file.read_text()
    again = Journal(file)
    assert [(again.get(question(p)) or {}).get("state") for p in ("hunter2", "swordfish", "other")] == (
        ["ok", "refused", None] if key else [None, None, None]
    )
    again.close()


def test_a_journal_of_before_is_read(tmp_path):
    file = tmp_path / journal.NAME
    file.write_text(json.dumps({"question": question("x"), "answer": ANSWER}) + "\n")
    one = Journal(file)
    assert one.get(question("x")) == ANSWER and one.kept == 1
    one.close()


def test_a_replay_whose_request_lacks_a_secret_says_how_to_go_on(tmp_path):
    options = request.Options(vary=(("env:DB_PASSWORD", ("hunter2", "swordfish")),))
    made = request.request(Subject("a:b", "callable", "python", tmp_path, callable="a:b"), options)
    write_json(tmp_path / request.REQUEST, made)
    assert "hunter2" not in (tmp_path / request.REQUEST).read_text()
    with pytest.raises(XladoctorError, match="give the whole command once more"):
        request.resumed(tmp_path, options)


def test_a_replay_with_secret_values_leaves_none_and_goes_on_when_they_are_given_again(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    values = ("hunter2hunter2", "sword9fish")
    wanted = request.Options(sizes=(1, 2), vary=(("env:DB_PASSWORD", values),), exhaustive=True)
    subject = fake.subject("fake:from.2", tmp_path)
    first = replay(subject, wanted)
    asked = len(fake.asked(tmp_path))
    folder = (tmp_path / first.folder).resolve()
    names = {file.name for file in folder.rglob("*") if file.is_file()}
    assert {"request.json", "journal.jsonl", "replay.json", "sweep.csv"} <= names
    for file in folder.rglob("*"):
        assert not file.is_file() or not any(value.encode() in file.read_bytes() for value in values), file
    again = replay(subject, replace(wanted, resume=folder))
    assert len(fake.asked(tmp_path)) == asked and again.sweep.outcomes == first.sweep.outcomes
    assert len({o.case.vary for o in again.sweep.outcomes}) == 2

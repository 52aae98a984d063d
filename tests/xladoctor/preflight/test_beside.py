"""The rehearsal's second half beside the checks that run steps: no TensorFlow in it."""

from __future__ import annotations

import os
import sys
import time
from types import SimpleNamespace

import pytest

from xladoctor import machine
from xladoctor.experiments import overlay
from xladoctor.preflight import run
from xladoctor.preflight import situation as module
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Study
from xladoctor.preflight.verdict import Verdict

NAMES = ("disk", "rehearsal", "plan", "sizes")


def looked(monkeypatch, state, begins):
    """(the names in the order in which they are made, and the checks in the order in which they are shown)."""
    made, seen = [], []

    def checking(name):
        def check(situation):
            made.append(name)
            return Verdict(state if name == "rehearsal" else "pass", "said")

        steps = name == "sizes"
        return SimpleNamespace(TITLE=name, check=check, begin=begins, RUNS_STEPS=steps)

    fakes = {name: checking(name) for name in NAMES}
    monkeypatch.setattr(run, "module", fakes.get)
    monkeypatch.setattr(run, "runs_steps", lambda name: fakes[name].RUNS_STEPS)
    told = SimpleNamespace(study=SimpleNamespace(subjects=()), own=lambda text: text)
    checks = run.checked(told, NAMES, seen.append)
    assert tuple(seen) == checks and [c.name for c in checks] == list(NAMES)
    return made, {c.name: c.state for c in checks}


def fails(situation):
    raise OSError("it cannot be started")


@pytest.mark.parametrize(
    ("begins", "order"),
    [
        (lambda situation: True, ["disk", "plan", "sizes", "rehearsal"]),
        (lambda situation: False, list(NAMES)),
        (fails, list(NAMES)),
    ],
)
def test_checks_are_made_meanwhile_and_shown_in_their_order(monkeypatch, begins, order):
    made, states = looked(monkeypatch, "pass", begins)
    assert made == order and set(states.values()) == {"pass"}


@pytest.mark.parametrize("begun", [True, False])
def test_a_second_half_that_fails_leaves_no_answer_of_steps(monkeypatch, begun):
    made, states = looked(monkeypatch, "fail", lambda situation: begun)
    assert ("sizes" in made) is begun
    assert states == {"disk": "pass", "rehearsal": "fail", "plan": "pass", "sizes": "skipped"}


PROGRAM = """
import os, pathlib, time
pathlib.Path("ready.tmp").write_text(str(os.getpid()))
os.replace("ready.tmp", "ready")
time.sleep({seconds})
"""


def under_way(tmp_path, monkeypatch, seconds, room=True):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.py").write_text(PROGRAM.format(seconds=seconds))
    monkeypatch.setattr(Situation, "_two_ways", True)
    monkeypatch.setattr(module, "is_room_beside", lambda times: room)
    study = Study(name="s", command=(sys.executable, "train.py"))
    listing = overlay.look(tmp_path / "work")
    return Situation(study, tmp_path / "run", listing, 60.0, lambda text: None)


def test_it_ends_with_the_preflight(tmp_path, monkeypatch):
    started = time.monotonic()
    with under_way(tmp_path, monkeypatch, 50) as situation:
        assert situation.begin_plain_rehearsal()
        ready = tmp_path / "run" / "plain" / ".work" / "ready"
        while not ready.exists():
            time.sleep(0.02)
        child = int(ready.read_text())
    assert time.monotonic() - started < 40
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.parametrize("room", [True, False])
def test_its_recording_is_waited_for(tmp_path, monkeypatch, room):
    with under_way(tmp_path, monkeypatch, 0, room) as situation:
        assert situation.begin_plain_rehearsal() is room
        recording = situation.plain_rehearsal
    assert recording.folder == tmp_path / "run" / "plain" and recording.outcome.code == 0


@pytest.mark.parametrize(("processors", "gib", "room"), [(2, 64, True), (1, 64, False), (2, 0, False)])
def test_when_there_is_room(monkeypatch, processors, gib, room):
    os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    monkeypatch.setattr(machine, "processors", lambda: processors)
    monkeypatch.setattr(machine, "available_bytes", lambda: gib << 30)
    assert machine.is_room_beside(4) is room

"""A recorder of a block that fails inside: the block never sees it, and the events say so."""

from __future__ import annotations

import json

import pytest

from probes.record import recorder
from probes.record.guard import Guard
from probes.record.sink import Sink


class Broken:
    """A recorder of which every part raises."""

    def __getattr__(self, name):
        def fail(*args, **kwargs):
            raise RuntimeError(f"injected into {name}")

        return fail


@pytest.fixture
def guard(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    made = Guard(Sink(tmp_path / "run", 1 << 20))
    made.block = True
    parts = recorder.Parts(keras=Broken(), failures=Broken())
    monkeypatch.setattr(recorder, "_started", [recorder.Recording(made, parts)])
    monkeypatch.setattr(recorder, "_places", [])
    return made


def errors(folder) -> set[str]:
    lines = [line for file in (folder / "run").glob("events-*.jsonl") for line in file.read_text().splitlines()]
    return {e["hook"] for e in map(json.loads, lines) if e["kind"] == "probe-error"}


def test_the_end_of_a_block_survives_its_recorders(guard, tmp_path):
    recorder.enter_call("fit", object(), {})
    guard.hooks.undone_by(Broken().undo)
    assert recorder.end_block(ValueError("the block's own")) == []
    assert not recorder.records(), "it ended all the same"
    assert errors(tmp_path) >= {"call under way", "call left", "block failed", "take back"}


def test_an_unseen_function_that_cannot_be_told(guard, tmp_path):
    assert guard.run("unseen", Broken().entered, object()) is None
    assert errors(tmp_path) == {"unseen"}

"""What was not recorded: each kind of loss in one sentence, whatever else its event holds."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.gaps import gap_notes
from xladoctor.recording.run import read_run
from xladoctor.recording.schema import schema

LIMIT = f"{schema.DROP_REASONS['size']} (set by `--max-size`)"
FULL = {"recorder": "events", "reason": "size"}
LOST = {"recorder": "capsule", "reason": "size"}


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ([{"recorder": "place", "kept": 50}], "only the first 50 events of kind place were kept"),
        (
            [{"recorder": "capsule", "kept": 8}, {"recorder": "capsule", "reason": "count", "count": 3}],
            "only the first 8 capsules were kept; 3 more were not",
        ),
        # The bound is told of when it is reached, and in all at the end.
        ([{**FULL, "count": n} for n in (1, 7)], f"7 events could not be recorded: {LIMIT}"),
        ([{**FULL, "reason": "odd", "count": n} for n in (1, 7)], "8 events could not be recorded: odd"),
        ([{**LOST, "what": "graph", "capsule": "7-1-f"}], f"1 graph could not be kept to run again: {LIMIT}"),
        (
            [{**LOST, "what": "values", "bytes": 3 << 20}, {**LOST, "what": "values", "bytes": "many"}],
            f"the values of 2 calls (3 MiB) could not be kept to run again: {LIMIT}",
        ),
        ([{**LOST, "what": ["graph"]}, {"recorder": "events", "count": None}], None),
    ],
)  # fmt: skip
def test_what_was_lost(tmp_path, losses, said):
    run = Run()
    for loss in losses:
        run.event("dropped", **loss)
    assert list(gap_notes(read_run(run.write(tmp_path / "run")))) == ([said] if said else [])


def test_numbers_that_no_event_has(tmp_path):
    run = Run()
    run.event("end", state="normal")
    run.events[-1]["seq"] += 2
    [said] = gap_notes(read_run(run.write(tmp_path / "run")))
    assert said.startswith("the run folder lacks 2 events of process ")

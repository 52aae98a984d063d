"""A step of the diagnosis that fails costs what it would have added, and no more."""

from __future__ import annotations

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import known_lines
from xladoctor.saved import scan_run


def test_a_step_that_fails_is_left_out_and_said(tmp_path, monkeypatch):
    def with_nothing(diagnosis, recording):
        raise KeyError("x")

    monkeypatch.setattr(known_lines, "_STEPS", (with_nothing,))
    folder = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"}).write(tmp_path / "run")
    (folder / "stderr.log").write_text("ValueError: operands could not be broadcast together with shapes (4,) (3,)\n")
    diagnosis = scan_run(folder)
    assert diagnosis.root is not None and diagnosis.root.slug == "broadcast-mismatch"
    assert any("nothing failed (KeyError)" in note for note in diagnosis.notes)

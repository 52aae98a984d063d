"""A part of a diagnosis that fails costs what it would have added, and nothing else."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.commands import second_runs
from xladoctor.diagnosis import of_run
from xladoctor.diagnosis.attempt import Attempts
from xladoctor.saved import scan_run

WORDS = "InvalidArgumentError: Incompatible shapes: [2,3] vs. [4]\n"


def stumbling(*_):
    yield 1
    raise KeyError("x")


@pytest.fixture
def lenient(monkeypatch):
    monkeypatch.delenv("XLADOCTOR_STRICT")


@pytest.fixture
def folder(tmp_path):
    written = Run().write(tmp_path / "run")
    (written / "stderr.log").write_text(WORDS)
    return written


def test_what_a_part_yielded_before_it_failed_is_kept_and_the_failure_is_told(lenient):
    attempts = Attempts()
    assert attempts.each(stumbling, 3) == [1]
    assert attempts.of(lambda: 1 / 0, 7) == 7
    assert len(attempts.notes) == 2
    assert "stumbling failed (KeyError), a bug of the doctor" in attempts.notes[0]


def test_the_tests_see_the_failure():
    with pytest.raises(KeyError):
        Attempts().each(stumbling)


def broken(*_):
    raise RuntimeError("no")


@pytest.mark.parametrize("name", ["_OF_RECORDING", "_BESIDE_OTHERS"])
def test_a_search_that_fails_leaves_the_others(folder, lenient, monkeypatch, name):
    monkeypatch.setattr(of_run, name, (broken,))
    found = scan_run(folder)
    assert [f.slug for f in found.findings] == ["broadcast-mismatch"]
    assert any("broken failed (RuntimeError)" in note for note in found.notes)


def test_where_the_recording_cannot_be_read_at_all_the_output_still_is(folder, lenient, monkeypatch):
    monkeypatch.setattr(of_run, "steps", broken)
    found = scan_run(folder)
    assert (found.root.slug, found.verdict) == ("broadcast-mismatch", "failed")
    assert any("diagnose run failed (RuntimeError)" in note for note in found.notes)


def test_a_second_run_that_fails_leaves_the_diagnosis(folder, lenient, monkeypatch, capsys):
    monkeypatch.setattr("xladoctor.experiments.analyse.ask_workers", broken)
    second_runs.ask_workers(second_runs.Ran(folder, {}, ["python", "x.py"], print), False, None)
    said = capsys.readouterr().err
    assert "the diagnosis has no run-time shapes: the doctor itself failed (RuntimeError: no)" in said

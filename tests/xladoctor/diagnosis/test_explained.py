"""What is said of a fit of the fixed part of a model: only what another fit explains."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.explained import unexplained
from xladoctor.recording.run import read_run

FRAMES = [["train.py", 9, "<module>"], ["model.py", 4, "call"]]


def told_of(folder, **told):
    run = Run()
    answer = {"result": "asked", "residual": 0.9, "rows": 6, "meeting": FRAMES, **told}
    run.worker.append({"capsule": "7-1-step", "request": "explain", "result": answer})
    return list(unexplained(read_run(run.write(folder / "run"))))


@pytest.mark.parametrize(
    ("change", "title", "more"),
    [
        ("shifted", "The data have their centre elsewhere than the predictions", "`fftshift`"),
        ("flipped", "The data are mirrored against the predictions", "conjugated"),
        ("transposed", "The two axes of the data are in another order than those of the predictions", "exchanged"),
        ("unlike", "The loss does not do the same to the data as to the predictions", "a square or a root"),
        ("0.0625", "The data are 16 times what the model can predict", "a power of the size of the transform"),
        ("0.3333333", "The data are 3 times what the model can predict", "They are explained once"),
    ],
)
def test_data_that_another_scale_or_centre_explains_are_a_warning(tmp_path, change, title, more):
    [found] = told_of(tmp_path, relation="out-of-reach", change=change, factor=3.0)
    assert (found.slug, found.level, found.status) == ("loss-input-mismatch", "warning", "confirmed")
    assert found.title == title and more in found.message and found.location.file == "model.py"
    assert ("a power" in found.message) == (change == "0.0625")


@pytest.mark.parametrize("relation", ["out-of-reach", None])
def test_a_fit_that_came_to_nothing_is_no_finding(tmp_path, relation):
    assert told_of(tmp_path, relation=relation, factor=1e16) == []


def test_places_that_use_moves_in_two_ways_are_a_warning_that_names_both(tmp_path):
    used, rest = [FRAMES], [[["train.py", 9, "<module>"], ["model.py", 7, "assemble"]]]
    [found] = told_of(tmp_path, relation="negated", used=used, rest=rest, trip=[0.84, 0.0005])
    assert (found.slug, found.level, found.status) == ("wrong-pairing", "warning", "confirmed")
    assert "84%" in found.message and "0.05%" in found.message and "model.py:7" in found.message
    assert found.location.line == 4 and "opposite sign in call" in found.title

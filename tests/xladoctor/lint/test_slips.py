"""What a line of a training does in another way than it looks, before anything runs."""

from __future__ import annotations

import pytest

from tests.xladoctor.sources.test_slips_of_source import HEAD, RIGHT, WRONG, marked
from xladoctor.lint.checks.slips import _TRAINS
from xladoctor.lint.engine import lint
from xladoctor.lint.settings import Settings

TRAINING = [name for name, text in WRONG.items() if _TRAINS.search(text)]


def kinds(tmp_path, text: str, **given) -> set[tuple[int, str]]:
    file = tmp_path / "study.py"
    file.write_text(HEAD + text)
    findings = lint([str(file)], Settings(**given)).diagnosis.findings
    return {(f.location.line, f.details["kind"]) for f in findings if "kind" in f.details}


def test_a_program_that_trains_is_read_for_slips(tmp_path):
    assert len(TRAINING) > 15
    for name in TRAINING:
        assert kinds(tmp_path, WRONG[name]) == marked(WRONG[name]), name


def test_what_looks_like_one_is_left_alone(tmp_path):
    for name, text in RIGHT.items():
        assert kinds(tmp_path, text) == set(), name


@pytest.mark.parametrize("given", [{"ignore": ("XD703",)}, {"select": ("XD8",)}])
def test_their_codes_can_be_chosen(tmp_path, given):
    assert kinds(tmp_path, WRONG["tiles beside copies in turn"], **given) == set()


def test_a_library_and_its_tests_are_not_read(tmp_path):
    assert (
        kinds(tmp_path, WRONG["a threshold for scores"].replace("net.fit(x, y)\n", "").replace("predict", "run"))
        == set()
    )
    file = tmp_path / "test_study.py"
    file.write_text(HEAD + WRONG["tiles beside copies in turn"])
    assert not lint([str(file)], Settings()).diagnosis.findings

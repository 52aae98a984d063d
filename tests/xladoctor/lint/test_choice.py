"""Which findings are told: ignores, baselines, codes, settings."""

from __future__ import annotations

import json

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.lint import baseline
from xladoctor.lint.engine import lint
from xladoctor.lint.settings import KNOWN, Settings, settings

BODY = """\
import tensorflow as tf


@tf.function(jit_compile=True)
def f(x):
    tf.print(x){}
    return x
"""


def told(tmp_path, text: str, verbose: bool = False, known=None, **given):
    file = tmp_path / "step.py"
    file.write_text(text)
    return lint([str(file)], Settings(**given), known, verbose).diagnosis


def codes(diagnosis) -> list[str]:
    return [f.code for f in diagnosis.findings]


def test_an_ignore_with_a_reason_holds(tmp_path) -> None:
    for text in (
        BODY.format("  # xladoctor: ignore[XD803] debugging only"),
        BODY.replace("    tf.print", "    # xladoctor: ignore[xd803, XD805] debugging only\n    tf.print").format(""),
        "# xladoctor: ignore-file[XD803] never compiled\n" + BODY.format(""),
        BODY.replace("tf.print(x)", "tf.print(\n        x,\n    )  # xladoctor: ignore[XD803] why").format(""),
    ):
        assert codes(told(tmp_path, text)) == ["XD810"], text


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# xladoctor: ignore[XD803]", "Without a reason"),
        ("# xladoctor: ignore because", "names no code"),
        ("# xladoctor: ignore[XD899] because", "There is no code XD899"),
    ],
)
def test_an_ignore_that_does_nothing_is_told_and_ignores_nothing(tmp_path, comment, said) -> None:
    found = told(tmp_path, BODY.format(f"  {comment}"))
    assert codes(found) == ["XD800", "XD803", "XD810"] or codes(found) == ["XD803", "XD800", "XD810"]
    [about] = [f for f in found.findings if f.code == "XD800"]
    assert said in about.message and about.location.line == 6


def test_an_ignore_that_meets_nothing_is_told_with_verbose(tmp_path) -> None:
    text = BODY.format("  # xladoctor: ignore[XD803,XD805] why")
    assert "XD800" not in codes(told(tmp_path, text))
    [about] = [f for f in told(tmp_path, text, verbose=True).findings if f.code == "XD800"]
    assert about.level == "note" and about.message.startswith("XD805")


def test_a_word_in_a_string_is_no_comment(tmp_path) -> None:
    assert "XD800" not in codes(told(tmp_path, BODY.format('\n    s = "# xladoctor: ignore[XD803]"')))


def test_a_baseline_knows_moved_lines_and_counts(tmp_path) -> None:
    file = tmp_path / "lint.json"
    old = told(tmp_path, BODY.format(""))
    file.write_text(baseline.as_text(old.findings, file))
    known = baseline.load(file)
    assert codes(told(tmp_path, "# moved\n\n" + BODY.format(""), known=known)) == []
    again = told(tmp_path, BODY.format("\n    tf.print(x)"), known=known)
    assert codes(again) == ["XD803"] and again.findings[0].location.line == 7
    fixed = told(tmp_path, BODY.replace("    tf.print(x){}\n", ""), known=known)
    assert codes(fixed) == [] and any("not found any more: XD803 in step.py" in note for note in fixed.notes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "x"}', '{"schema": "xladoctor.lint-baseline/1"}'])
def test_what_is_no_baseline_is_told(tmp_path, text) -> None:
    (tmp_path / "lint.json").write_text(text)
    with pytest.raises(XladoctorError, match="no baseline"):
        baseline.load(tmp_path / "lint.json")
    with pytest.raises(XladoctorError, match="cannot be read"):
        baseline.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"select": ("XD803",)}, ["XD803"]),
        ({"ignore": ("XD81",)}, ["XD803"]),
        ({"select": ("XD810",), "ignore": ("XD81",)}, ["XD810"]),
        ({"select": ("XD8",), "ignore": ("XD803",)}, ["XD810"]),
    ],
)
def test_codes_are_chosen(tmp_path, given, expected) -> None:
    assert codes(told(tmp_path, BODY.format(""), **given)) == expected


def test_settings_come_from_the_nearest_file_and_the_command_line(tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.xladoctor.lint]\nselect = ["XD8"]\nignore = ["explicit-jit"]\nexclude = ["tests"]\nassume-jit = true\n'
        'fail-on = "note"\n'
    )
    (tmp_path / "src").mkdir()
    found = settings(tmp_path / "src", ignore=("XD812",), exclude=("old",))
    assert found == Settings(("XD8",), ("XD810", "XD812"), ("tests", "old"), True, "note")
    assert settings(tmp_path, select=("XD803,XD805",)).select == ("XD803", "XD805")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("select = 'XD8'", "select is no list"),
        ("select = ['XD301']", "no finding of lint has the code 'XD301'"),
        ("selcet = []", "'selcet' is not known"),
        ("assume-jit = 1", "neither true nor false"),
        ("fail-on = 'error'", "fail-on is none of"),
        ("x = [", "cannot be read"),
    ],
)
def test_wrong_settings_are_told(tmp_path, text, said) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.xladoctor.lint]\n{text}\n")
    with pytest.raises(XladoctorError, match=said):
        settings(tmp_path)


def test_unknown_codes_are_told_with_the_nearest() -> None:
    with pytest.raises(XladoctorError) as error:
        settings(__import__("pathlib").Path("/"), select=("host-op",))
    assert "host-op-in-jit" in (error.value.hint or "")


def test_every_code_of_the_family_is_a_rule_that_leads_somewhere(tmp_path) -> None:
    from xladoctor.rules import CODES

    slugs = {slug for slug, _ in CODES.values()}
    found = told(tmp_path, BODY.format(""))
    assert all(f.details["leads_to"] in slugs for f in found.findings)
    assert json.dumps([f.details for f in found.findings])
    assert len([code for code in KNOWN if code.startswith("XD8")]) == 19 and set(KNOWN) <= set(CODES)

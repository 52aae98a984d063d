"""What was checked: in the first line, in a sentence, and on the page."""

from dataclasses import replace

import pytest

from tests.xladoctor.report import samples
from xladoctor.model.diagnosis import Check
from xladoctor.report import View, checked, render

COMPILED = Check("compiled-function", "step", 3, "agrees")
ROWS = Check("rows", "fit of net", 1, "agrees")
TRAINED = Check("gradients", "adam", 1, "agrees")


@pytest.mark.parametrize(
    ("checks", "sentence"),
    [
        ([], None),
        ([COMPILED], "1 compiled function agrees with plain execution"),
        (
            [COMPILED, replace(COMPILED, function="f"), ROWS],
            "2 compiled functions agree with plain execution; no rows are mispaired in fit of net",
        ),
        ([ROWS, replace(ROWS, function="predict of net")], "no rows are mispaired in fit of net and predict of net"),
        ([replace(ROWS, function=n) for n in "abcd"], "no rows are mispaired in a, b and 2 more"),
        ([replace(ROWS, result="diverges")], None),
        ([TRAINED, TRAINED], "adam has a gradient for each of its variables"),
        ([TRAINED, replace(TRAINED, function="sgd")], "adam and sgd have a gradient for each of their variables"),
        ([TRAINED, replace(TRAINED, result="diverges")], None),
        ([replace(ROWS, result="not-checked", why="too large")], "nothing could be checked: fit of net (too large)"),
        (
            [COMPILED, replace(ROWS, result="not-checked", why="too large")],
            "1 compiled function agrees with plain execution; not checked: fit of net (too large)",
        ),
    ],
)
def test_what_is_said(checks, sentence):
    assert checked.summary(checks) == sentence


def test_the_page_and_the_first_line_say_it():
    diagnosis = replace(samples.HEALTHY, checked=(COMPILED, replace(ROWS, result="not-checked", why="<too large>")))
    page = render(diagnosis, "html", None, View())
    assert 'id="checked"' in page and "which rows meet" in page and "&lt;too large&gt;" in page
    assert 'id="checked"' not in render(samples.HEALTHY, "html", None, View())
    said = " ".join(render(diagnosis, "console", None, View(run_dir="run", target_status=0)).split())
    assert "HEALTHY: 1 compiled function agrees with plain execution" in said


def test_of_what_the_recorder_looked_at_it_is_said_where_nothing_else_was_checked():
    kept, waited = Check("kept-values", "step", 9, "agrees"), Check("callbacks", "fit of net", 1, "agrees")
    assert checked.agreed([ROWS, kept]) == "no rows are mispaired in fit of net"
    assert checked.agreed([kept, waited, replace(waited, result="diverges", function="other")]) == (
        "no value that step keeps from its trace has changed; the callbacks of fit of net got the metrics that they "
        "wait for"
    )


@pytest.mark.parametrize(("checks", "word"), [((), "ENDED WITH 0; nothing could be checked"), ((ROWS,), "HEALTHY: ")])
def test_a_run_of_which_nothing_was_checked_is_not_called_healthy(checks, word):
    diagnosis = replace(samples.HEALTHY, checked=(*checks, replace(ROWS, result="not-checked", why="too large")))
    said = " ".join(render(diagnosis, "console", None, View(run_dir="run", target_status=0)).split())
    assert said.startswith(f"xladoctor: {word}")
    assert "checked: fit of net (too large)" in said

"""Replays as text: the line that matters, the table, csv, and text of a run that means harm."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from xladoctor.model.replay import Case, Outcome, Replay, Rule, Signature, Sweep
from xladoctor.report import View
from xladoctor.report.replay import FORMATS, render
from xladoctor.report.replay.words import ranges, seconds, verdict

EVIL = "\x1b[2J=cmd|' /C calc'!A0 <script>alert(1)</script> | @all #1\n[x](javascript:alert(1))"


def passed(batch, rows=None, **options):
    return Outcome(Case(batch), "passed", rows_in=batch, rows_out=rows or batch, **options)


def failed(batch, **options):
    return Outcome(Case(batch), "failed", Signature("reshape-mismatch", "Reshape", (0,)), rows_in=batch, **options)


def swept(*outcomes, rules=(), **options):
    return Replay("thing", Sweep(outcomes, rules, len(outcomes), len(outcomes), **options), folder="folder")


FROM = Rule("from", "fails from 16 on", 16, (), (1, 15, 16, 17, 64))


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (swept(passed(1), passed(2)), "passes in 2 cases"),
        (swept(passed(1), failed(2)), "1 of 2 cases show a failure"),
        (swept(Outcome(Case(3), "refused")), "nothing could be run"),
        (swept(passed(15), failed(16), rules=(FROM,)), "fails from 16 on: reshape-mismatch (Reshape)"),
        (
            swept(passed(15), replace(passed(16, 1), state="silent"), rules=(FROM,)),
            "fails from 16 on: without an error, 16 rows in, 1 out",
        ),
        (
            swept(passed(15), replace(passed(16), state="silent", place="Layer.call: is (1 2)"), rules=(FROM,)),
            "fails from 16 on: without an error, Layer.call: is (1 2)",
        ),
        (swept(replace(failed(16), state="timed-out", signature=None), rules=(FROM,)), "fails from 16 on: timed-out"),
    ],
)
def test_the_line_that_matters(found, line):
    assert verdict(found) == line
    assert render(found, "console", view=View(quiet=True)) == f"xladoctor: {line}\n"


def test_rules_of_several_combinations_are_told_apart():
    rules = (
        replace(FROM, vary=(("jit", "on"), ("env:X", "1"))),
        Rule("never", "passes", vary=(("jit", "off"), ("env:X", "1"))),
    )
    assert verdict(swept(passed(1), rules=rules)) == "jit=on: fails from 16 on; jit=off: passes"


def test_of_many_outcomes_those_beside_a_change_are_shown():
    many = [passed(n) if n < 500 else failed(n) for n in range(1, 1001)]
    text = render(swept(*many, rules=(FROM,)), "console")
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.split()[0].isdigit()]
    assert shown == ["1", "499", "500", "1000"]
    assert "and 996 more" in text
    assert "996 more" not in render(swept(*many), "console", view=View(verbose=True))


def test_what_was_refused_or_noted_is_said_once():
    outcomes = [Outcome(Case(n), "refused", message="traced for 32 rows") for n in (1, 2)]
    noted = [passed(n, note="sizes do not share a trace") for n in (3, 4)]
    for format in ("console", "markdown"):
        text = render(swept(*outcomes, *noted), format)
        assert text.count("traced for 32 rows") == text.count("sizes do not share a trace") == 1


def test_columns_without_content_are_left_out():
    heads = render(swept(passed(1), passed(2)), "console").split("batch", 1)[1].splitlines()[0].split()
    assert heads == ["outcome", "rows"]


def test_csv_is_read_back():
    text = render(swept(passed(1, run_seconds=0.5), failed(2, message="a, b\nc")), "csv")
    table = pd.read_csv(io.StringIO(text))
    assert list(table["batch"]) == [1, 2] and list(table["state"]) == ["passed", "failed"]
    assert table["class"][1] == "reshape-mismatch" and table["message"][1] == "a, b c"
    assert render(Replay("thing"), "csv").startswith("batch,varied,state,class")


def test_json_has_class_for_slug_and_all_outcomes():
    told = json.loads(render(swept(passed(1), failed(2), rules=(FROM,)), "json"))
    assert told["sweep"]["outcomes"][1]["signature"] == {"class": "reshape-mismatch", "op": "Reshape", "axes": [0]}
    assert told["sweep"]["rules"][0]["seen"] == [1, 15, 16, 17, 64]
    assert list(told)[:3] == ["schema", "tool_version", "subject"]


@pytest.mark.parametrize("format", FORMATS)
def test_text_of_a_run_is_harmless(format):
    evil = replace(failed(2), message=EVIL, node=EVIL, place=EVIL, note=EVIL, case=Case(2, (("env:X", EVIL),)))
    found = replace(swept(passed(1), evil, rules=(replace(FROM, text=EVIL),)), subject=EVIL, notes=(EVIL,))
    text = render(found, format)
    assert "\x1b" not in text
    if format == "markdown":
        outside = "".join(part for i, part in enumerate(text.split("`")) if i % 2 == 0)
        assert not re.search(r"(?<!\\)<script", outside)
    if format == "csv":
        table = pd.read_csv(io.StringIO(text))
        assert len(table) == 2 and not str(table["place"][1]).startswith("=")


def test_formats_are_checked():
    with pytest.raises(ValueError, match="no such format"):
        render(swept(), "pdf")


def test_sizes_and_times():
    assert ranges((1, 4, 15, 16, 17, 32, 33)) == "1, 4, 15:17, 32, 33"
    assert [seconds(t) for t in (None, 0.0012, 0.5, 12.3, 123.4)] == ["", "1.2 ms", "0.5 s", "12 s", "123 s"]


@pytest.mark.parametrize(
    ("found", "status"),
    [(swept(passed(1)), 0), (swept(failed(1)), 1), (swept(Outcome(Case(1), "refused")), 2), (Replay("x"), 0)],
)
def test_exit_status(found, status):
    assert found.exit_code == status

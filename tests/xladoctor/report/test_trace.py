"""Traces in every format: what they say, that nothing foreign acts, and that long ones open fast."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from dataclasses import replace

import pytest

from tests.xladoctor.recordings import collapsed, healthy
from tests.xladoctor.report.pages import check_page
from tests.xladoctor.report.test_hostile import COLOUR, CONTROL, EVIL
from xladoctor.diagnosis.trace import trace
from xladoctor.diagnosis.trace_diff import diff
from xladoctor.model.trace import WatchedPlace
from xladoctor.recording.run import read_run
from xladoctor.report import View
from xladoctor.report.page import Page
from xladoctor.report.trace import FORMATS, render


@pytest.fixture
def broken(tmp_path):
    return trace(read_run(collapsed(16).write(tmp_path / "b")))


@pytest.fixture
def kept(tmp_path):
    return trace(read_run(healthy(15).write(tmp_path / "a")))


def show(found, format, **view):
    return render(found, format, Page(120), View(**view))


def test_the_console(broken, kept):
    text = show(broken, "console", run_dir="runs/b", target_status=1)
    assert "xladoctor: CONTRACT BROKEN" in text and "the program ended with 1" in text
    assert "batch of 16 (8 rows), rows drawn again from the data of the call" in text
    assert re.search(r"! shift +layer gears/a\n +in +x +\(B N\) +\(\? 5\) +\(16 5\)", text)
    assert "FIRST VIOLATION: result is (1 5) where (B N)" in " ".join(text.split())
    assert re.search(r"B += 16 +bound by x \(axis 0\) of shift", text)
    assert "xladoctor trace runs/b -o shapes.html" in text
    well = show(kept, "console")
    assert "random values" in well
    assert re.search(r"in +x +\(B N\) +\(\? 5\) +\(15 5\)", well), "a healthy call has its table too"
    assert show(broken, "console", quiet=True).count("\n") == 3


def test_csv_has_one_row_a_tensor(broken, kept):
    rows = list(csv.DictReader(io.StringIO(show(broken, "csv"))))
    assert [(r["tensor"], r["traced"], r["runtime"], r["axes"]) for r in rows] == [
        ("x", "(? 5)", "(16 5)", "B=16 N=5"),
        ("k", "(?)", "(16)", "B=16 N=5"),
        ("result", "(? 5)", "(1 5)", "B=16 N=5"),
    ]
    assert [r["first_violation"] for r in rows] == ["0", "0", "1"]
    assert len(list(csv.reader(io.StringIO(show(kept, "csv"))))) == 1 + 6


def test_csv_has_no_formula(broken):
    step = broken.steps[0]
    evil = replace(step.shapes[0], layer='=HYPERLINK("http://x")', tensor="+1", node="@SUM(1)")
    rows = list(csv.DictReader(io.StringIO(show(replace(broken, steps=(replace(step, shapes=(evil,)),)), "csv"))))
    assert (rows[0]["layer"][0], rows[0]["tensor"][0], rows[0]["node"][0]) == ("'", "'", "'")


def test_json_is_the_trace(broken):
    data = json.loads(show(broken, "json"))
    assert (data["schema"], data["verdict"]) == ("xladoctor.trace/1", "broken")
    (step,) = data["steps"]
    assert (step["name"], step["values"], step["batch"]) == ("fit of gears", "redrawn", 16)
    assert step["shapes"][2]["runtime"] == [1, 5]
    assert {b["name"]: (b["value"], b["by"]) for b in step["bindings"]}["B"] == (16, "x (axis 0) of shift")
    assert data["places"][0]["place"] == "gears.ops:shift"


def test_two_runs_side_by_side(broken, kept):
    found = diff(kept, broken)
    data = json.loads(show(found, "json"))
    assert (data["schema"], data["differs"]) == ("xladoctor.trace-diff/1", True)
    assert [(r["first"], r["kinds"], r["named_b"]) for r in data["steps"][0]["rows"]] == [
        (True, ["shape", "violation"], "(1 N)")
    ]
    assert "shapes" not in data["steps"][0]["a"]
    text = show(found, "console")
    assert "First difference\n  shift, result, in fit of gears, layer gears/a" in text
    assert "A  (15 5) = (B N)" in text and "B  (1 5) = (1 N)" in text
    rows = list(csv.DictReader(io.StringIO(show(found, "csv"))))
    assert [(r["a_named"], r["b_named"], r["first_difference"]) for r in rows] == [("(B N)", "(1 N)", "1")]
    assert "**First difference:**" in show(found, "markdown")
    assert 'class="first" id="first"' in show(found, "html")
    assert "THE SAME" in show(diff(kept, kept), "console")


def evil_trace(found):
    step = found.steps[0]
    rows = tuple(replace(r, place=EVIL, tensor=EVIL, layer=EVIL, contract=EVIL, violation=EVIL) for r in step.shapes)
    step = replace(
        step, name=EVIL, shapes=rows, notes=(EVIL,), bindings=(replace(step.bindings[0], name=EVIL, by=EVIL),)
    )
    place = WatchedPlace(EVIL, EVIL, EVIL, False, EVIL)
    return replace(found, source=EVIL, steps=(step,), places=(place,), notes=(EVIL,), problems=(EVIL,))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("two", [False, True])
def test_nothing_foreign_acts(broken, kept, format, two):
    evil = evil_trace(broken)
    found = diff(kept, evil) if two else evil
    text = render(found, format, Page(100), View(verbose=True, run_dir="runs/x"))
    assert not CONTROL.search(COLOUR.sub("", text))
    if format == "html":
        check_page(text)
    if format == "markdown":
        assert "<script" not in text.replace("`", "").replace("\\<script", "") or "\\<script" in text


def test_a_page_of_ten_thousand_rows(broken):
    step = broken.steps[0]
    many = replace(broken, steps=(replace(step, shapes=step.shapes * 3334),))
    start = time.process_time()
    text = show(many, "html")
    assert time.process_time() - start < 20
    assert text.count("<tr") > 10_000
    assert text.count('class="block"') == 51, "a browser lays out only the blocks in view"
    assert len(text) < 4_000_000

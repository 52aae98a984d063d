"""The failing op and the tree of its dynamic dimension, as text."""

from __future__ import annotations

from dataclasses import replace

from xladoctor.model.replay import Isolation, Link, Replay, Repro, Signature
from xladoctor.report.replay import render
from xladoctor.report.replay.chain import drawn

CHAIN = (
    Link("StatelessIf", "m/layer/cond", "f32[<=8,4]", "birth", "model.py:7 in call", why="its branches give 8 and 1"),
    *(Link("Abs", f"m/layer/abs_{i}", "f32[<=8,4]", "carries", "model.py:9 in call") for i in range(12)),
    Link("FFT", "m/layer/fft", "c64[<=8,4]", "fails", "model.py:12 in call"),
)
ISOLATED = Isolation(
    op="FFT",
    node="step/m/layer/fft",
    inputs=({"node": "m/layer/Cast", "dtype": "complex64", "shape": ["<=8", 4], "value": None},),
    signature=Signature("dynamic-dimension-unsupported", "FFT"),
    message="Asked to propagate a dynamic dimension\nand more",
    mode="xla",
    ops=1000,
    tries=12,
    compilations=12,
    seconds=9.5,
    path=("step",),
    layer="m/layer",
    location="model.py:12 in call",
    chain=CHAIN,
)
FOUND = Replay("subject", isolated=ISOLATED, folder="runs/1")


def test_console():
    text = render(FOUND, "console")
    assert "First op that fails  12 tries, 1000 ops, 12 XLA compilations, 9.5 s" in text
    assert "input complex64 (<=8 4) from layer/Cast" in text
    assert "Asked to propagate a dynamic dimension" in text
    assert "and more" not in text
    assert "born: its branches give 8 and 1" in text
    assert "born: its branches give 8 and 1" in text
    assert "... 8 more ops carry it" in text
    assert "FFT  c64[<=8,4]  FAILS" in text


def test_markdown_has_the_whole_tree():
    text = render(FOUND, "markdown")
    assert "## First op that fails" in text
    assert text.count("Abs abs_") == 12
    assert "more ops carry it" not in text


def test_a_line_is_said_once_where_it_stays_the_same():
    lines = drawn(CHAIN, all_of_it=True)
    assert sum("model.py:9" in line for line in lines) == 1
    assert drawn(CHAIN[:1], all_of_it=False)[0].startswith("StatelessIf cond")


def test_what_became_of_the_script():
    kept = replace(FOUND, repro=Repro("fails.py", 33, True))
    assert "fails.py: 33 lines; run in a fresh process, it fails in the same way" in render(kept, "console")
    lost = replace(FOUND, repro=Repro("fails.py", 33, False, message="the script passes in a fresh process"))
    assert "no script was written: the script passes in a fresh process" in render(lost, "console")


def test_foreign_text_is_shown_and_not_obeyed():
    nasty = "\x1b[31m<b>`x`|\n# head"
    link = replace(CHAIN[0], node=nasty, location=nasty, why=nasty)
    evil = replace(ISOLATED, node=nasty, message=nasty, note=nasty, layer=nasty, chain=(link, CHAIN[-1]))
    for format in ("console", "markdown"):
        text = render(replace(FOUND, isolated=evil), format)
        assert "\x1b[31m" not in text
        assert "\n# head" not in text

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.xladoctor.report import samples
from tests.xladoctor.report.samples import row
from xladoctor.diagnosis.model import Finding, Location, SettingEvent
from xladoctor.report import View, render
from xladoctor.report.page import Page

RUN = "xladoctor-runs/20260106T101500Z-3f2a"


def said(diagnosis, width: int = 80, **view) -> str:
    return render(diagnosis, "console", Page(width), View(**view))


def test_the_first_screen_is_the_answer():
    head = said(samples.LOUD, target_status=1).splitlines()[:24]
    text = "\n".join(head)
    assert head[0].startswith("xladoctor: FAILED  python -m ptycho.workflows.dose_response")
    assert head[0].endswith("(the program ended with 1)")
    assert "Root cause  XD309 contract-violation  confirmed" in head
    assert "  at /home/ada/study/ptycho/custom_layers.py:171 in call" in head
    assert "    contract (B P P 1), expected (32 78 78 1), seen (1 78 78 1)" in head
    assert "    B  = 32  bound by axis 0 of patches" in head
    assert "Consequence  XD301 reshape-mismatch  confirmed" in text
    assert "\n  at /home/ada/study/ptycho/projective_warp_xla.py:182 in projective_warp_xla" in text


def test_numbers_are_explained():
    text = said(samples.LOUD, width=200)
    assert (
        "778752 = 128*78*78 = (B*C)*P*P\n        given to the failing op; 128 is B*C (B = 32, C = 4); 78 is P" in text
    )
    assert "4 is C (gridsize squared) or M (images): ambiguous" in text
    assert "not 156*156" in text


def test_a_silent_failure_says_that_the_program_ended_well():
    text = said(samples.MUTED, target_status=0)
    assert text.splitlines()[0].endswith("(although the program ended with 0)")
    assert "predict was given 64 samples and returned 2 rows" in text


@pytest.mark.parametrize(
    ("status", "words"), [(-9, "killed by SIGKILL"), (-250, "killed by signal 250"), (3, "ended with 3")]
)
def test_how_the_program_ended(status, words):
    assert said(samples.LOUD, target_status=status).splitlines()[0].endswith(f"{words})")


def test_the_shape_table():
    text = said(samples.LOUD)
    assert "   in   patches       (B N N C)    (? 64 64 4)  (32 64 64 4)" in text
    assert "  translate_xla  traced, not executed\n   in   images" in text
    assert "not executed\n" in text
    assert "… these 2 calls 3 times in a row" in text
    assert text.count("FIRST VIOLATION") == 1
    assert "! ReassemblePatchesLayer.call\n   out  result        (B P P 1)    (1 78 78 1)  (1 78 78 1)" in text
    assert "translate_xla  layer padded_objs_with_offsets_1" in text
    assert "(? 78 78 1)  failed" in text


def test_verbose_folds_nothing():
    text = said(samples.LOUD, verbose=True)
    assert "times in a row" not in text
    assert text.count("ptycho.projective_warp_xla:projective_warp_xla  layer reassemble_patches") == 3
    assert "called at /home/ada/study/ptycho/workflows/dose_response.py:380 in main" in text
    assert "Traces and compilations" in text
    assert "the node belongs to padded_objs_with_offsets_1" in text


@pytest.mark.parametrize("width", [80, 100, 140, 250])
@pytest.mark.parametrize("verbose", [False, True])
def test_lines_keep_to_the_width(width, verbose):
    for line in said(samples.LOUD, width, verbose=verbose, run_dir=RUN).splitlines():
        # One word (a path) may stand out; the verdict, a table of shapes and a command are one line each.
        words = line.split()
        if cell_len(line) > width:
            assert (
                len(words) <= 4
                or line.startswith(("xladoctor:", "  xladoctor", "   in ", "   out ", "        tensor"))
                or "/" in line
            ), line


def test_a_path_is_never_broken():
    deep = "/very" + "/long" * 40 + "/file.py"
    finding = replace(samples.ROOT, location=Location(deep, 12, "f"))
    assert f"  at {deep}:12 in f\n" in said(replace(samples.LOUD, findings=(finding,)), 60)


def test_colours_change_nothing_else():
    plain = said(samples.LOUD)
    assert "\x1b" not in plain
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    coloured = render(samples.LOUD, "console", Page(console=console), View())
    assert "\x1b[1;31mFAILED\x1b[0m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


def test_healthy():
    text = said(samples.HEALTHY)
    assert text == "xladoctor: HEALTHY  train.log\n  Nothing was found that looks wrong.\n"


def test_a_healthy_run_is_short():
    text = said(replace(samples.HEALTHY, shapes=samples.SHAPES, settings=samples.SETTINGS), run_dir=RUN)
    assert "Shapes" not in text and "Settings" not in text
    assert "What was recorded: --verbose" in text


def test_notes_come_first_where_there_is_no_root():
    quiet_run = replace(samples.HEALTHY, notes=("Nothing was recorded inside the target.",), shapes=samples.SHAPES)
    text = said(quiet_run, verbose=True)
    assert text.index("Nothing was recorded") < text.index("Shapes")


def test_what_could_not_be_read_is_said_before_everything():
    text = said(replace(samples.LOUD, problems=("events-1.jsonl:7 is not JSON",)))
    assert text.index("events-1.jsonl:7 is not JSON") < text.index("Root cause")


def test_quiet_is_the_one_line_that_matters():
    assert said(samples.LOUD, quiet=True).splitlines()[1:] == [
        "  XD309 contract-violation: ReassemblePatchesLayer.call returned 1 row for a batch of 32",
        "  at /home/ada/study/ptycho/custom_layers.py:171 in call",
    ]


def test_what_to_type_next():
    text = said(samples.LOUD, run_dir="my runs/it's")
    assert "  xladoctor scan 'my runs/it'\"'\"'s' --verbose" in text
    assert "  xladoctor explain XD309" in text
    assert "The run folder: my runs/it's" in text
    assert "xladoctor scan" not in said(samples.LOUD)


def test_xla_and_settings_and_hypotheses():
    text = said(samples.LOUD, 140)
    assert "  on   tf.function(jit_compile=True)  projective_warp_xla_jit" in text
    assert "governed by params.cfg[use_xla_translate], USE_XLA_TRANSLATE." in text
    assert "  off  TF_XLA_FLAGS" in text
    assert "read x3" in text
    assert "  refuted    H1-REVISED  report 002" in text
    assert "positions (32 1 2 4) at ReassemblePatchesLayer.call [events-4711.jsonl:801]" in text


def test_long_lists_are_cut_and_say_so():
    many = tuple(SettingEvent(float(n), "params.cfg", f"k{n}", "write", n) for n in range(50))
    rows = tuple(row(f"m:p{n}", "in", "x", "(B)", [n], call=n) for n in range(100))
    others = tuple(Finding("XD301", "s", "error", "consequence", f"other {n}", "m") for n in range(9))
    big = replace(samples.LOUD, settings=many, shapes=rows, findings=(samples.ROOT, *others))
    text = said(big)
    assert "… 50 more (--verbose)" in text
    assert "more calls (--verbose)" in text
    assert "Also found  --verbose for all of it" in text
    whole = said(big, verbose=True)
    assert "(--verbose)" not in whole and "k49" in whole and "p99" in whole


def test_wide_characters_are_aligned():
    rows = (row("m:f", "in", "图像", "(B)", [1], call=1), row("m:f", "in", "xx", "(B)", [1], call=1))
    lines = [x for x in said(replace(samples.LOUD, shapes=rows)).splitlines() if "(B)" in x]
    assert len({cell_len(line.partition("(B)")[0]) for line in lines}) == 1


def test_nothing_is_computed_from_what_is_missing():
    bare = replace(samples.LOUD, findings=(Finding("XD901", "not-xla", "error", "root", "t", ""),), environment={})
    assert "XD901 not-xla" in said(replace(bare, shapes=(), settings=(), xla_paths=(), hypotheses=()))

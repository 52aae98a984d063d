from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.xladoctor.report import samples
from tests.xladoctor.report.samples import row
from xladoctor.model.diagnosis import Change, Finding, Location, Proof, Remedy, SettingEvent, XlaPath
from xladoctor.report import View, console_shapes, render
from xladoctor.report.page import Page

RUN = "xladoctor-runs/20260106T101500Z-3f2a"


def said(diagnosis, width: int = 80, **view) -> str:
    return render(diagnosis, "console", Page(width), View(**view))


def test_the_first_screen_is_the_answer():
    head = said(samples.LOUD, target_status=1).splitlines()[:32]
    text = "\n".join(head)
    assert head[0] == "xladoctor: FAILED  python -m ptycho.workflows.dose_… (the program ended with 1)"
    assert head[2] == "ReassemblePatchesLayer.call returned 1 row for a batch of 32"
    assert head[3] == "  Root cause  XD309 contract-violation  confirmed"
    assert head.index("What to do") < head.index("Why") < 20
    assert "  at /home/ada/study/ptycho/custom_layers.py:171 in call" in head
    assert "    contract (B P P 1), expected (32 78 78 1), seen (1 78 78 1), B = 32 by axis" in head
    assert "  Consequence  XD301 reshape-mismatch  confirmed" in text
    assert "\n  at /home/ada/study/ptycho/projective_warp_xla.py:182 in projective_warp_xla" in text


def test_numbers_are_explained():
    brief = said(samples.LOUD)
    assert "    778752 = 128*78*78 = (B*C)*P*P  given to the failing op\n" in brief
    assert (
        "asked for by the failing op; 4 is C (gridsize\n        squared) or M (images): ambiguous; not 156*156" in brief
    )
    text = said(samples.LOUD, width=200, verbose=True)
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


def test_the_report_is_one_screen():
    text = said(samples.LOUD, target_status=1, run_dir=RUN)
    assert len(text.splitlines()) <= 64
    assert "Environment" not in text and "Settings" not in text
    assert text.splitlines()[-1].startswith("With    python 3.11.4, tensorflow 2.21.0, keras 3.15.1")


def test_the_rows_around_the_first_violation():
    lines = said(samples.LOUD).partition("Shapes")[2].splitlines()
    assert lines[0].split() == [",", "5", "of", "22", "contract", "traced", "at", "run", "time"]
    assert lines[1:8] == [
        "  ReassemblePatchesLayer.call",
        "   in   patches    (B N N C)    (? 64 64 4)  (32 64 64 4)",
        "   in   positions  (B 1 2 C)    (? 1 2 4)    (32 1 2 4)",
        "  … 9 other calls",
        "   out  result     (B P P 1)    (1 78 78 1)  (1 78 78 1)   FIRST VIOLATION",
        "! ExtractPatchesPositionLayer.call",
        "   in   canvas     (B P P 1)    (1 78 78 1)  (1 78 78 1)   violation",
    ]
    kept = tuple(replace(r, violation=None, first_violation=False) for r in samples.SHAPES)
    assert "Shapes" not in said(replace(samples.LOUD, shapes=kept))


def table(rows, verbose: bool = False, width: int = 80) -> str:
    page = Page(width)
    console_shapes.render(page, rows, View(verbose=verbose))
    return page.text()


def test_the_shape_table():
    text = table(samples.SHAPES)
    assert "   in   patches       (B N N C)    (? 64 64 4)  (32 64 64 4)" in text
    assert "  translate_xla  traced, not executed\n   in   images" in text
    assert "not executed\n" in text
    assert "… these 2 calls 3 times in a row" in text
    assert text.count("FIRST VIOLATION") == 1
    assert "! ReassemblePatchesLayer.call\n   out  result        (B P P 1)    (1 78 78 1)  (1 78 78 1)" in text
    assert "translate_xla  layer padded_objs_with_offsets_1" in text
    assert "(? 78 78 1)  failed" in text
    assert "Axes: B groups, N patch side, C patches a group" in text


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


def test_a_log_in_which_nothing_looks_wrong_is_no_healthy_run():
    assert said(samples.HEALTHY).splitlines() == [
        "xladoctor: NOTHING FOUND  train.log",
        "  Nothing in this log looks wrong. The doctor did not see the run itself.",
    ]


def test_healthy():
    ran = replace(samples.HEALTHY, source="runs/one", environment={"command": ["python", "train.py"]})
    assert said(ran) == "xladoctor: HEALTHY  runs/one\n  Nothing was found that looks wrong.\n"


def test_a_warning_has_no_root_cause():
    finding = Finding("XD902", "not-recorded", "warning", "root", "Nothing was recorded", "Why.", status="confirmed")
    text = said(replace(samples.HEALTHY, verdict="warnings", findings=(finding,)))
    assert "\nNothing was recorded\n  Warning  XD902 not-recorded\n" in text and "Root cause" not in text


def test_a_run_without_tensorflow_has_no_word_on_xla():
    unset = SettingEvent(0.0, "env", "TF_XLA_FLAGS", "start", None)
    off = XlaPath("TF_XLA_FLAGS", "auto-clustering", "unset", "off", False)
    found = Finding("XD901", "not-xla", "error", "root", "the run was killed", "The run was killed by SIGKILL.")
    bare = replace(samples.HEALTHY, verdict="failed", findings=(found,), xla_paths=(off,), settings=(unset,))
    for verbose in (False, True):
        text = said(bare, verbose=verbose)
        assert "TF_XLA_FLAGS" not in text and "XLA  " not in text
    assert "XLA  was off (1 setting checked" in said(replace(bare, environment={"tensorflow": "2.21.0"}))
    assert "the run was killed" not in said(bare), "a title that the message repeats"


def test_one_message_of_several_lines_is_told_once():
    message = "Input to reshape is a tensor with 9 values, but the requested shape has 4"
    proofs = (
        Proof("log", f"{message} [Op:__inference_f_26]", "stderr.log:12"),
        Proof("log", f"OP_REQUIRES failed at xla_ops.cc:602 : INVALID_ARGUMENT: {message}", "stderr.log:3"),
        Proof("log", f"Local rendezvous is aborting with status: INVALID_ARGUMENT: {message}", "stderr.log:4"),
        Proof("worker", "Reshape: (3 3), (2) holding [2, 2]", "worker.jsonl"),
    )
    finding = Finding("XD301", "reshape-mismatch", "error", "root", "t", "m", evidence=proofs)
    text = said(replace(samples.LOUD, findings=(finding,)), 200, verbose=True)
    text = " ".join(text.split())
    assert text.count(message) == 1
    assert f"- {message} [Op:__inference_f_26] [stderr.log:12, stderr.log:3, stderr.log:4]" in text
    assert "- Reshape: (3 3), (2) holding [2, 2] [worker.jsonl]" in text


def test_a_remedy_does_not_repeat_the_line_of_the_root():
    remedy = Remedy("mend", f"Mend the line: {samples.LAYERS}:171", "safe", "How.")
    diagnosis = replace(samples.LOUD, findings=(replace(samples.ROOT, remedies=(remedy,)),))
    assert "  1. Mend the line (safe; not tested yet)\n" in said(diagnosis)
    assert f"Mend the line: {samples.LAYERS}:171" in said(diagnosis, 200, verbose=True)


def test_the_message_does_not_repeat_the_rows_beside_it():
    text = said(samples.LOUD)
    birth = {"op": "Sum", "inputs": [{"shape": [64, 78]}, {"shape": []}], "shape": [1, 78]}
    message = (
        "P returned (1 78); the contract is (B P), with B = 32 by x (axis 0). All 63 calls before it kept theirs. "
        "The size 1 at axis 0 arises in Sum a/b/Sum, /p/f.py:33 in add: (64 78) in, (1 78) out."
    )
    details = {"contract": "(B P)", "bindings": {"B": {"value": 32, "by": "x"}}, "birth": birth}
    text = said(replace(samples.LOUD, findings=(replace(samples.ROOT, message=message, details=details),)))
    assert "made by Sum: (64 78) in, (1 78) out" in text
    assert "All 63 calls before it kept theirs." in text
    assert "arises in" not in text and "the contract is" not in text


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
    assert "Next    xladoctor scan 'my runs/it'\"'\"'s' --verbose" in text
    assert "        xladoctor explain XD309" in text
    assert "Run     my runs/it's" in text
    assert "xladoctor scan" not in said(samples.LOUD)


@pytest.mark.parametrize(
    ("fields", "commands"),
    [
        ({}, []),
        ({"details": {"failing_op": {"op": "AddV2"}}}, ["xladoctor replay r"]),
        (
            {"details": {"failing_op": {"op": "AddV2"}, "last_batch": {"size": 32, "left": 8}}},
            ["xladoctor replay r --batch-sizes 8,32"],
        ),
        ({"layer": "mixer"}, ["xladoctor trace -- python train.py"]),
    ],
)
def test_what_to_type_next_follows_what_is_known_of_the_failure(fields, commands):
    finding = replace(samples.LOUD.root, code="XD302", slug="broadcast-mismatch", layer=None, details={}, suspects=())
    root = replace(finding, **fields)
    model = SettingEvent(1.0, "keras", "model m: build", "event", None)
    run = replace(samples.LOUD, findings=(root,), environment={"command": ["python", "train.py"]}, settings=(model,))
    rows = said(run, run_dir="r").partition("Next")[2].splitlines()
    assert [row.partition("  #")[0].strip() for row in rows if "replay" in row or "trace" in row] == commands


def test_tried_edits_are_shown_as_diffs_where_everything_is_shown():
    diff = "--- a/train.py\n+++ b/train.py\n@@ -1,1 +1,1 @@\n-d.batch(32)\n+d.batch(32, drop_remainder=True)\n"
    edit = {"file": "train.py", "line": 1, "why": "leave out the last batch", "said": "it ran", "diff": diff}
    root = replace(samples.LOUD.root, details={"edits": [edit]})
    text = said(replace(samples.LOUD, findings=(root,)), verbose=True)
    assert "Edit tried at train.py:1: leave out the last batch. Result: it ran.\n" in text
    assert "\n      -d.batch(32)\n      +d.batch(32, drop_remainder=True)\n" in text
    brief = said(replace(samples.LOUD, findings=(root,)))
    assert "diff ---" not in text and "Edit tried" not in brief
    assert "\n  1 edit tried on a copy; the program runs with none of them.\n" in brief
    mended = Remedy("edit", "Mend it", "safe", "How.", "verified", change=Change("train.py", 1, "a", "b"))
    root = replace(root, remedies=(mended,))
    assert "tried on a copy" not in said(replace(samples.LOUD, findings=(root,)))


def test_xla_in_short():
    text = said(samples.LOUD)
    assert (
        "XLA  was switched on (2 other settings did not; --verbose)\n  on  tf.function(jit_compile=True)  proj" in text
    )
    assert "      governed by params.cfg[use_xla_translate], USE_XLA_TRANSLATE\n" in text


def test_hypotheses_in_short():
    lines = said(samples.LOUD).partition("Hypotheses  ")[2].splitlines()
    assert lines[:3] == [
        "suspected in such failures before; each was tested on this run",
        "  refuted    H1-REVISED  Positions reach the translation as (B, 2) and not as …",
        "  confirmed  C1  The reassembly gives one canvas for the whole batch",
    ]
    assert lines[3] == "  refuted    H4 (--verbose)"


def test_xla_and_settings_and_hypotheses():
    text = said(samples.LOUD, 140, verbose=True)
    assert "  on   tf.function(jit_compile=True)  projective_warp_xla_jit" in text
    assert "governed by params.cfg[use_xla_translate], USE_XLA_TRANSLATE." in text
    assert "  off  TF_XLA_FLAGS" in text
    assert "read x3" in text
    assert "  refuted    H1-REVISED  report 002" in text
    assert "positions (32 1 2 4) at ReassemblePatchesLayer.call [events-4711.jsonl:801]" in text


def test_what_was_never_traced_is_said_plainly():
    path = XlaPath(
        "tf.function(jit_compile=)", "_conv_xla", "True", "on, but never traced", False, note="asked for x38"
    )
    text = said(replace(samples.LOUD, xla_paths=(path,)), 140, verbose=True)
    assert "requested True, but nothing was compiled: the function was never traced in this run." in text


def test_milestones_keep_their_column_and_their_order():
    events = (
        SettingEvent(0.0, "env", "TF_XLA_FLAGS", "start", None),
        SettingEvent(5.214, "milestone", "import keras", "", None),
        SettingEvent(7.6, "milestone", "predict", "ends", None),
        SettingEvent(7.7, "milestone", "predict", "begins", None),
        SettingEvent(7.8, "milestone", "predict", "ends", None),
    )
    text = said(replace(samples.LOUD, settings=events), verbose=True)
    assert "  5.214  import keras" in text
    assert text.index("7.6 ") < text.index("7.7 ") < text.index("7.8 ")


def test_long_lists_are_cut_and_say_so():
    rows = tuple(row(f"m:p{n}", "in", "x", "(B)", [n], call=n) for n in range(100))
    others = tuple(Finding("XD301", "s", "error", "consequence", f"other {n}", "m") for n in range(9))
    big = replace(samples.LOUD, findings=(samples.ROOT, *others))
    text = said(big)
    assert "Also found  --verbose for all of it" in text and "… 4 more findings" in text
    assert "84 more calls (--verbose)" in table(rows)
    assert "p99" in table(rows, verbose=True)
    many = tuple(SettingEvent(float(n), "params.cfg", f"k{n}", "write", n) for n in range(50))
    whole = said(replace(big, settings=many), verbose=True)
    assert "(--verbose)" not in whole and "k49" in whole and "other 8" in whole


def test_wide_characters_are_aligned():
    rows = (row("m:f", "in", "图像", "(B)", [1], call=1), row("m:f", "in", "xx", "(B)", [1], call=1))
    lines = [x for x in table(rows).splitlines() if "(B)" in x]
    assert len({cell_len(line.partition("(B)")[0]) for line in lines}) == 1


def test_nothing_is_computed_from_what_is_missing():
    bare = replace(samples.LOUD, findings=(Finding("XD901", "not-xla", "error", "root", "t", ""),), environment={})
    assert "XD901 not-xla" in said(replace(bare, shapes=(), settings=(), xla_paths=(), hypotheses=()))


def test_names_of_places_are_not_cut():
    missing = {f"ptycho.tf_helper:a_function_with_a_rather_long_name_{n}": "no such name" for n in range(2)}
    environment = {"python": "3.11", "places_missing": missing}
    text = said(replace(samples.LOUD, environment=environment), verbose=True)
    assert all(name in text for name in missing) and "places_missing." not in text

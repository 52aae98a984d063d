"""What differs between two runs, and what does not although it looks different."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from tests.xladoctor.recordings import collapsed, healthy
from tests.xladoctor.report import samples
from tests.xladoctor.report.hostile import CONTROL, EVIL
from tests.xladoctor.report.pages import check_page
from tests.xladoctor.report.test_hostile import check_markdown
from xladoctor.commands.report import differences
from xladoctor.diagnosis.run_diff import diff
from xladoctor.model.diagnosis import Compilation, Diagnosis, SettingEvent, XlaPath
from xladoctor.model.run_diff import Seen
from xladoctor.model.trace import TraceDiff
from xladoctor.report import View
from xladoctor.report.run_diff import FORMATS, render

NO_SHAPES = TraceDiff("a", "b")


def compared(a: Diagnosis, b: Diagnosis, run_a=None, run_b=None) -> dict[str, list[tuple]]:
    found = diff(Seen(a, run_a or {}), Seen(b, run_b or {}), NO_SHAPES)
    return {t.id: [(d.name, d.a, d.b) for d in t.differ] for t in found.topics if t.differ}


def of(**fields) -> Diagnosis:
    return Diagnosis("runs/1", "healthy", **fields)


def event(t, store, key, action, value=None, pid=7) -> SettingEvent:
    return SettingEvent(t, store, key, action, value, pid=pid)


def test_a_run_and_itself():
    assert compared(samples.LOUD, samples.LOUD) == {}
    assert not diff(Seen(samples.LOUD), Seen(samples.LOUD), NO_SHAPES).differs


def test_the_command_option_by_option():
    a = of(environment={"command": ["python", "-m", "study", "--batch-size", "15", "--fast", "--lr=0.1", "x.npz"]})
    b = of(environment={"command": ["python", "-m", "study", "--lr=0.1", "--batch-size", "16", "y.npz", "z.npz"]})
    assert {n: (x, y) for n, x, y in compared(a, b)["command"]} == {
        "--batch-size": ("15", "16 y.npz z.npz"),
        "--fast": ("given", None),
        "word 2": ("x.npz", None),
    }


def test_versions_variables_and_folders():
    a = of(environment={"tensorflow": "2.19.1", "cwd": "/tmp/a", "executable": "/tmp/a/.venv/bin/python"})
    b = of(environment={"tensorflow": "2.21.0", "cwd": "/tmp/b", "executable": "/tmp/b/.venv/bin/python"})
    run_a = {"environment": {"TF_XLA_FLAGS": "", "PATH": "/tmp/a/bin", "XLADOCTOR_RUN_DIR": "/x"}, "host": {"cpus": 2}}
    run_b = {"environment": {"PATH": "/tmp/b/bin"}, "host": {"cpus": 8}}
    assert compared(a, b, run_a, run_b) == {
        "versions": [("tensorflow", "2.19.1", "2.21.0"), ("host cpus", "2", "8")],
        "environment": [("TF_XLA_FLAGS", "", None)],
    }


MODEL = event(3, "milestone", "model m: build", "happened")
WRITE = event(2, "params.cfg", "use_xla", "write", False)
READ = event(2.5, "params.cfg", "use_xla", "read", False)


def test_values_of_settings():
    a = of(settings=(WRITE, READ, replace(READ, t=2.6), MODEL))
    b = of(settings=(replace(WRITE, value=True), replace(READ, value=True), MODEL))
    assert compared(a, b)["settings"] == [("params.cfg use_xla", "write False, read False", "write True, read True")]
    assert "order" not in compared(a, b), "another value is no other order"


def test_the_order_of_settings():
    early = of(settings=(WRITE, READ, MODEL))
    late = of(settings=(READ, MODEL, replace(WRITE, t=4)))
    assert compared(early, late)["order"] == [
        ("params.cfg use_xla: write False", "after the start", "after model m: build")
    ]
    one, other = (event(1, "milestone", f"import {n}", "happened") for n in ("tensorflow 2.19.1", "ptycho"))
    assert compared(of(settings=(one, other)), of(settings=(other, one)))["order"] == [
        ("milestones", "import tensorflow, import ptycho", "import ptycho, import tensorflow")
    ]


def test_a_milestone_of_one_run_and_another_process_say_nothing_of_the_order():
    fails = event(9, "milestone", "fit fails", "happened")
    child = event(0.5, "params.cfg", "use_xla", "write", True, pid=8)
    a = of(settings=(WRITE, MODEL, fails, replace(READ, t=10)))
    b = of(settings=(WRITE, MODEL, replace(READ, t=10), child))
    assert compared(a, b) == {}


def test_xla_paths_and_compilations():
    on = XlaPath("tf.function(jit_compile=)", "warp", "True", "on", True, ("params.cfg use_xla = True",))
    a = of(
        xla_paths=(on,),
        compilations=(
            Compilation("one_step_12", "trace", ("float32[15,64]",)),
            Compilation("one_step_99", "trace", ("float32[3,64]",)),
            Compilation("Dataset_map_1", "trace"),
        ),
    )
    b = of(
        xla_paths=(replace(on, resolved="off", effective=False, governed_by=()),),
        compilations=(Compilation("one_step_7", "trace", ("float32[15,64]",), 2.0),),
    )
    assert compared(a, b) == {
        "xla": [
            (
                "tf.function(jit_compile=) warp",
                "on: True -> on, governed by params.cfg use_xla = True",
                "off: True -> off, governed by nothing",
            )
        ],
        "compilations": [("trace one_step", "2 times: float32[15,64]; float32[3,64]", "1 time: float32[15,64]")],
    }


def test_a_run_that_recorded_nothing_is_not_compared_with_what_the_other_recorded():
    a, b = Seen(of(), recorded=False), Seen(of(settings=(WRITE, MODEL), environment={"tensorflow": "2.21.0"}))
    found = diff(a, b, NO_SHAPES)
    assert [t.id for t in found.topics] == ["command", "versions", "environment", "outcome"]
    assert found.notes == (
        "nothing was recorded in A: versions, settings, XLA paths, compilations and shapes were not compared",
    )


@pytest.fixture
def two(tmp_path: Path):
    return differences(healthy(15).write(tmp_path / "passes"), collapsed(16).write(tmp_path / "fails"))


def test_a_run_that_passes_and_one_that_fails(two):
    assert (two.exit_code, two.a.verdict, two.b.verdict) == (1, "healthy", "failed")
    assert (two.a.ended, two.b.ended) == ("the program ended with 0", "the program ended with 1")
    assert two.b.root.startswith("XD309 contract-violation: ") and two.a.root is None
    outcome = {d.name: (d.a, d.b) for t in two.topics if t.id == "outcome" for d in t.differ}
    assert outcome["verdict"] == ("healthy", "failed")
    assert two.shapes.first_broken is not None
    assert [t.id for t in two.topics] == [
        *("command", "versions", "environment", "settings", "order", "xla", "compilations", "outcome")
    ]


def spoiled(value):
    """Every text hostile, everything else as it is."""
    if isinstance(value, str):
        return EVIL
    if is_dataclass(value):
        kept = ("id", "phase", "state", "outcome", "values", "kinds", "verdict")
        return replace(value, **{f.name: spoiled(getattr(value, f.name)) for f in fields(value) if f.name not in kept})
    if isinstance(value, tuple):
        return tuple(spoiled(item) for item in value)
    return value


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_stays_text(two, format):
    found = render(spoiled(two), format, None, View(verbose=True))
    assert not CONTROL.search(found)
    if format == "html":
        check_page(found)
    if format == "markdown":
        check_markdown(found)


def test_the_console_says_what_matters_first(two):
    said = render(two, "console")
    assert said.startswith("xladoctor: DIFFERENT\n  A  ")
    assert "They differ in outcome (3), shapes (" in " ".join(said.split())
    assert said.index("\nOutcome") < said.index("\nShapes") and "\nVersions" not in said
    assert "First contract broken: shift, result, in fit of gears" in " ".join(said.split())

"""What a module keeps of a setting from its import: seen by the read, its line and a later write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.kept_at_import import with_kept
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

OPS = """\
import tensorflow as tf
from . import params

SIDE = params.side()

def merge(x):
    return tf.reshape(x, [-1, SIDE, SIDE])

def other(x, n):
    return tf.reshape(x, [-1, n, n])
"""
DEFAULT = """\
import tensorflow as tf
from . import params


def merge(x, side=params.side()):
    _ = 0
    return tf.reshape(x, [-1, side, side])
"""
CLASS = """\
import tensorflow as tf
class Merge:
    note = ""
    side = params.side()

    def __call__(self, x):
        return tf.reshape(x, [-1, self.side, self.side])
"""
MESSAGE = (
    "Input to reshape is a tensor with 400 values, but the requested shape requires a multiple of 484 [Op:Reshape]"
)


class Sources:
    """One text for each file."""

    scripts = (Path("/w/study.py"),)
    cwd = Path("/w")

    def __init__(self, ops):
        self.ops = ops

    def text(self, file, followed=False):
        return (self.ops if str(file) == "/w/pkg/ops.py" else "import pkg.ops\npkg.ops.merge(x)\n"), ""


def run(read_in, failed_at, *, written=2, code=1, function="<module>", raises=True):
    run = Run(outcome={"state": "exited", "code": code, "probes": "recorded"})

    def setting(action, value, where, frames=()):
        run.event("setting", store="params.cfg", key="margin", action=action, value=value, where=where, site=1,
                  graph=None, frames=list(frames))  # fmt: skip

    def frame(file, line, function="<module>"):
        return {"file": file, "line": line, "function": function, "user": True}

    setting("default", 3, None)
    inner = [frame("/w/pkg/ops.py", read_in, function)] if function != "<module>" else []
    line = 2 if inner else read_in
    outer = [frame("/w/pkg/ops.py", line), frame("/w/study.py", 1)]
    setting("read", 3, frame("/w/pkg/ops.py", read_in), [frame("/w/pkg/params.py", 9, "side"), *inner, *outer])
    setting("write", written, frame("/w/pkg/config.py", 77, "publish"))
    if code and raises:
        frames = [frame("/w/study.py", 2), frame("/w/pkg/ops.py", failed_at, "merge")]
        run.event("failure", failure=1, state="raised", exception="InvalidArgumentError", message=MESSAGE,
                  during="program", frames=frames, chain=[], capsule=None)  # fmt: skip
        run.event("failure", failure=1, state="uncaught", exception="InvalidArgumentError")
    return run


def diagnosed(tmp_path, monkeypatch, ops, made):
    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources(ops))
    return scan_run(made.write(tmp_path / "run"))


@pytest.mark.parametrize(
    ("ops", "read_in", "failed_at", "function"),
    [(OPS, 4, 7, "<module>"), (DEFAULT, 5, 7, "<module>"), (CLASS, 4, 7, "Merge")],
    ids=["constant", "default", "class"],
)
def test_the_line_that_keeps_it_is_suspected_first(tmp_path, monkeypatch, ops, read_in, failed_at, function):
    found = diagnosed(tmp_path, monkeypatch, ops, run(read_in, failed_at, function=function))
    assert (found.root.slug, found.root.location.file, found.root.location.line) == (
        "reshape-mismatch", "/w/pkg/ops.py", read_in,
    )  # fmt: skip
    assert "margin = 3, which was set to 2 afterwards at /w/pkg/config.py:77" in found.root.suspects[0].reason
    assert found.root.suspects[0].likeliness == "likely"
    assert found.root.remedies[0].id == "read-where-used"
    assert [(f.slug, f.level, f.status) for f in found.findings[1:]] == [("baked-in-setting", "note", "untested")]


def test_a_failure_that_takes_nothing_of_it_keeps_its_line(tmp_path, monkeypatch):
    found = diagnosed(tmp_path, monkeypatch, OPS, run(4, 10))
    assert found.root.location.line == 10
    assert all("margin" not in s.reason for s in found.root.suspects)


def test_the_same_value_again_is_nothing(tmp_path, monkeypatch):
    found = diagnosed(tmp_path, monkeypatch, OPS, run(4, 7, written=3))
    assert [f.slug for f in found.findings] == ["reshape-mismatch"]


def test_a_healthy_run_gets_a_note_at_most(tmp_path, monkeypatch):
    found = diagnosed(tmp_path, monkeypatch, OPS, run(4, 7, code=0))
    assert (found.verdict, [(f.slug, f.level) for f in found.findings]) == ("healthy", [("baked-in-setting", "note")])


CACHED = """\
import functools
from . import params

@functools.lru_cache(maxsize=None)
def build():
    return params.side()
"""


@pytest.mark.parametrize("ops", [CACHED, CACHED.replace("@functools.lru_cache(maxsize=None)", "")])
def test_a_cached_function_that_did_not_run_again_is_named(tmp_path, monkeypatch, ops):
    found = diagnosed(tmp_path, monkeypatch, ops, run(6, 6, function="build"))
    said = [f for f in found.findings if f.slug == "baked-in-setting"]
    assert [(f.location.line, f.remedies[0].id) for f in said] == (
        [(5, "settings-as-arguments")] if ops == CACHED else []
    )
    assert all("build is cached: it ran with params.cfg margin = 3" in f.message for f in said)


NET = """\
import functools
import keras
from . import params

@functools.lru_cache(maxsize=None)
def build():
    layers = params.side()
    return keras.Model(*layers)

def fresh():
    return keras.Model()
"""


@pytest.mark.parametrize(
    ("built_in", "called", "message", "line"),
    [
        ("build", "net", "Incompatible shapes: [18,4] vs. [8,4]", 6),
        ("fresh", "net", "Incompatible shapes: [18,4] vs. [8,4]", 10),
        ("build", "other", "Incompatible shapes: [18,4] vs. [8,4]", 10),
        ("build", "net", "Incompatible shapes: [7,5] vs. [11,5]", 10),
    ],
    ids=["built there", "built elsewhere", "another model", "sizes of something else"],
)
def test_a_model_of_a_cached_function_is_suspected_where_the_setting_tells_the_sizes_apart(
    tmp_path, monkeypatch, built_in, called, message, line
):
    made = run(7, 10, function="build", raises=False)
    where = {"file": "/w/pkg/ops.py", "line": 8, "function": built_in}
    made.event("model", action="build", name="net", inputs=[], outputs=[], where=where)
    made.event("call", phase="begin", call=1, method="predict", model="net", rows_in=8, batch_size=4, where=None)
    made.event("call", phase="end", call=1, method="predict", model="net", rows_in=8, batch_size=4)
    made.event("call", phase="begin", call=2, method="predict", model=called, rows_in=8, batch_size=4, where=None)
    frames = [{"file": "/w/pkg/ops.py", "line": 10, "function": "fresh", "user": True}]
    made.event("failure", failure=1, state="raised", exception="InvalidArgumentError", message=message,
               during="program", frames=frames, chain=[], capsule=None)  # fmt: skip
    made.event("failure", failure=1, state="uncaught", exception="InvalidArgumentError")
    root = diagnosed(tmp_path, monkeypatch, NET, made).root
    assert (root.slug, root.location.line) == ("broadcast-mismatch", line)
    assert ("settings-as-arguments" in [r.id for r in root.remedies]) == (line == 6)


@pytest.mark.parametrize(
    ("seen", "expected", "found"),
    [
        ([4, 48, 1], "(9 48 1)", True),  # the squares of 2 and 3
        ([24, 48, 1], "(16 48 1)", True),
        ([5, 48, 1], "(9 48 1)", False),
        ([4, 40, 1], "(9 48 1)", False),
        ([4, 48], "(9 48 1)", False),
    ],
)
def test_a_broken_contract_whose_sizes_have_the_ratio_of_both_values(tmp_path, monkeypatch, seen, expected, found):
    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources(OPS))
    folder = run(4, 10).write(tmp_path / "run")
    diagnosis = scan_run(folder)
    details = {"place": "pkg.ops:merge", "seen": seen, "expected": expected}
    root = replace(diagnosis.root, slug="contract-violation", details=details, suspects=(), dims=())
    told = with_kept(replace(diagnosis, findings=(root,)), read_run(folder)).root
    assert ([s.location.line for s in told.suspects] == [4]) == found

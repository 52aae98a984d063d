"""Flags are looked at before the command is started, in the libraries of the command's own TensorFlow."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.probes.record.running import ROOT
from xladoctor.recording.flags import FlagProblem, libraries_of, problems


def scan(tmp_path, *command, **flags):
    env = {k: v for k, v in os.environ.items() if not k.startswith("XLADOCTOR")}
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--run-dir", str(tmp_path / "run"), "--", *command],
        env={**env, "PYTHONPATH": str(ROOT), **flags}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done, json.loads((tmp_path / "run" / "run.json").read_text())


@pytest.fixture
def tensorflow(tmp_path):
    """A library in which two flags stand, as in a real one."""
    library = tmp_path / "libtensorflow_framework.so.2"
    library.write_bytes(b"\x7fELF\0tf_xla_auto_jit\0xla_dump_to\0")
    return [library]


def test_what_is_wrong_with_flags(tensorflow):
    environ = {
        "TF_XLA_FLAGS": "--tf_xla_auto_jit=1 --tf_xla_auto_jit=2 --tf_xla_auto_jt=2 --xla_dump_to=/x",
        "XLA_FLAGS": "—xla_dump_to=/x -xla_dump_to=/x",
    }
    assert [(p.variable, p.flag, p.kind) for p in problems(environ, tensorflow)] == [
        ("TF_XLA_FLAGS", "--tf_xla_auto_jit=2", "duplicate"),
        ("TF_XLA_FLAGS", "--tf_xla_auto_jt=2", "unknown"),
        ("TF_XLA_FLAGS", "--xla_dump_to=/x", "misplaced"),
        ("XLA_FLAGS", "—xla_dump_to=/x", "dash"),
        ("XLA_FLAGS", "-xla_dump_to=/x", "unknown"),
    ]


def test_what_is_right_gives_nothing(tensorflow):
    assert problems({"TF_XLA_FLAGS": "--tf_xla_auto_jit=2 --tf_xla_auto_jit=2", "XLA_FLAGS": ""}, tensorflow) == []
    assert problems({}, tensorflow) == []
    assert problems({"TF_XLA_FLAGS": "--tf_xla_who_knows=1"}) == [], "without a library nothing is called unknown"


def test_a_flag_is_looked_up_in_the_tensorflow_of_the_interpreter_that_will_run(tmp_path):
    package = tmp_path / "site" / "tensorflow"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('never imported')\n")
    (package / "libtensorflow_framework.so.2").write_bytes(b"\0xla_dump_to\0")
    environ = {"PYTHONPATH": str(tmp_path / "site")}
    script = tmp_path / "console-script"
    script.write_text(f"#!{sys.executable}\nprint('hello')\n")
    for program in (sys.executable, str(script)):
        assert [p.name for p in libraries_of(program, environ)] == ["libtensorflow_framework.so.2"]
    assert libraries_of("/bin/sh", environ) == []


def test_it_is_said_before_the_command_starts_and_the_command_runs(tmp_path):
    done, run = scan(tmp_path, sys.executable, "-c", "import sys; print('ran', file=sys.stderr)",
                     TF_XLA_FLAGS="--tf_xla_auto_jt=2", XLA_FLAGS="–xla_dump_to=/x")  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith(("xladoctor:", "ran"))]
    assert lines[-1] == "ran"
    assert lines[0].startswith("xladoctor: TF_XLA_FLAGS: --tf_xla_auto_jt=2: this TensorFlow has no flag of that name")
    assert "U+2013" in lines[1]
    assert FlagProblem(**run["flags"][0]).kind == "unknown"
    diagnosis = json.loads((tmp_path / "run" / "diagnosis.json").read_text())
    assert [f["class"] for f in diagnosis["findings"]] == ["flag-error", "flag-error"]
    assert {f["level"] for f in diagnosis["findings"]} == {"warning"}


def test_nothing_is_asked_where_no_flag_is_set(tmp_path):
    done, run = scan(tmp_path, sys.executable, "-c", "print('ran')", TF_XLA_FLAGS="", XLA_FLAGS="")
    assert run["flags"] == []
    assert "xladoctor:" not in done.stderr

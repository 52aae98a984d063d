from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from xladoctor.__main__ import main
from xladoctor.cli import variables
from xladoctor.errors import XladoctorError
from xladoctor.recording import interpreter


@pytest.fixture
def library(tmp_path) -> Path:
    file = tmp_path / "libtensorflow_cc.so.2"
    file.write_bytes(b"\x7fELF\0tf_xla_auto_jit\0not_this_one_tf_xla_x\0")
    return file


@pytest.mark.parametrize(
    ("value", "known", "note"),
    [
        ("--tf_xla_auto_jit=2", True, ""),
        ("--tf_xla_autojit=2", False, "no flag of that name"),
        ("--tf_xla_x", False, "no flag of that name"),
        ("–tf_xla_auto_jit=2", False, "typographic dash (U+2013)"),
        ("-tf_xla_auto_jit=2", False, "does not begin with --"),
        ("tf_xla_auto_jit=2", False, "neither a flag nor a file"),
    ],
)
def test_a_flag_is_looked_up_in_the_library(value, known, note, library):
    [variable] = variables.relevant({"TF_XLA_FLAGS": value}, [library])
    [flag] = variable.flags
    assert (flag.text, flag.known) == (value, known)
    assert note in flag.note


def test_flags_from_a_file(tmp_path, library):
    file = tmp_path / "flags.txt"
    file.write_text("--x")
    [variable] = variables.relevant({"XLA_FLAGS": str(file)}, [library])
    assert variable.flags[0].known is None and "read from this file" in variable.flags[0].note


def test_without_tensorflow_nothing_is_claimed():
    [variable] = variables.relevant({"TF_XLA_FLAGS": "--a --b='c d'"})
    assert [(f.text, f.known) for f in variable.flags] == [("--a", None), ("--b=c d", None)]


def test_only_what_matters_is_shown_and_no_secret():
    environ = {
        "TF_CPP_MIN_LOG_LEVEL": "0",
        "USE_XLA_TRANSLATE": "1",
        "HOME": "/home/ada",
        "AWS_SECRET_ACCESS_KEY": "hunter2",
        "TF_VAR_password": "hunter2",
        "CUDA_API_TOKEN": "hunter2",
        "PYTHONPATH": "https://ada:hunter2@host/x",
    }
    found = variables.relevant(environ)
    assert [v.name for v in found] == ["CUDA_API_TOKEN", "PYTHONPATH", "TF_CPP_MIN_LOG_LEVEL", "USE_XLA_TRANSLATE"]
    assert "hunter2" not in repr(found)


def test_the_interpreter_is_asked_without_importing_tensorflow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ptycho").mkdir()
    (tmp_path / "ptycho" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    found = interpreter.ask()
    assert found.python == ".".join(map(str, sys.version_info[:3]))
    assert found.packages["numpy"]
    assert found.files["ptycho"] == str(tmp_path / "ptycho" / "__init__.py")


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_an_interpreter_that_is_none(tmp_path, monkeypatch):
    with pytest.raises(XladoctorError, match="no such interpreter") as error:
        interpreter.ask(str(tmp_path / "nix"))
    assert error.value.exit_code == 3
    with pytest.raises(XladoctorError, match="no Python that answers: usage"):
        interpreter.ask(script(tmp_path / "bad", "echo usage >&2; exit 1"))
    monkeypatch.setattr(interpreter, "PATIENCE", 0.2)
    with pytest.raises(XladoctorError, match="did not answer"):
        interpreter.ask(script(tmp_path / "slow", "exec sleep 5"))


def test_an_interpreter_that_greets(tmp_path):
    assert interpreter.ask(script(tmp_path / "py", f'echo hello; exec {sys.executable} "$@"')).python


def test_env(capsys, monkeypatch):
    monkeypatch.setenv("TF_XLA_FLAGS", "–tf_xla_auto_jit=0")
    monkeypatch.setenv("XLA_\x1b[2J", "y")
    assert main(["env"]) == 0
    out = capsys.readouterr().out
    assert "typographic dash" in out and "\x1b" not in out
    assert sys.executable in out
    assert main(["env", "--format", "json", "--python", sys.executable]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "xladoctor.env/1"
    assert data["target"]["executable"] == sys.executable
    assert {v["name"] for v in data["variables"]} >= {"TF_XLA_FLAGS"}
    assert main(["env", "--format", "markdown"]) == 0
    assert "| `TF_XLA_FLAGS` |" in capsys.readouterr().out
    assert os.environ["HOME"] is not None

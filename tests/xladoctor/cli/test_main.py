"""The edges of the program: version, errors, pipes, interrupts, completion."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import xladoctor
from xladoctor.__main__ import main
from xladoctor.cli.summaries import SUMMARIES
from xladoctor.errors import XladoctorError

RUN = [sys.executable, "-m", "xladoctor"]


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "train.log"
    path.write_text("Epoch 1/2\n" * 50 + "ValueError: no such thing\n")
    return path


@pytest.mark.parametrize("args", [["--version"], ["-V"], ["--version", "scan"]])
def test_version(args, capsys):
    assert main(args) == 0
    assert capsys.readouterr().out == f"xladoctor {xladoctor.__version__}\n"


def test_no_arguments_show_the_help_as_an_error(capsys):
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "Usage: xladoctor" in captured.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["scna", "x"], "there is no command 'scna'\n  Did you mean scan?"),
        (["frobnicate"], f"Commands: {', '.join(SUMMARIES)}."),
        (["--versoin"], "Did you mean '--version'?"),
        (["explain"], "missing argument 'CODE'"),
    ],
)
def test_wrong_usage(args, said, capsys):
    assert main(args) == 2
    assert said in capsys.readouterr().err


def test_a_log_without_scan(capsys, log):
    assert main([str(log)]) == 2
    assert f"xladoctor scan {log}" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "scan", "trace", "explain", "rules", "env"])
def test_help_has_examples_and_fits(command, capsys):
    assert main([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert "Examples:\n    xladoctor " in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (XladoctorError("a\x1b[2Jb", 3, "h\x07"), 3, "xladoctor: ab\n  h\\x07\n"),
        (FileNotFoundError(errno.ENOENT, "No such file", "x\x07.log"), 2, "xladoctor: x\\x07.log: No such file\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "xladoctor: No space left on device\n"),
        (KeyError("x"), 70, "the doctor itself failed (KeyError: 'x')\n  This is a bug"),
        (RecursionError(), 70, "the doctor itself failed (RecursionError: )"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, BaseException) else "",
)
def test_errors_are_a_sentence(fake, log, capsys, error, status, said):
    fake.error = error
    assert main(["scan", str(log)]) == status
    captured = capsys.readouterr()
    assert said in captured.err and "Traceback" not in captured.err and captured.out == ""


@pytest.mark.parametrize("how", ["option", "environment"])
def test_debug_shows_where(fake, log, how, monkeypatch):
    fake.error = XladoctorError("no")
    if how == "environment":
        monkeypatch.setenv("XLADOCTOR_DEBUG", "1")
    with pytest.raises(XladoctorError):
        main([*(["--debug"] if how == "option" else []), "scan", str(log)])


def test_debug_after_the_dashes_is_the_commands(fake, capsys):
    fake.error = XladoctorError("no")
    assert main(["scan", "--", "x", "--debug"]) == 2


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["rules"], ["env"]])
def test_a_closed_pipe_ends_quietly(args):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run([*RUN, *args], stdout=gone, stderr=subprocess.PIPE, check=False)
    assert done.stderr == b""
    assert done.returncode == 141


def _waiting_in(pipe) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def test_an_interrupt_ends_with_130(tmp_path):
    process = subprocess.Popen([*RUN, "scan", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"Epoch 1/2\n")
    process.stdin.flush()
    # Python itself ends in another way while it starts; on a busy machine that takes long.
    deadline = time.monotonic() + 60
    while _waiting_in(process.stdin) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == b""


def test_a_terminal_of_another_encoding(log):
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    log.write_text("größer ≤ 中文 \x1b[31m\nValueError: größer ≤ 中文\n")
    done = subprocess.run([*RUN, "scan", str(log)], capture_output=True, env=env, check=False)
    assert b"Traceback" not in done.stderr and b"failed" not in done.stderr
    done.stdout.decode("ascii")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("xladoctor sc", "scan"), ("xladoctor scan --for", "--format"), ("xladoctor scan --format js", "json")],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(typed, offered, shell):
    env = {
        **os.environ,
        "_XLADOCTOR_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run([*RUN], capture_output=True, text=True, env=env, check=False)
    assert offered in done.stdout


def test_completion_of_classes(rules):
    from xladoctor.commands.knowledge import complete

    assert [name for name, _ in complete("xd30")] == ["XD301", "XD309"]
    assert [name for name, _ in complete("resh")] == ["reshape-mismatch"]


def test_completion_can_be_shown():
    env = {**os.environ, "SHELL": "/bin/bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run([*RUN, "--show-completion", "bash"], capture_output=True, text=True, env=env, check=False)
    assert "_XLADOCTOR_COMPLETE=complete_bash" in done.stdout


HEAVY = ("tensorflow", "keras", "pandas", "pydantic", "numpy", "ptycho", "scipy", "matplotlib")


@pytest.mark.parametrize(
    ("args", "light"),
    [(["--version"], True), (["--help"], False), (["rules"], False), (["scan", "LOG"], False), (["env"], False)],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_what_is_imported(args, light, log):
    code = (
        "import sys\nfrom xladoctor.__main__ main\n".replace("__ main", "__ import main")
        + "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        + "print('\\nMODULES', *sys.modules, file=sys.stderr)"
    )
    args = [str(log) if arg == "LOG" else arg for arg in args]
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=True)
    modules = set(done.stderr.rpartition("MODULES")[2].split())
    assert "xladoctor" in modules
    assert not modules & {*HEAVY, *(("typer", "rich", "click") if light else ())}
    assert not [name for name in modules if name.startswith("probes") and name != "probes.schema"]


@pytest.mark.parametrize(
    ("args", "left_out"),
    [
        (["--help"], ("xladoctor.cli.scan", "xladoctor.cli.options", "xladoctor.report", "xladoctor.model")),
        # What a run folder needs, and a log does not.
        (
            ["scan", "LOG"],
            ("xladoctor.recording.run", "xladoctor.model.blame", "xladoctor.survey", "hashlib", "typer", "rich"),
        ),
    ],
    ids=["--help", "scan LOG"],
)
def test_what_is_not_needed_is_not_loaded(args, left_out, log):
    code = "import sys; from xladoctor.__main__ import main; main(sys.argv[1:]); print('\\nMODULES', *sys.modules)"
    args = [str(log) if arg == "LOG" else arg for arg in args]
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=True)
    modules = set(done.stdout.rpartition("MODULES")[2].split())
    assert "xladoctor" in modules
    assert not modules & set(left_out)


@pytest.mark.parametrize("target", ["LOG", "-", "", ".", "last", "nothing.log", "--quiet"])
def test_one_target_alone_is_read_as_with_an_option(target, log, tmp_path):
    target = str(log) if target == "LOG" else target
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    alone, both = (
        subprocess.run(
            [*RUN, "scan", target, *option],
            capture_output=True,
            cwd=tmp_path,
            env=env,
            input=log.read_bytes(),
            check=False,
        )
        for option in ((), ("--color", "auto"))
    )
    assert (alone.returncode, alone.stdout, alone.stderr) == (both.returncode, both.stdout, both.stderr)


def test_the_test_above_can_fail(tmp_path):
    (tmp_path / "pandas.py").write_text("")
    code = "import pandas, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert set(done.stdout.split()) & set(HEAVY)

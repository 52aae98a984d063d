"""`scan --follow` on files that really grow, rotate and are emptied, and on a pipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.xladoctor.rules.fixtures import real_fixtures
from xladoctor.__main__ import main
from xladoctor.commands import follow as following
from xladoctor.errors import XladoctorError
from xladoctor.logs.tail import PIECE, Event, tail_file
from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.saved import scan_logs

TEXT = {f.name: f.text for f in real_fixtures()}
RESHAPE, OOM = TEXT["2.21/reshape_jit"], TEXT["2.21/oom_eager"]


class Script:
    """Stands for time: at each pause the next step is done; when none is left, the following ends."""

    def __init__(self, *steps: Callable[[], object] | None) -> None:
        self._steps = list(steps)

    def __call__(self, seconds: float) -> bool:
        if not seconds:
            return False
        if not self._steps:
            return True
        step = self._steps.pop(0)
        if step:
            step()
        return False


def write(path: Path, text: str, mode: str = "a") -> Callable[[], object]:
    def do() -> None:
        with path.open(mode) as handle:
            handle.write(text)

    return do


def followed(path: Path, *steps: Callable[[], object] | None) -> tuple[list[Finding], Diagnosis, list[str]]:
    said: list[str] = []
    ends: list[Diagnosis] = []

    def until_the_end() -> Iterator[Finding]:
        ends.append((yield from following.follow(path, Script(*steps), said.append)))

    return list(until_the_end()), ends[0], said


def quiet() -> Iterator[None]:
    return iter([None] * (following.SETTLED + 1))


def test_a_failure_is_told_once_and_is_the_diagnosis(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    halves = RESHAPE[:700], RESHAPE[700:]
    found, diagnosis, said = followed(log, write(log, halves[0]), write(log, halves[1]), *quiet(), *quiet())
    assert [(f.slug, f.level, f.dims) for f in found] == [("reshape-mismatch", "error", (778752, 24336))]
    assert diagnosis.root is not None and diagnosis.root.slug == "reshape-mismatch" and said == []
    alone = tmp_path / "alone.log"
    alone.write_text("step 1\n" + RESHAPE)
    once = scan_logs([alone]).root
    assert once is not None and diagnosis.root.location == once.location and diagnosis.root.message == once.message


def test_it_is_told_as_soon_as_it_can_be_not_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.touch()
    order: list[str] = []
    steps = [write(log, RESHAPE), *quiet(), lambda: order.append("much later")]
    coming = following.follow(log, Script(*steps), order.append)
    for finding in coming:
        order.append(finding.slug)  # noqa: PERF401 - others append meanwhile
    assert order == ["reshape-mismatch", "much later"]


def test_rotation_and_truncation(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("old\n" * 10)

    def rotate() -> None:
        log.rename(tmp_path / "train.log.1")
        write(tmp_path / "train.log.1", RESHAPE)()
        log.write_text("new\n" + OOM)

    empty = write(log, "KeyError: 'a'\n", "w")
    found, diagnosis, said = followed(log, rotate, *quiet(), empty, *quiet())
    assert [f.slug for f in found] == ["reshape-mismatch", "oom", "not-xla"]
    assert ["rotated" in line or "emptied" in line for line in said] == [True, True]
    assert {f.slug for f in diagnosis.findings} == {"reshape-mismatch", "oom", "not-xla"}


def test_a_log_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    found, _, said = followed(log, None, None, write(log, RESHAPE), *quiet())
    assert len(found) == 1 and said == [f"{log} does not exist yet: waiting for it"]


def test_a_file_that_is_moved_away_and_comes_back_later(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("1\n")
    steps = Script(lambda: log.rename(tmp_path / "b"), None, write(log, "2\n"), None)
    events: list[Event] = list(tail_file(log, steps))
    assert [e for e in events if e != "idle"] == [b"1\n", "rotated", b"2\n"]


def test_much_that_stands_there_already_is_read_in_pieces(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    noise = "step of the training and nothing else\n" * (20 * PIECE // 38)
    log.write_text(noise + RESHAPE + noise)
    found, diagnosis, _ = followed(log)
    assert [f.slug for f in found] == ["reshape-mismatch"]
    assert diagnosis == scan_logs([log])


def test_a_compressed_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(XladoctorError, match="is compressed"):
        followed(tmp_path / "a.gz")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "--follow takes one log"),
        (["a.log", "b.log"], "--follow takes one log"),
        (["."], "is a folder"),
        (["--", "x"], "--follow is for saved output"),
    ],
)
def test_mistakes(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--follow", *args]) == 2
    assert said in capsys.readouterr().err


def start(*args: str, **more: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "xladoctor", "scan", "--follow", *args]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **more
    )


@pytest.mark.slow
def test_ctrl_c_ends_with_the_diagnosis(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    process = start(str(log))
    assert process.stdout
    with log.open("a") as handle:
        for line in RESHAPE.splitlines(keepends=True):
            handle.write(line)
            handle.flush()
            time.sleep(0.01)
    first = process.stdout.readline()
    assert "XD301 reshape-mismatch" in first
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and err == ""
    assert "xladoctor: FAILED" in out and "Root cause  XD301" in out and "\x1b" not in out


@pytest.mark.slow
def test_a_pipe_until_it_is_closed_and_the_result_alone_on_stdout() -> None:
    process = start("-", "--format", "json", stdin=subprocess.PIPE)
    out, err = process.communicate(RESHAPE, timeout=60)
    assert process.returncode == 1
    assert json.loads(out)["findings"][0]["class"] == "reshape-mismatch"
    assert "XD301 reshape-mismatch" in err


@pytest.mark.slow
def test_a_time_out_ends_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("Epoch 1/1\n")
    process = start(str(tmp_path / "a.log"), "--timeout", "0.5")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "NOTHING FOUND" in out

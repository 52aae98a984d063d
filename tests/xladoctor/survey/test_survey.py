"""Many runs through the command: the table over all of them, in every format, with what cannot be read told."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import time
from pathlib import Path

import pytest

from xladoctor.__main__ import main
from xladoctor.model.survey import Run, Target
from xladoctor.report import json_, survey
from xladoctor.survey import collect

RESHAPE = """Traceback (most recent call last):
  File "/home/ada/{}/warp.py", line {}, in warp
    return tf.reshape(mask, [4, 78, 78])
tensorflow.python.framework.errors_impl.InvalidArgumentError: Input to reshape is a tensor with {} values, but the \
requested shape has 24336 [Op:Reshape]
"""
MISSING = """Traceback (most recent call last):
  File "/home/ada/train.py", line 3, in <module>
    np.load("/data/x.npz")
FileNotFoundError: [Errno 2] No such file or directory: '/data/x.npz'
"""
HOUR = 3600


def die(target: Target, threads: int | None = None) -> Run | str:
    os._exit(9)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs with one failure (one of them of two ranks), one with another, one healthy."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "runs/new.log": RESHAPE.format("a", 182, 389376),
        "runs/old.log": RESHAPE.format("b", 180, 778752),
        "runs/x/rank0.log": "step 1\n",
        "runs/x/rank1.log": RESHAPE.format("a", 182, 778752),
        "runs/missing.txt": MISSING,
        "runs/fine.out": "Epoch 1/1\n1/1 - loss: 0.5\n",
    }
    for number, (name, text) in enumerate(texts.items()):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
        os.utime(name, (0, 1_767_225_600 - number * HOUR))
    return tmp_path


def scanned(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["scan", *args])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_causes_newest_first_with_count_example_and_remedy(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    status, out, err = scanned(capsys, "runs")
    assert status == 1 and err == ""
    assert out.startswith("xladoctor: 5 runs  4 failed, 1 in which nothing wrong was found\n")
    assert out.index("3 runs  XD301 reshape-mismatch  Reshape, newest 2026-01-01T00:00:00Z") < out.index(
        "1 run  XD901 not-xla  newest 2025-12-31T20:00:00Z"
    )
    assert "at /home/ada/a/warp.py:182 in warp\n" in out
    assert "numbers: 389376 24336; 778752 24336 (they differ between the runs)\n" in out
    assert "FileNotFoundError" in out
    assert "such as runs/new.log\n" in out and "to do: " in out
    assert "xladoctor scan runs/new.log" in out


def test_json_holds_every_diagnosis_whole(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = scanned(capsys, "runs", "--format", "json")
    data = json.loads(out)
    assert status == 1 and data["schema"] == "xladoctor.survey/1"
    assert data["verdicts"] == {"failed": 4, "warnings": 0, "healthy": 1}
    cause = data["causes"][0]
    assert (cause["class"], cause["count"], cause["runs"], cause["example"]) == ("reshape-mismatch", 3, [0, 1, 2], 0)
    assert [run["cause"] for run in data["runs"]] == [0, 0, 0, 1, None]
    assert data["runs"][2]["paths"] == ["runs/x/rank0.log", "runs/x/rank1.log"]
    for run in data["runs"]:
        assert json_.to_dict(json_.from_dict(run["diagnosis"])) == run["diagnosis"]


def test_tables(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = scanned(capsys, "runs", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["class"], row["runs"], row["newest"]) for row in rows] == [
        ("reshape-mismatch", "3", "2026-01-01T00:00:00Z"),
        ("not-xla", "1", "2025-12-31T20:00:00Z"),
    ]
    _, out, _ = scanned(capsys, "runs", "--format", "markdown")
    assert "| 3 | 2026-01-01T00:00:00Z | XD301 reshape-mismatch (error) | `Reshape` |" in out


@pytest.mark.parametrize("format", survey.FORMATS)
def test_every_format_takes_runs_and_runs_without_causes(format: str, runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    for targets, status in ((["runs"], 1), (["runs/fine.out", "runs/x/rank0.log"], 0)):
        assert scanned(capsys, *targets, "-f", format)[0] == status


def test_what_cannot_be_read_is_told_and_the_others_are_used(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    Path("runs/noise.log").write_bytes(bytes(range(256)) * 50)
    Path("runs/cut.log.gz").write_bytes(gzip.compress(b"x" * 99)[:11])
    Path("runs/empty.log").touch()
    status, out, _ = scanned(capsys, "runs", "runs/nowhere.log")
    assert status == 2
    for said in (
        "there is no file runs/nowhere.log",
        "runs/noise.log: is binary",
        "runs/cut.log.gz: damaged",
        "runs/empty.log: is empty",
    ):
        assert said in out
    assert "3 runs  XD301" in out


def test_a_damaged_rank_does_not_hide_the_others(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    Path("runs/x/rank2.log.gz").write_bytes(b"\x1f\x8b\x08garbage")
    Path("runs/x/rank2.log.gz").rename("runs/x/rank2.log")
    status, out, _ = scanned(capsys, "runs/x", "--format", "json")
    [run] = json.loads(out)["runs"]
    assert status == 2 and run["diagnosis"]["findings"][0]["class"] == "reshape-mismatch"
    assert "rank2.log: damaged" in run["diagnosis"]["problems"][0]


def test_one_run_is_one_diagnosis(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = scanned(capsys, "--one-run", "runs/x", "--format", "json")
    data = json.loads(out)
    assert status == 1 and data["schema"] == "xladoctor.diagnosis/1"
    assert data["source"] == "runs/x/rank0.log, runs/x/rank1.log"


def test_the_ranks_of_one_run_named_one_by_one_are_one_diagnosis(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = scanned(capsys, "runs/x/rank0.log", "runs/x/rank1.log", "-f", "json")
    assert json.loads(out)["source"] == "runs/x/rank0.log, runs/x/rank1.log"
    _, out, _ = scanned(capsys, "runs/x/rank0.log", "runs/new.log", "-f", "json")
    assert [run["source"] for run in json.loads(out)["runs"]] == ["runs/new.log", "runs/x/rank0.log"]


def test_processes_find_the_same(runs: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    alone = scanned(capsys, "runs", "-f", "json", "--jobs", "1")
    assert scanned(capsys, "runs", "-f", "json", "--jobs", "3") == alone


def test_a_process_that_dies_costs_its_run_only(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed by the system, say: the survey says so and ends."""
    monkeypatch.setattr(collect, "one", die)
    [(_, result)] = collect._in_processes([(0, Target("logs", ("runs/new.log",)))], 2)
    assert isinstance(result, str) and "the process that read it died" in result


def test_an_interrupt_ends_the_processes(runs: Path) -> None:
    import multiprocessing

    work = collect._in_processes([(n, Target("logs", ("runs/new.log",))) for n in range(40)], 2)
    _, first = next(work)
    assert isinstance(first, Run)
    children = multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt):
        work.throw(KeyboardInterrupt)
    assert children
    until = time.monotonic() + 30
    # The pool's own thread waits for them too. While it has the status and has not yet written it down, join() and
    # is_alive() of this thread find no such child, and call it alive.
    while any(child.is_alive() for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(child.is_alive() for child in children)


def test_hostile_names_and_messages_stay_harmless(tmp_path: Path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[2J.log").write_text("ValueError: <script>\x1b]0;owned\x07 =cmd() | `x` @you\n")
    Path("b.log").write_text("ok\n")
    for format in ("console", "markdown", "csv", "json"):
        _, out, _ = scanned(capsys, ".", "-f", format)
        assert "\x1b" not in out and "\x07" not in out
    page = scanned(capsys, ".", "-f", "markdown")[1]
    assert "\\<script>" in page and page.count("<script>") == page.count("\\<script>")


def test_any_executor_finds_the_same(runs: Path) -> None:
    """What a cluster gives: its functions are found by name, and what travels are plain values."""
    from concurrent.futures import ThreadPoolExecutor

    targets = [Target("logs", (f"runs/{name}",)) for name in ("new.log", "old.log", "fine.out", "gone.log")]
    assert collect.collect(targets, 2, executor=lambda: ThreadPoolExecutor(2)) == collect.collect(targets, 1)

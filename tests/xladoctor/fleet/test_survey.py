"""`xladoctor survey`: the table over many days, what is read again and what is not, and what the store holds."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from concurrent.futures import Executor, Future
from pathlib import Path

import pytest

from tests.xladoctor.recordings import collapsed
from tests.xladoctor.survey.test_survey import MISSING, RESHAPE
from xladoctor.__main__ import main
from xladoctor.errors import XladoctorError
from xladoctor.fleet import read
from xladoctor.fleet import surveying as surveys
from xladoctor.fleet.store import Row, Store
from xladoctor.model.fleet import Fleet
from xladoctor.survey import batches

NOW = 1_767_225_600.0
HOUR = 3600.0
HEALTHY = "Epoch 1/1\n1/1 - loss: 0.5\n"
READ = read.read_batch
KILLED = "step 1\n/var/spool/job: line 4:  4711 Killed   python train.py\n"


def write(path: Path, text: str, hours: float = 1.0) -> Path:
    """A log that was written some hours before `NOW`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (0, NOW - hours * HOUR))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    write(folder / "ada/slurm-1.out", "SLURM_JOB_USER=ada\nSLURMD_NODENAME=gpu01\n" + RESHAPE.format("a", 7, 778752))
    write(folder / "ada/slurm-2.out", "SLURM_JOB_USER=ada\n" + RESHAPE.format("a", 9, 389376), 30)
    write(folder / "max/slurm-3.out", "SLURM_JOB_USER=max\n" + MISSING, 50)
    write(folder / "max/slurm-4.out", HEALTHY)
    return folder


def surveyed(logs: Path, store: Path | None = None, now: float = NOW, **options: object) -> Fleet:
    opened = Store(store or logs.parent / "store.sqlite", "rules-1")
    try:
        return surveys.survey([logs], opened, now=now, **options)  # type: ignore[arg-type]
    finally:
        opened.close()


def test_the_table(logs: Path) -> None:
    found = surveyed(logs)
    assert (found.runs, found.read, found.unreadable, found.placed) == (4, 4, 0, 1)
    assert found.verdicts == {"failed": 3, "warnings": 0, "healthy": 1}
    reshape, missing = found.causes
    assert (reshape.slug, reshape.count, reshape.users, reshape.nodes) == (
        "reshape-mismatch", 2, (("ada", 2),), (("gpu01", 1),)
    )  # fmt: skip
    assert (reshape.first, reshape.last) == (NOW - 30 * HOUR, NOW - HOUR)
    assert (reshape.new, missing.new) == (False, False)
    assert reshape.numbers == ("778752 24336", "389376 24336")
    assert reshape.examples[0].endswith("slurm-1.out")
    assert found.exit_code == 1


def test_what_has_not_changed_is_not_read_again(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = surveyed(logs)
    monkeypatch.setattr(read, "one", lambda *_: pytest.fail("read again"))
    again = surveyed(logs)
    assert again.read == 0
    assert again.causes == first.causes


def test_what_has_changed_is_read(logs: Path) -> None:
    surveyed(logs)
    write(logs / "max/slurm-4.out", RESHAPE.format("a", 7, 778752), 0.5)
    found = surveyed(logs)
    assert (found.read, found.causes[0].count, found.verdicts["healthy"]) == (1, 3, 0)


def test_the_same_content_with_another_time_is_not_diagnosed_again(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    surveyed(logs)
    os.utime(logs / "ada/slurm-1.out", (0, NOW))
    monkeypatch.setattr(read, "one", lambda *_: pytest.fail("diagnosed again"))
    found = surveyed(logs)
    assert (found.read, found.causes[0].last) == (0, NOW)


def test_a_log_that_was_just_written_is_not_believed_to_be_settled(logs: Path) -> None:
    """Its next change may have the same time and size."""
    file = logs / "max/slurm-4.out"
    file.write_text(HEALTHY)
    before = file.stat()
    surveyed(logs)
    file.write_text("Killed  \n".ljust(len(HEALTHY) - 1) + "\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert surveyed(logs).verdicts["healthy"] == 0


def test_another_doctor_reads_again(logs: Path) -> None:
    surveyed(logs)
    opened = Store(logs.parent / "store.sqlite", "rules-2")
    assert surveys.survey([logs], opened, now=NOW).read == 4


def test_since_and_new(logs: Path) -> None:
    """Without a past nothing can be said to be new; with one, what is older stays in the store and is not counted."""
    first = surveyed(logs, since=NOW - 24 * HOUR)
    assert (first.runs, [cause.new for cause in first.causes]) == (2, [None])
    surveyed(logs)
    write(logs / "max/slurm-5.out", KILLED, 0.1)
    found = surveyed(logs, since=NOW - 24 * HOUR)
    assert found.runs == 3
    assert {cause.slug: cause.new for cause in found.causes} == {"reshape-mismatch": False, "process-killed": True}
    assert {cause.slug: cause.first for cause in found.causes}["reshape-mismatch"] == NOW - 30 * HOUR


def test_a_log_that_is_gone_is_not_counted_and_is_remembered(logs: Path) -> None:
    surveyed(logs)
    (logs / "ada/slurm-2.out").unlink()
    found = surveyed(logs)
    assert (found.runs, found.causes[0].count, found.causes[0].first) == (3, 1, NOW - 30 * HOUR)


def test_failures_that_follow_a_node_are_pointed_out(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for number in range(60):
        node = f"gpu{number % 6:02d}"
        bad = node == "gpu03" or number == 4
        write(folder / f"slurm-{number}.out", f"SLURMD_NODENAME={node}\n" + (KILLED if bad else HEALTHY))
    share = surveyed(folder).causes[0].share
    assert share is not None
    assert (share.node, share.runs, share.of) == ("gpu03", 10, 11)


def test_what_cannot_be_read_is_counted(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (logs / "empty.log").touch()
    (logs / "binary.log").write_bytes(bytes(range(256)) * 20)
    found = surveyed(logs)
    assert (found.runs, found.unreadable, found.exit_code) == (6, 2, 1)
    assert any("empty" in problem for problem in found.problems)
    write(logs / "empty.log", HEALTHY)
    assert surveyed(logs).unreadable == 1


def test_a_folder_that_cannot_be_listed_is_counted(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.scandir
    denied = PermissionError(13, "Permission denied")

    def scandir(path: str) -> object:
        if str(path).endswith("max"):
            raise denied
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = surveyed(logs)
    assert (found.runs, found.unreadable, found.verdicts["failed"]) == (3, 1, 2)
    assert str(logs / "max") in found.problems[0]
    assert surveyed(logs, jobs=2).unreadable == 1, "it is tried again"


def test_two_surveys_at_once_share_the_store(logs: Path) -> None:
    """Each numbers the causes that it finds: a number that the other one gave is not given again."""
    file = logs.parent / "store.sqlite"
    one, other = Store(file, "rules-1"), Store(file, "rules-1")
    assert surveys.survey([logs / "max"], one, now=NOW).verdicts["failed"] == 1
    found = surveys.survey([logs / "ada"], other, now=NOW)
    assert [cause.slug for cause in found.causes] == ["reshape-mismatch"]
    both = surveys.survey([logs], one, now=NOW)
    assert (both.read, sorted(cause.slug for cause in both.causes)) == (0, ["not-xla", "reshape-mismatch"])
    assert [count for (count,) in one.rows("SELECT count(*) FROM runs GROUP BY cause ORDER BY 1")] == [1, 1, 2]
    one.close()
    other.close()


def test_processes_give_the_same(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        write(logs / f"max/slurm-1{number}.out", KILLED if number % 2 else HEALTHY)
    alone = surveyed(logs)
    monkeypatch.setattr(surveys, "FEW", 3)
    monkeypatch.setattr(batches, "BATCH", 2)
    together = surveyed(logs, logs.parent / "other.sqlite", jobs=2)
    assert (together.verdicts, together.read) == (alone.verdicts, 13)
    assert {(c.slug, c.count, c.users) for c in together.causes} == {(c.slug, c.count, c.users) for c in alone.causes}


def test_run_folders_are_runs_too(logs: Path) -> None:
    run = collapsed(16)
    run.run["environment"] = {"SLURM_JOB_USER": "ada", "SLURM_JOB_NODELIST": "gpu09"}
    run.write(logs / "ada/xladoctor-runs/one")
    found = surveyed(logs)
    assert (found.runs, found.placed) == (5, 2)
    silent = next(cause for cause in found.causes if cause.nodes == (("gpu09", 1),))
    assert silent.users == (("ada", 1),)
    for file in (logs / "ada/xladoctor-runs/one").iterdir():
        os.utime(file, (0, NOW - HOUR))
    assert (surveyed(logs).read, surveyed(logs).read) == (1, 0)


def die_of_one(batch: list[read.Work]) -> list[Row]:
    if any("slurm-3" in item.target.name for item in batch):
        os._exit(9)
    return READ(batch)


def test_a_process_that_dies_costs_its_own_log_only(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "FEW", 2)
    monkeypatch.setattr(read, "read_batch", die_of_one)
    found = surveyed(logs, jobs=2)
    assert (found.runs, found.unreadable, found.verdicts["failed"]) == (4, 1, 2)
    assert "slurm-3.out: the process that read it died" in found.problems[0]


class Here(Executor):
    """Any executor will do: this one works at once."""

    def submit(self, task, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        future.set_result(task(*args, **kwargs))
        return future


def test_any_executor_reads(logs: Path) -> None:
    assert surveyed(logs, executor=Here).verdicts["failed"] == 3


def test_the_store_holds_what_findings_quote_and_nothing_else(logs: Path) -> None:
    secret = "Zq1bearer0123456789abcdef"
    text = f"the weights lie in /secret/place\nAuthorization: Bearer {secret}\n" + RESHAPE.format("a", 7, 778752)
    broken = RESHAPE.format("a", 7, 778752).replace("values, but", f"values of https://ada:{secret}@example.org, but")
    write(logs / "ada/slurm-8.out", text)
    write(logs / "ada/slurm-9.out", broken)
    surveyed(logs)
    file = logs.parent / "store.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    data = file.read_bytes()
    assert b"reshape-mismatch" in data
    assert b"/secret/place" not in data
    assert secret.encode() not in data


def test_a_store_of_another_kind_is_refused(logs: Path) -> None:
    file = logs.parent / "store.sqlite"
    file.write_bytes(b"these are notes of somebody else's" * 100)
    with pytest.raises(XladoctorError, match="cannot be read as a store"):
        surveyed(logs)
    file.unlink()
    base = sqlite3.connect(file)
    base.execute("CREATE TABLE mine(x)")
    base.close()
    with pytest.raises(XladoctorError, match="no store of surveys"):
        surveyed(logs)
    file.unlink()
    surveyed(logs)
    base = sqlite3.connect(file)
    base.execute("PRAGMA user_version=99")
    base.close()
    with pytest.raises(XladoctorError, match="newer xladoctor"):
        surveyed(logs)


@pytest.mark.parametrize("format", ["console", "json", "markdown", "html", "csv"])
def test_every_format_through_the_command(
    logs: Path, format: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(logs / "max/evil\x1b[2J<b>.out", RESHAPE.format("<script>", 7, 778752))
    monkeypatch.setenv("XDG_STATE_HOME", str(logs.parent))
    assert main(["survey", str(logs), "--format", format]) == 1
    out = capsys.readouterr().out
    assert "reshape-mismatch" in out
    assert "\x1b" not in out
    assert "<script>" not in out or format in ("json", "csv", "console")
    assert (logs.parent / "xladoctor/survey.sqlite").exists()
    if format == "json":
        data = json.loads(out)
        assert (data["schema"], data["runs"], data["causes"][0]["count"]) == ("xladoctor.fleet/1", 5, 3)


def test_parquet_needs_pyarrow(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, file = str(tmp_path / "s.sqlite"), tmp_path / "t.parquet"
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        assert main(["survey", str(logs), "--store", store, "--output", str(file)]) == 2
        assert "needs the package pyarrow" in capsys.readouterr().err
        return
    import pandas as pd

    for _ in range(2):  # its own file may be replaced
        assert main(["survey", str(logs), "--store", store, "--output", str(file)]) == 1
    assert list(pd.read_parquet(file)["runs"]) == [2, 1]


def test_watching_shows_what_is_new(
    logs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second look finds the same and says nothing; the third finds more."""
    looks = iter(
        [
            lambda: None,
            lambda: write(logs / "max/slurm-7.out", KILLED),
            lambda: (_ for _ in ()).throw(KeyboardInterrupt),
        ]
    )

    def slept(seconds: float) -> None:
        assert seconds == 120
        next(looks)()
        if next(pending, None) is None:
            raise KeyboardInterrupt

    pending = iter([1, 1])
    monkeypatch.setattr("xladoctor.cli.survey.time.sleep", slept)
    arguments = ["survey", str(logs), "--store", str(logs.parent / "w.sqlite"), "--watch", "--every", "2m", "--quiet"]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert out.count("xladoctor: ") == 2
    assert "process-killed" in out


def test_watching_goes_on_after_a_look_that_failed(
    logs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    away = logs.parent / "away"
    looks = iter([lambda: logs.rename(away), lambda: away.rename(logs), lambda: None])

    def slept(seconds: float) -> None:
        next(looks)()
        if next(pending, None) is None:
            raise KeyboardInterrupt

    pending = iter([1, 1])
    monkeypatch.setattr("xladoctor.cli.survey.time.sleep", slept)
    assert main(["survey", str(logs), "--store", str(logs.parent / "w.sqlite"), "--watch", "--quiet"]) == 1
    said = capsys.readouterr()
    assert "no such file or directory" in said.err and said.out.count("xladoctor: ") == 1
    logs.rename(away)
    assert main(["survey", str(logs), "--watch"]) == 2, "what was never there is a mistake"


@pytest.mark.parametrize("age", ["24", "h", "-3h", "0d", "1y", "1h2m"])
def test_an_age_that_means_nothing(age: str, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["survey", str(logs), f"--since={age}"]) == 2
    assert "90m, 24h or 7d" in capsys.readouterr().err

"""Folders are walked, and what belongs together is put together."""

from __future__ import annotations

from pathlib import Path

import pytest

from xladoctor.model.survey import Target
from xladoctor.survey.find import is_log, targets_in, together


def test_a_folder_is_walked(tmp_path: Path) -> None:
    for name in ("b.log", "a.txt", "x.npz", "sub/deep/c.out.gz", "sub/d.err.zst", ".git/e.log", "run/run.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "run/stdout.log").write_text("x")
    (tmp_path / "crashed").mkdir()
    (tmp_path / "crashed/events-7.jsonl").write_text("{}")
    (tmp_path / "sub/back").symlink_to(tmp_path)
    found = [(t.kind, [str(Path(p).relative_to(tmp_path)) for p in t.paths]) for t in targets_in(tmp_path)]
    assert found == [
        ("logs", ["a.txt"]),
        ("logs", ["b.log"]),
        ("run", ["crashed"]),
        ("run", ["run"]),
        ("logs", ["sub/d.err.zst"]),
        ("logs", ["sub/deep/c.out.gz"]),
    ]


def test_what_the_doctor_did_with_runs_is_no_run(tmp_path: Path) -> None:
    for name in ("a/run.json", "20260101T000000Z-00ff-replay/worker-1.log", "preflight-cache/x.txt",
                 "20260101T000000Z-00ff-preflight/rehearsal/run.json", "my-replay/out.log"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [Path(t.paths[0]).relative_to(tmp_path).parts[0] for t in targets_in(tmp_path)] == ["a", "my-replay"]
    assert list(targets_in(tmp_path / "20260101T000000Z-00ff-replay")), "asked for by name it is looked at"


@pytest.mark.parametrize(
    ("names", "runs"),
    [
        (["job.err", "job.out"], [["job.err", "job.out"]]),
        (["stdout.log", "stderr.log"], [["stdout.log", "stderr.log"]]),
        (["rank0.log", "rank1.log", "rank12.log"], [["rank0.log", "rank1.log", "rank12.log"]]),
        (["t.worker-1.err", "t.worker-2.out"], [["t.worker-1.err", "t.worker-2.out"]]),
        (["slurm-17.out", "slurm-18.out"], [["slurm-17.out"], ["slurm-18.out"]]),
        (["run1.log", "run2.log"], [["run1.log"], ["run2.log"]]),
        (["timeout.log", "timeerr.log"], [["timeout.log"], ["timeerr.log"]]),
        (["a/rank0.log", "b/rank0.log"], [["a/rank0.log"], ["b/rank0.log"]]),
        (["frank1.log", "frank2.log"], [["frank1.log"], ["frank2.log"]]),
        (["a.log", "a.log"], [["a.log"]]),
    ],
)
def test_which_logs_are_of_one_run(names: list[str], runs: list[list[str]]) -> None:
    assert list(together(map(Path, names))) == [Target("logs", tuple(paths)) for paths in runs]


@pytest.mark.parametrize(("name", "said"), [("A.LOG", True), ("a.log.gz", True), ("a.gz", False), ("log", False)])
def test_names_of_logs(name: str, said: bool) -> None:
    assert is_log(name) is said

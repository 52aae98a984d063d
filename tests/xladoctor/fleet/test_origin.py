"""User, node and job: what logs, their names and run folders say."""

from __future__ import annotations

import os

import pytest

from xladoctor.fleet import origin
from xladoctor.fleet.origin import of_log, of_run

ME = os.getuid()


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("SLURMD_NODENAME=gpu17\n", "gpu17"),
        ("declare -x SLURMD_NODENAME=\"gpu17\"\n", "gpu17"),
        ("SLURM_JOB_NODELIST: gpu17.cluster.example\n", "gpu17"),
        ("SLURM_JOB_NODELIST=gpu[17-18]\n", None),
        ("SLURM_JOB_NODELIST=gpu17,gpu18\n", None),
        ("step 1\nsrun: error: gpu17: task 0: Killed\n", "gpu17"),
        ("srun: error: gpu17: tasks 0-3: Killed\nsrun: error: gpu18: task 4: Killed\n", None),
        ("slurmstepd: error: *** JOB 4711 ON gpu17 CANCELLED AT 2026-01-06T10:15:00 DUE TO TIME LIMIT ***\n", "gpu17"),
        ("# Running on node gpu17\n", "gpu17"),
        ("Hostname: gpu17\n", "gpu17"),
        ("almost: gpu17\nrunning on node\n", None),
        ("hostname: localhost\n", None),
    ],
)  # fmt: skip
def test_the_node_that_a_log_names(text: str, node: str | None) -> None:
    assert of_log("/logs/a.out", text.encode(), ME).node == node


def test_it_is_looked_for_at_both_ends() -> None:
    filler = b"step 1 of 2000\n" * 4000
    assert of_log("a.out", filler + b"srun: error: gpu17: task 0: Killed\n", ME).node == "gpu17"
    assert of_log("a.out", filler + b"SLURMD_NODENAME=gpu17\n" + filler, ME).node is None


def test_user_and_job() -> None:
    text = b"SLURM_JOB_ID=4711\nSLURM_JOB_USER=ada\n"
    assert of_log("a.out", text, ME)[:3] == ("ada", None, "4711")
    assert of_log("/x/slurm-4712.out", b"", ME).job == "4712"
    assert of_log("a.out", b"", ME).user == origin.owner_name(ME)
    assert origin.owner_name(123_456_789) == "123456789"


def test_names_of_files() -> None:
    assert of_log("/logs/train-gpu17.out", b"", ME).node == "gpu17"
    assert of_log("/logs/train-node1.out", b"", ME).node is None  # a rank, as for `scan DIR`
    assert of_log("/gpu17/train.out", b"", ME).node is None


def test_runs_of_one_program_differ_in_digits_only() -> None:
    one, other = of_log("/logs/a/slurm-17.out", b"", ME), of_log("/logs/a/slurm-18.out", b"", ME)
    assert one.program == other.program != of_log("/logs/b/slurm-18.out", b"", ME).program


def test_a_run_folder_says_it_in_its_environment() -> None:
    facts = {"environment": {"SLURM_JOB_USER": "ada", "SLURM_JOB_NODELIST": "gpu17", "SLURM_JOB_ID": "4711"}}
    assert of_run("/runs/x", facts, ME)[:3] == ("ada", "gpu17", "4711")
    assert of_run("/runs/x", {"environment": ["SLURM_JOB_USER=eve"]}, ME).node is None

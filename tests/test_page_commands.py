"""Every command of the pages and of the help is run, in one folder with logs, run folders and programs. What the pages
show of the output is compared by the tests of these pages (`test_readme.py` and others); here a command must be right
usage, and must not break.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests import quick
from tests.commands import PROGRAM, ROOT, commands, wrong
from tests.page_commands import ELSEWHERE, NOT_RUN, SMALLER, Elsewhere, Smaller, Why, filled, why_not
from tests.test_commands import PAGES
from tests.test_readme import LOG, sessions
from tests.test_readme import PAGES as RUN_AS_SESSIONS
from tests.xladoctor.recordings import healthy
from xladoctor.cli.summaries import SUMMARIES

RECORDED = "xladoctor scan --verify -- python steps.py"
PROGRAMS = {
    # Fails as TensorFlow does, without the seconds that its import takes.
    "train.py": f"import sys\n\nprint('Epoch 1/2')\nsys.exit({LOG.splitlines()[6]!r})\n",
    "steps.py": """\
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def folded(x):
    return tf.reshape(x, [2, 6])


def step(batch_size=4):
    return tf.function(lambda x: x * tf.reduce_mean(x)), [tf.ones([batch_size, 3])]


if __name__ == "__main__":
    folded(tf.ones([4, 3]))
    folded(tf.ones([5, 3]))
""",
    "step.py": """\
import tensorflow as tf


@tf.function(jit_compile=True)
def step(x):
    print("step")
    return tf.where(x > 0)
""",
    "test_shapes.py": "def test_rows():\n    assert (4, 3)[0] == 4\n",
    "ours.md.j2": "# {{ root.title if root else 'Nothing wrong' }}\n",
    "study.toml": '[study]\ncommand = ["python", "train.py"]\n',
}


def every() -> dict[str, str]:
    """Each command, once, and where it stands."""
    found: dict[str, str] = {}
    for page in PAGES:
        for command in commands(page.read_text(encoding="utf-8")):
            found.setdefault(command, str(page.relative_to(ROOT)))
    for name in SUMMARIES:
        text = import_module(f"xladoctor.cli.{name}").EPILOG.partition("Examples:\n")[2].partition("\n\n")[0]
        for command in commands(f"```sh\n{text}\n```\n"):
            found.setdefault(command, f"xladoctor {name} --help")
    return found


EVERY = every()
SESSIONS = {command for page in RUN_AS_SESSIONS for command, _ in sessions(page)}
HERE = sorted({filled(command) for command in EVERY if command not in SESSIONS and why_not(command) is None})


BEFORE = {"--resume": "--repro", "--baseline": "--write-baseline"}
"""A command with this option takes up what one with the other has left."""


def with_tensorflow(command: str) -> bool:
    return bool(re.search(r"\breplay\b|\bsteps\b|ptycho:", command))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Logs, run folders and programs under the names that the pages give them; a program that hangs is `$HANGS`."""
    work = tmp_path_factory.mktemp("commands") / "work"
    for place in ("src", "runs", "home/study", "xladoctor-runs/job-4711.0"):
        (work / place).mkdir(parents=True)
    for name, text in PROGRAMS.items():
        (work / name).write_text(text)
    shutil.copy(work / "step.py", work / "src")
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": None, "outputs": []}
    cell["outputs"] = [{"output_type": "stream", "name": "stderr", "text": LOG}]
    cell["source"] = PROGRAMS["step.py"]
    (work / "study.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}))
    for name in ("train", "error", "a", "b", "A", "B", "old", "console", "rank0", "rank1", "runs/one"):
        (work / f"{name}.log").write_text(LOG)
    (work / "slurm-4711.out").write_text(LOG)
    for place in ("run", "runs/passes", "runs/batch-15", "xladoctor-runs/job-4711.0/rank-0"):
        healthy(15).write(work / place)
    for place in ("other", "runs/fails", "runs/batch-16", "xladoctor-runs/20260106T101500-3f2a"):
        healthy(16).write(work / place)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], cwd=work) as hangs:
        try:
            yield work, str(hangs.pid)
        finally:
            hangs.kill()


@pytest.fixture(scope="module")
def ran(folder):
    """Runs a command once. Those with TensorFlow share a recorded run that failed."""
    work, pid = folder
    known: dict[str, subprocess.CompletedProcess[str]] = {}
    environment = {
        **os.environ, "HOME": str(work / "home"), "SHELL": "/bin/bash", "HANGS": pid, "COLUMNS": "80",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": quick.path(ROOT),
    }  # fmt: skip

    def run(command: str) -> subprocess.CompletedProcess[str]:
        if command not in known:
            where = work / "recorded" if with_tensorflow(command) else work
            if where != work and not where.exists():
                where.mkdir()
                shutil.copy(work / "steps.py", where)
                assert run(RECORDED).returncode == 1
            for option, earlier in BEFORE.items():
                if option in command:
                    run(next(other for other in HERE if earlier in other))
            known[command] = subprocess.run(
                ["bash", "-c", command],
                cwd=where,
                env=environment,
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
        return known[command]

    return run


@pytest.mark.parametrize(
    "command", [pytest.param(each, marks=[pytest.mark.slow] if with_tensorflow(each) else []) for each in HERE]
)
def test_a_command_is_right_usage_and_does_not_break(command, ran):
    done = ran(command)
    said = f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
    assert done.returncode in ((124, 130) if command.startswith("timeout ") else (0, 1)), said
    assert "/xladoctor/cli/" not in done.stderr, said


def test_nothing_is_left_open():
    assert len(HERE) >= 90
    named = r"\"\$\w+\"|XD\d+|PTYCHO_\w+|env:\w+|=INT"
    left = [command for command in HERE if re.search(r"\b[A-Z]{2,}\b|\.\.\.", re.sub(named, "", command))]
    assert left == []


def source(test: str) -> str:
    """The source of a test, with that of what it names of its file."""
    file, _, name = test.partition("::")
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    parts = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    values = {
        each.id: node
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for each in ast.walk(target)
        if isinstance(each, ast.Name)
    }
    told, waiting = {}, [name]
    while waiting:
        part = waiting.pop()
        if part not in told:
            told[part] = ast.unparse(node := {**values, **parts}[part]).replace("'", '"')
            named = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            waiting += [name for name in named if name in parts or name in values]
    return "\n".join(told.values())


REASONS = {command: why for command in EVERY if command not in SESSIONS and (why := why_not(command)) is not None}


@pytest.mark.parametrize("command", REASONS)
def test_what_is_not_run_here_is_of_the_kind_that_it_is_said_to_be(command):
    why = REASONS[command]
    assert wrong(command) is None
    if isinstance(why, Elsewhere):
        assert [word for word in why.words if word not in source(why.test)] == []
    elif isinstance(why, Smaller):
        part, instead = (text.partition("xladoctor ")[2].split()[0] for text in (command, why.instead))
        assert why.instead in HERE and part == instead
    elif why is Why.INSTALLS:
        assert re.search(r"\binstall\b", command) and "xladoctor scan" not in command
    elif why is Why.FETCHES:
        assert re.search(r"\binstall (?:--with )?[a-z]", command)
    elif why is Why.MEASURES:
        assert re.match(r"python -m benchmarks(\.| |$)", command)
    elif command.startswith("make "):
        # Not with the flags of a make that runs these tests: `make -s` has nothing to say.
        env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS")}
        plan = subprocess.run(
            ["make", "-n", *command.split()[1:]], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        assert "bin/" in plan.stdout or "Nothing to be done" in plan.stdout, plan.stdout


def test_no_reason_is_left_over_and_few_commands_of_the_doctor_have_one():
    used = {id(why) for why in REASONS.values()}
    assert all(id(row) in used for row in (*ELSEWHERE, *SMALLER)), "a row that no page needs"
    assert {why for why, _ in NOT_RUN} == set(Why)
    assert len([command for command in REASONS if re.match(f"{PROGRAM} ", command)]) <= 10
    assert source("tests/test_page_commands.py::test_nothing_is_left_open").count("HERE") > 1
    with pytest.raises(KeyError):
        source("tests/test_page_commands.py::test_that_nobody_wrote")

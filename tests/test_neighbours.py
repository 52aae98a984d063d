"""The tools of a user's project, where the doctor has left copies of its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

TEST = "import os\ndef test_one() -> None:\n    assert True\n"


def tool(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A tool as its user starts it, without our plug-in."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """A part of a project whose settings stand above it; its tests were rehearsed."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-q"\n')
    part = project / "part"
    (part / "tests").mkdir(parents=True)
    for name in ("test_root.py", "tests/test_below.py"):
        (part / name).write_text(TEST)
    done = tool(part, "xladoctor", "preflight", "--only", "rehearsal", "--", sys.executable, "-m", "pytest")
    copies = [path for path in part.rglob("test_*.py") if "xladoctor-runs" in path.parts]
    assert len(copies) >= 2, done.stdout + done.stderr
    return part


def test_a_copy_of_tests_can_be_rehearsed(part):
    [output] = part.glob("xladoctor-runs/*/rehearsal/stdout.log")
    assert "2 passed" in output.read_text()


@pytest.mark.parametrize("above", [False, True])
def test_pytest_collects_no_copy(part, above):
    done = tool(part.parent if above else part, "pytest")
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_mypy_checks_no_copy(part):
    done = tool(part, "mypy", "--cache-dir", os.devnull, ".")
    assert "no issues found in 2 source files" in done.stdout, done.stdout


@pytest.mark.parametrize("words", [("check", "--no-cache", "--output-format=concise"), ("format", "--diff")])
def test_ruff_reads_no_copy(part, words):
    done = tool(part, "ruff", *words, ".")
    assert "test_root.py" in done.stdout and "xladoctor-runs" not in done.stdout, done.stdout + done.stderr

"""The hook of `.pre-commit-hooks.yaml`, as pre-commit itself sets it up and runs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
BAD = "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(x):\n    tf.print(x)\n    return x\n"
LATE = 'import os\nimport tensorflow as tf\nos.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"\n'


def git(folder: Path, *args: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    names = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *names, *args], cwd=folder, env=env, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    """This project as a repository, and one that uses its hook."""
    ours, theirs = tmp_path_factory.mktemp("ours"), tmp_path_factory.mktemp("theirs")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, ours)
    for name in ("xladoctor", "probes", "docs"):
        shutil.copytree(ROOT / name, ours / name, ignore=shutil.ignore_patterns("__pycache__"))
    (theirs / "bad.py").write_text(BAD)
    (theirs / "late.py").write_text(LATE)
    (theirs / "notes.txt").write_text(BAD)
    for folder in (ours, theirs):
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "All")
    return ours, theirs


def pre_commit(folder: Path, home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run pre-commit; what it installs finds its dependencies, and what builds it, where the tests have theirs."""
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
        "PRE_COMMIT_HOME": str(home),
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PRE_COMMIT_COLOR": "never",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "VIRTUALENV_NO_DOWNLOAD": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@example.org",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@example.org",
    }
    command = [sys.executable, "-m", "pre_commit", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_try_repo(repositories, tmp_path) -> None:
    ours, theirs = repositories
    done = pre_commit(theirs, tmp_path, "try-repo", str(ours), "xladoctor-lint", "--all-files", "--verbose")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^xladoctor lint\.+Failed$", done.stdout, re.MULTILINE)
    assert "bad.py:6:5 warning XD803" in done.stdout and "notes.txt" not in done.stdout


def test_the_configuration_of_the_page(repositories, tmp_path) -> None:
    """With `--fix` the hook fails where it changed a file, and passes the second time. The hook runs where the tests
    do: how it is installed is shown above.
    """
    _, theirs = repositories
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "repo:" in block)
    [used] = yaml.safe_load(block)["repos"]
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    [asked] = used["hooks"]
    assert asked == {"id": hook["id"], "args": ["--fix"]}
    local = {**hook, **asked, "language": "system", "entry": f"{sys.executable} -m {hook['entry']}"}
    (theirs / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}))
    git(theirs, "add", "-A")
    first = pre_commit(theirs, tmp_path, "run", "--files", "late.py")
    assert first.returncode == 1 and "files were modified by this hook" in first.stdout, first.stdout + first.stderr
    assert (theirs / "late.py").read_text().splitlines()[1].startswith("os.environ")
    git(theirs, "add", "-A")
    again = pre_commit(theirs, tmp_path, "run", "--files", "late.py")
    assert again.returncode == 0, again.stdout + again.stderr

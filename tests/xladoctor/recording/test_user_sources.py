"""Which files of a program may be read: those that its command names, and what lies beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from xladoctor.recording.user_sources import UserSources


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A folder with a package and a script in a folder of its own."""
    for name in ("pkg/__init__.py", "pkg/train.py", "pkg/__main__.py", "scripts/run.py", "tools.py", "notes.txt"):
        (tmp_path / "study" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "study" / name).write_text("x = 1\n")
    (tmp_path / "elsewhere.py").write_text("x = 1\n")
    return tmp_path / "study"


def sources(study: Path, *command: str) -> UserSources:
    """The sources of a run of a command in the study."""
    return UserSources(study, {}, {"command": ["python", *command], "cwd": str(study), "started": 1e12})


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (("-m", "pkg.train"), "pkg/train.py"),
        (("-m", "pkg"), "pkg/__main__.py"),
        (("scripts/run.py",), "scripts/run.py"),
    ],
)
def test_the_command_leads_to_its_file_and_to_the_folder_of_the_run(study, command, script):
    known = sources(study, *command, "--epochs", "3")
    assert known.scripts == [study / script]
    assert known.text(study / script)[0] == "x = 1\n"
    assert known.text(study / "tools.py", followed=True)[0] == "x = 1\n"
    assert known.text(study / "tools.py")[0] is None  # nothing led to it
    assert known.text(study / "notes.txt", followed=True)[0] is None
    assert known.text(study.parent / "elsewhere.py", followed=True)[0] is None


@pytest.mark.parametrize("name", ["pip", "..pkg", "/etc/x", "pkg.none"])
def test_a_module_elsewhere_is_no_script_of_the_program(study, name):
    assert sources(study, "-m", name).scripts == []

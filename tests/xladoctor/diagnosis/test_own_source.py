"""Which files are the program's own: also those of a package that the script finds by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import own_source
from xladoctor.diagnosis.own_source import program_of
from xladoctor.recording.run import read_run
from xladoctor.recording.user_sources import UserSources


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A script that puts the folder above it on sys.path, and a package there; many names that are no modules."""
    names = ", ".join(f"part_{n}" for n in range(250))
    for file, text in {
        "scripts/train.py": "import sys, os\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n"
        f"from lab import {names}\nfrom lab.fit import train\n",
        "lab/__init__.py": "",
        "lab/fit.py": "from .nets import net\nfrom . import settings\n",
        "lab/nets/__init__.py": "from .small import net\n",
        "lab/nets/small.py": "from ..ops import shift\n",
        "lab/settings.py": "",
        "lab/ops.py": "",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


@pytest.mark.parametrize("recorded", [True, False])
def test_a_package_beside_the_folder_of_the_script(checkout, recorded, tmp_path, monkeypatch):
    run = Run()
    if recorded:
        run.event("names", file=str(checkout / "lab/fit.py"), function="train", names={})
    sources = UserSources(
        checkout, {}, {"cwd": str(checkout), "command": ["python", "scripts/train.py"], "started": 9e9}
    )
    monkeypatch.setattr(own_source, "sources_of", lambda recording: sources)
    found = program_of(read_run(run.write(tmp_path / "run")))
    package = {"__init__.py", "fit.py", "nets/__init__.py", "nets/small.py", "settings.py", "ops.py"}
    wanted = {"scripts/train.py"} | ({f"lab/{name}" for name in package} if recorded else set())
    assert {str(Path(file).relative_to(checkout)) for file in found} == wanted

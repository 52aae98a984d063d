"""`--on` and `[tool.xladoctor.cluster]`: what they may say, and what is said where they cannot be meant."""

from __future__ import annotations

import signal
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from xladoctor.cluster import opened as opening
from xladoctor.cluster.opened import opened, settings
from xladoctor.errors import XladoctorError

GOOD = """
[tool.xladoctor.cluster]
queue = "gpu"
memory = "4GB"
walltime = "00:30:00"
cores = 2
jobs = 8
modules = ["python/3.11", "cuda; rm"]
options = ["--exclusive"]
"""


def test_local_is_no_cluster() -> None:
    with opened("local") as cluster:
        assert cluster is None


@pytest.mark.parametrize("on", ["cloud", "dask", "dask:", "slurm:x", ""])
def test_what_is_not_known(on: str) -> None:
    with pytest.raises(XladoctorError, match="known are local, dask:ADDRESS"), opened(on):
        pass


def test_without_dask_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(XladoctorError, match="needs dask") as caught, opened("dask:tcp://h:1"):
        pass
    assert "To install it" in (caught.value.hint or "")


def test_the_settings(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(GOOD)
    (tmp_path / "below").mkdir()
    assert settings(tmp_path / "below")["queue"] == "gpu"
    for wrong in ("queue = 3", "cores = true", "colour = 'red'", "modules = [1]"):
        (tmp_path / "pyproject.toml").write_text(f"[tool.xladoctor.cluster]\n{wrong}\n")
        with pytest.raises(XladoctorError, match=r"tool\.xladoctor\.cluster"):
            settings(tmp_path)


@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="dask-jobqueue is not installed")
def test_a_slurm_job_is_as_the_settings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script that would be submitted; a name of a module is one word of it."""
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(opening.jobqueue().SLURMCluster, "scale", lambda self, jobs: asked.append(jobs))
    asked: list[int] = []
    (tmp_path / "pyproject.toml").write_text(GOOD)
    with opening._slurm(settings(tmp_path), 8) as cluster, opening.kept(cluster, 8, every=0.01):
        script = cluster.job_script()
        deadline = time.monotonic() + 10
        while len(asked) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert asked[:3] == [8, 8, 8], "what ends at its walltime is submitted anew"
    for line in ("#SBATCH -p gpu", "#SBATCH -t 00:30:00", "#SBATCH --exclusive", "module load 'cuda; rm'"):
        assert line in script.splitlines()
    assert sys.executable in script
    assert signal.getsignal(signal.SIGINT) is before

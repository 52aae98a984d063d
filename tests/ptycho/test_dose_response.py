import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick

ROOT = Path(__file__).parents[2]
QUICK = ["--arms=1", "--nepochs=1", "--ngroups=130", "--ntest=64", "--batch-size=32", "--filters-scale=0.0625"]
QUICK += ["--estimate-iterations=3", "--N=32"]


def study(*options, **environment):
    return subprocess.run(
        [sys.executable, "-m", "ptycho.workflows.dose_response", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": quick.path(), **environment},
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--N=65"], "N must be a positive multiple of 8"),
        (["--arms=5"], "expected 1 to 4, or names out of high-poisson"),
        (["--batch-size=0"], "expected a positive whole number"),
        (["--fault=nothing"], "no fault is called 'nothing'"),
        (["--fault-option=threshold=3"], "--fault-option needs --fault"),
        (["--fault=flat-positions", "--fault-option=x=3"], "has no option 'x'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(options, message):
    done = study(*options)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_results_are_not_overwritten(tmp_path):
    (tmp_path / "precious").write_text("")
    done = study(f"--output-dir={tmp_path}")
    assert done.returncode == 2
    assert "is not empty" in done.stderr


@pytest.mark.slow
def test_healthy_run(tmp_path):
    done = study(*QUICK, "--arms=high-poisson,low-mae", f"--output-dir={tmp_path}")
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "metrics.json").read_text())
    assert list(written["arms"]) == ["high-poisson", "low-mae"]
    for metrics in written["arms"].values():
        assert metrics["rows_in"] == metrics["rows_out"] == 64
    assert (tmp_path / "figure.png").stat().st_size > 10_000

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ptycho import params
from ptycho.config.config import ModelConfig, update_legacy_dict
from tests import quick

ROOT = Path(__file__).parents[2]
MODULE = [sys.executable, "-m", "ptycho.workflows.grid_lines_workflow"]
QUICK = [
    *("--N=32", "--nimgs-train=1", "--nimgs-test=1", "--nepochs=1", "--object-size=72", "--ngroups=20"),
    *("--filters-scale=0.0625", "--batch-size=16", "--estimate-iterations=3"),
]


ENV = {**os.environ, "PYTHONPATH": quick.path()}


def study(*given, check=True):
    return subprocess.run([*MODULE, *map(str, given)], capture_output=True, text=True, cwd=ROOT, check=check, env=ENV)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--N=65"], "N must be a positive multiple of 8"),
        (["--seeds=a"], "expected whole numbers with commas"),
        (["--test-data=x.npz"], "go together"),
        (["--train-data=no.npz", "--test-data=no.npz"], "No such file"),
        (["--fault=nothing"], "no fault is called 'nothing'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(given, message):
    done = study(*given, check=False)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_killed_after_the_first_arm_and_resumed(tmp_path):
    """Report 001's study, small; the finished arm is kept, to the byte."""
    with subprocess.Popen(
        [*MODULE, *QUICK, f"--output-dir={tmp_path}"], cwd=ROOT, env=ENV, stdout=subprocess.DEVNULL
    ) as run:
        finished = tmp_path / "arms" / "pinn-seed0.npz"
        deadline = time.monotonic() + 120
        while not finished.is_file() and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    assert finished.is_file()
    assert not (tmp_path / "metrics.json").exists()
    kept = finished.read_bytes()

    refused = study(*QUICK, f"--output-dir={tmp_path}", check=False)
    assert refused.returncode == 2
    assert "is not empty" in refused.stderr
    other = study(*QUICK, "--learning-rate=0.1", "--resume", f"--output-dir={tmp_path}", check=False)
    assert other.returncode == 2
    assert "learning_rate was 0.002 and is 0.1" in other.stderr

    done = study(*QUICK, "--untrained", "--resume", f"--output-dir={tmp_path}")
    assert "pinn-seed0: finished before" in done.stdout
    assert finished.read_bytes() == kept
    written = json.loads((tmp_path / "metrics.json").read_text())
    for kind in ("pinn", "baseline", "untrained"):
        assert written[kind]["rows_in"] == written[kind]["rows_out"] > 0
        for part in ("amplitude", "phase"):
            assert written[kind][part].keys() == {"ssim", "mae", "psnr", "frc50"}
        with np.load(tmp_path / "arms" / f"{kind}-seed0.npz") as arrays:
            assert arrays["stitched_0"].shape == arrays["truth_0"].shape
            assert (arrays["stitched_0"] != 0).all()  # no zeros within the region that counts
    assert json.loads((tmp_path / "configuration.json").read_text())["settings"]["object_big"] is True
    assert (tmp_path / "comparison.png").stat().st_size > 10_000


@pytest.mark.slow
def test_scans_from_files(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        command = [sys.executable, "-m", "ptycho.workflows.make_example", str(tmp_path / f"{name}.npz")]
        subprocess.run([*command, "--N=32", f"--seed={seed}"], check=True, capture_output=True, env=ENV)
    files = [f"--train-data={tmp_path / 'a.npz'}", f"--test-data={tmp_path / 'b.npz'}"]
    study(*QUICK, *files, "--no-object-big", f"--output-dir={tmp_path / 'out'}")
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["pinn"]["phase"]["mae"] < np.pi
    wrong = study(*QUICK, *files, "--N=64", f"--output-dir={tmp_path / 'other'}", check=False)
    assert wrong.returncode == 2
    assert "array 'diffraction' has patterns of 32 pixels, but --N is 64" in wrong.stderr


def test_protocol():
    """Test objects are not those of the training; the data that the PINN is given do not depend on the truth."""
    import dataclasses

    from ptycho.workflows import grid_lines_data as data

    update_legacy_dict(params.cfg, ModelConfig(N=32, gridsize=2))
    train = data.simulate(2, data.TRAINING, 0, 72, 1e6)
    test = data.simulate(2, data.TEST, 0, 72, 1e6)
    objects = [scan.objectGuess for scan in (*train, *test)]
    for i, a in enumerate(objects):
        for b in objects[:i]:
            assert np.abs(np.corrcoef(np.abs(a).ravel(), np.abs(b).ravel())[0, 1]) < 0.5
    scale = data.intensity_scale(train)
    groups, indices = data.training_groups(train, 10, 0, scale)
    blind, _ = data.training_groups([dataclasses.replace(s, objectGuess=None) for s in train], 10, 0, scale)
    np.testing.assert_array_equal(groups.X, blind.X)
    assert [i.shape for i in indices] == [(10, 4), (10, 4)]
    again = data.simulate(2, data.TRAINING, 0, 72, 1e6)
    np.testing.assert_array_equal(again[1].diff3d, train[1].diff3d)


def test_absolute_amplitude():
    """Without an object, normalised patterns are the probe's own, whatever the dose."""
    from ptycho import diffsim, probe
    from ptycho.raw_data import RawData
    from ptycho.workflows import grid_lines_data as data

    params.set("N", 32)
    light = probe.get_default_probe(32)
    x = y = np.full(4, 30.0)
    empty = RawData.from_simulation(
        x, y, light, np.ones((60, 60), complex), None, np.random.default_rng(0), beam_photons=1e9
    )
    scale = data.intensity_scale([empty])
    expected = diffsim.diffract(np.ones((1, 32, 32)), light)[0]
    np.testing.assert_allclose(empty.diff3d[0] / scale**2, expected, atol=0.01)

"""Pretraining on simulated objects, and the study of what training adds to the first estimate."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ptycho import params
from tests import quick

ROOT = Path(__file__).parents[2]
QUICK = ["--nobjects=1", "--ntest-objects=2", "--ngroups=8", "--ntest=8", "--nepochs=1", "--physics-epochs=1"]
QUICK += ["--N=32", "--filters-scale=0.0625", "--estimate-iterations=3", "--longer=6", "--jit-compile=off"]
QUICK += [
    "--arms=supervised,poisson,whole",
    "--whole-steps=2",
    "--solver=2,9",
    "--sweeps=2",
    "--kinds=cell",
    "--nother=1",
]


@pytest.mark.slow
def test_the_study_pairs_every_arm_with_the_estimate(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ptycho.workflows.learning", *QUICK, f"--output-dir={tmp_path}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": quick.path(), "PTYCHO_CACHE": "off"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "metrics.json").read_text())
    assert list(written["arms"]) == [
        "estimate-3",
        "estimate-6",
        "truth",
        "solver-2",
        "solver-9",
        "supervised",
        "poisson",
        "whole",
    ]
    gains = [f"{name} over estimate-3" for name in list(written["arms"])[1:]]
    assert list(written["gains"]) == [*gains, "whole over solver-2", "whole over solver-9"]
    assert all(set(value["kinds"]) == {"cell"} for value in written["arms"].values())
    fits = {name: value["losses"] for name, value in written["arms"].items()}
    assert fits["solver-2"] == fits["whole"] == {}
    for loss in ("poisson", "mae"):
        assert 0 < fits["estimate-6"][loss] < fits["estimate-3"][loss]
        assert fits["truth"][loss] > 0
    table = (tmp_path / "tables.md").read_text().splitlines()
    assert sum(line.startswith("| solver-9 |") for line in table) == 2
    assert sum(line.startswith("| whole over solver-9 |") for line in table) == 1
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("pictures.png", "quality.png"))
    ceiling, estimate = (written["arms"][name]["mean"]["phase"]["ssim"] for name in ("truth", "estimate-3"))
    assert ceiling > estimate + 0.1
    base, longer = (written["arms"][name]["by_object"] for name in ("estimate-3", "estimate-6"))
    differences = [b["phase"]["ssim"] - a["phase"]["ssim"] for a, b in zip(base, longer, strict=True)]
    gain = written["gains"]["estimate-6 over estimate-3"]["phase"]
    assert gain["mean"] == pytest.approx(np.mean(differences), abs=1e-4)
    assert gain["smallest"] == pytest.approx(min(differences), abs=1e-4)
    assert all(value["processor_seconds"]["reconstruct"] > 0 for value in written["arms"].values())


@pytest.mark.parametrize("option", ["--arms=none", "--longer=8,x", "--N=65", "--kinds=dog"])
def test_wrong_usage_is_exit_2(option, capsys):
    from ptycho.workflows import learning

    with pytest.raises(SystemExit) as stop:
        learning.main([option, "--output-dir=nowhere"])
    assert stop.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_the_loss_ignores_one_phase_of_a_group_and_nothing_else():
    from ptycho import pretraining

    rng = np.random.default_rng(0)
    patches = rng.normal(size=(3, 8, 8, 4)) + 1j * rng.normal(size=(3, 8, 8, 4))
    light = rng.random((1, 8, 8, 1))
    loss = pretraining.aligned_error(light)

    def error(found):
        true, found = (np.concatenate([a.real, a.imag], axis=-1).astype(np.float32) for a in (patches, found))
        return loss(true, found).numpy()

    turns = np.exp(1j * np.array([0.0, 1.0, -3.0]))[:, None, None, None]
    np.testing.assert_allclose(error(patches * turns), 0, atol=1e-6)
    assert (error(patches * np.exp(1j * np.array([0, 0, 0, 1.0]))) > 0.1).all()
    expected = (light * np.abs(0.3 * patches)).sum(axis=(1, 2, 3)) / light.sum() / 4
    np.testing.assert_allclose(error(patches * 1.3), expected, atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("N", [32, 64])
def test_pretraining_changes_the_network_of_the_model_in_place(make_data, N):
    from ptycho import model, pretraining

    data = make_data(4, 2, N)
    params.set("batch_size", 2)
    autoencoder, diffraction_to_obj = model.create_compiled_model(steps=4)
    before = [weights.copy() for weights in autoencoder.get_weights()]
    history = pretraining.pretrain(autoencoder, data, np.full((4, N, N, 4), 0.7 + 0.2j), 2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]
    assert all((a != b).any() for a, b in zip(before[-2:], autoencoder.get_weights()[-2:], strict=True))
    inputs = model.prepare_inputs(data)
    whole, objects = autoencoder.predict(inputs, verbose=0)[0], diffraction_to_obj.predict(inputs, verbose=0)
    np.testing.assert_allclose(whole, objects, atol=1e-5)

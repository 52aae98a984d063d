"""The collapsing reassembly in a model whose layers have other names, trained by a script of its own."""

import sys

from ptycho import faults, params
from ptycho.config.config import ModelConfig, TrainingConfig, update_legacy_dict

prefix = sys.argv[1]

with faults.applied("reassembly-collapses-batch"):
    update_legacy_dict(params.cfg, TrainingConfig(model=ModelConfig(N=32, gridsize=2), batch_size=32))
    params.set("filters_scale", 0.0625)
    import numpy as np

    from ptycho import model, probe

    probe.set_probe_guess()
    params.set("intensity_scale", 100.0)
    autoencoder, _ = model.create_compiled_model(2, 32)
    for number, layer in enumerate(autoencoder.layers):
        layer.name = f"{prefix}_{number}"
    amplitudes = np.ones((32, 32, 32, 4), "float32")
    positions = np.zeros((32, 1, 2, 4), "float32")
    autoencoder.fit([amplitudes, positions], [amplitudes] * 3, batch_size=32, verbose=0)

"""Trains the correct model for one epoch and prints a digest of all weights and predictions."""

import hashlib

from ptycho import params
from ptycho.config.config import ModelConfig, TrainingConfig, update_legacy_dict

update_legacy_dict(params.cfg, TrainingConfig(model=ModelConfig(N=32, gridsize=2), batch_size=8))
params.cfg.update(filters_scale=0.0625, estimate_iterations=1)

import keras
import numpy as np

from ptycho import model, probe

keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)
probe.set_probe_guess()
params.set("intensity_scale", 100.0)
autoencoder, _ = model.create_compiled_model(2, 32)
x = [rng.random((24, 32, 32, 4), "float32"), rng.normal(size=(24, 1, 2, 4)).astype("float32")]
autoencoder.fit(x, [x[0]] * 3, batch_size=8, epochs=1, verbose=0, shuffle=True)
digest = hashlib.sha256()
for array in [*autoencoder.get_weights(), *(np.asarray(p) for p in autoencoder.predict(x, verbose=0))]:
    digest.update(np.ascontiguousarray(array).tobytes())
print(digest.hexdigest())

"""The collapsing reassembly alone, in a model whose layers have other names, trained by a script of its own.

Given: the beginning of the names, and the rows of a batch.
"""

import sys

from ptycho import faults, params
from ptycho.config.config import ModelConfig, TrainingConfig, update_legacy_dict

prefix, rows = sys.argv[1], int(sys.argv[2])

with faults.applied("reassembly-collapses-batch"):
    update_legacy_dict(params.cfg, TrainingConfig(model=ModelConfig(N=32, gridsize=2), batch_size=rows))
    import keras
    import numpy as np

    from ptycho.custom_layers import CombineComplexLayer, ExtractPatchesPositionLayer, ReassemblePatchesLayer

    amplitudes, positions = keras.Input((32, 32, 4)), keras.Input((1, 2, 4))
    maps = keras.layers.Dense(4, name=f"{prefix}_1")(amplitudes)
    patches = CombineComplexLayer(name=f"{prefix}_2")([maps, maps])
    objects = ReassemblePatchesLayer(name=f"{prefix}_3")([patches, positions])
    seen = ExtractPatchesPositionLayer(N=32, gridsize=2, name=f"{prefix}_4")([objects, positions])
    net = keras.Model([amplitudes, positions], keras.layers.Lambda(abs, name=f"{prefix}_5")(seen), name=prefix)
    net.compile("sgd", "mae")
    rng = np.random.default_rng(0)
    given = [rng.random((rows, 32, 32, 4), "float32"), rng.normal(size=(rows, 1, 2, 4)).astype("float32")]
    net.fit(given, given[0], batch_size=rows, verbose=0)

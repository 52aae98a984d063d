"""Process-wide settings.

Older parts of the package take their settings from ``cfg``. New code should
describe a run with :mod:`ptycho.config` and publish it with
:func:`ptycho.config.publish`, which writes into this dictionary.
"""

cfg = {
    # detector and groups
    "N": 16,
    "grid": 2,
    "margin": 3,
    # scan
    "raster": 11,
    "step": 3.0,
    "jitter": 0.4,
    "photons": 2.0e4,
    "probe_sigma": 3.2,
    # network
    "width": 12,
    "merge_views": True,
    # translation of images: "plain" or "xla"
    "shift_backend": "plain",
    "merge_limit": 48,
    # fitting
    "batch_size": 8,
    "infer_batch": 16,
    "epochs": 2,
    "learning_rate": 4e-3,
    "drop_last": True,
    "jit_step": False,
    "holdout": 0.2,
    "seed": 11,
}


def get(key):
    return cfg[key]


def put(key, value):
    if key not in cfg:
        raise KeyError(f"unknown setting {key!r}")
    cfg[key] = value


def update(values):
    for key, value in values.items():
        put(key, value)


def members():
    """Number of patterns in a group."""
    return int(cfg["grid"]) ** 2


def canvas_side():
    """Side of the square on which the views of a group are merged."""
    return int(cfg["N"]) + 2 * int(cfg["margin"])


def snapshot():
    return dict(cfg)

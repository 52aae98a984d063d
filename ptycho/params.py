"""The global parameters of a run.

`cfg` is one plain dict that the whole package reads. It is the old way of configuring the model; new code
fills it from the dataclasses of `ptycho.config.config` with `update_legacy_dict`, *before* the model is
built.
"""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    "N": 64,  # side of a diffraction pattern and of an object patch, pixels
    "gridsize": 1,  # a group has gridsize x gridsize patches
    "offset": 4,  # nominal step between neighbouring patches of a group, pixels
    "max_position_jitter": 10,  # room for deviations from the nominal positions, pixels, both sides together
    "batch_size": 16,
    "nepochs": 50,
    "nphotons": 1e9,  # mean photons in one diffraction pattern
    "intensity_scale": None,  # sqrt(counts) per unit of normalised amplitude; measured on the training data
    "object_big": True,  # merge the patches of a group into one object before diffracting
    "estimate_iterations": 20,  # updates of phase retrieval before the network, see ptycho.first_estimate
    "network_input": "estimate",  # what the network sees: see ptycho.model.network_inputs
    "filters_scale": 1.0,  # multiplies the number of convolution filters
    "loss": "poisson",  # "poisson" or "mae"
    "learning_rate": 1e-3,
    "use_xla_translate": True,  # translate images by the jit-compiled warp
    "use_xla_compile": "auto",  # Keras compile(jit_compile=...): True, False or "auto"
    "probe": None,  # (N, N) complex64, see ptycho.probe
}

cfg: dict[str, Any] = dict(DEFAULTS)


def get(key: str) -> Any:
    """Value of a parameter. Raises KeyError, naming the known keys, if there is none of that name."""
    try:
        return cfg[key]
    except KeyError:
        raise KeyError(f"no parameter {key!r} in ptycho.params.cfg (known: {', '.join(sorted(cfg))})") from None


def set(key: str, value: Any) -> None:
    """Set a parameter. Has an effect only on what is built or traced afterwards."""
    cfg[key] = value


def get_bigN(N: int | None = None, gridsize: int | None = None) -> int:
    """Side, in pixels, of the square that the patches of an ideal group cover; arguments override `cfg`."""
    N = get("N") if N is None else N
    gridsize = get("gridsize") if gridsize is None else gridsize
    return N + (gridsize - 1) * get("offset")


def get_padded_size(N: int | None = None, gridsize: int | None = None) -> int:
    """Side P, in pixels, of a group's canvas: `get_bigN()` plus the room for position jitter."""
    return get_bigN(N, gridsize) + get("max_position_jitter")

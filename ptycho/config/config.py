"""Typed configuration, and its transfer to the global `ptycho.params.cfg`."""

from __future__ import annotations

import dataclasses
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class ModelConfig:
    """The architecture of the network. Raises ValueError if a value cannot work."""

    N: int = 64
    gridsize: int = 1
    offset: int = 4
    max_position_jitter: int = 10
    object_big: bool = True
    filters_scale: float = 1.0
    estimate_iterations: int = 20
    network_input: Literal["estimate", "residuals", "patterns", "transforms"] = "estimate"

    def __post_init__(self) -> None:
        if self.N < 8 or self.N % 8:
            raise ValueError(f"N must be a positive multiple of 8 (the U-Net halves it three times), not {self.N}")
        if self.gridsize < 1:
            raise ValueError(f"gridsize must be at least 1, not {self.gridsize}")
        if self.offset < 0 or self.max_position_jitter < 0:
            raise ValueError("offset and max_position_jitter are lengths in pixels and cannot be negative")
        if self.estimate_iterations < 1:
            raise ValueError(f"estimate_iterations must be at least 1, not {self.estimate_iterations}")
        inputs = ("estimate", "residuals", "patterns", "transforms")
        if self.network_input not in inputs:
            raise ValueError(f"network_input must be one of {', '.join(inputs)}, not {self.network_input!r}")
        if self.filters_scale <= 0:
            raise ValueError(f"filters_scale must be positive, not {self.filters_scale}")


@dataclass(frozen=True)
class TrainingConfig:
    """How the network is trained.

    `N` and `gridsize` may be given directly (`TrainingConfig(N=64, gridsize=2)`); they then override
    `model`'s.
    """

    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 16
    nepochs: int = 50
    nphotons: float = 1e9
    loss: Literal["poisson", "mae"] = "poisson"
    learning_rate: float = 1e-3
    use_xla_translate: bool = True
    use_xla_compile: bool | Literal["auto"] = "auto"
    N: InitVar[int | None] = None
    gridsize: InitVar[int | None] = None

    def __post_init__(self, N: int | None, gridsize: int | None) -> None:
        changes = {k: v for k, v in (("N", N), ("gridsize", gridsize)) if v is not None}
        if changes:
            object.__setattr__(self, "model", dataclasses.replace(self.model, **changes))
        if self.batch_size < 1 or self.nepochs < 0 or self.nphotons <= 0:
            raise ValueError("batch_size and nphotons must be positive, nepochs must not be negative")
        if self.loss not in ("poisson", "mae"):
            raise ValueError(f"loss must be 'poisson' or 'mae', not {self.loss!r}")


@dataclass(frozen=True)
class InferenceConfig:
    """How a trained network is used."""

    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 32
    use_xla_translate: bool = True


def update_legacy_dict(cfg: dict[str, Any], config: ModelConfig | TrainingConfig | InferenceConfig) -> None:
    """Write every field of `config` (a nested `model` flattened) into `cfg`, which is changed in place.

    Must be called before the data are grouped and the model is built: both read `cfg` when they run.
    """
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            update_legacy_dict(cfg, value)  # type: ignore[arg-type]
        else:
            cfg[item.name] = value

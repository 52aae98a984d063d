"""Typed description of a run."""

import dataclasses
import json
import math
from dataclasses import dataclass, field

from . import params


@dataclass(frozen=True)
class ScanConfig:
    raster: int = 11
    step: float = 3.0
    jitter: float = 0.4
    photons: float = 2.0e4
    probe_sigma: float = 3.2


@dataclass(frozen=True)
class NetConfig:
    patch: int = 16
    grid: int = 2
    width: int = 12
    merge_views: bool = True
    merge_limit: int = 48
    shift_backend: str = "plain"


@dataclass(frozen=True)
class FitConfig:
    batch: int = 8
    infer_batch: int = 16
    epochs: int = 2
    learning_rate: float = 4e-3
    drop_last: bool = True
    jit_step: bool = False
    holdout: float = 0.2


@dataclass(frozen=True)
class RunConfig:
    scan: ScanConfig = field(default_factory=ScanConfig)
    net: NetConfig = field(default_factory=NetConfig)
    fit: FitConfig = field(default_factory=FitConfig)
    seed: int = 11

    def margin(self):
        reach = (self.net.grid - 1) * self.scan.step / 2 + self.scan.jitter
        return int(math.ceil(reach)) + 1

    def validate(self):
        if self.net.patch % 4:
            raise ValueError("patch must divide by 4")
        if self.net.grid >= self.scan.raster:
            raise ValueError("the raster is too small for this grid")
        if self.net.merge_limit < self.net.grid ** 2:
            raise ValueError("merge_limit is smaller than a single group")
        if self.net.shift_backend not in ("plain", "xla"):
            raise ValueError(f"shift_backend {self.net.shift_backend!r}")
        return self

    def to_json(self):
        return json.dumps(dataclasses.asdict(self), indent=1)


# names in the dictionary that differ from the field's own name
_RENAMED = {"patch": "N", "batch": "batch_size"}


def publish(run):
    """Writes a run's settings into the process-wide dictionary."""
    run.validate()
    for part in (run.scan, run.net, run.fit):
        for name, value in dataclasses.asdict(part).items():
            params.put(_RENAMED.get(name, name), value)
    params.put("margin", run.margin())
    params.put("seed", run.seed)
    return run


def with_changes(run, **changes):
    """A copy in which fields of any part are replaced: with_changes(run, grid=1)."""
    parts = {}
    for part_name in ("scan", "net", "fit"):
        part = getattr(run, part_name)
        names = {f.name for f in dataclasses.fields(part)}
        mine = {k: changes.pop(k) for k in list(changes) if k in names}
        parts[part_name] = dataclasses.replace(part, **mine)
    return dataclasses.replace(run, **parts, **changes)

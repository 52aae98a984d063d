"""What TensorFlow itself registers: which ops have kernels for XLA, CPU and GPU, and which inputs must be constants.

Dumped from the shipped library (`data/xla_registry.json`, TensorFlow 2.21.0; the two ops that 2.15.1 lacks are noted
there), read when first asked. An op that is not in it is a custom op or belongs to another version: nothing is claimed.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from xladoctor.model.frozen import dataclass

VERSION = "2.21.0"


@dataclass(frozen=True)
class Kernels:
    """The devices for which an op has a kernel, whatever its types."""

    xla: bool
    cpu: bool
    gpu: bool

    @property
    def elsewhere(self) -> str:
        """`the CPU and the GPU`, `the CPU only`, `the GPU only`, or nothing."""
        if self.cpu and self.gpu:
            return "the CPU and the GPU"
        return "the CPU only" if self.cpu else "the GPU only" if self.gpu else ""


def kernels(op: str) -> Kernels | None:
    """For which devices an op has a kernel, or None for an op that TensorFlow 2.21 does not register."""
    devices = _by_op().get(op)
    return None if devices is None else Kernels("XLA" in devices, "CPU" in devices, "GPU" in devices)


def argument(op: str, position: int) -> str | None:
    """The name of the input of `op` at `position` (from 0) if it must be constant when XLA compiles, else None."""
    named = dict(item.split("=") for item in str(_data()["constant_inputs"].get(op, "")).split())
    for name, at in named.items():
        if at == str(position):
            return str(name)
    # Behind a list of N inputs the position depends on N; and a list that is itself constant goes on to the end.
    behind = [name for name, at in named.items() if "N" in at]
    if len(behind) == 1 and position:
        return str(behind[0])
    last = max(((int(at), name) for name, at in named.items() if at.isdigit()), default=None)
    return str(last[1]) if last and op in _LISTS and position > last[0] else None


# Ops whose last constant input is a list of any length (tensorflow/core/ops/{array_ops,data_flow_ops}.cc).
_LISTS = frozenset({"ConcatOffset", "DynamicStitch", "ParallelDynamicStitch"})


@cache
def _data() -> dict[str, Any]:
    # A log of which no line names an op does not wait for it.
    from importlib.resources import files

    text = files("xladoctor.rules").joinpath("data/xla_registry.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _by_op() -> dict[str, frozenset[str]]:
    return {op: frozenset(on.split()) for on, ops in _data()["kernels"].items() for op in ops.split()}


def constant_inputs() -> dict[str, dict[str, str]]:
    """{op: {argument: position}} of all inputs that must be constant when XLA compiles; a position may be "1+N"."""
    table = _data()["constant_inputs"]
    return {op: dict(item.split("=") for item in str(named).split()) for op, named in table.items()}

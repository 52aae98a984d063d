"""With which interpreter, and in which environment, a worker runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from xladoctor.diagnosis.facts import Step
from xladoctor.paths import probes_dir
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema


def batch_sizes(step: Step) -> list[int | None]:
    """The batch sizes that the call really met, the full one first: Keras' last batch holds what is left over."""
    call = step.keras_call or {}
    size, rows = call.get("batch_size"), call.get("rows_in")
    if not size or not rows:
        return [None]
    if rows < size:
        return [rows]
    rest = rows % size
    return [size, rest] if rest else [size]


def interpreter(recording: Recording) -> str | None:
    """The target's own Python, as the recording names it."""
    for start in recording.of_kind(schema.START):
        path = start.get("executable")
        if path and os.access(path, os.X_OK):
            return str(path)
    return None


def worker_environment(environment: Mapping[str, str], cwd: Path | None = None) -> dict[str, str]:
    """The target's environment without the probes and without flags that a worker must not be ruled by.

    Relative entries of PYTHONPATH are meant from `cwd`; without it they are left out.
    """
    from xladoctor.workers.worker import python_path

    env = {k: v for k, v in environment.items() if not k.startswith("XLADOCTOR_")}
    ours = str(probes_dir() / "bootstrap")
    path = [p for p in python_path(env.get("PYTHONPATH", ""), cwd).split(os.pathsep) if p and p != ours]
    env.pop("PYTHONPATH", None)
    if path:
        env["PYTHONPATH"] = os.pathsep.join(path)
    # The worker runs the graph plainly; a flag that kills or changes the runtime would say nothing about the graph.
    for name in ("TF_XLA_FLAGS", "XLA_FLAGS"):
        env.pop(name, None)
    env.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # On a GPU that others use as well, it takes what it needs and not all that is free.
    env.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    return env

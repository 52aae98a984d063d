"""The environment variables that decide about XLA, and whether the flags in them are known to the target's
TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xladoctor.recording.environment import redacted_text, redacted_value
from xladoctor.recording.flags import FLAG_VARIABLES, Flag, flags, tensorflow_libraries

__all__ = ["FLAG_VARIABLES", "Flag", "Variable", "relevant", "tensorflow_libraries"]

# Names and prefixes of what decides about XLA, devices and the study's switches. Everything else in an
# environment is nobody's business.
NAMES = (
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHASHSEED",
    "MLIR_CRASH_REPRODUCER_DIRECTORY",
    "NVIDIA_TF32_OVERRIDE",
)
PREFIXES = (
    "TF_XLA_", "TF_CPP_", "TF_GPU_", "TF_FORCE_", "TF_ENABLE_", "TF_USE_", "TF_CUD", "TF_DETERMINISTIC",
    "TF_DISABLE_", "TF_NUM_", "TF_DUMP_", "TF_CONFIG", "TF_MLIR_", "TF_AUTOTUNE", "XLA_", "USE_XLA_", "CUDA_",
    "KERAS_", "OMP_NUM", "NCCL_", "XLADOCTOR_", "TPU_", "PTYCHO_",
)  # fmt: skip


@dataclass(frozen=True)
class Variable:
    """A variable that is set, with its flags where it holds flags."""

    name: str
    value: str
    flags: tuple[Flag, ...] = ()


def relevant(environ: Mapping[str, str], libraries: Iterable[Path] = ()) -> list[Variable]:
    """The variables that matter, by name; flags are looked up in TensorFlow's `libraries`."""
    found = []
    libraries = list(libraries)
    for name in sorted(environ):
        if name in NAMES or name.startswith(PREFIXES):
            found_flags = flags(redacted_text(environ[name]), libraries) if name in FLAG_VARIABLES else ()
            found.append(Variable(name, redacted_value(name, environ[name]), found_flags))
    return found

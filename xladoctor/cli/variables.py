"""The environment variables that decide about XLA, and whether the flags in them are known to the target's
TensorFlow.
"""

from __future__ import annotations

import mmap
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xladoctor.evidence.environment import redacted_text, redacted_value

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
FLAG_VARIABLES = ("TF_XLA_FLAGS", "XLA_FLAGS")

_DASHES = "‐‑‒–—―−﹘﹣－"


@dataclass(frozen=True)
class Flag:
    """One flag of TF_XLA_FLAGS or XLA_FLAGS. `known` is None where no TensorFlow was found to ask."""

    text: str
    known: bool | None
    note: str = ""


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
            flags = _flags(redacted_text(environ[name]), libraries) if name in FLAG_VARIABLES else ()
            found.append(Variable(name, redacted_value(name, environ[name]), flags))
    return found


def tensorflow_libraries(init_file: str | None) -> list[Path]:
    """The shared libraries in which the flags of a TensorFlow are defined, from its `__init__.py`."""
    if init_file is None:
        return []
    folder = Path(init_file).parent
    names = ("libtensorflow_framework.so*", "libtensorflow_framework*.dylib", "libtensorflow_cc.so*",
             "libtensorflow_cc*.dylib", "python/_pywrap_tensorflow_internal.*")  # fmt: skip
    return [path for name in names for path in sorted(folder.glob(name)) if path.is_file()]


def _flags(value: str, libraries: list[Path]) -> tuple[Flag, ...]:
    stripped = value.strip()
    if stripped and stripped[0] not in "-" + _DASHES:
        # TensorFlow reads the flags from a file where the value does not begin with a dash.
        note = "flags are read from this file" if Path(stripped).is_file() else "neither a flag nor a file"
        return (Flag(stripped, None if Path(stripped).is_file() else False, note),)
    try:
        words = shlex.split(stripped)
    except ValueError:
        words = stripped.split()
    return tuple(_flag(word, libraries) for word in words)


def _flag(word: str, libraries: list[Path]) -> Flag:
    if word[0] in _DASHES:
        return Flag(word, False, f"begins with a typographic dash (U+{ord(word[0]):04X}), not with --")
    if not word.startswith("--"):
        return Flag(word, False, "does not begin with --")
    name = word[2:].partition("=")[0]
    if not libraries:
        return Flag(word, None, "no TensorFlow was found to ask")
    if any(_defines(library, name) for library in libraries):
        return Flag(word, True)
    return Flag(word, False, "this TensorFlow has no flag of that name")


def _defines(library: Path, name: str) -> bool:
    # A flag's name stands in the library as a C string. Half a second at worst, for a name that is not there.
    try:
        with library.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return text.find(b"\0" + name.encode() + b"\0") >= 0
    except (OSError, ValueError):
        return False

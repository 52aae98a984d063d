"""What XLA needs of CUDA besides TensorFlow: a driver, libdevice and ptxas, each looked for where XLA looks.

Sources: XLA's `tsl/platform/default/cuda_root_path.cc` (the folders), `gpu/llvm_gpu_backend/nvptx_libdevice_path.cc`
(libdevice), `stream_executor/cuda/subprocess_compilation.cc` (ptxas, its oldest and its broken version), and NVIDIA's
"CUDA Compatibility", table 1 (the oldest driver of each major version).
"""

from __future__ import annotations

import ast
import mmap
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xladoctor.recording.flags import tensorflow_libraries

ROOT = Path("/")

_DATA_DIR = "--xla_gpu_cuda_data_dir="
_TO_DRIVER = "--xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found"
_DEFAULT_DATA_DIR = "./cuda_sdk_lib"
_BESIDE = ("../nvidia/cuda_nvcc", "../../nvidia/cuda_nvcc", "../nvidia/cu13", "../../nvidia/cu13")
_CONDA = ("../../../..", "../../../../..")
_LIBDEVICE = Path("nvvm/libdevice/libdevice.10.bc")
_OLDEST_PTXAS = (11, 8, 0)
_BROKEN_PTXAS = ((12, 3, 103),)
_OLDEST_DRIVER = {11: (450,), 12: (525,), 13: (580,)}
_PATIENCE = 20.0


@dataclass(frozen=True)
class Tool:
    """A ptxas that was found, and its version; None where it did not tell."""

    path: Path
    version: tuple[int, ...] | None

    @property
    def why_not(self) -> str | None:
        """Why XLA passes it over, if it does."""
        if self.version is None:
            return "does not print its version"
        if self.version < _OLDEST_PTXAS:
            return f"has version {dotted(self.version)}; XLA takes {dotted(_OLDEST_PTXAS)} and newer"
        if self.version in _BROKEN_PTXAS:
            return f"has version {dotted(self.version)}, which XLA ignores because it is faulty"
        return None


def build_of(init: str | None) -> dict[str, Any]:
    """What this TensorFlow was built with, from the file that its build left (`tf.sysconfig.get_build_info` gives the
    same); it is read, not imported. Empty where there is none.
    """
    if init is None:
        return {}
    try:
        text = (Path(init).parent / "python/platform/build_info.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
                found = dict(ast.literal_eval(node.value.args[0]))
                return {str(k): v for k, v in found.items()}
    except (OSError, SyntaxError, ValueError, TypeError):
        pass
    return {}


def driver(root: Path | None = None) -> str | None:
    """The version of NVIDIA's driver; None where this machine has none."""
    try:
        text = ((root or ROOT) / "proc/driver/nvidia/version").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"Kernel Module(?:\s+for\s+\S+)?\s+(\d+(?:\.\d+)+)", text)
    return found.group(1) if found else None


def driver_problem(version: str, built_with: tuple[int, ...]) -> str | None:
    """Why this driver cannot run what was built with this CUDA, or None."""
    least = _OLDEST_DRIVER.get(built_with[0]) if built_with else None
    if least is None or numbers(version) >= least:
        return None
    return f"driver {version} is too old for CUDA {dotted(built_with)}, which needs {least[0]} or newer"


def data_dir(environment: Mapping[str, str]) -> str:
    """XLA's first folder: that of its flag, else one in the working directory."""
    words = environment.get("XLA_FLAGS", "").split()
    told = [w.removeprefix(_DATA_DIR) for w in words if w.startswith(_DATA_DIR)]
    return told[-1] if told else _DEFAULT_DATA_DIR


def falls_back(environment: Mapping[str, str]) -> bool:
    """Whether XLA was told to have PTX compiled by the driver where there is no ptxas."""
    words = environment.get("XLA_FLAGS", "").split()
    return any(w == _TO_DRIVER or w.lower() in (f"{_TO_DRIVER}=true", f"{_TO_DRIVER}=1") for w in words)


def roots(environment: Mapping[str, str], cwd: Path, init: str | None, root: Path | None = None) -> list[Path]:
    """The folders in which XLA looks for a CUDA, in its order. `init` is the `__init__.py` of the TensorFlow."""
    found = [cwd / data_dir(environment), (root or ROOT) / "usr/local/cuda"]
    if init is not None:
        package = Path(init).parent
        found += [package / relative for relative in _named_by(tensorflow_libraries(init))]
        found.append(package / "cuda")
    return [Path(os.path.normpath(p)) for p in found]


def libdevice(folders: list[Path], cwd: Path) -> Path | None:
    """Where XLA finds libdevice: in the first of its folders that has one, else in the working directory."""
    candidates = [*(f / _LIBDEVICE for f in folders), cwd / _LIBDEVICE.name]
    return next((c for c in candidates if c.is_file()), None)


def ptxas(environment: Mapping[str, str], folders: list[Path]) -> tuple[Tool | None, list[Tool]]:
    """(the ptxas that XLA takes, those that it passes over): its first folder, the PATH, then the other folders."""
    path = [Path(p) for p in environment.get("PATH", "").split(os.pathsep) if p]
    refused: list[Tool] = []
    for candidate in (folders[0] / "bin", *path, *(f / "bin" for f in folders[1:])):
        file = candidate / "ptxas"
        if not (file.is_file() and os.access(file, os.X_OK)):
            continue
        tool = Tool(file, _version_of(file))
        if tool.why_not is None:
            return tool, refused
        refused.append(tool)
    return None, refused


def elsewhere(environment: Mapping[str, str], root: Path | None = None) -> Path | None:
    """A folder with a libdevice in which XLA does not look unless it is told: what to name in its flag."""
    top = root or ROOT
    named = [
        Path(environment[k]) for k in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CONDA_PREFIX") if environment.get(k)
    ]
    usual = [top / "opt/cuda", top / "usr/lib/cuda", top / "usr/lib/nvidia-cuda-toolkit"]
    versioned = sorted((top / "usr/local").glob("cuda-*"), reverse=True)
    nvcc = shutil.which("nvcc", path=environment.get("PATH"))
    beside = [Path(nvcc).resolve().parents[1]] if nvcc else []
    return next((f for f in (*named, *beside, *usual, *versioned) if (f / _LIBDEVICE).is_file()), None)


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version: (12, 5, 1) of "12.5.1"."""
    return tuple(int(n) for n in re.findall(r"\d+", version))


def dotted(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))


def _named_by(libraries: list[Path]) -> Iterator[str]:
    """The folders relative to itself that a TensorFlow knows: they stand in its library, and differ by version."""
    for name in (*_BESIDE, *_CONDA):
        if any(_holds(library, b"\0" + name.encode() + b"\0") for library in libraries):
            yield name


def _holds(library: Path, text: bytes) -> bool:
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(text) >= 0
    except (OSError, ValueError):
        return False


def _version_of(file: Path) -> tuple[int, ...] | None:
    try:
        done = subprocess.run(
            [str(file), "--version"], capture_output=True, text=True, timeout=_PATIENCE, check=False, errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\bV(\d+)\.(\d+)\.(\d+)\b", done.stdout)
    return tuple(int(n) for n in found.groups()) if found and done.returncode == 0 else None

"""What another Python interpreter has installed, by its metadata: TensorFlow is found and never imported."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from xladoctor.errors import CANNOT_RUN, XladoctorError

PATIENCE = 60.0

# Runs in the target's interpreter, Python 3.7 or later. The current folder leaves the path before the imports
# (a user's `json.py` must not be run) and comes back for the question which `ptycho` would be found.
_QUESTION = r"""
import sys
first = sys.path.pop(0) if sys.path and sys.path[0] in ("", ".") else None
import json, platform
import importlib.util
from importlib import metadata
found, folders = {}, {}
for dist in metadata.distributions():
    name = (dist.metadata["Name"] or "").lower().replace("_", "-")
    if name.startswith(PREFIXES) or name in NAMES:
        found.setdefault(name, dist.version)
if first is not None:
    sys.path.insert(0, first)
for name in ("tensorflow", "keras", "ptycho", "probes", "xladoctor"):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        spec = None
    if spec is not None:
        folders[name] = spec.origin or next(iter(spec.submodule_search_locations or ()), None)
print("\n" + MARK + json.dumps({
    "python": platform.python_version(), "implementation": platform.python_implementation(),
    "executable": sys.executable, "prefix": sys.prefix, "machine": platform.machine(),
    "packages": found, "files": folders,
}))
"""
_MARK = "xladoctor-environment:"
_PREFIXES = ("tensorflow", "tf-nightly", "tf-keras", "nvidia-", "jax", "intel-extension-for-tensorflow")
_NAMES = ("keras", "numpy", "scipy", "h5py", "ml-dtypes", "protobuf", "ptycho", "xladoctor", "pandas")


@dataclass(frozen=True)
class Interpreter:
    """What was found. `files` names, for some modules, the file that an import would load."""

    executable: str
    python: str
    implementation: str
    prefix: str
    machine: str
    packages: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def ask(python: str | None = None) -> Interpreter:
    """Asks `python` (or the doctor's own interpreter).

    Raises:
        XladoctorError: it is not there, does not answer, or is no Python.
    """
    path = shutil.which(python) if python else sys.executable
    if path is None:
        raise XladoctorError(f"--python {python}: there is no such interpreter", CANNOT_RUN)
    code = f"MARK, PREFIXES, NAMES = {_MARK!r}, {_PREFIXES!r}, {_NAMES!r}\n{_QUESTION}"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise XladoctorError(f"{path} did not answer within {PATIENCE:.0f} s", CANNOT_RUN) from None
    except OSError as error:
        raise XladoctorError(f"{path} cannot be run: {error.strerror}", CANNOT_RUN) from None
    answer = next((row for row in reversed(done.stdout.splitlines()) if row.startswith(_MARK)), None)
    if answer is None:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise XladoctorError(f"{path} is no Python that answers: {last}", CANNOT_RUN)
    data: dict[str, Any] = json.loads(answer[len(_MARK) :])
    return Interpreter(
        data["executable"] or path,
        data["python"],
        data["implementation"],
        data["prefix"],
        data["machine"],
        dict(sorted(data["packages"].items())),
        {name: file for name, file in data["files"].items() if file},
    )

"""A try on another machine: what travels there, what runs there, and what comes back. All of it is plain values.

A try runs in a subprocess, there as here: a crash or a time-out is an answer, and the process that works for the
cluster goes on. Of the doctor's environment nothing travels but what `--vary env:NAME=...` says; a capsule travels once
to each process that needs it, named by the digest of its files.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xladoctor import __version__
from xladoctor.recording import files
from xladoctor.recording.mark import CAPSULE_FILES
from xladoctor.workers.environment import worker_environment
from xladoctor.workers.pool import Kind, Pool
from xladoctor.workers.worker import WorkerDied, WorkerRefused, WorkerTimeout

_WRITES = ("save", "folder", "other", "against", "again")
_FLAGS = ("TF_", "XLA_", "CUDA_", "KERAS_", "OMP_", "MKL_", "NVIDIA_")


@dataclass(frozen=True)
class Where:
    """What a result may depend on besides the question: kind of processor, interpreter and flags. `host` is where it
    was; two hosts that are alike otherwise are one place.
    """

    cpu: str
    versions: str
    flags: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        flags = " ".join(f"{name}={value}" for name, value in self.flags)
        return ", ".join(part for part in (self.cpu, self.versions, flags) if part)


def travels(asked: Mapping[str, Any]) -> bool:
    """Whether a question can be answered elsewhere: one that writes or reads further files is answered here."""
    return not any(asked.get(name) for name in _WRITES)


def parcel(kind: Kind, asked: dict[str, Any], cwd: Path | None, timeout: float, memory: int | None) -> dict[str, Any]:
    """A question as it travels; of a capsule its name, as `contents` has it."""
    return {
        "python": kind.python,
        "environment": [list(pair) for pair in kind.environment],
        "config": [list(pair) for pair in kind.config],
        "asked": asked,
        "cwd": None if cwd is None else str(cwd),
        "timeout": timeout,
        "memory": memory,
    }


def contents(folder: Path) -> tuple[str, dict[str, bytes]]:
    """The files of a capsule, and the digest that names them.

    Raises:
        OSError, Unusable: one of them cannot be read.
    """
    found: dict[str, bytes] = {}
    for name in CAPSULE_FILES:
        if files.is_file(folder, name):
            with files.opened(folder, name) as stream:
                found[name] = stream.read()
    return _digest(found), found


def _digest(found: Mapping[str, bytes]) -> str:
    mixed = hashlib.sha256()
    for name in CAPSULE_FILES:
        if name in found:
            mixed.update(f"{name}:{hashlib.sha256(found[name]).hexdigest()}\n".encode())
    return mixed.hexdigest()


class _Process:
    """What a process of the cluster keeps between tries: warm workers, and the capsules that it has got."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="xladoctor-cluster-", ignore_cleanup_errors=True)
        self._pools: dict[tuple[str | None, int | None], Pool] = {}
        self._lock = threading.Lock()
        atexit.register(self.close)

    def close(self) -> None:
        """End the workers, and remove the capsules."""
        for pool in self._pools.values():
            pool.close()
        self._folder.cleanup()

    def pool(self, cwd: str | None, memory: int | None) -> Pool:
        """The workers for this working folder."""
        with self._lock:
            if (cwd, memory) not in self._pools:
                place = Path(cwd) if cwd is not None else None
                folder = Path(self._folder.name) / f"pool-{len(self._pools)}"
                folder.mkdir()
                self._pools[cwd, memory] = Pool(2, worker_environment(os.environ, place), place, folder, memory)
            return self._pools[cwd, memory]

    def capsule(self, digest: str, sent: Mapping[str, bytes] | None) -> Path | None:
        """The folder of a capsule, written if it was sent; None where it must be sent first."""
        folder = Path(self._folder.name) / "capsules" / digest
        with self._lock:
            if folder.is_dir():
                return folder
            if sent is None:
                return None
            if _digest(sent) != digest or set(sent) - set(CAPSULE_FILES):
                raise ValueError("the capsule that came is not the one that was named")
            part = Path(tempfile.mkdtemp(dir=self._folder.name))
            for name, data in sent.items():
                (part / name).write_bytes(data)
            folder.parent.mkdir(exist_ok=True)
            part.rename(folder)
            return folder


_process: _Process | None = None
_making = threading.Lock()


def _here() -> _Process:
    global _process
    with _making:
        if _process is None:
            _process = _Process()
        return _process


def answer(question: dict[str, Any], capsule: tuple[str, dict[str, bytes] | None] | None = None) -> dict[str, Any]:
    """Answer a question in this process of the cluster. `{"missing": digest}`: the capsule must be sent along."""
    asked = dict(question["asked"])
    if capsule is not None:
        folder = _here().capsule(*capsule)
        if folder is None:
            return {"missing": capsule[0]}
        asked["capsule"] = str(folder)
    kind = Kind(
        question["python"],
        tuple((str(n), str(v)) for n, v in question["environment"]),
        tuple((str(n), str(v)) for n, v in question["config"]),
    )
    op = asked.pop("op")
    with _here().pool(question["cwd"], question["memory"]).worker(kind) as worker:
        try:
            said: dict[str, Any] = {"state": "ok", "value": worker.request(op, timeout=question["timeout"], **asked)}
        except WorkerRefused as error:
            said = {"state": "refused", "kind": error.type, "message": error.message}
        except WorkerTimeout as error:
            said = {"state": "timed-out", "message": str(error)}
        except WorkerDied as error:
            how = f"by {error.signal}" if error.signal else f"with exit code {error.exit}"
            said = {"state": "crashed", "kind": how, "message": f"{error}\n{error.tail}", "signal": error.signal}
    return {**said, "where": where(question["python"])}


def where(python: str) -> dict[str, Any]:
    """What a result of this machine may depend on, as plain values."""
    from xladoctor.recording.environment import redacted_value

    flags = sorted((n, redacted_value(n, v)) for n, v in os.environ.items() if n.startswith(_FLAGS))
    return {"cpu": _cpu(), "versions": _versions(python), "flags": [list(pair) for pair in flags]}


def place(told: Mapping[str, Any]) -> Where:
    """The same as a value."""
    flags = tuple((str(name), str(value)) for name, value in told.get("flags", ()))
    return Where(str(told.get("cpu", "")), str(told.get("versions", "")), flags)


def about() -> str:
    """The version of the doctor that a process of the cluster has."""
    return __version__


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.machine()
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return name or platform.machine()


def _versions(python: str) -> str:
    """TensorFlow's version by its folder of metadata beside the interpreter: nothing is imported or run."""
    found = sorted(
        name.name.removesuffix(".dist-info").replace("-", " ").replace("_", "-")
        for form in ("tensorflow-*.dist-info", "tensorflow_cpu-*.dist-info")
        for name in Path(python).parent.parent.glob(f"lib/python3*/site-packages/{form}")
    )
    return ", ".join(found) or f"Python {python}"

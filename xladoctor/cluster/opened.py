"""What `--on` names: `local`, `dask:tcp://host:8786`, or `slurm` as `[tool.xladoctor.cluster]` describes it."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.extras import how_to_install

LOCAL = "local"
_JOBS, _LOOK = 4, 20.0
"""How many Slurm jobs if nothing else is said, and after how many seconds their number is looked at again."""
_KEYS: dict[str, type] = {
    "queue": str, "account": str, "memory": str, "walltime": str, "cores": int, "jobs": int, "modules": list,
    "options": list, "folder": str,
}  # fmt: skip


@dataclass(frozen=True)
class Cluster:
    """An executor, and how many tasks it can have under way at once."""

    executor: Executor
    slots: int


@contextlib.contextmanager
def opened(on: str, jobs: int | None = None, here: Path | None = None) -> Iterator[Cluster | None]:
    """What `on` names, for as long as the block lasts; None for this machine. `jobs` is how many Slurm jobs to submit.

    Raises:
        XladoctorError: it names nothing, dask is not installed, or the cluster cannot be reached.
    """
    if on == LOCAL:
        yield None
        return
    kind, _, address = on.partition(":")
    if not (kind == "dask" and address) and on != "slurm":
        raise XladoctorError(f"--on {on}: known are local, dask:ADDRESS (such as dask:tcp://host:8786) and slurm")
    try:
        import distributed
    except ImportError as error:
        raise XladoctorError(f"--on {kind} needs dask", hint=how_to_install("cluster")) from error
    from xladoctor.cluster.on_dask import OnDask, checked

    with contextlib.ExitStack() as stack:
        if kind == "dask":
            try:
                client = stack.enter_context(distributed.Client(address, timeout=20))
            except (OSError, ValueError) as error:
                raise XladoctorError(f"--on {on}: no scheduler answers: {error}", exit_code=3) from error
        else:
            said = settings(here or Path.cwd())
            number = jobs or said.get("jobs", _JOBS)
            cluster = stack.enter_context(_slurm(said, number))
            stack.enter_context(kept(cluster, number))
            client = stack.enter_context(distributed.Client(cluster))
        checked(client, 600 if kind == "slurm" else 60)
        yield Cluster(OnDask(client), max(sum(client.nthreads().values()), 1))


def settings(here: Path) -> dict[str, Any]:
    """`[tool.xladoctor.cluster]` of the nearest `pyproject.toml`; what it leaves out, dask's own configuration says.

    Raises:
        XladoctorError: it cannot be read, or holds what is none of it.
    """
    file = next((p / "pyproject.toml" for p in (here, *here.parents) if (p / "pyproject.toml").is_file()), None)
    if file is None:
        return {}
    reader = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        tool = reader.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        raise XladoctorError(f"{file}: {error}") from error
    section = tool.get("xladoctor", {}) if isinstance(tool, Mapping) else {}
    found = section.get("cluster", {}) if isinstance(section, Mapping) else {}
    if not isinstance(found, dict):
        raise XladoctorError(f"{file}: tool.xladoctor.cluster is no table")
    for name, value in found.items():
        if name not in _KEYS or not isinstance(value, _KEYS[name]) or isinstance(value, bool):
            known = ", ".join(_KEYS)
            raise XladoctorError(f"{file}, tool.xladoctor.cluster: {name} = {value!r}", hint=f"Known are {known}.")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise XladoctorError(f"{file}, tool.xladoctor.cluster: {name} is a list of texts")
    return found


def jobqueue() -> Any:
    """dask-jobqueue. Importing it makes Ctrl-C leave the process at once; here what Ctrl-C did before is restored."""
    before = signal.getsignal(signal.SIGINT)
    try:
        return import_module("dask_jobqueue")
    finally:
        if before is not None and signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def kept(cluster: Any, jobs: int, every: float = _LOOK) -> Iterator[None]:
    """Keep so many jobs for as long as the block lasts: one that ends at its walltime, or is cancelled, is submitted
    anew. (dask-jobqueue does so when it is asked for a number of jobs, and at no other time.)
    """
    over = threading.Event()

    def look() -> None:
        while not over.wait(every):
            # Slurm may not answer for a while; it is asked again.
            with contextlib.suppress(Exception):
                cluster.scale(jobs=jobs)

    thread = threading.Thread(target=look, name="xladoctor-jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _slurm(said: Mapping[str, Any], jobs: int) -> Any:
    """Dask's workers as Slurm jobs, one process each."""
    try:
        slurm = jobqueue().SLURMCluster
    except ImportError as error:
        raise XladoctorError("--on slurm needs dask-jobqueue", hint=how_to_install("cluster")) from error
    options: dict[str, Any] = {name: said[name] for name in ("queue", "account", "memory", "walltime") if name in said}
    options["cores"] = said.get("cores", 1)
    options["processes"] = 1
    options["python"] = sys.executable
    options["job_script_prologue"] = [f"module load {_quoted(name)}" for name in said.get("modules", ())]
    options["job_extra_directives"] = list(said.get("options", ()))
    if "folder" in said:
        options["local_directory"] = options["log_directory"] = said["folder"]
    try:
        cluster = slurm(**options)
        cluster.scale(jobs=jobs)
    except (OSError, ValueError, RuntimeError) as error:
        raise XladoctorError(f"--on slurm: {error}", exit_code=3) from error
    return cluster


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)

"""Environment variables that modules of the program read when they were imported, and that it sets afterwards.

`HISTORY = int(os.environ.get("FORECAST_HISTORY", 4))` is computed once. A profile that is put into the environment
later, by a function or after the import, does not change it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.kept_at_import import bound
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.own_switches import late_switches
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.sources.names import nodes_of

_MODULE = "<module>"
_OTHERS = frozenset({"multiprocessing", "subprocess", "concurrent", "joblib", "ray"})
"""A program with one of these may set a variable for another process."""
_OF_LIBRARIES = frozenset(
    {
        "CUDA", "GRPC", "HDF5", "HOME", "JAX", "KERAS", "KMP", "LANG", "LC", "LD", "MKL", "MLFLOW", "MPL",
        "MPLBACKEND", "NCCL", "NUMBA", "NUMEXPR", "NVIDIA", "OMP", "ONEDNN", "OPENBLAS", "PATH",
        "PYTHONHASHSEED", "PYTHONPATH", "SLURM", "TF", "TF2", "TMPDIR", "TZ", "WANDB", "XLA",
    }
)  # fmt: skip
"""What the variables begin with that libraries read: a program may ask for one and set it for them."""


def set_after_own_import(recording: Recording) -> Iterator[Finding]:
    """A finding for each statement at the top level of a module that read variables which got other values later."""
    told_already = {switch.key for switch in late_switches(recording)}
    found: dict[tuple[int, str, int], list[tuple[Event, Event]]] = {}
    for read, written in _pairs(recording):
        at = _statement(recording, read)
        if at is not None and read["key"] not in told_already and not _is_there(written, at):
            found.setdefault((read["pid"], *at), []).append((read, written))
    for (_, file, line), pairs in found.items():
        if not _starts_others(recording, {file, *(str((w.get("where") or {}).get("file")) for _, w in pairs)}):
            yield _finding(Location(file, line, _MODULE), pairs)


def _pairs(recording: Recording) -> Iterator[tuple[Event, Event]]:
    """(the last read, the last write) of each variable whose last value nothing of the program asked for."""
    reads: dict[tuple[int, str], Event] = {}
    writes: dict[tuple[int, str], list[Event]] = {}
    pids: dict[str, set[int]] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "env" and str(event["key"]).partition("_")[0] not in _OF_LIBRARIES:
            pids.setdefault(event["key"], set()).add(event["pid"])
            if event["action"] == "read":
                reads[event["pid"], event["key"]] = event
            else:
                writes.setdefault((event["pid"], event["key"]), []).append(event)
    for at, read in reads.items():
        last = writes.get(at, [None])[-1]
        if last is None or last["action"] != "write" or last["seq"] < read["seq"] or len(pids[at[1]]) > 1:
            continue
        if str(last["value"]) != read["value"]:
            yield read, last


def _statement(recording: Recording, read: Event) -> tuple[str, int] | None:
    """File and line of the statement at the top level of a module, on whose behalf a variable was read."""
    frames = [f for f in read.get("frames") or () if isinstance(f, dict)]
    at = next((f for f in frames if f.get("function") == _MODULE), None)
    if at is None or not isinstance(at.get("file"), str) or not isinstance(at.get("line"), int):
        return None
    if at is frames[-1] and at is not frames[0]:
        # A script calls its `main` from its top level, too, and keeps nothing of it.
        source = source_of(recording, at["file"])
        if source is None or not bound(source.tree, at["line"]):
            return None
    return at["file"], at["line"]


def _is_there(written: Event, at: tuple[str, int]) -> bool:
    """Whether a module sets at its top level what it has read: it keeps what it found, for others to read."""
    where = written.get("where") or {}
    return where.get("function") == _MODULE and where.get("file") == at[0]


def _starts_others(recording: Recording, files: set[str]) -> bool:
    trees = [source.tree for file in files if (source := source_of(recording, file)) is not None]
    names = [a.name for tree in trees for n in nodes_of(tree, ast.Import) for a in n.names]
    names += [n.module or "" for tree in trees for n in nodes_of(tree, ast.ImportFrom)]
    return any(name.partition(".")[0] in _OTHERS for name in names)


def _finding(at: Location, pairs: list[tuple[Event, Event]]) -> Finding:
    names = [str(written["key"]) for _, written in pairs]
    shown, module = ", ".join(names[:3]) + (", …" if len(names) > 3 else ""), at.file.rpartition("/")[2]
    are, them = ("are", "them") if len(names) > 1 else ("is", "it")
    before = "not set then" if {read["value"] for read, _ in pairs} == {None} else f"{pairs[0][0]['value']!r} then"
    last = pairs[0][1]
    found = finding(
        "setting-too-late",
        f"{shown} {are} set after the program has read {them}",
        f"{module}:{at.line} reads {shown} when it is imported ({before}). "
        + "; ".join(f"{w['key']} = {w['value']!r}" for _, w in pairs[:3])
        + " came later, and nothing asked again: what was computed from the old values is used.",
        last,
        [proof for read, written in pairs[:3] for proof in (told(read, "read"), told(written, "written"))],
        tested=False,
        details={"variables": names},
    )
    remedy = Remedy(
        "set-before-import",
        f"Set {shown} before {module} is imported, or read {them} where the value is used",
        "safe",
        "A statement at the top level of a module runs once, when the module is first imported.",
    )
    return replace(found, location=at, remedies=(remedy,))

"""Puts the recorders together and starts them, once a process."""

from __future__ import annotations

import atexit
import os
import platform
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import redaction, schema
from .datasets import DatasetRecorder
from .draws import DrawRecorder
from .failures import FailureRecorder
from .first_calls import FirstCalls
from .frames import caller
from .gradients import GradientRecorder
from .guard import Guard
from .importhook import PostImportFinder
from .keras_calls import KerasRecorder, batch_under_way
from .layers import LayerRecorder
from .numbers import NumbersRecorder
from .operands import OperandRecorder
from .places import PlaceRecorder
from .policies import PolicyRecorder
from .process import identity
from .rehearse import Rehearsal
from .runtime import RuntimeRecorder
from .settings import SettingsRecorder, is_watched
from .sink import Sink
from .tables import TableRecorder
from .tracing import TraceRecorder
from .twins import TwinRecorder
from .values import ValueWriter

_started: list[Guard] = []
_places: list[PlaceRecorder] = []


def start(run_dir: Path) -> bool:
    """Start recording into `run_dir`. True if it runs now; a second call changes nothing."""
    if _started:
        return True
    if not run_dir.is_dir():
        return False
    sink = Sink(run_dir)
    guard = Guard(sink)
    _started.append(guard)
    sink.write(
        schema.START,
        schema=schema.EVENTS_SCHEMA,
        process=identity(),
        pid=os.getpid(),
        ppid=os.getppid(),
        argv=redaction.of_words(getattr(sys, "orig_argv", sys.argv)),
        executable=sys.executable,
        prefix=sys.prefix,
        base_prefix=sys.base_prefix,
        python=platform.python_version(),
        cwd=_cwd(),
        environment={k: redaction.of_value(k, v) for k, v in os.environ.items() if is_watched(k)},
    )
    finder = PostImportFinder(guard)
    finder.install()
    for name in ("keras", "ptycho"):
        finder.when_imported(name, lambda module: _imported(sink, module))
    rehearsal, numbers, tracing = _recorders(sink, guard, finder)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=sink.before_fork, after_in_parent=sink.after_fork_in_parent, after_in_child=sink.after_fork
        )
    atexit.register(_at_exit, guard, tracing, rehearsal, numbers)
    return True


def _recorders(
    sink: Sink, guard: Guard, finder: PostImportFinder
) -> tuple[Rehearsal | None, NumbersRecorder | None, TraceRecorder]:
    """Start the recorders that were chosen. Returns those that have something to write when the process ends."""
    chosen, capture = _chosen(), os.environ.get(schema.ENV_CAPTURE, "values")
    rehearsal = Rehearsal.wanted(sink)
    capsules = "capsules" in chosen and capture != "none"
    # The others ask it which graph is which; what it writes itself is chosen by name.
    tracing = TraceRecorder(guard, finder, capsules=capsules, rehearsal=rehearsal)
    keep = capture in ("values", "all")
    # A rehearsal is made for the capsules.
    values = ValueWriter(
        guard, tracing.shelf, enabled=keep, always=keep and (capture == "all" or rehearsal is not None)
    )
    compares = rehearsal is not None and rehearsal.returns
    if keep and capsules and (rehearsal is None or compares):
        if rehearsal is None:
            DrawRecorder(guard, finder)
            GradientRecorder(guard, finder, tracing)
        tracing.first_calls = FirstCalls(
            guard, tracing.shelf, lambda: batch_under_way(tracing.keras_calls), every=compares
        )
    if rehearsal is not None:
        _rehearsed(rehearsal, guard, finder)
    twins, numbers = None, None
    if rehearsal is not None and rehearsal.flip and capsules:
        twins = TwinRecorder(guard, tracing, values, rehearsal.flip)
    if "settings" in chosen:
        SettingsRecorder(guard, finder, tracing, rehearsal, twins)
        PolicyRecorder(guard, finder)
    if "xla" in chosen:
        RuntimeRecorder(guard, finder)
    failures = FailureRecorder(guard, finder, tracing, values) if "failures" in chosen else None
    if "keras" in chosen:
        numbers = NumbersRecorder(guard, finder) if rehearsal is None else None
        datasets = DatasetRecorder(guard, finder) if rehearsal is None and "shapes" in chosen else None
        tables = TableRecorder(guard) if datasets is not None else None
        KerasRecorder(guard, finder, tracing, failures, values, rehearsal, twins, numbers, datasets, tables)
    if "keras" in chosen and capture == "all" and rehearsal is None:
        LayerRecorder(guard, finder)
    if "shapes" in chosen and rehearsal is None:
        OperandRecorder(guard, finder)
    if "shapes" in chosen:
        _places.append(PlaceRecorder(guard, finder, tracing))
    return rehearsal, numbers, tracing


def _rehearsed(rehearsal: Rehearsal, guard: Guard, finder: PostImportFinder) -> None:
    """What only a rehearsal needs: it is not loaded otherwise."""
    from .opened import OpenedFiles

    rehearsal.last.append(OpenedFiles(guard.sink, guard, finder).write)
    if rehearsal.returns:
        from .returns import ReturnRecorder

        rehearsal.last.append(ReturnRecorder(guard).write)
    if rehearsal.hunt:
        from .nan_hunt import Hunt

        Hunt(guard, finder, rehearsal)
    if rehearsal.budget is not None:
        from .phases import PhaseRecorder

        PhaseRecorder(guard, finder, rehearsal)
        if rehearsal.budget.batches is None:
            from .loops import LoopRecorder

            LoopRecorder(guard, finder, rehearsal)


def watch(function: Any, contract: str, axes: dict[str, str]) -> Any:
    """`function` as a place with a contract; `function` itself where nothing records, or where it cannot be watched."""
    if not _started or not _places:
        return function
    return _started[-1].run("decorator", _places[-1].watch, function, contract, axes) or function


def _cwd() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return None


def _chosen() -> set[str]:
    """The recorders that `XLADOCTOR_PROBES` names; all of them where it names none. The doctor checks the names."""
    text = os.environ.get(schema.ENV_PROBES, "")
    named = {word.strip() for word in text.split(",")} & set(schema.PROBES)
    return named or set(schema.PROBES)


def _imported(sink: Sink, module: ModuleType) -> None:
    """Which one it was: a report must name the very package that was under test."""
    sink.write(
        schema.IMPORT,
        module=module.__name__,
        version=getattr(module, "__version__", None),
        file=getattr(module, "__file__", None),
        where=caller(skip=4),
    )


def stop() -> None:
    """Stop recording. Wrappers stay where they are (copies imported by value cannot be taken back) and pass through."""
    _places.clear()
    while _started:
        _started.pop().active = False


def _at_exit(
    guard: Guard, tracing: TraceRecorder, rehearsal: Rehearsal | None, numbers: NumbersRecorder | None
) -> None:
    if guard.active:
        if numbers is not None:
            guard.run("numbers at exit", numbers.at_exit)
        if rehearsal is not None:
            guard.part("rehearsal", rehearsal.finish)
        guard.sink.write(schema.END, state="exit", calls=guard.part("calls", tracing.owners.calls))
        guard.part("finish", guard.sink.finish)
        guard.active = False

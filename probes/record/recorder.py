"""Puts the recorders together and starts them, once a process."""

from __future__ import annotations

import atexit
import functools
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import compat, redaction, schema
from .budget import DEFAULT, limit_of
from .datasets import DatasetRecorder
from .direct_calls import of_calls
from .draws import DrawRecorder
from .failures import FailureRecorder
from .frames import caller
from .frozen import FrozenRecorder
from .gradients import GradientRecorder
from .guard import Guard
from .held_names import NameRecorder
from .idle import IdleRecorder
from .importhook import PostImportFinder
from .in_window import WindowRecorder
from .kept import KeptRecorder
from .keras_batches import batch_under_way
from .keras_calls import KerasRecorder
from .layers import LayerRecorder
from .listings import ListingRecorder
from .losses import LossRecorder
from .misnamed import MisnamedRecorder
from .no_effect import NoEffectRecorder
from .numbers import NumbersRecorder
from .operands import OperandRecorder
from .owners import Owner
from .pandas_rows import PandasRecorder
from .places import PlaceRecorder
from .policies import PolicyRecorder
from .process import identity
from .rehearse import Rehearsal
from .runtime import RuntimeRecorder
from .samples import first_calls
from .settings import SettingsRecorder, is_watched
from .sink import Sink
from .tables import TableRecorder
from .tracing import TraceRecorder
from .twins import TwinRecorder
from .untrained import UntrainedRecorder
from .values import ValueWriter

_places: list[PlaceRecorder] = []


@dataclass(frozen=True)
class Choice:
    """What is to be recorded: which recorders (none named: all of them), what capsules hold, at most how many bytes."""

    recorders: frozenset[str] = frozenset()
    capture: str = "values"
    max_size: int = DEFAULT

    @classmethod
    def of_environment(cls) -> Choice:
        """What the doctor asked for. It has checked the names."""
        named = {word.strip() for word in os.environ.get(schema.ENV_PROBES, "").split(",")}
        capture = os.environ.get(schema.ENV_CAPTURE, "values")
        return cls(frozenset(named & set(schema.PROBES)), capture, limit_of(os.environ.get(schema.ENV_MAX_SIZE)))

    @property
    def chosen(self) -> frozenset[str]:
        """The recorders, by name."""
        return self.recorders or frozenset(schema.PROBES)


@dataclass(frozen=True)
class Parts:
    """The recorders that have something to do when the recording ends."""

    rehearsal: Rehearsal | None = None
    numbers: NumbersRecorder | None = None
    failures: FailureRecorder | None = None
    keras: KerasRecorder | None = None
    tracing: TraceRecorder | None = None
    untrained: UntrainedRecorder | None = None
    last: tuple[Any, ...] = ()
    """Each has an `at_exit`."""


@dataclass(frozen=True)
class Recording:
    """What records in this process."""

    guard: Guard
    parts: Parts


_started: list[Recording] = []
_of_forks: list[bool] = []


def start(run_dir: Path, choice: Choice | None = None, *, block: bool = False) -> bool:
    """Start recording into `run_dir`. True if it runs now; a second call changes nothing. `block`: a part of a program
    is recorded, which ends with `end_block`.
    """
    if _started:
        return True
    if not run_dir.is_dir():
        return False
    choice = choice or Choice.of_environment()
    guard = Guard(Sink(run_dir, choice.max_size))
    guard.block = block
    sink = guard.sink
    recording = Recording(guard, Parts())
    _started.append(recording)
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
    if block:
        sink.write(schema.BLOCK, **before_the_block())
    finder = PostImportFinder(guard)
    finder.install()
    for name in ("keras", "ptycho"):
        finder.when_imported(name, lambda module: _imported(sink, finder, module))
    _started[:] = [Recording(guard, _recorders(choice, guard, finder))]
    _watch_forks()
    atexit.register(_at_exit)
    return True


def records() -> bool:
    """Whether something records in this process."""
    return bool(_started)


def enter_call(method: str, model: Any, given: Mapping[str, Any]) -> None:
    """A call of Keras is under way that began before the block did."""
    for recording in _started:
        if recording.parts.keras is not None:
            recording.guard.run("call under way", recording.parts.keras.entered, method, model, given)


def end_block(error: BaseException | None = None, failed: bool = False) -> list[str]:
    """End the recording of a block, which `error` left, and take out what was put in. Returns the names of hooks that
    stay, since somebody else has put something over them: they do nothing any more. `failed`: the error is not at hand.
    """
    if not _started:
        return []
    guard, parts = _started[-1].guard, _started[-1].parts
    if parts.keras is not None:
        guard.run("call left", parts.keras.left_behind, failed)
    if parts.failures is not None and (failed or error is not None):
        guard.run(
            "block failed",
            parts.failures.ended_by_last if error is None else parts.failures.ended_by,
            *([] if error is None else [error]),
        )
    stay = guard.hooks.take_back(guard.part)
    _at_exit("block", stay)
    atexit.unregister(_at_exit)
    _places.clear()
    _started.clear()
    return stay


def before_the_block() -> dict[str, Any]:
    """What a block cannot see of what was before it: whether TensorFlow was imported, and had read its flags."""
    tensorflow = sys.modules.get("tensorflow")
    return {
        "tensorflow": tensorflow is not None,
        "flags_read": tensorflow is not None and compat.context_is_initialized(),
    }


def _watch_forks() -> None:
    """Once a process: Python has no way to take this back, so it asks each time who records."""
    if _of_forks or not hasattr(os, "register_at_fork"):
        return
    _of_forks.append(True)

    def each(what: str) -> None:
        for recording in _started:
            getattr(recording.guard.sink, what)()

    os.register_at_fork(
        before=lambda: each("before_fork"),
        after_in_parent=lambda: each("after_fork_in_parent"),
        after_in_child=lambda: each("after_fork"),
    )


def _under_way(tracing: TraceRecorder) -> Any:
    return batch_under_way(tracing.keras_calls)


def _recorders(choice: Choice, guard: Guard, finder: PostImportFinder) -> Parts:
    """Start the recorders that were chosen."""
    sink, chosen, capture = guard.sink, choice.chosen, choice.capture
    rehearsal = None if guard.block else Rehearsal.wanted(sink)
    capsules = "capsules" in chosen and capture != "none"
    # The others ask it which graph is which; what it writes itself is chosen by name.
    tracing = TraceRecorder(guard, finder, capsules=capsules, rehearsal=rehearsal)
    keep = capture in ("values", "all")
    # A rehearsal is made for the capsules.
    values = ValueWriter(
        guard, tracing.shelf, enabled=keep, always=keep and (capture == "all" or rehearsal is not None)
    )
    compares = rehearsal is not None and rehearsal.returns
    under_way = functools.partial(_under_way, tracing)
    if keep and capsules and (rehearsal is None or compares):
        if rehearsal is None:
            DrawRecorder(guard, finder)
            GradientRecorder(guard, finder, tracing)
        tracing.first_calls = first_calls(guard, tracing.shelf, under_way, every=compares, rows=rehearsal is None)
    if rehearsal is not None:
        _rehearsed(rehearsal, guard, finder)
    if rehearsal is None and not guard.block:
        tracing.kept = KeptRecorder(guard, tracing.named, tracing.uid)
    twins, numbers, keras = None, None, None
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
        tables = TableRecorder(guard, finder) if datasets is not None else None
        keras = KerasRecorder(guard, finder, tracing, failures, values, rehearsal, twins, numbers, datasets, tables)
    if "keras" in chosen and capture == "all" and rehearsal is None:
        LayerRecorder(guard, finder)
    operands = OperandRecorder(guard, finder) if "shapes" in chosen and rehearsal is None else None
    if "shapes" in chosen:
        _places.append(PlaceRecorder(guard, finder, tracing))
    plain = "keras" in chosen and rehearsal is None
    untrained = UntrainedRecorder(guard, finder, tracing) if plain else None
    last: tuple[Any, ...] = ()
    if untrained is not None and keras is not None:
        tracing.after_call, untrained.replaced.models = untrained.unmoved.called, keras.models
        _of_training(guard, finder, keras, untrained)
        keras.frozen = FrozenRecorder(guard, finder, untrained.trained, untrained.left_out)
        idle = IdleRecorder(guard, finder, untrained.trained, untrained.gradients)
        keras.after_fit = (idle.fitted, untrained.fitted)
        last = (keras.frozen, idle, NoEffectRecorder(guard, finder, untrained.gradients))
    if untrained is not None and keep and keras is not None and not guard.block:
        keras.names = _of_numbers(guard, finder)
        last = (*last, keras.names, *_of_program(tracing, untrained, keras, keras.names))
        if keras.tables is not None:
            last = (*last, *of_calls(guard, finder, tracing, keras.tables, keras.names, operands))
    return Parts(rehearsal, numbers, failures, keras, tracing, untrained, last)


def _of_training(guard: Guard, finder: PostImportFinder, keras: KerasRecorder, untrained: UntrainedRecorder) -> None:
    """What looks at losses and settings; that of splits asks how many gradients were taken by now."""
    LossRecorder(guard, finder)
    MisnamedRecorder(guard, finder)
    if keras.splits is not None:
        keras.splits.steps = untrained.gradients


def _both(called: Callable[[Any], None], stepped: Callable[[], None]) -> Callable[[Any], None]:
    """What is done after each call of a traced function."""

    def after(function: Any) -> None:
        called(function)
        stepped()

    return after


def _of_program(
    tracing: TraceRecorder, untrained: UntrainedRecorder, keras: KerasRecorder, names: NameRecorder
) -> tuple[Any, ...]:
    """What looks at the steps of the program itself; what a call of Keras gets is looked at when it begins or ends."""

    def stepped() -> None:
        if not tracing.keras_calls:
            names.stepped()

    tracing.after_call = _both(tracing.after_call, stepped)
    untrained.unmoved.stepped = stepped
    rows = keras.splits.step_rows if keras.splits is not None else None
    if rows is None:
        return ()

    def given(function: Any, owner: Owner, *values: Any) -> None:
        if not owner.taped and not owner.calls & (owner.calls - 1):  # the first, second, fourth, eighth, …
            tracing.guard.part("names", names.directly)
        rows.called(function, owner.taped, *values)

    tracing.given = given
    return (rows,)


def _of_numbers(guard: Guard, finder: PostImportFinder) -> NameRecorder:
    """What looks at numbers of the program outside of calls of Keras."""
    PandasRecorder(guard, finder)
    WindowRecorder(guard, finder)
    ListingRecorder(guard)
    return NameRecorder(guard)


def _rehearsed(rehearsal: Rehearsal, guard: Guard, finder: PostImportFinder) -> None:
    """What only a rehearsal needs: it is not loaded otherwise."""
    from .opened import OpenedFiles

    rehearsal.last.append(OpenedFiles(guard.sink, guard, finder).write)
    if rehearsal.returns:
        from .returns import ReturnRecorder

        rehearsal.last.append(ReturnRecorder(guard).write)
    if rehearsal.retrace:
        from .retrace import ShapeTrace

        rehearsal.last.append(ShapeTrace(guard, finder).write)
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
    return _started[-1].guard.run("decorator", _places[-1].watch, function, contract, axes) or function


def _cwd() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return None


def _imported(sink: Sink, finder: PostImportFinder, module: ModuleType) -> None:
    """Which one it was: a report must name the very package that was under test."""
    sink.write(
        schema.IMPORT,
        module=module.__name__,
        version=getattr(module, "__version__", None),
        file=getattr(module, "__file__", None),
        where=None if module.__name__ in finder.present else caller(skip=4),
    )


def _at_exit(state: str = "exit", stay: Sequence[str] = ()) -> None:
    """The process, or the block, ends."""
    guard, parts = _started[-1].guard, _started[-1].parts
    if guard.active:
        if parts.numbers is not None:
            guard.run("numbers at exit", parts.numbers.at_exit)
        if parts.untrained is not None:
            guard.run("gradients at exit", parts.untrained.at_exit)
        for part in parts.last:
            guard.run(f"{type(part).__name__} at exit", part.at_exit)
        if parts.rehearsal is not None:
            guard.part("rehearsal", parts.rehearsal.finish)
        calls = guard.part("calls", parts.tracing.owners.calls) if parts.tracing is not None else None
        kept = parts.tracing.kept if parts.tracing is not None else None
        facts: dict[str, Any] = {"compared": kept.compared} if kept is not None and kept.compared else {}
        guard.sink.write(schema.END, state=state, calls=calls, **facts, **({"stay": list(stay)} if stay else {}))
        guard.part("finish", guard.sink.finish)
        guard.active = False

"""Failures: exceptions that leave a watched call or the program, with the user's frames and the tensors in them.

A program that catches the exception and goes on has failed all the same; so the note is taken where the exception
passes through a TensorFlow or Keras call, and again (by its number only) if it ends the process.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
import traceback
import weakref
from types import FrameType, ModuleType, TracebackType
from typing import Any

from .. import compat, redaction, schema
from . import caught as caught_
from . import origins
from .frames import hide, is_user_file, without_ours, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .known import Known
from .sink import MAX_TEXT
from .tracing import TraceRecorder
from .uneven import UnevenLists, says_so
from .unseen import UnseenRecorder
from .values import ValueWriter, leaves

_monotonic = time.monotonic
_MAX_FRAMES = 60
_MAX_LOCALS = 30
_MAX_ATTRIBUTES = 200

# Control flow, not failures.
_QUIET = (StopIteration, StopAsyncIteration, GeneratorExit)
_QUIET_NAMES = {"OutOfRangeError"}


class FailureRecorder:
    """Writes `failure` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder, tracing: TraceRecorder, values: ValueWriter) -> None:
        self.guard = guard
        self.sink = guard.sink
        self.tracing = tracing
        self.values = values
        self.known = Known()
        self._numbers = itertools.count(1)
        self._last: tuple[int, str] | None = None
        self._install_hooks()
        finder.when_imported("tensorflow", lambda _: self._watch())
        finder.when_imported("multiprocessing.process", self._hook_processes)

    def note(self, error: BaseException, during: str, capsule: str | None = None, **more: Any) -> int | None:
        """Write (once) the failure, with `more` that is known of it, and return its number."""
        if _is_quiet(error):
            return None
        number = self.known.number(error)
        if number is not None:
            return number
        number = next(self._numbers)
        self.known.remember(error, number, self.tracing.under_way)
        self._last = (number, type(error).__name__)
        uneven = UnevenLists() if says_so(_message(error)) else None
        frames = _frames(error.__traceback__, uneven)
        caught = None
        if number <= caught_.MAX_FAILURES:
            caught = self.guard.part("caught", caught_.handler_of, error, frames)
        self.sink.write(
            schema.FAILURE,
            failure=number,
            state="raised",
            exception=type(error).__name__,
            module=type(error).__module__,
            message=redaction.of_text(_message(error)[:MAX_TEXT]),
            frames=frames,
            caught=caught,
            chain=[
                {"exception": type(e).__name__, "message": redaction.of_text(_message(e)[:2000])}
                for e in origins.chain(error)
            ],
            during=during,
            capsule=capsule,
            thread=threading.current_thread().name,
            **more,
        )
        return number

    # -- where exceptions pass ----------------------------------------------------------------------------------

    def _watch(self) -> None:
        for hook in (self._hook_functions, self._hook_sessions):
            self.guard.part(hook.__name__, hook)

    def _hook_sessions(self) -> None:
        cls: Any = compat.session_class()
        run = cls.run
        guard = self.guard

        def watched(session: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                return run(session, fetches, feed_dict, *args, **kwargs)
            except BaseException as error:
                guard.run("session failed", self._of_session, error, session, fetches, feed_dict, run)
                hide(error)
                raise

        guard.hooks.put(cls, "run", wraps(run)(watched))

    def _of_session(self, error: BaseException, session: Any, fetches: Any, feeds: Any, run: Any) -> None:
        """The failure of a `Session.run`: what was asked for and what was fed, by name and shape; and its capsule."""
        capsule = None
        if self.known.number(error) is None:
            capsule = self.guard.part("session capsule", self._session_capsule, session, fetches, feeds, run)
        self.note(
            error,
            during="Session.run",
            capsule=capsule,
            fetches=[_named(f) for f in leaves(fetches)][:50],
            feeds=[{**_named(key), "fed": _fed(value)} for key, value in (feeds or {}).items()][:50],
        )

    def _session_capsule(self, session: Any, fetches: Any, feeds: Any, run: Any) -> str | None:
        graph = session.graph
        asked = [graph.as_graph_element(f, allow_tensor=True, allow_operation=True) for f in leaves(fetches)]
        fed = {graph.as_graph_element(key): value for key, value in (feeds or {}).items()}
        return self.tracing.write_session(graph, asked, fed, lambda n: run(session, n), self.values.enabled)

    def _hook_functions(self) -> None:
        cls: Any = compat.function_class()
        call = cls.__call__
        guard, tracing, values, here = self.guard, self.tracing, self.values, self.tracing.here
        unseen = UnseenRecorder(guard, tracing) if guard.block else None

        def __call__(function: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            running = here.running
            if not running:
                here.last = weakref.ref(function)
                if unseen is not None:
                    guard.run("unseen", unseen.entered, function)
            running.append((function, _monotonic()))
            try:
                result = call(function, *args, **kwargs)
            except BaseException as error:
                guard.run("failure", self._of_function, error, function, args, kwargs, len(running) == 1)
                hide(error)
                if len(running) == 1 and not tracing.keras_calls:
                    self.known.left()
                raise
            finally:
                running.pop()
            if not running:
                guard.run("call", tracing.called, function, args, kwargs, result)
                if values.always and not tracing.keras_calls:
                    guard.run("healthy values", self._went_well, function, args, kwargs)
            return result

        guard.hooks.put(cls, "__call__", wraps(call)(__call__))

    def _went_well(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        found = self.tracing.capsule_of(function)
        # What `first_calls` kept was read before the call.
        if found is not None and not (self.values.known(found[0]) or self.tracing.shelf.has_values(found[0].name)):
            self.values.of_call(found[0], found[1], args, kwargs, needed=False)

    def _of_function(
        self,
        error: BaseException,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        outermost: bool,
    ) -> None:
        if not outermost:
            return
        found = self.tracing.capsule_of(function)
        unfinished = self.tracing.take_unfinished()
        partial = None
        if unfinished is not None and not _is_quiet(error):
            partial = self.guard.part("partial capsule", self.tracing.write_partial, unfinished)
            found = None  # what was finished earlier is another graph than the one that failed
        name = str(getattr(function, "_name", "") or "tf.function")
        known = self.known.number(error)
        if found is not None and not _is_quiet(error) and not self.tracing.needed(*found):
            found = None
        capsule = found[0].name if found else None
        number = self.note(error, during=name, capsule=capsule, partial=partial)
        if self.tracing.keras_calls:
            return
        if number is not None and known is None and found is not None:
            self.values.of_call(found[0], found[1], args, kwargs, needed=True)

    def _install_hooks(self) -> None:
        guard = self.guard
        previous = sys.excepthook

        def excepthook(cls: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            guard.run("excepthook", self.ended_by, error)
            cleaned = guard.run("traceback", without_ours, trace)
            if cleaned is not None:
                error = error.with_traceback(cleaned)
            previous(cls, error, cleaned or trace)

        guard.hooks.put(sys, "excepthook", excepthook)
        previous_thread = threading.excepthook

        def thread_hook(args: Any) -> None:
            if args.exc_value is not None:
                guard.run("excepthook", self.ended_by, args.exc_value)
            previous_thread(args)

        guard.hooks.put(threading, "excepthook", thread_hook)

    def _hook_processes(self, module: ModuleType) -> None:
        """`multiprocessing` prints what ends a child by itself, and no hook of Python's sees it."""
        cls: Any = module.BaseProcess
        bootstrap = cls._bootstrap
        guard = self.guard

        def _bootstrap(process: Any, *args: Any, **kwargs: Any) -> Any:
            guard.run("child process", self._watch_run, process)
            return bootstrap(process, *args, **kwargs)

        guard.hooks.put(cls, "_bootstrap", wraps(bootstrap)(_bootstrap))

    def _watch_run(self, process: Any) -> None:
        """Watch what a process runs: of the object in the child only, which nobody pickles any more."""
        run, guard = process.run, self.guard

        def watched() -> Any:
            __tracebackhide__ = True
            try:
                return run()
            except BaseException as error:
                if isinstance(error, Exception):
                    guard.run("child failed", self.ended_by, error, os.getppid())
                hide(error)
                raise

        process.run = wraps(run)(watched)

    def ended_by(self, error: BaseException, parent: int | None = None) -> None:
        """`error` ends the program, a child process or a block."""
        number = self.known.uncaught(error)
        if number is None:
            for earlier in self.guard.part("origins", origins.passed_on, error) or ():
                if self.known.uncaught(earlier) is None:
                    self.note(earlier, during="program")
            number = self.note(error, during="program")
        if number is not None:
            more = {} if parent is None else {"ppid": parent}
            self.sink.write(schema.FAILURE, failure=number, state="uncaught", exception=type(error).__name__, **more)

    def ended_by_last(self) -> None:
        """The exception that was noted last ended the block; nobody has it at hand."""
        if self._last is not None:
            number, name = self._last
            self.sink.write(schema.FAILURE, failure=number, state="uncaught", exception=name)


def _is_quiet(error: BaseException) -> bool:
    return isinstance(error, _QUIET) or type(error).__name__ in _QUIET_NAMES


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__name__} whose message cannot be shown>"


def _frames(trace: TracebackType | None, uneven: UnevenLists | None = None) -> list[dict[str, Any]]:
    """The frames of a traceback, outermost first, after the user's frames that the exception has yet to pass."""
    outer: list[dict[str, Any]] = []
    frame = trace.tb_frame.f_back if trace is not None else None
    while frame is not None and len(outer) < _MAX_FRAMES // 2:
        if is_user_file(frame.f_code.co_filename):
            outer.append(_frame(frame, frame.f_lineno, uneven))
        frame = frame.f_back
    frames = [_frame(item, line, uneven) for item, line in traceback.walk_tb(without_ours(trace))]
    return [*reversed(outer), *frames[-_MAX_FRAMES // 2 :]]


def _frame(frame: FrameType, line: int, uneven: UnevenLists | None = None) -> dict[str, Any]:
    code = frame.f_code
    user = is_user_file(code.co_filename)
    entry: dict[str, Any] = {
        "file": code.co_filename,
        "line": line,
        "function": getattr(code, "co_qualname", code.co_name),
        "user": user,
    }
    if user:
        entry["tensors"] = _tensors(frame.f_locals)
        if uneven is not None:
            entry["uneven"] = uneven.of(frame.f_locals)
    return entry


def _named(tensor: Any) -> dict[str, Any]:
    """A tensor or operation of a graph by its name, with its static shape."""
    info = compat.tensor_info(tensor)
    if info is None:
        return {"tensor": str(getattr(tensor, "name", tensor))[:200]}
    return {"tensor": info.name, "shape": info.shape, "dtype": info.dtype}


def _fed(value: Any) -> dict[str, Any]:
    info = compat.tensor_info(value)
    return {"type": type(value).__name__} if info is None else {"shape": info.shape, "dtype": info.dtype}


def _tensors(local: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, value in list(local.items()):
        items = enumerate(value) if isinstance(value, (list, tuple)) and len(value) <= 8 else [(None, value)]
        for i, item in items:
            info = compat.tensor_info(item)
            if info is not None:
                label = name if i is None else f"{name}[{i}]"
                found.append({"name": label, "shape": info.shape, "dtype": info.dtype, "tensor": info.name})
        if len(found) >= _MAX_LOCALS:
            break
    return [*found, *_attributes(local.get("self"))]


def _attributes(holder: Any) -> list[dict[str, Any]]:
    """The tensors that the object of a method holds, as `self.name`: from its own dict, without asking for anything."""
    names = getattr(holder, "__dict__", None)
    found: list[dict[str, Any]] = []
    for name, value in list(names.items())[:_MAX_ATTRIBUTES] if type(names) is dict else ():
        info = None if name.startswith("_") else compat.tensor_info(value)
        if info is not None and len(found) < _MAX_LOCALS:
            found.append({"name": f"self.{name}", "shape": info.shape, "dtype": info.dtype, "tensor": info.name})
    return found

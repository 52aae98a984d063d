"""Functions as TensorFlow traces them: who asked for XLA, which graph became which library function, and the capsule.

The capsule of a top-level function is written at once, while the process is still alive: what comes next may be an
abort.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import compat, profile, schema
from .first_calls import FirstCalls
from .frames import HIDDEN, caller, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .kept import KeptRecorder
from .outside import lookup
from .owners import OfThread, Owner, Owners
from .rehearse import Rehearsal
from .shelf import Shelf

_monotonic = time.monotonic


class TraceRecorder:
    """Writes `trace`, `graph`, `use`, `xla-path` and (graph) `capsule` events."""

    def __init__(
        self, guard: Guard, finder: PostImportFinder, *, capsules: bool = True, rehearsal: Rehearsal | None = None
    ) -> None:
        self.guard = guard
        self.sink = guard.sink
        self.rehearsal = rehearsal
        self.shelf = Shelf(guard.sink, capsules)
        self.first_calls: FirstCalls | None = None
        self.kept: KeptRecorder | None = None
        # After calls of functions in which a tape was asked for gradients; and after all that are not of Keras.
        self.after_call: Callable[[Any], None] = lambda function: None
        self.given: Callable[..., None] = lambda *_: None
        self.calls = 0  # of functions, from outside any other
        self._traces = 0
        # No lock: a fork in one thread would leave it locked for good in the child.
        self._graphs = itertools.count(1)
        self._uids: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._names: dict[str, list[str]] = {}
        self.named: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
        self.here = OfThread()
        # By function object the folders of its capsules; and the concrete function behind each.
        self._of_function: weakref.WeakKeyDictionary[Any, list[Path]] = weakref.WeakKeyDictionary()
        self._concrete: dict[Path, weakref.ref[Any]] = {}
        self.owners = Owners()
        self.generation = 0  # counts the writes to settings: a call is worth a note only when it has changed
        finder.when_imported("tensorflow", lambda module: self._hook(module, finder))

    # -- what other recorders ask ---------------------------------------------------------------------------------

    def uid(self, graph: Any) -> str:
        """A name for a Python-level graph that is unique in this process."""
        known = self._uids.get(graph)
        return known if known is not None else self._uids.setdefault(graph, f"g{next(self._graphs)}")

    def capsule_of(self, function: Any) -> tuple[Path, Any] | None:
        """The newest capsule of a `tf.function` object and its concrete function, if it has one."""
        return next(self.capsules_of(function), None)

    def capsules_of(self, function: Any) -> Iterator[tuple[Path, Any]]:
        """All of them, newest first: a function is traced anew for other shapes, as Keras' for a last partial batch."""
        try:
            folders = self._of_function.get(function)
        except TypeError:
            return
        for folder in reversed(folders or ()):
            ref = self._concrete.get(folder)
            yield folder, ref() if ref is not None else None

    def owner(self, function: Any) -> Owner:
        """What is known of a `tf.function` object."""
        return self.owners.of(function, self.generation)

    def called(self, function: Any, *given: Any) -> None:
        """Note the call of a function that was traced before and is called again after settings have changed."""
        self.here.unfinished = None  # what failed inside was caught there
        self.calls += 1
        owner = self.owners.of(function, self.generation)
        owner.calls += 1
        if owner.taped:
            self.after_call(function)
        if not self.keras_calls:
            self.guard.part("step rows", self.given, function, owner, *given)
        fresh, owner.fresh = owner.fresh, False
        if owner.kept is not None and not fresh:
            owner.kept.called(function, self.capsules_of)
        if owner.generation == self.generation:
            return
        owner.generation = self.generation
        if owner.graphs and not fresh:
            frames = user_frames(skip=4, limit=1)
            where = frames[0] if frames else None
            self.sink.write(schema.USE, owner=owner.number, graphs=owner.graphs[-20:], where=where)

    @property
    def running(self) -> list[tuple[Any, float]]:
        """The `tf.function` calls under way on this thread, outermost first, with the time at which each began."""
        return self.here.running

    def take_unfinished(self) -> Any:
        """The graph whose trace failed last on this thread, once: the outermost one, as far as it came."""
        graph, self.here.unfinished = self.here.unfinished, None
        return graph

    def taped(self) -> Any:
        """The outermost function under way on this thread, if there is one: a tape is asked for gradients in it."""
        if not self.running:
            return None
        function = self.running[0][0]
        self.owner(function).taped = True
        return function

    def _unfinished(self, graph: Any) -> None:
        # Inner graphs fail first; the outermost one, which holds them, last. Whoever runs the function takes it.
        if graph is not None and self.running:
            self.here.unfinished = graph

    @property
    def under_way(self) -> bool:
        """Whether this thread is inside a watched call."""
        return bool(self.running or self.keras_calls)

    @property
    def last_function(self) -> Any:
        """The `tf.function` object that was called last on this thread from outside any other."""
        return self.here.last() if self.here.last is not None else None

    @property
    def keras_calls(self) -> list[dict[str, Any]]:
        """The watched Keras calls under way on this thread: they know the batch better than the function inside."""
        return self.here.keras

    # -- hooks ------------------------------------------------------------------------------------------------------

    def _hook(self, tensorflow: ModuleType, finder: PostImportFinder) -> None:
        self.sink.write(
            schema.IMPORT,
            module="tensorflow",
            version=getattr(tensorflow, "__version__", None),
            file=getattr(tensorflow, "__file__", None),
            where=None if "tensorflow" in finder.present else caller(skip=4),
        )
        for hook in (self._hook_stacks, self._hook_traces, self._hook_graphs, self._hook_functions, self._hook_bodies):
            # Each on its own: a name that moved must cost one recorder, not all of them.
            self.guard.part(hook.__name__, hook)

    def _hook_stacks(self) -> None:
        self.guard.hooks.undone_by(compat.hide_from_op_stacks(HIDDEN))

    def _hook_traces(self) -> None:
        guard = self.guard

        def traced(concrete: Any) -> None:
            guard.run("trace", self._traced, concrete)

        guard.hooks.add(compat.concrete_function_callbacks(), traced)

    def _hook_graphs(self) -> None:
        module = compat.atomic_function_module()
        original = module.from_func_graph
        guard = self.guard

        def from_func_graph(name: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                result = original(name, graph, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            guard.run("graph", self._named, name, graph)
            return result

        guard.hooks.put(module, "from_func_graph", wraps(original)(from_func_graph))

    def _hook_bodies(self) -> None:
        module = compat.tracing_module()
        original = module.func_graph_from_py_func
        guard = self.guard

        def func_graph_from_py_func(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                guard.run("trace failed", self._unfinished, kwargs.get("func_graph"))
                hide(error)
                raise

        guard.hooks.put(module, "func_graph_from_py_func", wraps(original)(func_graph_from_py_func))

    def _hook_functions(self) -> None:
        cls: Any = compat.function_class()
        init = cls.__init__
        guard = self.guard

        def __init__(function: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            try:
                init(function, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            guard.run("tf.function", self._created, function)

        guard.hooks.put(cls, "__init__", wraps(init)(__init__))

    # -- taking notes -----------------------------------------------------------------------------------------------

    def _created(self, function: Any) -> None:
        asked = getattr(function, "_jit_compile", None)
        if asked is None:
            return
        frames = user_frames(skip=4, limit=1)
        direct = caller(skip=4)
        # The user's own decorator stands directly on the stack; otherwise a framework made the function.
        by_user = bool(frames) and direct == frames[0] and not _framework_between()
        self.sink.write(
            schema.XLA_PATH,
            mechanism="tf.function(jit_compile=)" if by_user else "framework",
            function=getattr(function, "_name", None) or getattr(function.python_function, "__name__", None),
            requested=str(asked),
            resolved=str(bool(asked)),
            where=frames[0] if frames else None,
        )

    def _named(self, name: Any, graph: Any) -> None:
        text = name.decode() if isinstance(name, bytes) else str(name)
        uid = self.uid(graph)
        self.named[text] = graph
        names = self._names.setdefault(uid, [])
        if text not in names:
            names.append(text)
            self.sink.write(schema.GRAPH, graph=uid, function=text)

    def _traced(self, concrete: Any) -> None:
        graph = concrete.graph
        parent = compat.default_graph()
        inside = hasattr(parent, "outer_graph") and not compat.runs_outside(concrete, parent)
        uid = self.uid(graph)
        name = concrete.name.decode() if isinstance(concrete.name, bytes) else str(concrete.name)
        names = self._names.setdefault(uid, [])
        if name not in names:
            names.append(name)
        running = self.running
        seconds = _monotonic() - running[-1][1] if running else None
        folder = None
        if not inside:
            folder = self._write_capsule(concrete)
        frames = user_frames(skip=4, limit=12)
        self.sink.write(
            schema.TRACE,
            function=name,
            python_name=getattr(graph, "name", None),
            graph=uid,
            parent=self.uid(parent) if inside else None,
            scope=parent.get_name_scope() if inside else None,
            xla=compat.must_compile(concrete),
            inputs=[_spec(t) for t in graph.inputs[: len(graph.inputs) - len(graph.captures)]],
            owner=self._owned(running[-1][0], uid) if running else None,
            defined=_defined(running[-1][0]) if running else None,
            arguments=self.guard.part("trace arguments", compat.trace_arguments, concrete),
            seconds=round(seconds, 4) if seconds is not None else None,
            where=frames[0] if frames else None,
            frames=frames,
            named=[v for v in (lookup(n, w) for n, w in profile.NAMED_VALUES) if v is not None],
            capsule=folder.name if folder is not None else None,
        )
        if not inside:
            if folder is not None and self.first_calls is not None:
                self.guard.part("first calls", self.first_calls.expect, folder, concrete)
            if self.kept is not None and self.running:
                outermost = self.running[0][0]
                self.guard.part("kept values", self.kept.traced, outermost, self.owner(outermost))
            self._traces += 1
            if self.rehearsal is not None:
                self.rehearsal.traced(self._traces)

    def _owned(self, function: Any, uid: str) -> int:
        owner = self.owner(function)
        owner.graphs.append(uid)
        owner.fresh = True
        return owner.number

    # -- capsules ---------------------------------------------------------------------------------------------------

    def write_partial(self, graph: Any) -> str | None:
        """The capsule of a trace that failed: the graph up to the op that could not be made. Returns its id, or None
        where there is none.
        """
        folder = self.shelf.add(graph, self.contents(graph), "partial graph", str(graph.name), needed=True)
        return folder.name if folder is not None else None

    def write_twin(self, concrete: Any) -> Path | None:
        """The capsule of a function that was traced for a comparison and is no part of the run; None as above."""
        return self.shelf.add(concrete, self.contents(concrete), "twin", str(concrete.name))

    def write_session(self, graph: Any, fetches: Any, feeds: Any, read: Any, values: bool) -> str | None:
        """The capsule of a `Session.run` that failed. Returns its id, or None where there is none."""
        kept: list[Any] = []

        def contents(name: str) -> dict[str, bytes]:
            from . import session_capsule  # imports numpy: not before the target has

            files, *rest = session_capsule.contents(name, graph, fetches, feeds, read, self.uid(graph), values)
            kept.extend(rest)
            return files

        folder = self.shelf.add(_Named("Session.run"), contents, "session", "Session.run", needed=True)
        if folder is not None and values:
            from . import capsule as capsules

            arrays, recipe = kept
            size = sum(array.nbytes for array in arrays.values())
            room = size + capsules.overhead(len(arrays))
            self.shelf.add_values(folder.name, room, lambda f: capsules.save(f, arrays, recipe, size), needed=True)
        return folder.name if folder is not None else None

    def contents(self, function: Any) -> Callable[[str], dict[str, bytes]]:
        """What makes the files of a function's capsule, given the name of that."""
        graph = getattr(function, "graph", None)
        xla = compat.must_compile(function) if graph is not None else None
        uid = self.uid(function if graph is None else graph)

        def contents(name: str) -> dict[str, bytes]:
            from . import capsule as capsules  # imports numpy: not before the target has

            return capsules.contents(name, function, graph_uid=uid, graphs=self._names, xla=xla)

        return contents

    def _write_capsule(self, concrete: Any) -> Path | None:
        folder = self.shelf.add(concrete, self.contents(concrete), "graph", str(concrete.name))
        if folder is not None:
            self._concrete[folder] = weakref.ref(concrete)
            if self.running:
                self._of_function.setdefault(self.running[0][0], []).append(folder)
        return folder

    def needed(self, folder: Path, concrete: Any) -> bool:
        """A call of this capsule has failed: it stays, or is written once more. True if it is there."""
        if self.shelf.holds(folder.name):
            self.shelf.need(folder.name)
            return True
        if concrete is None:
            return False
        return self.shelf.restore(folder.name, self.contents(concrete), str(concrete.name))


@dataclass(frozen=True)
class _Named:
    """What a capsule's folder is named after."""

    name: str


def _defined(function: Any) -> dict[str, Any] | None:
    """Where the Python body of a `tf.function` object stands."""
    python = inspect.unwrap(function.python_function)
    code = getattr(getattr(python, "func", python), "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return None
    place = {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}
    # Of a method each object has a `tf.function` of its own, also where the class is decorated once.
    return {**place, "method": True} if code.co_argcount and code.co_varnames[0] == "self" else place


def _spec(tensor: Any) -> str:
    info = compat.tensor_info(tensor)
    if info is None:
        return type(tensor).__name__
    shape = "?" if info.shape is None else ",".join("?" if n is None else str(n) for n in info.shape)
    return f"{info.dtype}[{shape}]"


def _framework_between() -> bool:
    """True if the nearest frame outside TensorFlow's own function code is a library's and not the user's."""
    frame = sys._getframe(4)
    while frame is not None:
        file = frame.f_code.co_filename
        if is_user_file(file):
            return False
        if "/tensorflow/" not in file and not file.startswith("<") and "record" not in file:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return True

"""What the program gives TensorFlow or Keras and that has no effect: weights for a loss that is one number, a
checkpoint that is not there or has other names, and a reset that leaves a part of a metric as it is.

Each is seen where the library itself takes it. Nothing is computed for it but comparisons of small variables.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .digests import inner_of, name_of
from .frames import followed, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder

MAX_EVENTS = 10
MAX_RESETS = 200
MAX_STATE = 1 << 16
"""Bytes of a variable of a metric."""
MAX_FOLDERS = 50
_BOOKKEEPING = frozenset({"save_counter", "_CHECKPOINTABLE_OBJECT_GRAPH"})


class NoEffectRecorder:
    """Writes `no-effect` events. `steps()` is how many gradients were taken by now."""

    def __init__(self, guard: Guard, finder: PostImportFinder, steps: Callable[[], int]) -> None:
        self.guard = guard
        self._steps = steps
        self._seen: set[tuple[Any, ...]] = set()
        self._nothing: list[dict[str, Any]] = []
        self._looked: str | None = None
        self._resets = 0
        self._states: weakref.WeakKeyDictionary[Any, _State] = weakref.WeakKeyDictionary()
        self._told: list[_State] = []
        self._classes: weakref.WeakSet[Any] = weakref.WeakSet()
        finder.when_imported(compat_gradients.KERAS_WEIGHTED[0], self._hook_losses)
        finder.when_imported(compat_gradients.KERAS_METRIC[0], self._hook_metrics)
        finder.when_imported("tensorflow", self._hook_checkpoints)

    def _write(self, what: str, where: dict[str, Any] | None, **facts: Any) -> None:
        key = (what, str(where), str(facts.get("name")))
        if key not in self._seen and len(self._seen) < MAX_EVENTS:
            self._seen.add(key)
            self.guard.sink.write(schema.NO_EFFECT, what=what, where=where, **facts)

    # -- weights ----------------------------------------------------------------------------------------------------

    def _hook_losses(self, module: ModuleType) -> None:
        name = compat_gradients.KERAS_WEIGHTED[1]

        def reduced(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            weights = kwargs.get("sample_weight")
            if weights is not None and args and compat.dims(getattr(args[0], "shape", None)) == []:
                self.guard.run("weights", self._weighted, weights)

        self.guard.hooks.put(module, name, followed(getattr(module, name), reduced))

    def _weighted(self, weights: Any) -> None:
        """A loss that is one number is multiplied by weights: each row has the same loss."""
        if not compat.dims(getattr(weights, "shape", None)):
            return
        frame: Any = sys._getframe(1)
        while frame is not None and not hasattr(frame.f_locals.get("self"), "reduction"):
            frame = frame.f_back
        loss = frame.f_locals["self"] if frame is not None else None
        function = getattr(loss, "fn", None) or getattr(type(loss), "call", None)
        used = next(iter(user_frames(skip=4, limit=1)), None)
        self._write("weights", _defined(function) or used, name=getattr(function, "__name__", ""), used=used)

    # -- checkpoints ------------------------------------------------------------------------------------------------

    def _hook_checkpoints(self, module: ModuleType) -> None:
        cls: Any = module.train.Checkpoint
        for name in ("restore", "read"):
            self.guard.hooks.put(cls, name, followed(getattr(cls, name), self._restored))
        self.guard.hooks.put(module.train, "latest_checkpoint", followed(module.train.latest_checkpoint, self._latest))

    def _latest(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        given = args[0] if args else kwargs.get("checkpoint_dir")
        self._looked = str(given) if result is None else None

    def _restored(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        self.guard.run("restore", self._restore, args[0], args[1] if len(args) > 1 else kwargs.get("save_path"))

    def _restore(self, checkpoint: Any, path: Any) -> None:
        frames = user_frames(skip=5, limit=1)
        if not frames:
            return
        if path is None:
            below = _saved_below(self._looked) if self._looked is not None else None
            self._nothing.append({"where": frames[0], "name": below or "", "steps": self._steps()})
            del self._nothing[MAX_EVENTS:]
        elif getattr(checkpoint, "_root", None) is None:
            for mine, theirs in _misnamed(checkpoint, str(path)):
                self._write("restore", frames[0], name=mine, instead=theirs)

    # -- metrics ----------------------------------------------------------------------------------------------------

    def _hook_metrics(self, module: ModuleType) -> None:
        base: Any = getattr(module, compat_gradients.KERAS_METRIC[1])

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("metric", self._metric, type(args[0]), base)

        self.guard.hooks.put(base, "__init__", followed(base.__init__, made))

    def _metric(self, kind: Any, base: Any) -> None:
        """A metric is made: of a class of the program, its resets are looked at."""
        owner = next((c for c in kind.__mro__ if "reset_state" in vars(c)), None)
        if owner is None or owner in self._classes or _defined(getattr(kind, "update_state", None)) is None:
            return
        if owner is not base and _defined(owner.reset_state) is None:
            return
        self._classes.add(owner)
        original = vars(owner)["reset_state"]

        def reset_state(metric: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            mine = vars(type(metric)).get("reset_state", owner.reset_state) is owner.reset_state
            before = self.guard.run("metric", self._before, metric) if mine else None
            try:
                result = original(metric, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            if before is not None:
                self.guard.run("metric", self._after, metric, owner, before)
            return result

        self.guard.hooks.put(owner, "reset_state", wraps(original)(reset_state))

    def _before(self, metric: Any) -> dict[str, bytes] | None:
        self._resets += 1
        if self._resets > MAX_RESETS or compat.default_graph() is not None:
            return None
        return dict(_state_of(metric))

    def _after(self, metric: Any, owner: Any, before: dict[str, bytes]) -> None:
        state = self._states.get(metric)
        if state is None:
            function = owner.reset_state if is_user_file(_file_of(owner.reset_state)) else type(metric).update_state
            state = self._states[metric] = _State(type(metric).__name__, _defined(function))
            self._told.append(state)
            del self._told[MAX_EVENTS:]
        state.reset(before, dict(_state_of(metric)))

    # -- at the end -------------------------------------------------------------------------------------------------

    def at_exit(self) -> None:
        """The process ends."""
        for state in self._told:
            for name, times in state.kept.items():
                self._write("reset", state.where, name=name, of=state.kind, times=times)
        for told in self._nothing:
            if told["name"] or not self._steps():
                self._write("nothing", told["where"], name=told["name"])


class _State:
    """The variables of a metric after its last reset, and how often a reset left each of them as it had become."""

    def __init__(self, kind: str, where: dict[str, Any] | None) -> None:
        self.kind, self.where = kind, where
        self.kept: dict[str, int] = {}
        self._last: dict[str, bytes] = {}

    def reset(self, before: dict[str, bytes], after: dict[str, bytes]) -> None:
        for name, value in before.items():
            if name in self._last and value != self._last[name] and after.get(name) == value:
                self.kept[name] = self.kept.get(name, 0) + 1
        self._last = after


def _state_of(metric: Any) -> Iterator[tuple[str, bytes]]:
    """(attribute, value) of the variables of a metric, also of those that Keras does not know."""
    names = {id(value): name for name, value in vars(metric).items()}
    known = list(getattr(metric, "variables", ()))
    own = [v for v in vars(metric).values() if hasattr(type(v), "assign_add") and not any(v is k for k in known)]
    for variable in (*known, *own):
        inner = inner_of(variable)
        if compat.bytes_of(inner) <= MAX_STATE and compat_gradients.handle_of(variable) is not None:
            yield names.get(id(variable)) or name_of(variable), inner.numpy().tobytes()


def _misnamed(checkpoint: Any, path: str) -> Iterator[tuple[str, str]]:
    """(name of the program, name in the file) of variables of the same shapes that have two names."""
    there: dict[str, list[tuple[int, ...]]] = {}
    for name, shape in sys.modules["tensorflow"].train.list_variables(path):
        there.setdefault(name.partition("/")[0], []).extend([] if ".OPTIMIZER_SLOT" in name else [tuple(shape)])
    here = checkpoint._trackable_children()
    for name, child in here.items():
        shapes = [tuple(v.shape) for v in _variables(child)]
        if name in there or name in _BOOKKEEPING or not any(shapes):
            continue
        for other, theirs in there.items():
            if other not in here and other not in _BOOKKEEPING and all(s in theirs for s in shapes):
                yield name, other
                break


def _variables(child: Any) -> Sequence[Any]:
    found = getattr(child, "variables", None)
    return [child] if hasattr(type(child), "assign_add") else [] if found is None or callable(found) else list(found)


def _saved_below(folder: str) -> str | None:
    """The name of a folder within `folder` that has checkpoints."""
    try:
        inside = [e for e in Path(folder).iterdir() if e.is_dir()][:MAX_FOLDERS]
    except OSError:
        return None
    return next((e.name for e in inside if (e / "checkpoint").exists()), None)


def _file_of(function: Any) -> str:
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return code.co_filename if code is not None else "<none>"


def _defined(function: Any) -> dict[str, Any] | None:
    """Where a function of the program is defined."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return None
    return {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}

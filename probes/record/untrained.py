"""Variables that an optimizer is given without a gradient, and the op that stops the gradient.

A tape that gives None for a variable of the program costs one look at its results. Where the optimizer is given that
None, the way back from the loss is looked up: in the graph that is being traced, where there is one. An eager step
leaves no graph: so the ops of the next one are noted while they run, once, within bounds, without holding a tensor.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .crossed import Crossed
from .digests import Digests, Tokens, name_of
from .eager_trail import EagerTrail
from .frames import followed, hide, user_frames, wraps
from .gradient_trail import Cut, Walk, cuts_of, walk
from .graph_trail import GraphTrail
from .guard import Guard
from .importhook import PostImportFinder
from .left_out import LeftOut
from .own_gradients import OwnGradientRecorder
from .replaced import ReplacedRecorder
from .tracing import TraceRecorder
from .turnover import Turnover
from .unmoved import Unmoved
from .untracked import Untracked

MAX_EVENTS = 10
MAX_VARIABLES = 40
MAX_STEPS = 200
"""Lists of variables that are given to optimizers."""
MAX_WATCHES = 3
"""How often the ops between two eager steps are noted."""
MAX_BYTES = 32 << 20
"""Of variables whose values are compared with those that they have at the end."""


MAX_ZEROS = 1 << 20
MAX_ZERO_LOOKS = 12
_ZEROS = frozenset({"Const", "Fill", "Zeros", "ZerosLike"})
_Targets = dict[int, list["weakref.ref[Any]"]]


class _Missing:
    """A variable that came without a gradient, the digest of its value then, and whether another step trains it."""

    def __init__(self, variable: Any, name: str, digest: str | None, trained: bool) -> None:
        self.reference = weakref.ref(variable)
        self.name = name
        self.digest = digest
        self.trained = trained


class UntrainedRecorder:
    """Writes `no-gradient` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder, tracing: TraceRecorder) -> None:
        self.guard = guard
        self.graphs = GraphTrail(tracing.named)
        self._local = threading.local()
        self._tracing = tracing
        self._missing: dict[int, _Missing] = {}
        self._gone: list[_Missing] = []
        """Those that died, and whose number another one has."""
        self.trained: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        """The variables that an optimizer was given a gradient of, by their `id` while they live."""
        self._turnover = Turnover()
        self._crossed = Crossed()
        self._untracked = Untracked(guard, finder)
        self.left_out = LeftOut(guard, finder)
        self.unmoved = Unmoved(tracing.taped)
        self.left_out.steps = lambda: self.unmoved.steps + tracing.calls
        self.replaced = ReplacedRecorder(guard, finder, self.left_out.steps)
        self.own = OwnGradientRecorder(guard, finder, tracing.uid)
        self._zeros_left = MAX_ZERO_LOOKS
        self._zeros_of: set[int] = set()
        """Of the step that is looked at, the variables whose gradient is zeros that may stand for none."""
        self._seen: set[tuple[Any, ...]] = set()
        self._tokens = Tokens()
        self._alike: set[tuple[int, ...]] = set()
        self._done: set[tuple[Any, ...]] = set()
        self._digests = Digests(MAX_BYTES)
        self._watches = 0
        finder.when_imported("tensorflow", self._hook_tapes)
        finder.when_imported(compat_gradients.KERAS_OPTIMIZERS[0], self._hook_optimizers)

    def _hook_tapes(self, _: ModuleType) -> None:
        cls: Any = self.guard.part("tape", compat_gradients.tape_class)
        if cls is None:
            return

        def taken(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("gradient", self._taken, args, kwargs, result)
            self.guard.run("own gradient", self.own.taken, args, kwargs, result)

        self.guard.hooks.put(cls, "gradient", followed(cls.gradient, taken))

    def _hook_optimizers(self, module: ModuleType) -> None:
        _, name, method = compat_gradients.KERAS_OPTIMIZERS
        cls = getattr(module, name)
        original = cls.__dict__[method]

        def apply(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            self.guard.run("optimizer", self._applied, optimizer, args, kwargs)
            try:
                return original(optimizer, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise

        self.guard.hooks.put(cls, method, wraps(original)(apply))

    def fitted(self) -> None:
        """A `fit` has ended."""
        self.unmoved.fitted()
        self.replaced.fitted()

    # -- what the program does --------------------------------------------------------------------------------------

    def _taken(self, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        """A tape gave gradients, maybe none for some of its sources."""
        sources = kwargs["sources"] if "sources" in kwargs else args[2]
        flat = list(sources) if isinstance(sources, (list, tuple)) else [sources]
        given = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(flat) != len(given) or not flat:
            return
        self.unmoved.taken(flat, given)
        self._crossed.taken(flat, given)
        how = kwargs.get("unconnected_gradients", args[4] if len(args) > 4 else None)
        without = self._zeros(flat, given) if getattr(how, "value", how) == "zero" else [g is None for g in given]
        if self._targets:
            for variable, none in zip(flat, without, strict=False):
                if not none:
                    self._targets.pop(id(variable), None)
        if not any(without):
            return
        target = kwargs["target"] if "target" in kwargs else args[1]
        targets = [weakref.ref(t) for t in (target if isinstance(target, (list, tuple)) else [target])]
        for variable, none in zip(flat, without, strict=False):
            if none and compat_gradients.handle_of(variable) is not None:
                self._targets[id(variable)] = targets

    def _zeros(self, variables: Sequence[Any], gradients: Sequence[Any]) -> list[bool]:
        """Which gradients are zeros that nothing was computed for, as far as this is looked at."""
        if compat.default_graph() is not None:
            return [getattr(getattr(g, "op", None), "type", "") in _ZEROS for g in gradients]
        self._zeros_left -= 1
        if self._zeros_left < 0:
            return [id(v) in self._missing for v in variables]
        small = [g if compat.is_eager(g) and compat.bytes_of(g) <= MAX_ZEROS else None for g in gradients]
        return [g is not None and not g.numpy().any() for g in small]

    @property
    def _targets(self) -> _Targets:
        """{variable: what it has no gradient of}, since the last step of this thread."""
        return self._local.__dict__.setdefault("targets", {})  # type: ignore[no-any-return]

    def _applied(self, optimizer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """An optimizer is about to train variables."""
        grads = kwargs["grads"] if "grads" in kwargs else args[0]
        variables = kwargs.get("trainable_variables", args[1] if len(args) > 1 else None)
        variables = getattr(optimizer, "_trainable_variables", None) if variables is None else variables
        if grads.__class__ not in (list, tuple) or not isinstance(variables, (list, tuple)):
            return
        self._turnover.applied(optimizer, variables)
        if variables:
            self.replaced.applied(optimizer, variables)
            self.unmoved.applied(optimizer, variables)
            self._crossed.applied(optimizer, grads, variables)
        zeros = self._targets.keys() & {id(v) for v in variables} if self._targets else set[int]()
        self._zeros_of = {id(v) for g, v in zip(grads, variables, strict=False) if g is not None} & zeros
        if not zeros and not any(g is None for g in grads):
            self._given(optimizer, variables)
            return
        known = zip(grads, variables, strict=False)
        pairs = [(None if id(v) in zeros else g, v) for g, v in known if getattr(v, "trainable", True)]
        new = [v for g, v in pairs if g is not None and id(v) not in self.trained]
        self._has_gradient(new)
        targets, self._local.targets = self._targets, {}
        missing = [v for g, v in pairs if g is None and id(v) in targets]
        if missing:
            self._told(missing, targets, len(pairs))

    def _has_gradient(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self.trained[id(variable)] = variable
            missing = self._missing.get(id(variable))
            if missing is not None and missing.reference() is variable:
                missing.trained = True
        self.left_out.trained(variables)

    def gradients(self) -> int:
        """How many gradients were taken by now."""
        return self.unmoved.steps

    def _given(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """All of the variables have a gradient; steps that are given the same ones are looked at once."""
        own = not self._tracing.keras_calls  # the steps of Keras add what regularizers want
        alike = (len(variables), *map(self._tokens.of, (variables[0], variables[-1])), own) if variables else None
        if alike is None or alike in self._alike or len(self._alike) >= MAX_STEPS:
            return
        self._alike.add(alike)
        self._has_gradient(variables)
        graph = None if own else compat.default_graph()
        if graph is not None:
            self.guard.part("untracked", self._untracked.step, graph, variables, self.replaced.models)
        frames = user_frames(skip=5, limit=1)
        regularized = sum(getattr(v, "regularizer", None) is not None for v in variables) if own else 0
        self.guard.sink.write(
            schema.NO_GRADIENT,
            what="none",
            optimizer=str(getattr(optimizer, "name", None) or type(optimizer).__name__),
            given=len(variables),
            regularized=regularized,
            where=frames[0] if frames else None,
        )

    def _told(self, missing: Sequence[Any], targets: _Targets, given: int) -> None:
        graph = compat.default_graph()
        frames = user_frames(skip=4, limit=4)
        names = [name_of(v) for v in missing]
        key = (tuple(names), str(frames[:1]), graph is not None)
        if key in self._done:
            return
        stops = self._stops(missing, targets, graph, key)
        if key not in self._seen and len(self._seen) < MAX_EVENTS:
            self._seen.add(key)
            for variable, name in zip(missing, names, strict=True):
                self._remember(variable, name)
            self._write("missing", missing, names, frames, stops, given)
        elif key in self._seen and stops is not None:
            self._write("stopped", missing, names, frames, stops, given)
        if graph is not None or stops is not None:
            self._done.add(key)
        elif key in self._seen and self._watches < MAX_WATCHES and self._trail is None:
            self._watches += 1
            self._local.trail = EagerTrail(self.guard, self.graphs, key)
            self._local.trail.begin()

    @property
    def _trail(self) -> EagerTrail | None:
        """The ops of this thread that are being noted."""
        return getattr(self._local, "trail", None)

    def _stops(
        self, missing: Sequence[Any], targets: _Targets, graph: Any, key: tuple[Any, ...]
    ) -> list[dict[str, Any]] | None:
        """What stops the gradient, in the graph that is traced, or in the ops that were noted since the last such step;
        None where none were.
        """
        if graph is not None:
            return self._in_graph(missing, targets, graph)
        trail = self._trail
        if trail is None:
            return None
        # Steps of several optimizers take turns: it goes on until the one for which it began has its turn again.
        if trail.key == key:
            self._local.trail = None
            trail.end()
        return self._in_trail(missing, targets, trail) if trail.whole else None

    def _write(
        self, what: str, missing: Sequence[Any], names: list[str], frames: list[dict[str, Any]], stops: Any, given: int
    ) -> None:
        self.guard.sink.write(
            schema.NO_GRADIENT,
            what=what,
            variables=names[:MAX_VARIABLES],
            count=len(missing),
            given=given,
            zeros=[n for v, n in zip(missing, names, strict=True) if id(v) in self._zeros_of][:MAX_VARIABLES],
            where=frames[0] if frames else None,
            stops=stops,
        )

    # -- where the gradient stops -----------------------------------------------------------------------------------

    def _in_graph(self, missing: Sequence[Any], targets: _Targets, graph: Any) -> list[dict[str, Any]]:
        def one(variable: Any) -> tuple[Walk, list[Cut]] | None:
            found = self.graphs.of(graph)
            tensors = [t for t in _alive(targets[id(variable)]) if getattr(t, "graph", None) is graph]
            sources = self.graphs.captured(graph, compat_gradients.handle_of(variable))
            if not tensors:
                return None
            done = walk(found, [t.name for t in tensors], sources, compat_gradients.has_gradient)
            return done, cuts_of(done)

        return _grouped(missing, one)

    def _in_trail(self, missing: Sequence[Any], targets: _Targets, trail: EagerTrail) -> list[dict[str, Any]]:
        def one(variable: Any) -> tuple[Walk, list[Cut]] | None:
            handle = compat_gradients.handle_of(variable)
            tensors = [t for t in _alive(targets[id(variable)]) if compat.is_eager(t)]
            if handle is None or not tensors:
                return None
            keys = [str(t._id) for t in tensors]
            done = walk(trail.trail, keys, {str(handle._id)}, compat_gradients.has_gradient)
            return done, cuts_of(done) or ([] if done.connected else trail.left(done.downstream))

        return _grouped(missing, one)

    # -- at the end -------------------------------------------------------------------------------------------------

    def _remember(self, variable: Any, name: str) -> None:
        known = self._missing.get(id(variable))
        if known is not None and known.reference() is not variable:
            self._gone.append(self._missing.pop(id(variable)))
            known = None
        if known is None and len(self._missing) + len(self._gone) < MAX_VARIABLES:
            trained = id(variable) in self.trained
            self._missing[id(variable)] = _Missing(variable, name, self._digests.of(variable), trained)

    def at_exit(self) -> None:
        """The process ends: which of the variables were trained in another step, or changed by the program."""
        if self._trail is not None:
            self._trail.end()
        for kind, found in (
            (schema.TURNOVER, self._turnover.told()),
            (schema.UNMOVED, self.unmoved.told()),
            (schema.CROSSED, self._crossed.told(self.unmoved.still)),
            (schema.LEFT_OUT, self._untracked.told(dict(self.trained) | dict(self.left_out.loaded_variables))),
        ):
            for told in found:
                self.guard.sink.write(kind, **told)
        self.replaced.at_exit()
        if not self._missing and not self._gone:
            return
        self._digests = Digests(MAX_BYTES)
        trained: list[str] = []
        moved: list[str] = []
        same: list[str] = []
        for missing in (*self._gone, *self._missing.values()):
            variable = missing.reference()
            if missing.trained:
                trained.append(missing.name)
            elif variable is not None and missing.digest is not None:
                now = self._digests.of(variable)
                if now is not None:
                    (same if now == missing.digest else moved).append(missing.name)
        self.guard.sink.write(schema.NO_GRADIENT, what="end", trained=trained, moved=moved, same=same)


def _grouped(missing: Iterable[Any], one: Callable[[Any], tuple[Walk, list[Cut]] | None]) -> list[dict[str, Any]]:
    """The variables that the same ops stop, together."""
    found: dict[str, dict[str, Any]] = {}
    for variable in list(missing)[:MAX_VARIABLES]:
        looked = one(variable)
        if looked is None or looked[0].reached:  # a way without a stop: what gives None is not known
            continue
        cuts = [{"op": c.kind, "why": c.why, "frames": c.frames[:4]} for c in looked[1]]
        told = {"cuts": cuts, "connected": looked[0].connected}
        found.setdefault(str(told), {"variables": [], **told})["variables"].append(name_of(variable))
    return list(found.values())


def _alive(targets: Iterable[weakref.ref[Any]]) -> list[Any]:
    return [t for r in targets if (t := r()) is not None]

"""The ops that one thread executes between two steps of an optimizer, as a trail on which gradients go.

Tensors are known by the numbers that TensorFlow gives them: none is held. TensorFlow runs ops on a slower way while
somebody looks on, so it is done a few times in a process, for so many ops and so much time of our own, and then taken
back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import Any

from .. import compat, compat_gradients
from .frames import followed, hidden, user_frames
from .gradient_trail import Cut, Frames, Node, Trail, is_float
from .graph_trail import GraphTrail
from .guard import Guard

_clock = time.perf_counter
MAX_OPS = 20_000
MAX_SECONDS = 0.25
"""Of our own work."""
_FRAMES = 3


class EagerTrail:
    """Notes ops from `begin` to `end`."""

    def __init__(self, guard: Guard, graphs: GraphTrail, key: object) -> None:
        self.guard = guard
        self.key = key
        """The step for which it was begun."""
        self.graphs = graphs
        self.whole = True
        self._nodes: list[Node] = []
        self._floats: set[str] = set()
        self._left: list[tuple[str, Frames]] = []
        self._tapes = 0
        self._seconds = 0.0
        self._thread = threading.get_ident()
        self._ends: list[Callable[[], None]] = []

    @property
    def trail(self) -> Trail:
        """What was noted."""
        return Trail(self._nodes, self._floats)

    def begin(self) -> None:
        """Look on from now."""
        tape: Any = compat_gradients.tape_class()
        self._put(tape, "_push_tape", self._tape(1))
        self._put(tape, "_pop_tape", self._tape(-1))
        self._put(compat_gradients.record_module(), "record_operation", self._recorded)
        self._put(compat_gradients.eager_tensor_class(), "_numpy", self._converted)
        self._ends.append(compat_gradients.add_op_callback(hidden(self._callback())))

    def end(self) -> None:
        """Look on no longer."""
        if threading.get_ident() != self._thread:
            return
        while self._ends:
            self.guard.part("trail", self._ends.pop())

    def left(self, downstream: Collection[str]) -> list[Cut]:
        """Where values that depend on a variable were given to NumPy or Python while a tape was recording."""
        found = {str(f[:1]): Cut("numpy", "numpy", f) for key, f in self._left if key in downstream and f}
        return list(found.values())[:3]

    # -- inside

    def _put(self, holder: Any, name: str, then: Callable[..., None]) -> None:
        original = holder.__dict__[name]
        ours = followed(original, lambda args, kwargs, result: self._mine(then, args, result))
        setattr(holder, name, ours)

        def undo() -> None:
            if holder.__dict__.get(name) is ours:
                setattr(holder, name, original)

        self._ends.append(undo)

    def _mine(self, then: Callable[..., None], *args: Any) -> None:
        if threading.get_ident() == self._thread and self._ends:
            started = _clock()
            self.guard.run("trail", then, *args)
            self._spent(_clock() - started)

    def _spent(self, seconds: float) -> None:
        self._seconds += seconds
        if self._seconds > MAX_SECONDS or len(self._nodes) >= MAX_OPS:
            self.whole = False
            self.end()

    def _tape(self, step: int) -> Callable[..., None]:
        def moved(args: Any, result: Any) -> None:
            self._tapes = max(self._tapes + step, 0)

        return moved

    def _callback(self) -> Any:
        def seen(op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None) -> None:
            if graph is None:
                self._mine(self._executed, op_type, inputs, outputs)

        return seen

    def _executed(self, op_type: Any, inputs: Any, outputs: Any) -> None:
        kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
        tensors = [t for t in outputs or () if hasattr(t, "_id")]
        if tensors:
            self._add(kind, [t for t in inputs if hasattr(t, "_id")], tensors, tells=False)

    def _recorded(self, args: Any, result: Any) -> None:
        """A tape was told of an operation: what of it ran was seen before."""
        kind, outputs, inputs = str(args[0]), args[1], args[2]
        if not all(compat.is_eager(t) for t in outputs):
            return
        self._add(kind, [t for t in inputs if hasattr(t, "_id")], list(outputs), tells=True)

    def _add(self, kind: str, inputs: list[Any], outputs: list[Any], *, tells: bool) -> None:
        frames = user_frames(skip=6, limit=_FRAMES)
        for tensor in (*inputs, *outputs):
            if is_float(tensor.dtype.name):
                self._floats.add(str(tensor._id))
        function = kind if kind.startswith(("__forward_", "__inference_")) else ""
        self._nodes.append(
            Node(
                kind,
                tuple(str(t._id) for t in inputs),
                tuple(str(t._id) for t in outputs),
                lambda: frames,
                tells=tells,
                taped=self._tapes > 0,
                body=(lambda: self.graphs.body(function)) if function else None,
            )
        )

    def _converted(self, args: Any, result: Any) -> None:
        if self._tapes > 0:
            self._left.append((str(args[0]._id), user_frames(skip=6, limit=_FRAMES)))

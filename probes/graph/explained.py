"""What can the fixed part of a model make of its data, whatever the weights are?

Behind the last weights many models have a part that nobody trains: the physics of an instrument, a projection, a
warp. It is given results of the network, and inputs of its own: offsets, shifts, positions. With the network's results
free, it is fitted to the recorded data by gradient descent. If the data are explained far better with these inputs
negated or with their components exchanged, they have another sign or order than the part expects.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .compiled import function_of
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation
from .fixed_part import FixedPart, fixed_part
from .ir import ancestors
from .load import load_sample
from .measure import Array, picture_axes
from .other_inputs import Change, disagreement, divisor, orders, other_data, other_moves, turns_alone
from .step import Step, frames_once, prepare
from .two_chains import two_chains

_FEW, _STEPS = 8, 40
"""Steps of a first look, and of a fit. Which inputs explain the data best shows early."""
_SEARCH = 0.6
"""The share of the time after which nothing else is tried: what was found is fitted to the end in the rest."""
_LOOK = 0.5
"""The share of that time after which places that disagree are named without a fit, which may tell the wrong one."""
_RATE = 0.2
_START = 0.1
"""The spread of the free results at the start. At zeros, an even part such as an intensity has no slope."""
_CLOSELY = 3
"""So many changes that looked promising are fitted to the end."""
_PROMISING, _BETTER = 0.95, 0.8
"""The residual with other inputs, as a share of that with the recorded ones, from which they are looked at closely, and
from which the recorded ones follow another convention: in each row."""
_FAR_BETTER, _ALIKE = 0.5, 2.0
"""The same as _BETTER for the data, and for orders that were chosen row by row; and by what factor two fits may differ
that explain the data alike.
"""
_POOR, _OUT_OF_REACH = 0.1, 0.5
"""The residual of the best fit from which other data are tried: on another scale, with their centre elsewhere; and from
which the data are no results of this part. 1 is that of a prediction of zeros.
"""


def explained(request: Any) -> dict[str, Any]:
    """{"result": "asked", "none" (no such part) or "not-checked", "why", "relation" (what explains the data better, or
    out-of-reach), "input", "residual" with what was recorded, "other" with what explains them better, "start", "factor"
    (how many times larger the data are), "rows", and the frames of ops: "meeting", "used" by, "transforms"}.
    """
    began = time.monotonic()
    until = began + _SEARCH * request.seconds
    try:
        program = load_sample(Path(request.capsule))
        if program is None:
            return {"result": "none", "why": None}
        step = prepare(program)
        found = fixed_part(step)
        if found is None:
            return {"result": "none", "why": None}
        return _Fit(step, found, until, began).answer()
    except GraphRoomError as error:
        return {"result": "not-checked", "why": str(error)}


@dataclasses.dataclass(frozen=True)
class _Fitted:
    """The residual before, and after of each row, relative to the data; what the prediction must be multiplied by."""

    start: float
    rows: Array
    factor: float

    @property
    def residual(self) -> float:
        """The mean of all rows."""
        return float(self.rows.mean())


class _Fit:
    """Fits the results of the network, not its weights."""

    def __init__(self, step: Step, part: FixedPart, until: float, began: float = 0.0) -> None:
        self._step, self._part, self._until, self._began = step, part, until, began
        self._places: dict[str, Any] | None = None
        needed = ancestors(step.pure.graph, [part.target, part.prediction])
        whole = step.pure.graph
        nodes = {n: v for n, v in whole.nodes.items() if n in needed}
        self._whole = graph = whole.replace(nodes=nodes, inputs=tuple(i for i in whole.inputs if i.name in needed))
        with frames_once() as frames:
            activation = Activation(frames, graph, {n: v for n, v in step.arguments.items() if n[:-2] in needed})
            activation.compute([part.target, *part.free])
            self._target = np.asarray(activation.values[part.target])
            shapes = {t: np.asarray(activation.values[t]).shape for t in part.free}
        self._arguments = {n: np.asarray(v) for n, v in step.arguments.items()}
        self._uses = part.uses(graph, self._frames)
        self._graph, names = part.cut(graph, shapes, self._uses)
        self._shapes = {names[t]: shapes[t] for t in part.free}
        if self._target.ndim < 2 or not np.isfinite(self._target).all() or not np.abs(self._target).sum():
            raise Unsupported("the data that the predictions meet are no finite numbers")
        self._slope = self._made()

    def answer(self) -> dict[str, Any]:
        """What `explained` returns."""
        self._places = self._disagreement()
        if self._places is not None and time.monotonic() - self._began > _LOOK * (self._until - self._began):
            return self._places  # no time for a fit
        given = self._fitted({}, _FEW)
        if given.residual > _POOR:
            given = self._fitted({}, _STEPS)
            told = self._other_data(given) if given.residual > _POOR else {}
            if "change" in told or given.residual > _OUT_OF_REACH:
                by = divisor(self._whole, self._part, self._uses, self._arguments, self._shapes_of)
                told = {**told, "divisor": self._frames(by)} if by is not None else told
                return {**self._common(given), "relation": "out-of-reach", **told}
            given = self._fitted({}, _FEW)
        tried: list[tuple[float, Change]] = []
        for change in self._others():
            if time.monotonic() > self._until:
                if not tried:
                    return self._places or {"result": "not-checked", "why": "the time was over"}
                break  # what was found is still worth a fit
            residual = self._residual(change, _FEW)
            if residual < _PROMISING * given.residual:
                tried.append((residual, change))
        tried.sort(key=lambda t: t[0])
        closely = _CLOSELY if time.monotonic() < self._until else 1
        best = [change for _, change in tried[:closely]]
        given = self._fitted({}, _STEPS)
        return self._closely(given, best or list(self._ordered(given)))

    def _closely(self, given: _Fitted, changes: Sequence[Change]) -> dict[str, Any]:
        """What is said of the changes that looked promising."""
        fits = [(c, self._fitted(c.inputs, _STEPS, c.target)) for c in changes]
        if not fits:
            return self._places or {**self._common(given), "relation": None}
        least = min(fit.residual for _, fit in fits)
        near = [(c, fit) for c, fit in fits if fit.residual <= _ALIKE * least]
        change, other = min(near, key=lambda found: (found[0].rank, found[1].residual))
        common = {**self._common(given), "other": other.residual}
        touched = self._touched(change)
        better = _FAR_BETTER if change.target is not None or not touched.all() else _BETTER
        if not ((other.rows < _BETTER * given.rows)[touched].all() and other.residual < better * given.residual):
            return self._places or {**common, "relation": None}
        if change.target is not None:
            return {**common, "relation": "data", "change": change.relation, **self._transforms()}
        uses = change.uses
        rest = [u.frames for u in self._uses if u.tensor == uses[0].tensor and u not in uses]
        where = {"input": uses[0].tensor, "used": [u.frames for u in uses], "rest": rest}
        return {**common, "relation": change.relation, **where}

    def _disagreement(self) -> dict[str, Any] | None:
        """The answer for places that use the moves in two ways, where the data do not tell which one is right."""
        found = disagreement(self._whole, self._part, self._uses, self._arguments, self._shapes_of)
        if found is None:
            return None
        relation, use, before, after = found
        rest = [u.frames for u in self._uses if u.tensor == use.tensor and u != use]
        return {
            "result": "asked", "why": None, "rows": len(self._target), "meeting": self._frames(self._part.meeting),
            "relation": relation, "input": use.tensor, "used": [use.frames], "rest": rest, "trip": [before, after],
        }  # fmt: skip

    def _touched(self, change: Change) -> Array:
        """The rows of which a change gives the moves in another way."""
        pairs = [(self._arguments[u.tensor], change.inputs[u.name]) for u in change.uses]
        rows = [(a != b).any(axis=tuple(range(1, a.ndim))) for a, b in pairs]
        count = len(self._target)
        return np.any([r for r in rows if len(r) == count], axis=0) if rows else np.ones(count, bool)

    def _ordered(self, given: _Fitted) -> Iterator[Change]:
        """The moves with the items of each row in the order that explains its data best, where one does."""
        for uses, values in orders(self._uses, self._arguments):
            best, moves = given.rows, self._arguments[uses[0].tensor].copy()
            for value in values:
                if time.monotonic() > self._until:
                    return
                rows = self._fitted({u.name: value for u in uses}, _STEPS).rows
                better = (rows < _FAR_BETTER * given.rows) & (rows < best)
                moves[better], best = value[better], np.where(better, rows, best)
            if best.mean() < _FAR_BETTER * given.residual:
                yield Change("reordered", 0, uses, {u.name: moves for u in uses})

    def _common(self, given: _Fitted) -> dict[str, Any]:
        return {
            "result": "asked", "why": None, "start": given.start, "residual": given.residual, "factor": given.factor,
            "rows": len(given.rows), "meeting": self._frames(self._part.meeting),
        }  # fmt: skip

    def _transforms(self) -> dict[str, Any]:
        ffts = self._part.transforms(self._step.pure.graph)
        return {"transforms": [f for f in map(self._frames, ffts) if f][:4]}

    def _other_data(self, given: _Fitted) -> dict[str, Any]:
        """What must be done to data that are explained poorly, and where the part transforms."""
        told = self._transforms()
        # Turned about their middle or by a diagonal, data are as with other moves, which are tried first.
        data = {c.relation: c.target for c in other_data(self._target) if c.target is not None}
        data = {"shifted": data["shifted"]} if data else {}
        size = math.sqrt(math.prod(self._target.shape[a] for a in picture_axes(self._target.shape)))
        ways = two_chains(self._whole, self._part, self._known(), self._frames)
        if ways is not None:
            data["unlike"] = ways.data
            told["used"] = [self._frames(n) for n in ways.of_prediction or ways.of_data]
        scales = [size**power for power in (1, -1, 2, -2)] if told["transforms"] else []
        for change, target in (*data.items(), *((f"{s:.6g}", self._target * s) for s in [*scales, 1 / given.factor])):
            if time.monotonic() > self._until:
                break
            if self._fitted({}, _STEPS, target.astype(self._target.dtype)).residual < min(given.residual / 4, _POOR):
                return {**told, "change": change}
        return told

    def _others(self) -> Iterator[Change]:
        alone = turns_alone(self._whole, self._part, self._uses, self._arguments, self._shapes_of)
        yield from other_moves(self._uses, self._arguments, alone)
        yield from other_data(self._target)

    def _residual(self, change: Change, steps: int) -> float:
        """What is left with a change; infinite where the part refuses it, as an index out of its range."""
        import tensorflow as tf

        try:
            return self._fitted(change.inputs, steps, change.target).residual
        except tf.errors.InvalidArgumentError:
            return math.inf

    def _shapes_of(self, tensors: list[str]) -> dict[str, tuple[int, ...]]:
        with frames_once() as frames:
            activation = Activation(frames, self._whole, self._known())
            activation.compute(tensors)
            return {t: np.asarray(activation.values[t]).shape for t in tensors}

    def _known(self) -> dict[str, Array]:
        return {n: np.asarray(v) for n, v in self._step.arguments.items() if n[:-2] in self._whole.nodes}

    def _fitted(self, changed: Mapping[str, Array], steps: int, target: Array | None = None) -> _Fitted:
        import tensorflow as tf

        target = tf.constant(self._target if target is None else target)
        given = {u.name: tf.constant(self._arguments[u.tensor]) for u in self._uses}
        given.update((n, tf.constant(v)) for n, v in changed.items())
        free = [_START * tf.random.stateless_normal(shape, (0, n)) for n, shape in enumerate(self._shapes.values())]
        first, second = [tf.zeros_like(f) for f in free], [tf.zeros_like(f) for f in free]
        start, _, _ = self._slope(free, given, target)
        for number in range(1, steps + 1):
            rows, factor, slopes = self._slope(free, given, target)
            first = [0.8 * m + 0.2 * g for m, g in zip(first, slopes, strict=True)]
            second = [0.95 * v + 0.05 * g * g for v, g in zip(second, slopes, strict=True)]
            sizes = [tf.sqrt(v / (1 - 0.95**number)) + 1e-12 for v in second]
            rate = _RATE / (1 - 0.8**number)
            free = [f - rate * m / size for f, m, size in zip(free, first, sizes, strict=True)]
        return _Fitted(float(start.numpy().mean()), rows.numpy(), float(factor))

    def _made(self) -> Any:
        """A function of (free tensors, inputs of the part, data): residuals, factor, slopes."""
        import tensorflow as tf

        step, names = function_of(self._graph, jit=False)
        axes = list(range(1, self._target.ndim))
        fixed = {n: self._arguments[f"{n}:0"] for n in names if f"{n}:0" in self._arguments}

        @tf.function(autograph=False)  # type: ignore[untyped-decorator]
        def slope(free: list[Any], given: dict[str, Any], target: Any) -> Any:
            known = {**dict(zip(self._shapes, free, strict=True)), **given}
            with tf.GradientTape() as tape:
                tape.watch(free)
                found = step(*[known[f"{n}:0"] if f"{n}:0" in known else tf.constant(fixed[n]) for n in names])[0]
                energy = tf.reduce_sum(tf.abs(target) ** 2, axes)
                rows = tf.reduce_sum(tf.abs(found - target) ** 2, axes) / (energy + 1e-30)
                total = tf.reduce_sum(rows)
            factor = tf.sqrt(tf.reduce_sum(energy) / (tf.reduce_sum(tf.abs(found) ** 2) + 1e-30))
            return rows, factor, tape.gradient(total, free, unconnected_gradients="zero")

        return slope

    def _frames(self, node: str) -> list[list[Any]]:
        graph = self._step.pure.graph
        origin = graph.origins.get(node)
        return self._step.program.frames(origin.function, origin.node) if origin is not None else []

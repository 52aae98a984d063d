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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .compiled import function_of
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation
from .fixed_part import FixedPart, Use, fixed_part
from .ir import ancestors
from .load import load_sample
from .measure import Array
from .step import Step, frames_once, prepare

_FEW, _STEPS = 8, 40
"""Steps of a first look, and of a fit. Which inputs explain the data best shows early."""
_RATE = 0.2
_START = 0.1
"""The spread of the free results at the start. At zeros, an even part such as an intensity has no slope."""
_USES = 4
"""With more places, an input is not turned at each of them alone."""
_PROMISING, _BETTER = 0.95, 0.8
"""The residual with other inputs, as a share of that with the recorded ones, from which they are looked at closely, and
from which the recorded ones follow another convention: in each row."""
_POOR, _OUT_OF_REACH = 0.1, 0.5
"""The residual of the best fit from which other data are tried: on another scale, with their centre elsewhere; and from
which the data are no results of this part. 1 is that of a prediction of zeros.
"""


def explained(request: Any) -> dict[str, Any]:
    """{"result": "asked", "none" (no such part) or "not-checked", "why", "relation" (what explains the data better, or
    out-of-reach), "input", "residual" with what was recorded, "other" with what explains them better, "start", "factor"
    (how many times larger the data are), "rows", and the frames of ops: "meeting", "used" by, "transforms"}.
    """
    until = time.monotonic() + request.seconds
    try:
        program = load_sample(Path(request.capsule))
        if program is None:
            return {"result": "none", "why": None}
        step = prepare(program)
        found = fixed_part(step)
        if found is None:
            return {"result": "none", "why": None}
        return _Fit(step, found, until).answer()
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

    def __init__(self, step: Step, part: FixedPart, until: float) -> None:
        self._step, self._part, self._until = step, part, until
        needed = ancestors(step.pure.graph, [part.target, part.prediction])
        whole = step.pure.graph
        nodes = {n: v for n, v in whole.nodes.items() if n in needed}
        graph = whole.replace(nodes=nodes, inputs=tuple(i for i in whole.inputs if i.name in needed))
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
        given = self._fitted({}, _FEW)
        if given.residual > _POOR:
            given = self._fitted({}, _STEPS)
            told = self._other_data(given) if given.residual > _POOR else {}
            if "change" in told or given.residual > _OUT_OF_REACH:
                return {**self._common(given), "relation": "out-of-reach", **told}
            given = self._fitted({}, _FEW)
        tried: list[tuple[float, str, list[Use], dict[str, Array]]] = []
        for relation, uses, changed in self._others():
            if time.monotonic() > self._until:
                return {"result": "not-checked", "why": "the time was over"}
            residual = self._fitted(changed, _FEW).residual
            if residual < _PROMISING * given.residual:
                tried.append((residual, relation, uses, changed))
        if not tried:
            return {**self._common(given), "relation": None}
        _, relation, uses, changed = min(tried, key=lambda t: t[0])
        given, other = self._fitted({}, _STEPS), self._fitted(changed, _STEPS)
        common = {**self._common(given), "other": other.residual}
        if not (other.rows < _BETTER * given.rows).all():
            return {**common, "relation": None}
        rest = [u.frames for u in self._uses if u.tensor == uses[0].tensor and u not in uses]
        return {**common, "relation": relation, "input": uses[0].tensor, "used": [u.frames for u in uses], "rest": rest}

    def _common(self, given: _Fitted) -> dict[str, Any]:
        return {
            "result": "asked", "why": None, "start": given.start, "residual": given.residual, "factor": given.factor,
            "rows": len(given.rows), "meeting": self._frames(self._part.meeting),
        }  # fmt: skip

    def _other_data(self, given: _Fitted) -> dict[str, Any]:
        """What must be done to data that are explained poorly, and where the part transforms."""
        ffts = self._part.transforms(self._step.pure.graph)
        told: dict[str, Any] = {"transforms": [f for f in map(self._frames, ffts) if f][:4]}
        axes = sorted(range(1, self._target.ndim), key=lambda a: self._target.shape[a])[-2:]
        sizes = [self._target.shape[a] for a in axes]
        data = {"shifted": np.roll(self._target, [n // 2 for n in sizes], axes)}
        scales = [math.sqrt(math.prod(sizes)) ** power for power in (1, -1, 2, -2)] if ffts else []
        for change, target in (*data.items(), *((f"{s:.6g}", self._target * s) for s in [*scales, 1 / given.factor])):
            if time.monotonic() > self._until:
                break
            if self._fitted({}, _STEPS, target.astype(self._target.dtype)).residual < min(given.residual / 4, _POOR):
                return {**told, "change": change}
        return told

    def _others(self) -> Iterator[tuple[str, list[Use], dict[str, Array]]]:
        """(what is done, at which uses, their values) to inputs that look like moves, with two components: at one use
        alone, and at all of them.
        """
        for tensor in self._part.own:
            value = self._arguments[tensor]
            axis = next((a for a in reversed(range(1, value.ndim)) if value.shape[a] == 2), None)
            if axis is None or value.dtype.kind != "f":
                continue
            uses = [u for u in self._uses if u.tensor == tensor]
            turned = np.flip(value, axis)
            sign = np.ones(value.shape, value.dtype)
            np.moveaxis(sign, axis, 0)[1] = -1
            changes = [("negated", -value), ("swapped", turned), ("swapped-negated", -turned)]
            for one in uses if 1 < len(uses) <= _USES else ():
                yield from ((relation, [one], {one.name: changed}) for relation, changed in changes[:2])
            changes += [("second-negated", sign * value), ("first-negated", -sign * value)]
            changes += [("reordered", v) for v in _reordered(value, axis)]
            yield from ((relation, uses, {u.name: changed for u in uses}) for relation, changed in changes)

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


def _reordered(value: Array, pair: int) -> Iterator[Array]:
    """The items of each row in other orders that a program may have meant: backwards, a square by its columns."""
    axis = next((a for a in range(1, value.ndim) if a != pair and 2 < value.shape[a] <= 25), None)
    if axis is None:
        return
    count = value.shape[axis]
    side = round(count**0.5)
    if side * side == count:
        yield value.take(np.arange(count).reshape(side, side).T.ravel(), axis)
    yield np.flip(value, axis)

"""Do the places at which a fixed part takes its moves agree with each other?

A part that places patches on a canvas and cuts them out again makes of patches what fits together. Done to its own
result it changes nothing, whatever the sign of the moves is, as long as both places have the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .compiled import array_of, function_of
from .fixed_part import FixedPart, Use
from .ir import Graph, ancestors, descendants, split
from .leaves import SHAPE_ONLY, behind
from .measure import Array, picture_axes

"""What does not depend on the values of its operands."""
_SAME = 0.1
"""How much a second time may change, of what the first made: between pixels, a picture is interpolated."""
_DIVISIONS = frozenset({"Div", "DivNoNan", "RealDiv"})
_SMOOTH = 0.12
"""The highest frequency of a made-up picture, of that of its pixels."""
_TRIES = 8


@dataclasses.dataclass(frozen=True)
class RoundTrip:
    """From `start` to `end`, two tensors of one shape with all uses of the moves in between."""

    graph: Graph
    start: str
    end: str
    shape: tuple[int, ...]

    def changed(self, run: Callable[[Array, Mapping[str, Array]], Array], given: Mapping[str, Array]) -> float:
        """How much a second time changes what the first made, with these moves: 0 is nothing, 1 is all of it. Infinite
        where the part refuses them, as an index out of its range.
        """
        import tensorflow as tf

        try:
            first = run(self._picture(), given)
            second = run(first, given)
        except tf.errors.InvalidArgumentError:
            return float("inf")
        return float(np.linalg.norm(second - first) / (np.linalg.norm(first) + 1e-30))

    def runner(self, uses: Sequence[Use], part: FixedPart, arguments: Mapping[str, Array]) -> Any:
        """A function of (patches, {use: moves}): the patches after one time."""
        only = dataclasses.replace(part, prediction=self.end, free=(self.start,))
        graph, names = only.cut(self.graph, {self.start: self.shape}, uses)
        step, wanted = function_of(graph, jit=False)
        import tensorflow as tf

        def run(patches: Array, given: Mapping[str, Array]) -> Array:
            own = {u.name: given.get(u.name, arguments[u.tensor]) for u in uses}
            known = {**arguments, **own, names[self.start]: patches}
            return array_of(step(*[tf.constant(known[f"{n}:0"]) for n in wanted])[0])

        return run

    def divisor(self, run: Callable[[Array, Mapping[str, Array]], Array], given: Mapping[str, Array]) -> str | None:
        """What the patches are divided by, if a mean over those that overlap is meant and is none: patches of ones do
        not stay so.
        """
        inside = ancestors(self.graph, [self.end]) & descendants(self.graph, [split(self.start)[0]], controls=False)
        divided = [self.graph.nodes[n].inputs[1] for n in self.graph.nodes if n in inside and self._divides(n)]
        behind = _valued(self.graph, [self.start])
        found = [t for t in divided if split(t)[0] not in behind and self.graph.nodes[split(t)[0]].op != "Const"]
        if not found or agrees(self.changed(run, given)):
            return None
        ones = run(np.ones_like(self._picture()), given)
        return split(found[0])[0] if float(np.median(np.abs(ones - 1))) > _SAME else None

    def is_linear(self, run: Callable[[Array, Mapping[str, Array]], Array], given: Mapping[str, Array]) -> bool:
        """Whether patches of twice the size come back with twice the size."""
        once, twice = run(self._picture(), given), run(2 * self._picture(), given)
        return bool(np.allclose(2 * once, twice, rtol=1e-3, atol=1e-4 * float(np.abs(once).max())))

    def mixes(self, run: Callable[[Array, Mapping[str, Array]], Array], given: Mapping[str, Array]) -> bool:
        """Whether patches come back with parts of others: they are put together in between."""
        patches = self._picture()
        once = run(patches, given)
        pictures = {axis % patches.ndim for axis in picture_axes(self.shape)}
        for axis in (a for a in range(patches.ndim) if a not in pictures and patches.shape[a] > 1):
            other = patches.copy()
            np.moveaxis(other, axis, 0)[0] *= 2
            apart = np.abs(np.moveaxis(run(other, given) - once, axis, 0)[1:])
            if float(apart.max()) > _SAME * float(np.abs(once).max()):
                return True
        return False

    def _divides(self, name: str) -> bool:
        return self.graph.nodes[name].op in _DIVISIONS

    def _picture(self) -> Array:
        """Patches of smooth noise, complex where they are."""
        import tensorflow as tf

        dtype = tf.dtypes.as_dtype(self.graph.dtype(self.start)).as_numpy_dtype
        draw = np.random.default_rng(0)
        noise = draw.normal(size=self.shape) + 1j * draw.normal(size=self.shape)
        for axis in picture_axes(self.shape):
            k = np.fft.fftfreq(self.shape[axis]) / _SMOOTH
            soft = np.expand_dims(np.exp(-(k**2)), [a for a in range(len(self.shape)) if a != axis])
            noise = np.fft.ifft(np.fft.fft(noise, axis=axis) * soft, axis=axis)
        return np.asarray(noise if np.dtype(dtype).kind == "c" else noise.real).astype(dtype)


def round_trip(
    graph: Graph,
    part: FixedPart,
    uses: Sequence[Use],
    shapes_of: Callable[[list[str]], dict[str, tuple[int, ...]]],
    wanted: Callable[[RoundTrip], bool] = lambda _: True,
) -> RoundTrip | None:
    """That of the patches that a part begins with, the first that is wanted; None where the moves come between no two
    tensors of one shape.
    """
    moved = descendants(graph, [split(u.tensor)[0] for u in uses], controls=False) & ancestors(graph, [part.prediction])
    behind = _valued(graph, part.free)
    entries = [t for n in graph.nodes if n in moved for t in graph.nodes[n].inputs if split(t)[0] in behind - moved]
    if not entries:
        return None
    users = {user for use in uses for user in use.users}
    starts = [t for t in _tensors(graph, behind - moved) if _all_through(graph, entries, t, part.free)]
    ends = [
        t
        for t in _tensors(graph, moved & behind)
        if users <= ancestors(graph, [t]) and _all_through(graph, [part.prediction], t, part.free)
    ]
    shapes = shapes_of([*starts[:_TRIES], *ends[:_TRIES]])
    for start in starts[:_TRIES]:  # the first: what is laid on a border may come back without it
        for end in ends[:_TRIES]:
            if len(shapes[end]) > 2 and shapes[start] == shapes[end] and graph.dtype(start) == graph.dtype(end):
                found = RoundTrip(graph, start, end, shapes[end])
                if wanted(found):
                    return found
    return None


def agrees(changed: float) -> bool:
    """Whether a second time changed nothing."""
    return changed < _SAME


def _valued(graph: Graph, free: Iterable[str]) -> set[str]:
    """The nodes whose values depend on those of the free tensors."""
    return behind(graph, (split(t)[0] for t in free))


def _tensors(graph: Graph, names: set[str]) -> Iterator[str]:
    return (f"{name}:0" for name in graph.nodes if name in names)


def _all_through(graph: Graph, tensors: Iterable[str], one: str, free: Iterable[str]) -> bool:
    """Whether the values of tensors depend on the free ones through one tensor alone."""
    ends = {split(t)[0] for t in free}
    todo, seen = [t for t in tensors if t != one], set()
    while todo:
        name = split(todo.pop())[0]
        if name in ends:
            return False
        if name not in seen and graph.nodes[name].op not in SHAPE_ONLY:
            seen.add(name)
            todo += [t for t in graph.nodes[name].inputs if t != one]
    return True

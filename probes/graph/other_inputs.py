"""What a fixed part, or its data, may be given instead: moves of another sign or order, patterns that are turned."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from .fixed_part import FixedPart, Use
from .ir import Graph
from .measure import Array, picture_axes
from .round_trip import RoundTrip, agrees, round_trip

_USES = 4
"""With more places, an input is not turned at each of them alone."""
_ORDERED = 4
"""The items of a row of which other orders are tried, one for each row."""
_ORDERS = 6
"""So many orders, those first in which few items have another place: all of three, two exchanged of four."""


@dataclasses.dataclass(frozen=True)
class Change:
    """What is done (`relation`) to inputs at some uses, or to the data. Where two changes explain the data as well, the
    one with the lower `rank` is likelier.
    """

    relation: str
    rank: int
    uses: Sequence[Use] = ()
    inputs: Mapping[str, Array] = dataclasses.field(default_factory=dict)
    target: Array | None = None


def moves_axis(value: Array) -> int | None:
    """The axis of the two components of what looks like moves."""
    if value.dtype.kind not in "fi":
        return None
    return next((a for a in reversed(range(1, value.ndim)) if value.shape[a] == 2), None)


def other_moves(
    uses: Sequence[Use], arguments: Mapping[str, Array], alone: Sequence[tuple[str, str]] | None
) -> Iterator[Change]:
    """Inputs that look like moves, turned at one use, and at all of them. `alone`: the turns (relation, use) of one use
    that are worth a trial, or None for all. With some, the uses do not agree, nor would they if all were turned.
    """
    for tensor in dict.fromkeys(u.tensor for u in uses):
        value = arguments[tensor]
        axis = moves_axis(value)
        if axis is None:
            continue
        own = [u for u in uses if u.tensor == tensor]
        for one in own if 1 < len(own) <= _USES else ():
            for relation, changed in _turned(value, axis)[:2]:
                if alone is None or (relation, one.name) in alone:
                    yield Change(relation, 0 if alone else 1, [one], {one.name: changed})
        sign = np.ones(value.shape, value.dtype)
        np.moveaxis(sign, axis, 0)[1] = -1
        changes = [*_turned(value, axis), ("second-negated", sign * value), ("first-negated", -sign * value)]
        changes += [("reordered", v) for v in _reordered(value, axis)]
        rank = int(bool(alone))
        yield from (Change(relation, rank, own, {u.name: changed for u in own}) for relation, changed in changes)


def other_data(target: Array) -> Iterator[Change]:
    """Pictures that are turned: about their middle, by their diagonal, rolled by half."""
    rows, columns = axes = picture_axes(target.shape)
    sizes = [target.shape[a] for a in axes]
    if min(sizes) < 4:
        return
    # About the pixel that a Fourier transform has in the middle.
    yield Change("flipped", 2, target=np.roll(np.flip(target, axes), [(n + 1) % 2 for n in sizes], axes))
    yield Change("shifted", 2, target=np.roll(target, [n // 2 for n in sizes], axes))
    if sizes[0] == sizes[1]:
        yield Change("transposed", 2, target=np.swapaxes(target, rows, columns))


def orders(uses: Sequence[Use], arguments: Mapping[str, Array]) -> Iterator[tuple[Sequence[Use], list[Array]]]:
    """(uses, their moves with the items of each row in each other order), for moves with few items."""
    for tensor in dict.fromkeys(u.tensor for u in uses):
        value = arguments[tensor]
        pair = moves_axis(value)
        axis = next((a for a in range(1, value.ndim) if a != pair and 2 < value.shape[a] <= _ORDERED), None)
        if pair is not None and axis is not None:
            natural = tuple(range(value.shape[axis]))
            others = sorted(
                itertools.permutations(natural), key=lambda o: sum(a != b for a, b in zip(o, natural, strict=True))
            )
            moved = [value.take(order, axis) for order in others[1 : _ORDERS + 1]]
            yield [u for u in uses if u.tensor == tensor], moved


def turns_alone(
    graph: Graph,
    part: FixedPart,
    uses: Sequence[Use],
    arguments: Mapping[str, Array],
    shapes_of: Callable[[list[str]], dict[str, tuple[int, ...]]],
) -> list[tuple[str, str]] | None:
    """The turns of one use ((relation, its name)) after which the uses of the moves agree: none where they already do;
    None where that cannot be known.
    """
    own = [u for u in uses if moves_axis(arguments[u.tensor]) is not None]
    if not 1 < len(own) <= _USES:
        return None
    trip = round_trip(graph, part, own, shapes_of)
    if trip is None:
        return None
    run = trip.runner(uses, part, arguments)
    # Whole numbers: between pixels a picture is interpolated, and what is near its edge does not come back.
    given = {u.name: np.rint(arguments[u.tensor]).astype(arguments[u.tensor].dtype) for u in own}
    now = trip.changed(run, given)
    found = []
    for use in own:
        value = given[use.name]
        for relation, changed in _turned(value, moves_axis(value) or 0)[:2]:
            if agrees(trip.changed(run, {**given, use.name: changed})):
                found.append((relation, use.name))
    if agrees(now):
        return None if found else []
    return found or None


def disagreement(
    graph: Graph,
    part: FixedPart,
    uses: Sequence[Use],
    arguments: Mapping[str, Array],
    shapes_of: Callable[[list[str]], dict[str, tuple[int, ...]]],
) -> tuple[str, Use, float, float] | None:
    """(relation, the last use of the moves after whose turn all agree, how much a second pass changes as it is, and
    with the turn) of a part that puts patches together; None where the uses agree, or no turn helps.
    """
    alone = turns_alone(graph, part, uses, arguments, shapes_of)
    own = [u for u in uses if moves_axis(arguments[u.tensor]) is not None]
    trip = round_trip(graph, part, own, shapes_of) if alone else None
    if trip is None or not alone:
        return None
    run = trip.runner(uses, part, arguments)
    given = {u.name: np.rint(arguments[u.tensor]).astype(arguments[u.tensor].dtype) for u in own}
    relation, name = alone[-1]
    use = next(u for u in own if u.name == name)
    turned = dict(_turned(given[name], moves_axis(given[name]) or 0))[relation]
    if not trip.mixes(run, given):
        return None
    return relation, use, trip.changed(run, given), trip.changed(run, {**given, name: turned})


def divisor(
    graph: Graph,
    part: FixedPart,
    uses: Sequence[Use],
    arguments: Mapping[str, Array],
    shapes_of: Callable[[list[str]], dict[str, tuple[int, ...]]],
) -> str | None:
    """The op that makes what overlapping patches are divided by, if that is not what a mean of them needs."""
    own = [u for u in uses if moves_axis(arguments[u.tensor]) is not None]
    given = {u.name: np.rint(arguments[u.tensor]).astype(arguments[u.tensor].dtype) for u in own}

    def linear(trip: RoundTrip) -> bool:
        return trip.is_linear(trip.runner(uses, part, arguments), given)

    trip = round_trip(graph, part, own, shapes_of, linear) if len(own) > 1 else None
    return None if trip is None else trip.divisor(trip.runner(uses, part, arguments), given)


def _turned(value: Array, axis: int) -> list[tuple[str, Array]]:
    swapped = np.flip(value, axis)
    return [("negated", -value), ("swapped", swapped), ("swapped-negated", -swapped)]


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

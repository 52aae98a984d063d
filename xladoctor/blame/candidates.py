"""From a broken constraint to the lines that may be wrong, each with a reason and a weight.

The weights say which reason a line is given, and how little doubt it leaves; `ranking` orders the lines. What they
rest on: a number in the source is more often wrong than data that were read; a size that others agree on is right; a
convention that is broken is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.blame import axes, conventions
from xladoctor.blame.algebra import FOLDS, JOINED
from xladoctor.blame.axis_orders import turned
from xladoctor.blame.call_arguments import HINT, of_argument
from xladoctor.blame.parts import SETS
from xladoctor.blame.suspicion import (
    WEIGHT,
    Candidate,
    Facts,
    at_failure,
    at_origin,
    chain,
    edit_of,
    history,
    ranked,
)
from xladoctor.blame.values import Array, Clash, Dim, Layer, Origin

_MAJORITY = 1.0
_SHARED = 2.0
_SAMPLES = 3.0
_FOLDED = 2.5
_BARE = 0.6
_BATCH = 2.5
"""Rows of a batch are as many as there are: what does not fit them is likelier wrong."""


def of_clash(clash: Clash, known: Facts) -> list[Candidate]:
    """The lines to suspect, the likeliest first; each line once."""
    by_relation = of_argument(clash) if clash.hint == HINT else _by_relation(clash, known)
    found = [*by_relation, *_by_makers(clash, known)]
    return ranked(found)


def _by_makers(clash: Clash, known: Facts) -> Iterator[Candidate]:
    lines = [{(o.file, o.line) for o, _ in chain(d.origin, 2)} for d in clash.sides]
    agree = [known.agree(d.size, set().union(*lines)) for d in clash.sides]
    firsts = [(d.origin.file, d.origin.line) for d in clash.sides if d.origin is not None]
    shared = len(firsts) > 1 and firsts[0] == firsts[1]
    # Where axes are turned, both sizes are right.
    sizes = clash.relation not in ("rank", "elements") and not turned(
        [v.sizes for v in clash.values if isinstance(v, Array)]
    )
    for i, side in enumerate(clash.sides):
        other = clash.sides[1 - i] if i < 2 and len(clash.sides) > 1 else None
        outnumbered = other is not None and agree[1 - i] > agree[i] and sizes
        spared = clash.hint == "labels" and i == 0 and _is_of_inputs(clash)
        summed = side.origin is not None and side.origin.text == JOINED
        for origin, depth in chain(side.origin, 3):
            weight = (
                (-1.5 if summed and depth else 0.0)
                + _weight(origin, depth, side, known)
                - (_SHARED if spared or (shared and not depth) else 0)
            )
            reason = f"It makes the size {side.size}." if side.size is not None else "It makes one of the two."
            strong = votes = False
            if clash.relation == "rank":
                weight -= 2.0 * depth
                reason = "It makes one of the values that do not fit."
            if outnumbered and other is not None and not (summed and depth):
                weight += _MAJORITY
                # A line that makes both sizes is no side of it.
                reason = f"{reason} Elsewhere the program has {other.size}."
                strong = votes = not (shared and not depth)
            if side.batch and other is not None and not other.batch:
                weight -= _BATCH
            if _is_samples(side, known, origin) and not _is_step(clash, i):
                weight += _SAMPLES
                reason = f"{side.size} is the number of samples of the data, but a number of features is expected here."
                strong, votes = True, False
            if origin.text.startswith(FOLDS):
                weight, reason, strong = weight + _FOLDED, f"T{origin.text[1:]}.", True
                votes = False
            elif depth == 0 and other is not None and _is_bare(origin) and _is_named(other.origin):
                weight += _BARE
            yield Candidate(origin.file, origin.line, weight, reason, i, edit_of(origin), strong, votes)
        if shared and other is not None:
            yield from _exclusive(side, other, i)
        yield from _by_value(clash, i, outnumbered)


_FILLED = ("zeros", "ones", "eye", "full", "fill", "empty")
"""What makes a mask, a state or a position: a size of the program, and not of data."""


def _weight(origin: Origin, depth: int, side: Dim, known: Facts) -> float:
    """The weight of a line by what it does; of a named number and of an argument by how many lines use it."""
    if depth and origin.kind in ("constant", "argument"):
        # One that is used once is the size itself; one that others share is seldom wrong.
        made = _weight(side.origin, 0, side, known) if side.origin else 1.0
        made += _FOLDED if side.origin is not None and side.origin.text.startswith(FOLDS) else 0.0
        return made + (0.1 * depth if len(known.uses.get(origin, ())) < 2 else -1.5)
    if origin.kind == "array" and origin.text.rpartition(".")[2] in _FILLED:
        return 4.0 - 0.7 * depth
    read = 1.0 if origin.text.endswith(" that was read") else 0.0
    if not depth and any(p.kind == "constant" and len(known.uses.get(p, ())) > 1 for p in origin.parents[:1]):
        read += 1.0  # its size is a constant that other lines share
    return WEIGHT.get(origin.kind, 1.0) - 0.7 * depth - read


def _exclusive(side: Dim, other: Dim, i: int) -> Iterator[Candidate]:
    """Where one line made both sizes: the lines before it that only one of them came through."""
    common = {(o.file, o.line) for o, _ in chain(other.origin, 12)}
    for origin, depth in chain(side.origin, 12):
        if (origin.file, origin.line) not in common:
            weight = WEIGHT.get(origin.kind, 1.0) - 0.15 * depth
            yield Candidate(
                origin.file, origin.line, weight, f"The size {side.size} comes from it.", i, edit_of(origin)
            )


def _is_of_inputs(clash: Clash) -> bool:
    """Whether the inputs of the model have the size of the labels, too: then it is the model that loses it."""
    outputs = clash.values[1]
    if not isinstance(outputs, Array) or len(outputs.dims or ()) < 3:
        return False
    first = list(history(outputs))[-1]
    axis = clash.axes[0]
    sizes = first.sizes
    return axis is not None and 0 < axis < len(sizes) and sizes[axis] == clash.sides[0].size


def _is_named(origin: Origin | None) -> bool:
    """Whether a size is a constant with a name of its own."""
    return origin is not None and any(p.kind in ("constant", "argument") for p in origin.parents)


def _is_bare(origin: Origin) -> bool:
    """Whether a size is a number in the call itself."""
    return origin.kind in ("layer", "array", "variable", "reshape", "input", "placeholder") and not _is_named(origin)


def _by_value(clash: Clash, i: int, outnumbered: bool) -> Iterator[Candidate]:
    value = clash.values[i] if i < len(clash.values) else None
    origin = value.origin if value is not None else None
    if origin is None or (clash.relation == "columns" and isinstance(value, Layer)):
        return  # a layer takes what it is given first
    for here, depth in chain(origin, 2):
        weight = WEIGHT.get(here.kind, 1.0) - 1.8 - 0.7 * depth + (_MAJORITY if outnumbered else 0)
        yield Candidate(here.file, here.line, weight, "It makes one of the values that do not fit.", i, edit_of(here))


def _is_samples(side: Dim, known: Facts, origin: Origin) -> bool:
    declared = origin.kind in ("layer", "input", "placeholder", "variable")
    return declared and side.size in known.samples and (side.size or 0) > 16


def _is_step(clash: Clash, i: int) -> bool:
    """Whether a side is of an axis before the last where elements meet: steps or pixels, and no features."""
    value, axis = (pair[i] if i < len(pair) else None for pair in (clash.values, clash.axes))
    rank = len(value.dims or ()) if isinstance(value, Array) else 0
    return clash.relation == "broadcast" and isinstance(axis, int) and axis not in (-1, rank - 1)


def _others_agree(clash: Clash, known: Facts) -> bool:
    """Whether more of the program has the size of the second value than that of the first."""
    lines = set().union(*({(o.file, o.line) for o, _ in chain(d.origin, 2)} for d in clash.sides))
    return known.agree(clash.sides[1].size, lines) > known.agree(clash.sides[0].size, lines)


def _by_relation(clash: Clash, known: Facts) -> Iterator[Candidate]:
    if clash.hint == "rows":
        yield from axes.of_rows(clash)
    for i, value in enumerate(clash.values[:2]):
        if isinstance(value, Array) and len(value.dims or ()) > 1 and clash.relation == "rank":
            yield from axes.batched_twice(value, i)
    if clash.relation == "broadcast":
        yield from axes.reduced(clash)
    if clash.relation == "inner":
        yield from axes.untransposed(clash)
    if clash.hint == "metric":
        yield from at_failure(clash, 5.0, "A metric needs other labels than the loss.", "other")
        asked = clash.values[2].origin if len(clash.values) > 2 else None
        yield from at_origin(
            asked, 8.0, "This metric needs one column for each class, but the labels are numbers.", None, "other"
        )
    act = {
        "labels": conventions.of_labels,
        "sparse": conventions.of_sparse,
        "input": axes.of_input,
        "feed": axes.of_input,
        "axis": axes.of_axis,
    }.get(clash.hint)
    rounds = list(axes.rounded(clash)) if clash.relation in ("broadcast", "equal", "inner") else []
    if act is not None and not (rounds and clash.hint == "axis"):
        yield from act(clash, known)
    if clash.hint == "order":
        if clash.values[2].origin is not None and clash.values[2].origin.line == clash.stack[-1][1]:
            yield from at_failure(clash, 7.3, "The inputs are those that are wanted, in another order.", "other")
        for i, weight in ((2, 7.1), (3, 7.2)):
            given = clash.values[i].origin if len(clash.values) > i else None
            yield from at_origin(
                given, weight, "The inputs are those that are wanted, in another order.", None, "other"
            )
    if clash.relation == "rank" and clash.hint in ("", "input"):
        yield from axes.axis_lost(clash)
    yield from axes.odd_layer(clash)
    if clash.relation == "rank" and len(clash.values) > 1 and isinstance(clash.values[1], Layer):
        yield from axes.rank_of_layer(clash)
    if clash.relation == "elements" and clash.hint != "window":
        yield from axes.of_elements(clash)
    if clash.what == SETS:
        reason = f"It sets a size of {clash.sides[1].size}, and what it is given has {clash.sides[0].size}."
        yield from at_origin(clash.sides[1].origin, 7.0, reason, 1, "input-shape")
    if len(clash.sides) > 1 and clash.relation != "rank":
        yield from axes.split_up(clash)
    yield from rounds
    if clash.relation in ("broadcast", "equal", "inner", "rows"):
        yield from axes.asked_of_fewer(clash)
    if clash.relation in ("broadcast", "equal", "rows") and clash.hint != "labels":
        yield from axes.one_cut(clash)
    if (
        clash.relation == "inner"
        and getattr(clash.values[1], "kind", "") == "variable"
        and not _others_agree(clash, known)
    ):
        reason = f"It is multiplied with a value of {clash.sides[0].size} columns."
        for one in at_origin(clash.sides[1].origin, 5.6, reason, 1, "constant"):
            yield replace(one, strong=not _is_named(clash.sides[1].origin))

"""From a broken constraint to the lines that may be wrong, each with a reason and a weight.

The weights only order lines; they are never shown. What they rest on: a number in the source is more often wrong than
data that were read; a size that others agree on is right; a convention that is broken is a mistake.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xladoctor.blame.algebra import FOLDS, JOINED
from xladoctor.blame.shaping import COUNTED
from xladoctor.blame.values import Array, Clash, Dim, Instance, Layer, Origin, Value, number, text
from xladoctor.model.blame import Edit

_WEIGHT = {
    "layer": 5.0, "reshape": 5.0, "variable": 4.8, "input": 4.5, "placeholder": 4.5, "constant": 4.0, "slice": 3.6,
    "operation": 3.4, "stage": 3.0, "batch-size": 3.0, "loss": 3.0, "config": 4.0, "column": 2.6, "array": 2.4,
    "split": 2.0, "generator": 2.0, "call": 1.6, "read": 1.2, "assignment": 1.4, "argument": 1.4, "attribute": 1.4,
}  # fmt: skip
_MAJORITY = 2.0
_SHARED = 2.0
_SAMPLES = 3.0
_CONVENTION = 3.0
_FOLDED = 2.5
_LONGEST = 400
_BARE = 0.6


@dataclass(frozen=True)
class Candidate:
    """A line with the reason to suspect it."""

    file: str
    line: int
    weight: float
    reason: str
    operand: int | None = None
    edit: Edit = "other"
    strong: bool = False
    """Whether the reason tells this side from the other."""


@dataclass(frozen=True)
class Facts:
    """What the whole program says of sizes: how many lines agree on each, and how many samples there are."""

    votes: dict[int, set[tuple[str, int]]]
    samples: frozenset[int]
    uses: dict[Origin, set[tuple[str, int]]]
    """The lines that use a constant for a size."""

    def agree(self, size: int | None, without: set[tuple[str, int]]) -> int:
        """How many other lines have this size."""
        return len(self.votes.get(size, set()) - without) if size is not None else 0


def facts(arrays: list[Array], reads: dict[Origin, set[tuple[str, int]]]) -> Facts:
    """What the arrays of a program say."""
    votes: dict[int, set[tuple[str, int]]] = {}
    uses = {origin: set(lines) for origin, lines in reads.items()}
    samples: Counter[int] = Counter()
    for found in arrays:
        for i, axis in enumerate(found.dims or ()):
            if axis.size is None or axis.origin is None:
                continue
            if found.kind != "frame":
                votes.setdefault(axis.size, set()).add((axis.origin.file, axis.origin.line))
            for parent in axis.origin.parents:
                if parent.kind in ("constant", "argument"):
                    uses.setdefault(parent, set()).add((axis.origin.file, axis.origin.line))
            if i == 0 and found.kind in ("array", "frame") and len(found.dims or ()) > 1:
                samples[axis.size] += 1
    return Facts(votes, frozenset(samples), uses)


def of_clash(clash: Clash, known: Facts) -> list[Candidate]:
    """The lines to suspect, the likeliest first; each line once."""
    found = [*_by_relation(clash, known), *_by_makers(clash, known)]
    return ranked(found)


def ranked(found: list[Candidate]) -> list[Candidate]:
    """Each line once, the likeliest first."""
    best: dict[tuple[str, int], Candidate] = {}
    for candidate in found:
        key = (candidate.file, candidate.line)
        if key not in best or best[key].weight < candidate.weight:
            best[key] = candidate
    return sorted(best.values(), key=lambda c: -c.weight)


# -- each side by what made its size -----------------------------------------------------------------------------------


def chain(origin: Origin | None, far: int = 6) -> Iterator[tuple[Origin, int]]:
    """An origin and what it was made from, with the distance; each line once."""
    todo = deque([(origin, 0)] if origin is not None else [])
    seen: set[tuple[str, int]] = set()
    known = {origin}
    while todo:
        here, depth = todo.popleft()
        if (here.file, here.line) not in seen:
            seen.add((here.file, here.line))
            yield here, depth
        new = [p for p in here.parents if p not in known] if depth < far and len(known) < _LONGEST else []
        known.update(new)
        todo += [(parent, depth + 1) for parent in new]


def _by_makers(clash: Clash, known: Facts) -> Iterator[Candidate]:
    lines = [{(o.file, o.line) for o, _ in chain(d.origin, 2)} for d in clash.sides]
    agree = [known.agree(d.size, set().union(*lines)) for d in clash.sides]
    firsts = [(d.origin.file, d.origin.line) for d in clash.sides if d.origin is not None]
    shared = len(firsts) > 1 and firsts[0] == firsts[1]
    for i, side in enumerate(clash.sides):
        other = clash.sides[1 - i] if i < 2 and len(clash.sides) > 1 else None
        outnumbered = other is not None and agree[1 - i] > agree[i] and clash.relation not in ("rank", "elements")
        spared = clash.hint == "labels" and i == 0 and _is_of_inputs(clash)
        summed = side.origin is not None and side.origin.text == JOINED
        for origin, depth in chain(side.origin, 3):
            weight = (
                (-1.5 if summed and depth else 0.0)
                + _weight(origin, depth, side, known)
                - (_SHARED if spared or (shared and not depth) else 0)
            )
            reason = f"It makes the size {side.size}." if side.size is not None else "It makes one of the two."
            strong = False
            if clash.relation == "rank":
                weight -= 2.0 * depth
                reason = "It makes one of the values that do not fit."
            if outnumbered and other is not None and not (summed and depth):
                weight += _MAJORITY
                reason, strong = f"{reason} Elsewhere the program has {other.size}.", True
            if _is_samples(side, known, origin):
                weight += _SAMPLES
                reason = f"{side.size} is the number of samples of the data, and a number of features is wanted here."
                strong = True
            if origin.text.startswith(FOLDS):
                weight, reason, strong = weight + _FOLDED, f"T{origin.text[1:]}.", True
            elif depth == 0 and other is not None and _is_bare(origin) and _is_named(other.origin):
                weight += _BARE
            yield Candidate(origin.file, origin.line, weight, reason, i, edit_of(origin), strong)
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
        return made + (0.1 * depth if len(known.uses.get(origin, ())) < 2 else -1.5)
    if origin.kind == "array" and origin.text.rpartition(".")[2] in _FILLED:
        return 4.0 - 0.7 * depth
    read = 1.0 if origin.text.endswith(" that was read") else 0.0
    if not depth and any(p.kind == "constant" and len(known.uses.get(p, ())) > 1 for p in origin.parents[:1]):
        read += 1.0  # its size is a constant that other lines share
    return _WEIGHT.get(origin.kind, 1.0) - 0.7 * depth - read


def _exclusive(side: Dim, other: Dim, i: int) -> Iterator[Candidate]:
    """Where one line made both sizes: the lines before it that only one of them came through."""
    common = {(o.file, o.line) for o, _ in chain(other.origin, 12)}
    for origin, depth in chain(side.origin, 12):
        if (origin.file, origin.line) not in common:
            weight = _WEIGHT.get(origin.kind, 1.0) - 0.15 * depth
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
    if origin is None:
        return
    for here, depth in chain(origin, 2):
        weight = _WEIGHT.get(here.kind, 1.0) - 1.8 - 0.7 * depth + (_MAJORITY if outnumbered else 0)
        yield Candidate(here.file, here.line, weight, "It makes one of the values that do not fit.", i, edit_of(here))


def _is_samples(side: Dim, known: Facts, origin: Origin) -> bool:
    declared = origin.kind in ("layer", "input", "placeholder", "variable")
    return declared and side.size in known.samples and (side.size or 0) > 16


def edit_of(origin: Origin) -> Edit:
    """What kind of edit of a line would change its size."""
    by_kind: dict[str, Edit] = {
        "layer": "units", "input": "input-shape", "placeholder": "input-shape", "reshape": "reshape", "slice": "slice",
        "batch-size": "batch-size", "variable": "constant", "constant": "constant", "array": "constant",
    }  # fmt: skip
    return by_kind.get(origin.kind, "other")


# -- by what was asked -------------------------------------------------------------------------------------------------


def _by_relation(clash: Clash, known: Facts) -> Iterator[Candidate]:
    if clash.hint == "rows":
        yield from _rows(clash)
    for i, value in enumerate(clash.values[:2]):
        if isinstance(value, Array) and len(value.dims or ()) > 1 and clash.relation == "rank":
            yield from _batched_twice(value, i)
    if clash.relation == "broadcast":
        yield from _reduced(clash)
    if clash.relation == "inner":
        yield from _untransposed(clash)
    if clash.hint == "metric":
        yield from _here(clash, 5.0, "A metric wants other labels than the loss.", "other")
        asked = clash.values[2].origin if len(clash.values) > 2 else None
        yield from _at(
            asked, 8.0, "This metric wants one column for each class, and the labels are numbers.", None, "other"
        )
    act = {"labels": _labels, "sparse": _sparse, "input": _input, "feed": _input, "axis": _axis}.get(clash.hint)
    if act is not None:
        yield from act(clash, known)
    if clash.hint == "order":
        if clash.values[2].origin is not None and clash.values[2].origin.line == clash.stack[-1][1]:
            yield from _here(clash, 7.3, "The inputs are those that are wanted, in another order.", "other")
        for i, weight in ((2, 7.1), (3, 7.2)):
            given = clash.values[i].origin if len(clash.values) > i else None
            yield from _at(given, weight, "The inputs are those that are wanted, in another order.", None, "other")
    if clash.relation == "rank" and clash.hint in ("", "input"):
        yield from _axis_lost(clash)
    yield from _odd_layer(clash)
    if clash.relation == "rank" and len(clash.values) > 1 and isinstance(clash.values[1], Layer):
        yield from _rank_of_layer(clash)
    if clash.relation == "elements":
        yield from _elements(clash)
    if clash.relation in ("broadcast", "equal"):
        yield from _rounded(clash)
    if clash.hint == "labels" and clash.axes[0] != len(getattr(clash.values[1], "sizes", ())) - 1:
        yield from _summed(clash)
    if clash.relation == "inner" and getattr(clash.values[1], "kind", "") == "variable":
        reason = f"It is multiplied with a value of {clash.sides[0].size} columns."
        yield from _at(clash.sides[1].origin, 5.6, reason, 1, "constant")


def _at(origin: Origin | None, weight: float, reason: str, i: int | None, edit: Edit) -> Iterator[Candidate]:
    if origin is not None:
        yield Candidate(origin.file, origin.line, weight, reason, i, edit, True)


def _here(clash: Clash, weight: float, reason: str, edit: Edit, strong: bool = True) -> Iterator[Candidate]:
    if clash.stack:
        file, line = clash.stack[-1]
        yield Candidate(file, line, weight, reason, None, edit, strong)


def _labels(clash: Clash, known: Facts) -> Iterator[Candidate]:
    labels, outputs = clash.values[0], clash.values[1]
    if not isinstance(labels, Array) or not isinstance(outputs, Array) or not labels.dims or not outputs.dims:
        return
    if clash.relation == "rank":
        more = len(outputs.dims) - len(labels.dims)
        if _count(list(labels.sizes)[1:]) == _count(list(outputs.sizes)[1:]) and len(labels.dims) > 2:
            reason = "The labels have as many elements a row as the outputs, in other axes: they want a reshape."
            yield from _at(labels.aliases[0] if labels.aliases else labels.origin, 7.0, reason, 0, "reshape")
            yield from _at(labels.origin, 6.0, reason, 0, "reshape")
            return
        if more == 1 and len(labels.dims) == 1 and (labels.integer or labels.classes or "categorical" in clash.what):
            reason = "The labels are class numbers, and this loss compares them with one column for each class."
            yield from _compiled(clash, 5.0 + _CONVENTION, reason, "sparse-loss")
            yield from _at(labels.origin, 4.0 + _CONVENTION, "The labels are not one-hot.", 0, "one-hot")
        elif more == -1 and _missing(list(outputs.sizes)[1:], list(labels.sizes)[1:]):
            yield from _at(labels.origin, 8.0, "The labels have an axis of 1 more than the outputs.", 0, "squeeze")
        elif more < 0:
            yield from _last_step_alone(outputs)
        elif len(outputs.dims) > 2:
            yield from _too_many_axes(outputs)
        elif more == 1 and len(labels.dims) == 1:
            reason = f"The labels are one number a row, and this layer gives {outputs.dims[-1].size}."
            yield from _at(outputs.dims[-1].origin, 5.0 + 1.5, reason, 1, "units")
    elif any(d.origin is not None and d.origin.kind == "slice" for d in clash.sides):
        yield from _unsliced(clash)
    elif len(outputs.dims) == 2 and _one_based(labels, outputs):
        reason = f"It makes a column for each number up to the largest: {labels.dims[-1].size}, so classes start at 1."
        yield from _at(labels.dims[-1].origin, 7.0, reason, 0, "one-hot")
    elif len(outputs.dims) == 2 and labels.dims[-1].size is not None:
        size = labels.dims[-1].size
        reason = f"The last layer has to give the {size} columns of the labels."
        yield from _at(outputs.dims[-1].origin, 5.5, reason, 1, "units")
        if size == 1:
            yield from _compiled(
                clash, 4.6, "The labels have one column: class numbers want a sparse loss.", "sparse-loss"
            )


def _untransposed(clash: Clash) -> Iterator[Candidate]:
    """A product that would fit if one side were transposed: neither side is wrong, the product is."""
    one, other = clash.values[0], clash.values[1]
    if not isinstance(one, Array) or not isinstance(other, Array) or len(other.sizes) < 2 or not one.sizes:
        return
    declared = {"variable", "layer", "placeholder", "input"}
    made = {d.origin.kind for d in clash.sides if d.origin is not None}
    if one.sizes[-1] == other.sizes[-1] and one.sizes[-1] is not None and not made & declared:
        reason = "With the second one transposed, the product fits."
        yield from _here(clash, 6.0, reason, "transpose")


def of_embeddings(made: list[Value], sizes: Sequence[int]) -> Iterator[Candidate]:
    """An Embedding with as many rows as the index that is out of its range, or the bound that the message names."""
    for layer in made:
        rows = (
            number(layer.settings.get("input_dim")) if isinstance(layer, Layer) and layer.cls == "Embedding" else None
        )
        if rows is not None and rows in sizes and layer.origin is not None:
            reason = f"It has {rows} rows, and an index is {rows} or more."
            yield from _at(layer.origin, 7.0, reason, None, "units")
            named = next((p for p in layer.origin.parents if p.kind in ("constant", "argument")), None)
            yield from _at(named, 6.5, reason, None, "constant")


def _batched_twice(value: Array, i: int) -> Iterator[Candidate]:
    first, second = (value.dims or ())[:2]
    if first.batch and second.batch and first.origin is not None and second.origin is not None:
        yield from _at(first.origin, 8.0, "It makes batches of what is batched already.", i, "other")
        yield from _at(second.origin, 7.9, "It makes batches, and they are batched once more later.", i, "other")


def _reduced(clash: Clash) -> Iterator[Candidate]:
    """A mean or sum along the wrong axis: it took the size that the other has, and left one that it has not."""
    for i in (0, 1):
        value, other = clash.values[i], clash.sides[1 - i]
        if not isinstance(value, Array) or not value.inputs or value.origin is None:
            continue
        gone = set(value.inputs[0].sizes) - set(value.sizes)
        if value.origin.text.startswith(_LOSES) and other.size in gone:
            reason = (
                f"It takes away the axis of {other.size}, and leaves {clash.sides[i].size}: perhaps the wrong axis."
            )
            yield from _at(value.origin, 7.0, reason, i, "axis")
            for origin, depth in chain(value.origin, 3):
                if origin.kind in ("constant", "argument") and depth:
                    yield from _at(origin, 7.0 + 0.05 * depth, reason, i, "axis")


def _rows(clash: Clash) -> Iterator[Candidate]:
    """Inputs and labels of different numbers of rows: what put other rows on axis 0 of one of them."""
    for i in (0, 1):
        value, side, other = clash.values[i], clash.sides[i], clash.sides[1 - i]
        if not isinstance(value, Array) or not value.dims or side.size is None or other.size is None:
            continue
        reshaped = side.origin is not None and side.origin.kind == "reshape"
        if len(value.dims) > 1 and value.dims[1].size == other.size and not reshaped:
            reason = f"Its axis 1 has the {other.size} rows of the other, and axis 0 has {side.size}."
            yield from _at(value.origin, 7.5, reason, i, "transpose")
            yield from _at(
                side.origin, 7.6 if side.origin and side.origin.text in _NEW else 6.0, reason, i, "transpose"
            )
        elif reshaped and side.origin is not None:
            reason = f"The reshape leaves {side.size} rows, and the other has {other.size}."
            for origin, depth in chain(value.dims[1].origin if len(value.dims) > 1 else side.origin, 3):
                yield from _at(origin, 7.0 + 0.05 * depth, reason, i, "reshape")
            yield from _at(side.origin, 6.9, reason, i, "reshape")
        joined = next((d.origin for d in value.dims[1:] if d.origin is not None and d.origin.text == JOINED), None)
        if joined is not None and other.size % side.size == 0:
            reason = f"It joins along another axis than the rows: {side.size} are left, and the other has {other.size}."
            yield from _at(joined, 7.5, reason, i, "concat-axis")
        if 0 < abs(side.size - other.size) <= 4 and side.origin is not None and side.origin.kind == "slice":
            reason = f"It leaves {side.size} rows, and the other has {other.size}."
            yield from _at(side.origin, 6.5, reason, i, "slice")


_NEW = ("a new axis", "the stack", "a slice")


def _unsliced(clash: Clash) -> Iterator[Candidate]:
    """One of two values of one source is cut shorter, and the other is not."""
    values = [v for v in clash.values[:2] if isinstance(v, Array)]
    sizes = [d.size or 0 for d in clash.sides]
    if len(values) < 2 or not 0 < abs(sizes[0] - sizes[1]) <= 4:
        return
    cut = 0 if sizes[0] < sizes[1] else 1
    whole, short = clash.sides[1 - cut].origin, clash.sides[cut].origin
    if whole is None or short is None or short.kind != "slice":
        return
    reason = f"The other side is cut to {sizes[cut]}, and this one is not."
    aliases = values[1 - cut].aliases
    yield from _at(aliases[0] if aliases else whole, 7.0, reason, 1 - cut, "slice")
    yield from _at(short, 6.0, f"It cuts one side to {sizes[cut]}.", cut, "slice")


def _summed(clash: Clash) -> Iterator[Candidate]:
    """A size of the outputs that a concatenation summed: along an axis that should have stayed."""
    side = clash.sides[1]
    for origin, _ in chain(side.origin, 4):
        if origin.text == JOINED:
            reason = f"The joined sizes add up to {side.size} here: perhaps along the wrong axis."
            yield from _at(origin, 6.4, reason, 1, "concat-axis")
            for parent, depth in chain(origin.parents[0] if origin.parents else None, 2):
                if parent.kind in ("constant", "argument"):
                    yield from _at(parent, 6.5 + 0.05 * depth, reason, 1, "concat-axis")


def _one_based(labels: Array, outputs: Array) -> bool:
    """Whether a one-hot coding without a number of classes made one column more than the outputs have."""
    last, wanted = (labels.dims or ())[-1], (outputs.dims or ())[-1]
    counted = last.origin is not None and last.origin.text == COUNTED
    return counted and last.size is not None and wanted.size is not None and last.size == wanted.size + 1


def _last_step_alone(outputs: Array) -> Iterator[Candidate]:
    """The recurrent or pooling layer that takes away the axis that the labels have."""
    for value in history(outputs):
        layer = value.made_by
        if isinstance(layer, Layer) and layer.cls in ("LSTM", "GRU", "SimpleRNN"):
            reason = "It gives its last step alone, and the labels have a row for each step."
            yield from _at(layer.origin, 9.0, reason, 1, "return-sequences")
            return
        if isinstance(layer, Layer) and (layer.cls == "Flatten" or layer.cls.startswith("Global")):
            yield from _at(layer.origin, 7.5, "It takes away axes that the labels have.", 1, "other")
            return


def _too_many_axes(outputs: Array) -> Iterator[Candidate]:
    """The layer after which there should have been fewer axes."""
    if len(outputs.dims or ()) == 3:
        layers = [v.made_by for v in history(outputs) if isinstance(v.made_by, Layer)]
        steps = next((layer for layer in layers if layer.cls in ("LSTM", "GRU", "SimpleRNN")), None)
        if steps is not None and not any(layer.cls in ("Flatten", "TimeDistributed") for layer in layers):
            reason = "With return_sequences=True it gives a row for each step, and the labels have one for each sample."
            yield from _at(steps.origin, 9.0, reason, 1, "return-sequences")
            return
    for value in history(outputs):
        layer = value.made_by
        if not isinstance(layer, Layer):
            continue
        if layer.cls == "Dense" and value.inputs and len(value.inputs[0].dims or ()) > 2:
            reason = "A Dense layer on more than two axes keeps them: Flatten or pooling belongs before it."
            first = _first_dense(outputs)
            yield from _at((first or layer).origin, 8.0, reason, 1, "flatten")
            before = value.inputs[0].made_by
            if isinstance(before, Layer):
                yield from _at(before.origin, 6.5, "Its result has more than two axes.", 1, "flatten")
            return


def _first_dense(outputs: Array) -> Layer | None:
    """The first Dense of the row that meets more than two axes."""
    found = None
    for value in history(outputs):
        layer = value.made_by
        if isinstance(layer, Layer) and layer.cls == "Dense" and value.inputs and len(value.inputs[0].dims or ()) > 2:
            found = layer
    return found


def history(value: Array, far: int = 200) -> Iterator[Array]:
    """An array and what it was made from along its first input, last first."""
    here: Array | None = value
    while here is not None and far:
        yield here
        here, far = (here.inputs[0] if here.inputs else None), far - 1


def shaper(value: Array) -> Array:
    """What gave an array its shape: without the layers after it that keep every size."""
    for here in history(value):
        if not here.inputs or here.inputs[0].sizes != here.sizes or not isinstance(here.made_by, Layer):
            return here
        if here.made_by.cls in ("Dense", "LSTM", "GRU", "SimpleRNN", "Reshape"):
            return here
    return value


def _compiled(clash: Clash, weight: float, reason: str, edit: Edit) -> Iterator[Candidate]:
    for value in clash.values:
        compiled = getattr(value, "compiled_at", None)
        if isinstance(compiled, Origin):
            yield from _at(compiled, weight, reason, None, edit)
            return


def _sparse(clash: Clash, known: Facts) -> Iterator[Candidate]:
    labels, outputs = clash.values[0], clash.values[1]
    if not isinstance(labels, Array) or not isinstance(outputs, Array) or labels.dims is None or outputs.dims is None:
        return
    if clash.relation == "classes":
        high = labels.classes.size if labels.classes else None
        reason = f"The labels go up to {(high or 1) - 1}, and this layer gives {outputs.dims[-1].size} classes."
        yield from _at(outputs.dims[-1].origin, 7.0, reason, 1, "units")
        return
    if len(labels.dims) == len(outputs.dims) and labels.dims[-1:] and labels.dims[-1].size == outputs.dims[-1].size:
        reason = "The labels are one-hot, and a sparse loss wants class numbers."
        yield from _compiled(clash, 8.0, reason, "sparse-loss")
        yield from _here(clash, 5.5, reason, "sparse-loss")
        yield from _at(labels.origin, 6.0, reason, 0, "one-hot")
    elif len(outputs.dims) > 2:
        yield from _too_many_axes(outputs)


def _input(clash: Clash, known: Facts) -> Iterator[Candidate]:
    have, want = clash.values[0], clash.values[1]
    if not isinstance(have, Array) or not isinstance(want, Array) or have.dims is None or want.dims is None:
        return
    got, asked = [d.size for d in have.dims], [d.size for d in want.dims]
    if clash.relation == "rank" and have.unbatched is not None and len(got) == len(asked) - 1:
        reason = "No stage of the pipeline makes batches: each element is one sample."
        yield from _at(have.unbatched, 8.0, reason, 0, "other")
    if clash.relation == "rank":
        if _missing(got[1:], asked[1:]) or _missing(got, asked[1:]) or _missing(got, asked):
            reason = f"The data have {len(got)} axes, and {len(asked)} are wanted: an axis is missing."
            yield from _at(have.origin, 5.5, reason, 0, "expand")
        elif _count(got[1:]) is not None and _count(got[1:]) == _count(asked[1:]):
            reason = "The data have the elements that are wanted, in other axes: they want a reshape."
            yield from _at(have.origin, 5.5, reason, 0, "reshape")
        elif len(got) - 1 == len(asked) and got[1:] == asked[1:]:
            yield from _at(want.origin, 6.0, "The data have one axis more than is declared.", 1, "input-shape")
        return
    if len(got) == len(asked) and sorted(str(s) for s in got[1:]) == sorted(str(s) for s in asked[1:]):
        reason = "The axes are those that are wanted, in another order."
        yield from _at(have.origin, 7.0, reason, 0, "transpose")
        moved = next((v for v in history(have) if v.origin is not None and v.origin.text in _MOVES), None)
        yield from _at(moved.origin if moved is not None else None, 7.5, reason, 0, "transpose")
    elif have.rows is not None and len(got) == 2 and have.rows.size == asked[-1]:
        reason = f"The data have {asked[-1]} rows, and as many columns are wanted: rows and columns are swapped."
        yield from _at(have.origin, 7.5, reason, 0, "transpose")


_MOVES = ("a transpose", "the stack", "the concatenation", "a reshape")


def _odd_layer(clash: Clash) -> Iterator[Candidate]:
    """A layer on the way that is set otherwise than its like: channels first among channels last, other padding."""
    on_way = [v.made_by for x in clash.values[:2] if isinstance(x, Array) for v in _all_before(x)]
    layers = list(dict.fromkeys(layer for layer in on_way if isinstance(layer, Layer)))
    for setting, edit in (("data_format", "channels"), ("padding", "other")):
        kinds = [layer for layer in layers if "Conv" in layer.cls or "Pool" in layer.cls]
        by_value: dict[str | None, list[Layer]] = {}
        for layer in kinds:
            if setting != "padding" or "Conv" in layer.cls:
                by_value.setdefault(text(layer.settings.get(setting)), []).append(layer)
        if len(by_value) == 2:
            few, many = sorted(by_value.values(), key=len)
            if len(few) == 1 and (len(many) > 1 or setting == "data_format"):
                odd = few[0] if setting != "data_format" or _is_first(few[0]) else many[0]
                reason = f"Its {setting} is another than that of the layers like it."
                weight = 8.0 if setting == "data_format" else 6.2
                yield from _at(odd.origin, weight, reason, None, "channels" if edit == "channels" else "other")


def _is_first(layer: Layer) -> bool:
    return text(layer.settings.get("data_format")) == "channels_first"


def _all_before(value: Array, most: int = 400) -> Iterator[Array]:
    """An array and all that it was made from."""
    todo, seen = [value], {id(value)}
    while todo and most:
        here, most = todo.pop(), most - 1
        yield here
        new = [v for v in here.inputs if id(v) not in seen]
        seen |= {id(v) for v in new}
        todo += new


def _missing(got: list[int | None], asked: list[int | None]) -> bool:
    """Whether one axis fewer is there, of size 1."""
    return any(size == 1 and [*asked[:i], *asked[i + 1 :]] == got for i, size in enumerate(asked))


def _count(sizes: list[int | None]) -> int | None:
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total


def _axis(clash: Clash, known: Facts) -> Iterator[Candidate]:
    one, other = clash.values[0], clash.values[1]
    if not isinstance(one, Array) or not isinstance(other, Array) or one.dims is None or other.dims is None:
        return
    differ = [i for i, (a, b) in enumerate(zip(one.dims, other.dims, strict=False)) if a.size != b.size]
    if len(differ) == 1:
        reason = f"The two differ in axis {differ[0]} alone: joined along that one, they would fit."
        yield from _here(clash, 6.6, reason, "concat-axis")
        asked = clash.values[2].origin if len(clash.values) > 2 else None
        for origin, depth in chain(asked, 2):
            yield from _at(origin, 6.7 + 0.05 * depth, reason, None, "concat-axis")


_LOSES = ("reduce_", "mean", "sum", "max", "min", "arg", "squeeze", "a squeeze", "a slice")


def _axis_lost(clash: Clash) -> Iterator[Candidate]:
    """The operation that took an axis away, of the value that has fewer."""
    sizes = [d.size or 0 for d in clash.sides]
    i = sizes.index(min(sizes))
    value = clash.values[i] if i < len(clash.values) else None
    for here in history(value, 12) if isinstance(value, Array) else ():
        origin = here.origin
        lost = here.inputs and len(here.inputs[0].dims or ()) > len(here.dims or ())
        if origin is not None and origin.text.startswith(_LOSES) and lost:
            reason = f"It takes an axis away: {len(here.dims or ())} are left, and {max(sizes)} are wanted."
            yield from _at(origin, 6.5, reason, i, "expand")
            return


def _rank_of_layer(clash: Clash) -> Iterator[Candidate]:
    found, layer = clash.values[0], clash.values[1]
    if not isinstance(found, Array) or not isinstance(layer, Layer):
        return
    have, want = clash.sides[0].size or 0, clash.sides[1].size or 0
    before = shaper(found).made_by
    root = list(history(found))[-1]
    if have == want + 1 and root.origin is not None and root.origin.kind == "input" and len(root.dims or ()) == have:
        reason = f"It declares {have - 1} axes without the batch, and {layer.cls} wants {want - 1}."
        yield from _at(root.origin, 7.0, reason, 0, "input-shape")
    if isinstance(before, Layer):
        if before.cls in ("LSTM", "GRU", "SimpleRNN") and have == 2 and want == 3:
            reason = "It gives its last step alone, and the next layer wants all: return_sequences=True is missing."
            yield from _at(before.origin, 9.0, reason, 0, "return-sequences")
        elif before.cls == "Flatten" or before.cls.startswith("Global"):
            yield from _at(before.origin, 7.0, "It takes away the axes that the next layer needs.", 0, "other")
        reason = f"{layer.cls} wants {want} axes and gets {have}."
        yield from _at(layer.origin, 5.6, reason, 1, "other")
        return
    if have == 1 and want == 2:
        reason = f"It is one sample without a batch axis, and {layer.cls} wants a batch."
        yield from _at(found.origin, 7.0, reason, 0, "expand")
        return
    reason = f"It declares {have} axes, and {layer.cls} wants {want}."
    yield from _at(found.origin, 7.0, reason, 0, "input-shape")


def _rounded(clash: Clash) -> Iterator[Candidate]:
    """An input size that pooling rounds, so that scaling up again gives another."""
    origins = [o for side in clash.sides for o, _ in chain(side.origin, 12)]
    said = next((o.text for o in origins if " rounds " in o.text), "")
    first = next((o for o in origins if o.kind == "input"), None)
    if said and clash.hint == "labels" and isinstance(clash.values[1], Array):
        layers = [v.made_by for v in history(clash.values[1]) if isinstance(v.made_by, Layer)]
        last = next((layer for layer in layers if layer.cls.startswith(("UpSampling", "Conv2DTranspose"))), None)
        yield from _at(last.origin if last else None, 7.0, f"{said}: scaled up again it is another size.", 1, "other")
    elif said and first is not None:
        named = next((p for p in first.parents if p.kind == "constant"), None)
        yield from _at(named, 7.6, f"{said}: scaled up again it is another size.", None, "constant")
        yield from _at(first, 7.5, f"{said}: scaled up again it is another size.", None, "input-shape")


def _elements(clash: Clash) -> Iterator[Candidate]:
    yield from _here(
        clash, 5.6, "The numbers of the new shape do not multiply to the elements.", "reshape", strong=False
    )


def of_instance(value: Value) -> Origin | None:
    """The line that made an object of the user's."""
    return value.origin if isinstance(value, Instance) else None

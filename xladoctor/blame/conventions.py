"""Broken conventions of labels, losses and lookups: which side is wrong, and what would mend it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame.algebra import FOLDS
from xladoctor.blame.parts import COUNTS
from xladoctor.blame.shaping import COUNTED
from xladoctor.blame.suspicion import (
    Candidate,
    Facts,
    at_failure,
    at_origin,
    chain,
    history,
    misses_one,
    product_of,
)
from xladoctor.blame.values import Array, Clash, Layer, Origin, Value, number
from xladoctor.model.blame import Edit
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

if TYPE_CHECKING:
    from xladoctor.blame.crash import Crash

_CONVENTION = 3.0
_SQUEEZED = "It removes every axis of size 1, also that of the batch if a batch has one row."


def of_squeezes(lines: Iterable[tuple[str, int]], files: Files) -> Iterator[Candidate]:
    """The lines that squeeze without an axis, where an axis is missing."""
    wanted: dict[str, set[int]] = {}
    for file, line in lines:
        wanted.setdefault(file, set()).add(line)
    for file, numbers in wanted.items():
        source = files.source(file)
        for node in walk(source.tree) if source is not None else ():
            if isinstance(node, ast.Call) and node.lineno in numbers and _is_bare_squeeze(node):
                yield Candidate(file, node.lineno, 6.5, _SQUEEZED, None, "squeeze", strong=True)


_LOOP = re.compile(r"(?:'([\w.]{1,100})' has shape|tensor `?([\w.]{1,100}?)`? enters the loop with shape)")


def of_loops(crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines that give the variable whose shape a loop changes its value: before the loop, and in it."""
    named, at = _LOOP.search(crash.message), crash.at
    name = (named[1] or named[2]).rpartition(".")[2] if named is not None else ""
    if not name or at is None:
        return
    lines = files.assigned(at.file, files.function(at.file, at.line) or "<module>", name)
    before = [line for line in lines if line < at.line]
    for line in before[-1:]:
        yield Candidate(at.file, line, 7.5, f"`{name}` enters the loop with this shape.", None, "other", True)
    for line in [line for line in lines if line > at.line][-1:]:
        yield Candidate(at.file, line, 6.0, f"It gives `{name}` another shape in the loop.", None, "other", True)


_SPECS = re.compile(r"TensorSpec\(shape=\(([^)]{0,80})\).{1,80}? to TensorSpec\(shape=\(([^)]{0,80})\)")


def of_signatures(crash: Crash, lines: Iterable[tuple[str, int]], files: Files) -> Iterator[Candidate]:
    """The signature of a `tf.function` that fixes the rows of a batch which was another one: it wants None there."""
    specs = _SPECS.search(crash.message)
    given, asked = ([part.strip() for part in specs[i].split(",")] for i in (1, 2)) if specs is not None else ([], [])
    if not given or given[1:] != asked[1:] or not asked[0].isdigit():
        return
    wanted = set(lines)
    for file in dict.fromkeys(file for file, _ in wanted):
        source = files.source(file)
        for node in walk(source.tree) if source is not None else ():
            if isinstance(node, ast.Call) and last_name(node.func) == "TensorSpec" and (file, node.lineno) in wanted:
                first = _first(node.args[0] if node.args else None)
                if first is not None and not (isinstance(first, ast.Constant) and first.value is None):
                    reason = f"Its signature assumes {asked[0]} rows, but {given[0]} were passed."
                    yield Candidate(file, node.lineno, 7.5, reason, None, "batch-size", True)


def _first(shape: ast.expr | None) -> ast.expr | None:
    """The first size of a shape as it is written: of `(n,) + rest` as well."""
    if isinstance(shape, ast.BinOp):
        return _first(shape.left)
    return shape.elts[0] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else None


def _is_bare_squeeze(call: ast.Call) -> bool:
    if last_name(call.func) != "squeeze" or call.keywords:
        return False
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    # `tf.squeeze(x)`, `np.squeeze(x)`, `x.squeeze()`
    return len(call.args) == 1 if holder is None or last_name(holder) in _LIBRARIES else not call.args


_LIBRARIES = ("tf", "tensorflow", "np", "numpy", "ops", "K", "backend", "jnp", "keras")


def of_labels(clash: Clash, known: Facts) -> Iterator[Candidate]:
    """Labels that are compared with the outputs, number by number."""
    labels, outputs = clash.values[0], clash.values[1]
    if not isinstance(labels, Array) or not isinstance(outputs, Array) or not labels.dims or not outputs.dims:
        return
    if clash.relation == "rank":
        more = len(outputs.dims) - len(labels.dims)
        if product_of(list(labels.sizes)[1:]) == product_of(list(outputs.sizes)[1:]) and len(labels.dims) > 2:
            reason = "The labels have as many elements in a row as the outputs, but in other axes: they need a reshape."
            yield from at_origin(labels.aliases[0] if labels.aliases else labels.origin, 7.0, reason, 0, "reshape")
            yield from at_origin(labels.origin, 6.0, reason, 0, "reshape")
            return
        if more == 1 and len(labels.dims) == 1 and (labels.integer or labels.classes or "categorical" in clash.what):
            reason = "The labels are class numbers, but this loss compares them with one column for each class."
            yield from _compiled(clash, 5.0 + _CONVENTION, reason, "sparse-loss")
            yield from at_origin(labels.origin, 4.0 + _CONVENTION, "The labels are not one-hot.", 0, "one-hot")
        elif more == -1 and misses_one(list(outputs.sizes)[1:], list(labels.sizes)[1:]):
            yield from at_origin(labels.origin, 8.0, "The labels have an extra axis of size 1.", 0, "squeeze")
        elif more < 0:
            yield from _last_step_alone(outputs)
        elif len(outputs.dims) > 2:
            yield from _too_many_axes(outputs)
        elif more == 1 and len(labels.dims) == 1:
            reason = f"The labels are one number for each row, but this layer gives {outputs.dims[-1].size}."
            yield from at_origin(outputs.dims[-1].origin, 5.0 + 1.5, reason, 1, "units")
    elif any(d.origin is not None and d.origin.kind == "slice" for d in clash.sides):
        yield from unsliced(clash)
    elif len(outputs.dims) == 2 and _one_based(labels, outputs):
        reason = f"It makes a column for each number up to the largest: {labels.dims[-1].size}, so classes start at 1."
        yield from at_origin(labels.dims[-1].origin, 7.0, reason, 0, "one-hot")
    elif len(outputs.dims) == 2 and labels.dims[-1].size is not None:
        size = labels.dims[-1].size
        reason = f"The last layer must give the {size} columns of the labels."
        yield from at_origin(outputs.dims[-1].origin, 5.5, reason, 1, "units")
        if size == 1:
            yield from _compiled(
                clash, 4.6, "The labels have one column: class numbers need a sparse loss.", "sparse-loss"
            )


def _one_based(labels: Array, outputs: Array) -> bool:
    """Whether a one-hot coding without a number of classes made one column more than the outputs have."""
    last, wanted = (labels.dims or ())[-1], (outputs.dims or ())[-1]
    counted = last.origin is not None and last.origin.text == COUNTED
    return counted and last.size is not None and wanted.size is not None and last.size == wanted.size + 1


def _last_step_alone(outputs: Array) -> Iterator[Candidate]:
    """The recurrent or pooling layer that takes away the axis that the labels have."""
    for value in history(outputs):
        layer = value.made_by
        if isinstance(layer, Layer) and layer.cls in ("LSTM", "GRU", "SimpleRNN", "Bidirectional"):
            reason = "It returns only its last step, but the labels have a row for each step."
            yield from at_origin(layer.origin, 9.0, reason, 1, "return-sequences")
            return
        if isinstance(layer, Layer) and (layer.cls == "Flatten" or layer.cls.startswith("Global")):
            yield from at_origin(layer.origin, 7.5, "It removes axes that the labels have.", 1, "other")
            return


def _too_many_axes(outputs: Array) -> Iterator[Candidate]:
    """The layer after which there should have been fewer axes."""
    if len(outputs.dims or ()) == 3:
        layers = [v.made_by for v in history(outputs) if isinstance(v.made_by, Layer)]
        steps = next((layer for layer in layers if layer.cls in ("LSTM", "GRU", "SimpleRNN")), None)
        if steps is not None and not any(layer.cls in ("Flatten", "TimeDistributed") for layer in layers):
            reason = "With return_sequences=True it gives a row for each step, and the labels have one for each sample."
            yield from at_origin(steps.origin, 9.0, reason, 1, "return-sequences")
            return
    for value in history(outputs):
        layer = value.made_by
        if not isinstance(layer, Layer):
            continue
        if layer.cls == "Dense" and value.inputs and len(value.inputs[0].dims or ()) > 2:
            reason = "A Dense layer keeps more than two axes: put Flatten or pooling before it."
            first = _first_dense(outputs)
            yield from at_origin((first or layer).origin, 8.0, reason, 1, "flatten")
            before = value.inputs[0].made_by
            if isinstance(before, Layer):
                yield from at_origin(before.origin, 6.5, "Its result has more than two axes.", 1, "flatten")
            return


def _first_dense(outputs: Array) -> Layer | None:
    """The first Dense of the row that meets more than two axes."""
    found = None
    for value in history(outputs):
        layer = value.made_by
        if isinstance(layer, Layer) and layer.cls == "Dense" and value.inputs and len(value.inputs[0].dims or ()) > 2:
            found = layer
    return found


def _compiled(clash: Clash, weight: float, reason: str, edit: Edit) -> Iterator[Candidate]:
    for value in clash.values:
        compiled = getattr(value, "compiled_at", None)
        if isinstance(compiled, Origin):
            yield from at_origin(compiled, weight, reason, None, edit)
            return


def of_sparse(clash: Clash, known: Facts) -> Iterator[Candidate]:
    """Labels that are class numbers, or should be."""
    labels, outputs = clash.values[0], clash.values[1]
    if not isinstance(labels, Array) or not isinstance(outputs, Array) or labels.dims is None or outputs.dims is None:
        return
    if clash.relation == "classes":
        high = labels.classes.size if labels.classes else None
        reason = f"The labels go up to {(high or 1) - 1}, and this layer gives {outputs.dims[-1].size} classes."
        yield from at_origin(outputs.dims[-1].origin, 7.0, reason, 1, "units")
        return
    if len(labels.dims) == len(outputs.dims) and labels.dims[-1:] and labels.dims[-1].size == outputs.dims[-1].size:
        reason = "The labels are one-hot, but a sparse loss needs class numbers."
        yield from _compiled(clash, 8.0, reason, "sparse-loss")
        yield from at_failure(clash, 5.5, reason, "sparse-loss")
        yield from at_origin(labels.origin, 6.0, reason, 0, "one-hot")
    elif len(outputs.dims) > 2:
        yield from _too_many_axes(outputs)
    elif len(labels.dims) == len(outputs.dims) == 2 and labels.dims[-1].size != 1:
        yield from _last_step_alone(outputs)


def unsliced(clash: Clash) -> Iterator[Candidate]:
    """One of two values of one source is cut shorter, and the other is not."""
    values = [v for v in clash.values[:2] if isinstance(v, Array)]
    sizes = [d.size or 0 for d in clash.sides]
    if len(values) < 2 or not 0 < abs(sizes[0] - sizes[1]) <= 4:
        return
    cut = 0 if sizes[0] < sizes[1] else 1
    whole, short = clash.sides[1 - cut].origin, clash.sides[cut].origin
    if whole is None or short is None or short.kind != "slice":
        return
    if whole.kind in ("layer", "reshape"):
        return  # its size is one of its own, and nothing that was left whole
    reason = f"The other side is cut to {sizes[cut]}, but this one is not."
    aliases = values[1 - cut].aliases
    yield from at_origin(aliases[0] if aliases else whole, 7.0, reason, 1 - cut, "slice")
    yield from at_origin(short, 6.0, f"It cuts one side to {sizes[cut]}.", cut, "slice")


def of_folds(arrays: Sequence[Array]) -> Iterator[Candidate]:
    """A reshape that changes the number of rows, where what failed has no line of its own."""
    for found in arrays:
        origin = found.dims[0].origin if found.dims else None
        if origin is not None and origin.text.startswith(FOLDS):
            reason = f"T{origin.text[1:]}."
            yield from at_origin(origin, 7.0, reason, None, "reshape")
            for axis in found.dims or ():
                for parent, depth in chain(axis.origin, 2):
                    if parent.kind in ("constant", "argument") and depth:
                        yield from at_origin(parent, 7.05, reason, None, "constant")
            yield from _of_factors(found, origin, reason)
            return


_ELEMENTS = re.compile(r"(\d{1,12}) elements a row, as (\d{1,12})")


def _of_factors(folded: Array, origin: Origin, reason: str) -> Iterator[Candidate]:
    """Of a product that a reshape takes for the elements of a row: the factor of which another value makes it fit."""
    said = _ELEMENTS.search(origin.text)
    have, wanted = (int(said[1]), int(said[2])) if said is not None else (0, 0)
    for axis in (folded.dims or ())[1:]:
        for parent, depth in chain(axis.origin, 5):
            factor = int(parent.text) if parent.kind == "constant" and parent.text.isdigit() else 0
            power = next((p for p in (1, 2, 3) if depth and factor > 1 and _fits(have, wanted, factor, p)), 0)
            if power > 1:
                yield from at_origin(parent, 7.6, f"{reason[:-1]}: with another {factor} they fit.", None, "constant")


def _fits(have: int, wanted: int, factor: int, power: int) -> bool:
    """Whether a product has as many elements as there are once a factor, which is in it so many times, is another."""
    if not wanted or wanted % factor**power:
        return False
    rest = wanted // factor**power
    if not rest or have % rest:
        return False
    root: int = round((have // rest) ** (1 / power))
    return root**power == have // rest and root != factor


def of_embeddings(made: list[Value], sizes: Sequence[int], gathered: bool = False) -> Iterator[Candidate]:
    """An Embedding with as many rows as the index that is out of its range, or the bound that the message names; the
    only one of the program where its rows are not told by the source, unless the line gathers from a tensor of its own.
    """
    tables = [v for v in made if isinstance(v, Layer) and v.cls == "Embedding" and v.origin is not None]
    places = {(v.origin.file, v.origin.line) for v in tables if v.origin is not None}
    for layer in tables:
        rows = number(layer.settings.get("input_dim"))
        if layer.origin is not None and rows is None and len(places) == 1 and not gathered:
            # What it is given was counted elsewhere.
            counted = layer.settings.get("input_dim")
            is_given = counted is not None and counted.origin is not None and counted.origin != layer.origin
            weight = 5.0 if is_given else 6.0
            yield from at_origin(layer.origin, weight, "It makes the table that is indexed.", None, "units")
            yield from _count_of_rows(layer.settings.get("input_dim"))
        if rows is not None and rows in sizes and layer.origin is not None:
            reason = f"It has {rows} rows, but an index is {rows} or more."
            yield from at_origin(layer.origin, 7.0, reason, None, "units")
            named = next((p for p in layer.origin.parents if p.kind in ("constant", "argument")), None)
            yield from at_origin(named, 6.5, reason, None, "constant")


_LABELS = re.compile(r"label|target|class|categor|^y(?:_|$)", re.IGNORECASE)


def of_labels_range(made: list[Value], operands: Iterable[Value], sizes: Sequence[int]) -> Iterator[Candidate]:
    """The labels that are no index of a class, and the layer that gives as many classes as the message names."""
    for value in operands:
        if isinstance(value, Array) and _LABELS.search(value.name) and value.origin is not None:
            yield from at_origin(
                value.origin, 7.0, "It makes the labels: they must be 0 to classes - 1.", None, "other"
            )
    layers = [v for v in made if isinstance(v, Layer) and v.cls == "Dense" and number(v.settings.get("units")) in sizes]
    if layers and layers[-1].origin is not None:
        units = number(layers[-1].settings.get("units"))
        # Where the number is one of another line, that line chose it.
        named = [p for p in layers[-1].origin.parents if p.kind in ("constant", "argument")]
        told = f"It gives {units} classes."
        yield from at_origin(layers[-1].origin, 5.6 if named else 6.8, told, None, "units")
        yield from at_origin(named[0] if named else None, 6.8, told, None, "constant")


def of_gathered(arrays: Sequence[Array]) -> Iterator[Candidate]:
    """The count that gave a variable its rows, where an index is out of the range of a table of the program's own."""
    seen: set[Origin] = set()
    for found in arrays:
        rows = found.dims[0].origin if found.kind == "variable" and len(found.dims or ()) == 2 and found.dims else None
        if rows is not None and rows not in seen:
            seen.add(rows)
            yield from _count_of_rows(Value(rows))


def _count_of_rows(rows: Value | None) -> Iterator[Candidate]:
    """The line that counts what a table has rows for: it is elsewhere than the table."""
    counted = next((o for o, _ in chain(rows.origin if rows is not None else None, 4) if o.text == COUNTS), None)
    yield from at_origin(counted, 6.6, "It counts the rows of the table that is indexed.", None, "constant")

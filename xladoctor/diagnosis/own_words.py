"""Remedies in the words of one failure: its index, its types, its keys, its bytes, the variable that chose a package.

Each function takes a remedy of a class and the finding, and gives the remedy with what it names; None where the failure
says that the remedy does not help. What a finding does not hold is not made up: the remedy then stays as the class
has it.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import prod

from xladoctor.model.diagnosis import Finding, Remedy
from xladoctor.model.element_types import byte_words, bytes_of, family, spelled, width
from xladoctor.model.labels import labels_from_one
from xladoctor.model.shapes import python_shape
from xladoctor.rules.successors import successor


def in_own_words(remedy: Remedy, finding: Finding) -> Remedy | None:
    """The remedy as this failure needs it."""
    build = _BUILDERS.get(remedy.id)
    return remedy if build is None else build(remedy, finding)


def _check_range(remedy: Remedy, finding: Finding) -> Remedy | None:
    rows = _index_and_rows(finding)
    if rows is None:
        return remedy
    index, count = rows
    kind = "label" if _of_labels(finding) else "index"
    title = f"Look for where the {kind} {index} comes from: 0 to {count - 1} are allowed"
    if labels_from_one(finding):
        how = f"Use `y - 1` where the labels are made: {count} classes have the numbers 0 to {count - 1}."
        return replace(remedy, title=f"Subtract 1 from the labels: those of this batch run from 1 to {count}", how=how)
    if index == count:
        title += " (do they start at 1?)"
    return replace(remedy, title=title)


def _size_of_table(remedy: Remedy, finding: Finding) -> Remedy | None:
    rows = _index_and_rows(finding)
    if rows is None:
        return remedy
    index, count = rows
    if index < 0:
        return None  # no table is large enough
    if _of_labels(finding):
        title = f"Or, if {index} is right, give the output {index + 1} classes: it has {count}"
        how = "The last layer needs a unit for each class, numbered from 0."
        return replace(remedy, title=title, how=how)
    return replace(remedy, title=f"Or, if {index} is right, give the table {index + 1} rows: it has {count}")


def _of_labels(finding: Finding) -> bool:
    """Whether labels of a loss are out of range, and not indices into a table."""
    return "Xent" in str(finding.op) or "SoftmaxCrossEntropy" in str(finding.op)


def _index_and_rows(finding: Finding) -> tuple[int, int] | None:
    whole = [size for size in finding.dims if isinstance(size, int)]
    if finding.slug != "index-out-of-range" or len(whole) != 2 or len(finding.dims) != 2 or whole[1] < 1:
        return None
    return (whole[0], whole[1]) if not 0 <= whole[0] < whole[1] else None


def _cast(remedy: Remedy, finding: Finding) -> Remedy | None:
    types = finding.details.get("types")
    names = [spelled(str(name)) for name in types] if isinstance(types, list | tuple) else []
    if len(names) != 2 or names[0] == names[1] or not all(map(family, names)):
        return remedy
    old, new = sorted(names, key=_reach)
    lost = ""
    if {old, new} == {"float32", "float64"}:
        # NumPy's default meets the model's: the model's stays.
        old, new, lost = "float64", "float32", " A cast from float64 loses precision: compare the results once."
    of = f" of {finding.op}" if finding.op else ""
    how = f"`tf.cast(x, tf.{new})` where the {old} value enters the program.{lost}"
    return replace(remedy, title=f"Cast the {old} operand{of} to {new}", how=how)


def _reach(name: str) -> tuple[int, int]:
    """The order in which types hold each other's values."""
    return ("bool", "int", "float", "complex").index(str(family(name))), width(name)


def _explicit_axes(remedy: Remedy, finding: Finding) -> Remedy | None:
    shapes = [tuple(shape) for shape in finding.details.get("shapes") or () if shape]
    ranks = {len(shape) for shape in shapes}
    if finding.op not in ("ConcatV2", "Concat", "Pack") or len(ranks) != 2 or len(shapes) != 2:
        return remedy
    said = ", ".join(f"{python_shape(shape)} has {len(shape)}" for shape in shapes)
    how = "`x[:, tf.newaxis]` adds an axis, `tf.squeeze(x, axis=[...])` removes one of size 1."
    return replace(remedy, title=f"Give both the same number of axes: {said}", how=how)


_FITS = 2**30


def _check_shape(remedy: Remedy, finding: Finding) -> Remedy | None:
    shape, kind = finding.details.get("tensor_shape"), spelled(str(finding.details.get("dtype") or ""))
    if not isinstance(shape, list | tuple) or not shape or not all(isinstance(n, int) and n > 0 for n in shape):
        return remedy
    size = bytes_of(kind)
    needs = f": {byte_words(prod(shape) * size)} of {kind}" if size else ""
    title = f"Check whether {python_shape(shape)} is meant{needs}"
    twice = [n for n, times in Counter(shape).items() if times > 1 and n > 1]
    if not twice:
        how = "Print the shapes of the operands above that line."
    else:
        largest = max(twice)
        axes = " and ".join(str(axis) for axis, n in enumerate(shape) if n == largest)
        pairs = (
            "a matrix product of N rows with N rows"
            if "MatMul" in str(finding.op)
            else "`x[:, None]` with `x[None]`, or (N, 1) with (N,),"
        )
        how = f"Axes {axes} are both {largest}: {pairs} gives one value for each pair."
    # Blocks along an axis help only if one row of it fits into memory.
    axis = next((a for a in range(len(shape)) if shape[a] > 1 and prod(shape[a + 1 :]) * (size or 0) <= _FITS), None)
    if size and axis is not None:
        row = byte_words(prod(shape[axis + 1 :]) * size)
        how += f" One row of axis {axis} takes {row}: compute the tensor in blocks along this axis."
    return replace(remedy, title=title, how=how)


def _name_inputs(remedy: Remedy, finding: Finding) -> Remedy | None:
    missing, keys = finding.details.get("missing"), finding.details.get("keys")
    if not isinstance(missing, str) or not isinstance(keys, list | tuple) or not keys:
        return remedy
    near = difflib.get_close_matches(missing, [str(key) for key in keys], 1)
    title = f'Rename the key "{near[0]}" to "{missing}"' if near else f'Give the data a key "{missing}"'
    return replace(remedy, title=title, how="Or give the `keras.Input` the name that the data have.")


def _new_name(remedy: Remedy, finding: Finding) -> Remedy | None:
    name = str(finding.details.get("gone") or "")
    known = successor(name)
    if known is None:
        return remedy
    written = name[: name.index(known.old) + len(known.old)]
    return replace(remedy, title=f"Use {known.new} instead of {written}", how=known.how or remedy.how)


def _constant_size(remedy: Remedy, finding: Finding) -> Remedy | None:
    origin = finding.details.get("origin")
    op = str(origin.get("op")) if isinstance(origin, dict) else ""
    if op == "Where":
        title = "Keep every row, and mask those that do not count"
        how = (
            "`tf.boolean_mask(x, condition)` and `tf.where(condition)` give as many rows as the condition holds for, "
            "a number that XLA does not know. `tf.where(condition, x, 0.0)` keeps the shape; a mean then divides "
            "by the sum of `tf.cast(condition, x.dtype)`."
        )
        return replace(remedy, title=title, how=how)
    if op.startswith("Unique"):
        how = "Its result has as many rows as there are different values. Pass it to the function as an argument."
        return replace(remedy, title=f"Call {op} before the compiled function", how=how)
    return remedy


def _match_data(remedy: Remedy, finding: Finding) -> Remedy | None:
    counts = finding.details.get("row_counts")
    if not isinstance(counts, list | tuple) or len(counts) != 2:
        return remedy
    rows, labels = counts
    if labels > rows > 0 and labels % rows == 0:
        how = f"{labels} labels are {labels // rows} for each row: one-hot labels go with `categorical_crossentropy`."
    else:
        how = (
            "A sparse loss takes one class number for each row of the logits. Find the line that makes the other count."
        )
    return replace(remedy, title=f"Give each row one label: {rows} rows, {labels} labels", how=how)


def _call_directly(remedy: Remedy, finding: Finding) -> Remedy | None:
    if "generator" not in finding.details:
        return remedy if finding.slug == "callback-error" else None
    how = "`for element in generator(): ...` in plain Python, with the shapes printed, finds the first that differs."
    return replace(remedy, title="Run the generator by itself", how=how)


def _unroll(remedy: Remedy, finding: Finding) -> Remedy | None:
    return None if finding.details.get("in_loop") is False else remedy


_BUILDERS: dict[str, Callable[[Remedy, Finding], Remedy | None]] = {
    "check-range": _check_range,
    "size-of-table": _size_of_table,
    "cast": _cast,
    "explicit-axes": _explicit_axes,
    "check-shape": _check_shape,
    "name-the-inputs": _name_inputs,
    "use-the-new-name": _new_name,
    "constant-size": _constant_size,
    "unroll": _unroll,
    "call-it-directly": _call_directly,
    "match-data": _match_data,
}
OWN_WORDS = frozenset(_BUILDERS)

"""Rows that the program mixes up, leaves out or counts too often around its models: read in the source.

The sizes of what Keras gave come from the recording. What was read was not tested, so each is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.rules.slips import PAIRS, TOGETHER, TRANSPOSE
from xladoctor.sources.rows import RowFault, row_faults
from xladoctor.sources.rows.values import Calls

_PAIRING, _ROWS, _UNLIKE, _WRAP = "wrong-pairing", "wrong-shape-silent", "unlike-training", "integer-wrap"
_SLUGS = {
    "ordered-twice": _PAIRING, "other-order": _PAIRING, "two-orders": _PAIRING, "foreign-positions": _PAIRING,
    "axes-by-reshape": _PAIRING, "series-by-reshape": _PAIRING, "rest-left-out": _ROWS, "padded-rows": _ROWS,
    "zip-cuts": _ROWS, "own-statistics": _UNLIKE, "wraps-below": _WRAP, "wraps-above": _WRAP,
    "grid-by-reshape": _PAIRING, "two-grids": _PAIRING, "positions-as-labels": _PAIRING,
    "zero-replaced": "dead-switch",
}  # fmt: skip
_UNDO = Remedy(
    "undo-order", "Put the rows back into their original order", "safe",
    "`result[np.argsort(order)]`, or `out[order] = result`. Indexing with `order` itself shuffles them again.",
)  # fmt: skip
_REMEDIES = {
    "ordered-twice": _UNDO,
    "other-order": _UNDO,
    "two-orders": TOGETHER,
    "foreign-positions": Remedy(
        "positions-of-all", "Convert the positions to those of the whole array", "safe",
        "`picked[positions]` are the rows of the whole array, where `picked` chose the part.",
    ),
    "positions-as-labels": Remedy(
        "rows-by-place", "Take rows by place", "safe",
        "`table.iloc[positions]`, or `table = table[mask].reset_index(drop=True)` before.",
    ),
    "axes-by-reshape": TRANSPOSE,
    "grid-by-reshape": PAIRS,
    "two-grids": Remedy(
        "repeat-alike", "Repeat both in the same way", "safe",
        "Partners of one row need `repeat` on both sides, or `tile` on both.",
    ),
    "series-by-reshape": Remedy(
        "stack-columns", "Put the series side by side", "safe",
        "`np.stack(series, axis=1)`, or `.reshape(k, n).T`.",
    ),
    "rest-left-out": Remedy(
        "round-up", "Process the rest, too", "safe",
        "`range(0, len(x), size)`: a slice ends at the end of the array by itself.",
    ),
    "padded-rows": Remedy(
        "cut-padding", "Cut the added rows off", "safe", "`result[:len(x)]`, before anything is computed from all "
                                                         "rows.",
    ),
    "zero-replaced": Remedy(
        "ask-for-none", "Ask whether there is a value", "changes-numerics",
        "`settings.get(key, default)`, or `default if value is None else value`.",
    ),
    "zip-cuts": Remedy(
        "zip-strict", "Give both the same number of rows", "safe",
        "`zip(a, b, strict=True)` raises where one is longer.",
    ),
}  # fmt: skip


def rows_in_source(recording: Recording) -> Iterator[Finding]:
    """A warning for each line, but for those whose numbers say more."""
    if not (survived(recording) or ended_itself(recording)):
        return
    gave = _gave(recording)
    scored = [location(e.get("where")) for e in recording.of_kind(schema.SCORE)]
    tested = {(at.file, at.line) for at in scored if at is not None}
    for fault in row_faults(program_of(recording), {file: Calls(gave=lines) for file, lines in gave.items()}):
        if (fault.file, fault.line) not in tested:
            yield _finding(fault)


def _gave(recording: Recording) -> Mapping[str, dict[int, Sequence[Any]]]:
    """{file: {line: the shapes that a call of Keras or of a model there gave}}, where it was always the same."""
    begun = {(e["pid"], e["call"]): e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin"}
    found: dict[str, dict[int, Sequence[Any]]] = {}
    for event in recording.of_kind(schema.CALL):
        at = location((begun.get((event["pid"], event["call"])) or event).get("where"))
        shapes = event.get("shapes_out")
        if event["phase"] != "end" or at is None or at.line is None or not isinstance(shapes, list):
            continue
        known = [tuple(s) for s in shapes if isinstance(s, list) and all(isinstance(n, int) for n in s)]
        lines = found.setdefault(at.file, {})
        lines[at.line] = known if len(known) == len(shapes) and lines.get(at.line, known) == known else ()
    for event in recording.of_kind(schema.DIRECT):
        at, shape = location(event.get("where")), event.get("shape")
        if at is not None and at.line is not None and event["calls"] == 1 and isinstance(shape, list):
            found.setdefault(at.file, {}).setdefault(at.line, [tuple(shape)])
    return found


def _finding(fault: RowFault) -> Finding:
    rule = by_slug(_SLUGS[fault.kind])
    title, message = _words(fault)
    remedies = (_REMEDIES[fault.kind],) if fault.kind in _REMEDIES else rule.remedies
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=title,
        message=f"{message} No error was raised in the run.",
        location=Location(fault.file, fault.line, fault.function),
        evidence=(Proof("source", title, f"{fault.file}:{fault.line}"),),
        status="untested", basis=NOT_TESTED,
        remedies=remedies,
        details={"kind": fault.kind, "names": list(fault.names), "numbers": list(fault.numbers)},
    )  # fmt: skip


def _words(fault: RowFault) -> tuple[str, str]:
    """(title, message)."""
    if _SLUGS[fault.kind] == _PAIRING:
        return _of_order(fault, *fault.names[:4])
    return _of_rows(fault, *fault.names[:3])


def _of_order(fault: RowFault, one: str = "", other: str = "", third: str = "", fourth: str = "") -> tuple[str, str]:
    if fault.kind == "ordered-twice":
        return (
            f"`{one}` is already in the order of `{other}`, and is indexed with it again",
            f"The rows of `{one}` come from rows in the order `{other}`. Indexing with the same order does not "
            f"restore them: it shuffles them again.",
        )
    if fault.kind == "other-order":
        return (
            f"Rows in the order of `{other or 'a permutation'}` are combined with `{third}`, which is not in it",
            f"`{one}` was computed from rows in another order and not put back. `{third}` has the rows in their "
            f"original order, so each result is combined with another row.",
        )
    if fault.kind == "two-orders" and "sort" in third + fourth:
        return (
            f"`{one}` and `{other}` are in two orders",
            f"The rows of `{one}` are in the order of `{third}`, those of `{other}` in that of `{fourth}`. As arrays "
            "they have no labels, so rows have the labels of other rows.",
        )
    if fault.kind == "two-orders":
        return (
            f"`{one}` and `{other}` were shuffled separately",
            f"`{one}` and `{other}` are in two orders from separate draws, so rows have the labels of other rows.",
        )
    if fault.kind == "foreign-positions":
        return (
            f"`{one}` has positions within a part of the rows, but indexes all of `{third}`",
            f"`{one}` counts within the rows that `{other}` chose. In `{third}`, which has all rows, the same "
            "numbers are other rows.",
        )
    if fault.kind == "positions-as-labels":
        return (
            f"`{one}` has places in a table, and `{other}` takes rows by their labels",
            f"The rows of the table were chosen or sorted, and kept the labels that they had in the whole table. "
            f"`{other}[{one}]` takes the rows with these numbers as labels, which stand at other places.",
        )
    if fault.kind == "series-by-reshape":
        many, length = fault.numbers[:2]
        return (
            f"{many} series of {length} numbers are reshaped to ({length}, {many})",
            f"The series are stored one after another. A reshape puts the first {many} numbers of the first series "
            f"into the first row, and not one number of each series.",
        )
    if fault.kind in ("grid-by-reshape", "two-grids"):
        return _of_grid(fault, one, other)
    half = len(fault.numbers) // 2
    shape, target = fault.numbers[:half], fault.numbers[half:]
    return (
        f"A reshape of {shape} to {target} instead of a transpose",
        f"`{one}` has the same sizes in another order after the reshape, but its numbers stay in their order, so "
        f"the numbers along an axis did not belong to one axis before.",
    )


def _of_grid(fault: RowFault, one: str, other: str) -> tuple[str, str]:
    outer, inner = (str(n) if n > 0 else "n" for n in fault.numbers[:2])
    if fault.kind == "two-grids":
        return (
            f"`{one}` and `{other}` are repeated in two ways",
            f"`{one}` has {outer} blocks of {inner} rows, `{other}` has {inner} blocks of {outer}: `repeat` puts the "
            "copies of a row next to each other, `tile` repeats all rows as a whole. Rows have the partners of others.",
        )
    first, second = (str(n) if n > 0 else "-1" for n in fault.numbers[2:])
    return (
        f"`{one}` has {outer} blocks of {inner} rows, and is reshaped to ({first}, {second})",
        f"The rows were repeated so that {inner} of them are next to each other for each of {outer}. The reshape "
        "takes them in the other order, so that each row of the result is made of several.",
    )


def _of_rows(fault: RowFault, one: str = "", other: str = "", third: str = "") -> tuple[str, str]:
    numbers = [*fault.numbers, 0, 0]
    if fault.kind == "zero-replaced":
        return (
            f"`{one}` is {other}, and `or` puts {third} in its place",
            f"`or` takes the second value where the first is {other}, as it does where there is none. So {other} "
            "cannot be chosen.",
        )
    if fault.kind in ("wraps-below", "wraps-above"):
        how = f"`{other}` taken away from it" if fault.kind == "wraps-below" else "a sum of it divided"
        return (
            f"`{one}` is of a small unsigned type, and its arithmetic wraps around",
            f"`{one}` is of an unsigned type of 8 or 16 bits, with {how} in that type: values below 0 or above its "
            f"largest number wrap around to the other end. A later cast does not correct that.",
        )
    if fault.kind == "rest-left-out":
        rows, size, covered = [*numbers, 0][:3]
        return (
            f"The loop predicts {covered} of {rows} rows, in blocks of {size}",
            f"{covered} of the {rows} rows are in blocks of {size}, and {rows - covered} rows are in none. The "
            f"array that the loop fills keeps its old values for them, or has no rows for them.",
        )
    if fault.kind == "padded-rows":
        return (
            f"Rows that were added to fill a block are counted in `{other}`",
            f"Line {numbers[0]} adds rows of zeros. The results of the model for them are never cut off, and line "
            f"{numbers[1]} computes `{other}` of all rows.",
        )
    if fault.kind == "zip-cuts":
        return (
            f"zip ends at the shorter one: `{one}` has {numbers[0]} rows, `{other}` {numbers[1]}",
            f"`{one}` has {numbers[0]} rows and `{other}` has {numbers[1]}. `zip` pairs the first ones and drops "
            f"the others.",
        )
    return (
        f"What `{third}` {'predicts' if other != 'evaluate' else 'evaluates'} is scaled by its own statistics",
        f"The rows that `{third}` was trained on were scaled by their mean and deviation. `{one}` (line {numbers[0]}) "
        "is scaled by its own ones here, so the same value means something else to the model.",
    )

"""Message forms: the constant parts of a format string, what it names, and how to say it.

Most messages of TensorFlow are one `StrCat` of constants and values. A `Form` holds a literal (a cheap test),
a regular
expression with one group a value, and a sentence with a place for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.model.frozen import dataclass
from xladoctor.rules.matching import Hit, Recogniser, find, ints, shapes

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Level, Status
    from xladoctor.model.evidence import ErrorRecord

# A shape as TensorFlow ([2,?]), Python ((None, 2)) or XLA (f32[<=8,2]) prints it.
SHAPE = r"(\w{0,10}\[[^\[\]]{0,200}\]|\([^()]{0,200}\)|<unknown>)"
N = r"(-?\d{1,18})"


@dataclass(frozen=True)
class Form:
    """One wording of one failure. `pick` chooses the groups that are dims, in the order named; default all.

    `types` are the groups that are element types, left operand first (a group that is empty is none). `variable` is the
    group that names a variable of the program. `rows`: the first axes of the two shapes picked count rows,
    and must be the same.
    """

    literal: str
    regex: str
    says: str
    op: str | None = None
    pick: tuple[int, ...] | None = None
    level: Level | None = None
    status: Status = "confirmed"
    layer: int | None = None
    details: tuple[tuple[str, Any], ...] = ()
    types: tuple[int, ...] = ()
    between: tuple[str, ...] = ()
    decide: tuple[str, ...] = ()
    variable: int | None = None
    rows: bool = False


def static_shapes(text: str) -> list[tuple[int | None, ...]]:
    """The shapes after `with input shapes:`, as shape inference prints them."""
    found = find(
        text, "with input shapes:", r"with input shapes: ((?:(?:\[[^\[\]]{0,200}\]|\?|<unknown>)(?:, )?){1,40})"
    )
    return shapes(found[1]) if found else []


def first_form(forms: Sequence[Form], text: str) -> Hit | None:
    """The hit of the first form that fits a message."""
    for form in forms:
        found = find(text, form.literal, form.regex) if form.literal in text else None
        if not found:
            continue
        groups = [g if g is not None else "" for g in found.groups()]
        picked = groups if form.pick is None else [groups[i] for i in form.pick]
        details: dict[str, Any] = dict(form.details)
        static = static_shapes(text)
        if static:
            details["shapes"] = [list(s) for s in static]
        types = [groups[i] for i in form.types if groups[i]]
        if types:
            details["types"] = types
        if form.variable is not None and groups[form.variable].isidentifier():
            details["variable"] = groups[form.variable]
        if form.rows:
            counts = [ints(_bare(g))[:1] for g in picked]
            details["row_counts"] = [count[0] for count in counts if count]
        return Hit(
            form.says.format(*groups),
            dims=ints(" ".join(_bare(g) for g in picked)),
            op=form.op,
            level=form.level,
            status=form.status,
            layer=groups[form.layer] if form.layer is not None else None,
            details=details,
            between=form.between,
            decide=form.decide,
        )
    return None


def by_forms(forms: Sequence[Form]) -> Recogniser:
    """A recogniser that knows a list of forms."""

    def recognise(record: ErrorRecord, text: str) -> Hit | None:
        return first_form(forms, text)

    return recognise


def _bare(group: str) -> str:
    """A group without an element type in front of a shape (`f32[2,3]` names no 32)."""
    at = group.find("[")
    return group[at:] if 0 < at <= 10 else group

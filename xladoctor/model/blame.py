"""Why two shapes do not fit, as plain values: the constraint, where each size comes from, and the lines to suspect.

Every class here is frozen and holds only what JSON can hold. Nothing here is a proof: a suspect is *likely* for the
reason that it names, or *possible*. The results of trials of edits are in `model.edits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xladoctor.model.location import Location

Sizes = tuple[int | None, ...]

StepKind = Literal[
    "array", "read", "constant", "input", "placeholder", "variable", "layer", "reshape", "slice", "config",
    "batch-size", "split", "generator", "column", "stage", "loss", "argument", "call", "operation", "attribute",
    "assignment",
]  # fmt: skip
"""What a line does with a size.

`array` makes an array, `read` reads one, `constant` is a number in the source, `input` and `placeholder` declare a
shape, `variable` makes a variable, `layer` builds or calls a Keras layer, `stage` is one of a `tf.data` pipeline,
`operation` computes a tensor from others; the rest pass a value on.
"""

Relation = Literal["equal", "broadcast", "inner", "elements", "rank", "classes", "feed", "columns", "rows", "unknown"]
"""What the failing operation requires of its operands: `equal` sizes, `broadcast` together, `inner` sizes of a product,
the same number of `elements`, a `rank`, labels that fit the number of `classes`, a `feed` that fits its placeholder,
`columns` that fit a layer's weights, equal `rows`.
"""

Likeliness = Literal["likely", "possible"]

Edit = Literal[
    "units", "input-shape", "reshape", "expand", "squeeze", "transpose", "flatten", "one-hot", "sparse-loss",
    "drop-remainder", "batch-size", "concat-axis", "channels", "return-sequences", "slice", "constant", "axis", "other",
]  # fmt: skip
"""What kind of edit of the line would make the shapes fit."""


@dataclass(frozen=True)
class Operand:
    """One of the values that do not fit.

    Attributes:
        name: the value in words: `Dense(4)`, "the labels `y`", `x`.
        shape: as recorded, or as computed from the source; None if neither is known.
        axis: the axis of that size, counted from the end if negative; None if the rank or the number of elements is
            wrong.
        size: the size at that axis, the rank, or the number of elements; None if unknown.
        given_at: where it was passed to the failing call.
        maker: the line that gave it this size.
        recorded: whether `shape` was seen in this run.
    """

    name: str
    shape: Sizes | None = None
    axis: int | None = None
    size: int | None = None
    given_at: Location | None = None
    maker: Location | None = None
    recorded: bool = False


@dataclass(frozen=True)
class Constraint:
    """The requirement that does not hold, as one sentence, and the line that has it."""

    relation: Relation
    text: str
    operands: tuple[Operand, ...] = ()
    location: Location | None = None


@dataclass(frozen=True)
class Step:
    """One line on the way of a size from its maker to the failure. `code` is the line, `shape` what it gave."""

    kind: StepKind
    location: Location
    text: str
    code: str = ""
    shape: Sizes | None = None


@dataclass(frozen=True)
class Provenance:
    """The way of one operand's size, its maker first. Steps that only pass it on are left out."""

    operand: int
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """A line that may be at fault.

    Attributes:
        location: the line.
        code: its source, without spaces around it.
        reason: why it is suspected, as one sentence.
        likeliness: `likely` if the reason distinguishes this side from the other, otherwise `possible`.
        operand: the index of the operand whose size it makes; None if it concerns several.
        edit: what kind of edit would make the shapes fit.
        old: the part of the line that would change, as written; empty if unknown.
        new: its replacement.
        specific: whether the reason says more than that the failure depends on the line.
    """

    location: Location
    code: str
    reason: str
    likeliness: Likeliness = "possible"
    operand: int | None = None
    edit: Edit = "other"
    old: str = ""
    new: str = ""
    specific: bool = True


@dataclass(frozen=True)
class Blame:
    """Everything that is known about the wrong line. `decisive`: the first suspect stands out from the traceback's
    line. `batching`: (rows, batch size) of the source if the failure is about the rows that are left for the last
    batch.
    """

    constraint: Constraint | None = None
    provenance: tuple[Provenance, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    decisive: bool = False
    raised_at: Location | None = None
    batching: tuple[int, int] | None = None

"""Why two shapes do not fit, as plain values: the constraint, where each size comes from, and the lines to suspect.

Every class here is frozen and holds only what JSON can hold. Nothing here is a proof: a suspect is *likely* for the
reason that it names, or *possible*. What a trial of an edit says is no part of this module.
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
"""What was asked of the operands.

`equal` sizes, `broadcast` together, `inner` sizes of a product, the same number of `elements`, a `rank`, labels that
fit the number of `classes`, a `feed` that fits its placeholder, `columns` that fit a layer's weights, equal `rows`.
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
        name: it in words: `Dense(4)`, "the labels `y`", `x`.
        shape: as recorded, else as worked out from the source; None where neither is known.
        axis: of the size in question; from the end where negative, None where the rank or the element count is wrong.
        size: the size at that axis, the rank, or the number of elements; None where it is not known.
        given_at: where it was handed to what failed.
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
    """What was asked of the operands and does not hold, as one sentence, at the line that asked it."""

    relation: Relation
    text: str
    operands: tuple[Operand, ...] = ()
    location: Location | None = None


@dataclass(frozen=True)
class Step:
    """One line on the way of a size from its maker to what failed. `code` is the line, `shape` what it gave."""

    kind: StepKind
    location: Location
    text: str
    code: str = ""
    shape: Sizes | None = None


@dataclass(frozen=True)
class Provenance:
    """The way of one operand's size, its maker first. Steps that merely pass it on are left out."""

    operand: int
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Suspect:
    """A line that may be at fault.

    Attributes:
        location: the line.
        code: its source, without blanks around it.
        reason: why it is suspected, as one sentence.
        likeliness: `likely` where the reason tells this side from the other, else `possible`.
        operand: the index of the operand whose size it makes; None where it concerns several.
        edit: what kind of edit would make the shapes fit.
        old: the part of the line that would change, as written; empty where that is not known.
        new: what would stand in its place.
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
    """All that is known of which line is wrong. `decisive`: the first suspect stands out from the traceback's line.
    `batching`: (rows, batch size) of the source where the failure is about what is left for the last batch.
    """

    constraint: Constraint | None = None
    provenance: tuple[Provenance, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    decisive: bool = False
    raised_at: Location | None = None
    batching: tuple[int, int] | None = None

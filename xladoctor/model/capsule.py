"""What a diagnosis knows of a capsule: a graph of the run that was kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from xladoctor.model.frozen import dataclass


@dataclass(frozen=True)
class Capsule:
    """A recorded graph, as its `capsule.json` describes it.

    Attributes:
        graphs: the Python graphs that it holds, and the names of the functions that were made from each.
        xla: whether the function itself must be compiled.
        complete: whether its trace came to an end.
        known: whether there is such a capsule.
        values: where its values come from (`recipe.json`): exact, redrawn, random; None where none were kept.
    """

    graphs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    xla: bool = False
    complete: bool = True
    known: bool = True
    values: str | None = None

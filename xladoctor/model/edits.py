"""Edits that were tried on a copy of the user's program, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EditResult = Literal["ran", "same", "moved", "not-tried"]
"""`ran`: no failure any more. `same`: it fails as before. `moved`: it fails elsewhere, or in another way."""


@dataclass(frozen=True)
class TriedEdit:
    """One edit of one file, and the result of running the program with it.

    Attributes:
        file: the file, as the traceback names it.
        line: the first line that it changes.
        kind: what kind of edit it is (`model.blame.Edit`).
        old: that line as it is; `new` as it would be.
        why: what the edit does, in words.
        diff: the edit as a unified diff, with paths from the program's folder.
        result: the outcome.
        said: the outcome in a sentence.
        safe: wherever the program ran before, it computes the same numbers.
    """

    file: str
    line: int
    kind: str
    old: str
    new: str
    why: str
    diff: str
    result: EditResult
    said: str
    safe: bool = False

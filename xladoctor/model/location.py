"""A place in source code."""

from __future__ import annotations

from xladoctor.model.frozen import dataclass


@dataclass(frozen=True)
class Location:
    """A line of source code: the deepest frame that belongs to the *user*, unless said otherwise."""

    file: str
    line: int | None = None
    function: str | None = None
    cell: int | None = None
    """Of a notebook: the number of the code cell; `line` is then the line in it."""

    @property
    def place(self) -> str:
        """`train.py:9`, `study.ipynb: cell 3, line 6`."""
        if self.cell is not None:
            return f"{self.file}: cell {self.cell}" + (f", line {self.line}" if self.line else "")
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.place} in {self.function}" if self.function else self.place

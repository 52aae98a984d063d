"""Arrays followed through a program by what their rows are: which rows, in which order, padded, scaled."""

from __future__ import annotations

from xladoctor.sources.rows.read import row_faults
from xladoctor.sources.rows.values import RowFault

__all__ = ["RowFault", "row_faults"]

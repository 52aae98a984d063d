"""Tables as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from xladoctor.report.text import line

if TYPE_CHECKING:
    import pandas as pd

# What a spreadsheet takes for the beginning of a formula; the wide forms count in some of them.
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table, with one line of names on top."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    for row in rows:
        writer.writerow([cell(value) for value in row])
    return out.getvalue()


def of_frame(frame: pd.DataFrame) -> str:
    """The same of a table of pandas; what is missing is an empty cell."""
    rows = frame.astype(object)
    return table(list(frame.columns), rows.where(rows.notna(), None).itertuples(index=False))


def cell(value: Any) -> Any:
    """Foreign text on one line, and never a formula; numbers as they are, None as an empty cell."""
    if value is None or isinstance(value, (int, float)):
        return value
    text = line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text

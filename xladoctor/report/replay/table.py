"""The outcomes of a sweep as a table: a pandas frame, and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.report.replay.words import varied
from xladoctor.report.text import line

if TYPE_CHECKING:
    import pandas as pd

    from xladoctor.model.replay import Outcome, Sweep

_WHOLE = ("batch", "rows_in", "rows_out")
_SECONDS = ("trace_seconds", "compile_seconds", "run_seconds")


def frame(sweep: Sweep) -> pd.DataFrame:
    """One row for each outcome, in the order of size: what was tried, what came of it, where, and the times (seconds).

    What is varied has a column of its own for each name (`jit`, `env:X`); `varied` holds all of it as text.
    """
    import pandas as pd

    table: pd.DataFrame = pd.DataFrame([_row(o) for o in sweep.outcomes])
    for name in _WHOLE:
        table[name] = table[name].astype("Int64") if len(table) else []
    for name in _SECONDS:
        table[name] = table[name].astype("float64") if len(table) else []
    return table


def csv(sweep: Sweep | None) -> str:
    """The table as CSV; text of a run can neither break a line nor become a formula in a spreadsheet."""
    if sweep is None or not sweep.outcomes:
        return "batch,varied,state,class\n"
    return str(frame(sweep).map(_cell).to_csv(index=False, lineterminator="\n"))


def _row(o: Outcome) -> dict[str, Any]:
    s = o.signature
    return {
        "batch": o.case.batch,
        "varied": varied(o.case),
        "state": o.state,
        "class": s.slug if s else None,
        "op": s.op if s else None,
        "axes": " ".join(map(str, s.axes)) if s else None,
        "place": o.place,
        "rows_in": o.rows_in,
        "rows_out": o.rows_out,
        "trace_seconds": o.trace_seconds,
        "compile_seconds": o.compile_seconds,
        "run_seconds": o.run_seconds,
        "shared_trace": o.shared,
        "node": o.node,
        "location": o.location,
        "dims": " ".join(map(str, o.dims)),
        "message": o.message,
        "note": o.note,
        **dict(o.case.vary),
    }


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = line(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text

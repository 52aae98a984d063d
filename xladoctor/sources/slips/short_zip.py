"""Results of a model that `zip` puts beside more rows than they are of: it stops at the shorter, without an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.counted import models, predicted, rows_of
from xladoctor.sources.held import View
from xladoctor.sources.names import nodes_of
from xladoctor.sources.slips.slip import Slip

_LEAST = 8


def faults(view: View) -> Iterator[Slip]:
    """`zip(ids, results)`, where the results are of some of the rows, and not of the first ones."""
    known: set[str] | None = None
    for call in view.calls("zip"):
        if any(k.arg == "strict" for k in call.keywords) or len(call.args) != 2:
            continue
        counts = [rows_of(view, a) for a in call.args]
        if None in counts or counts[0] == counts[1]:
            continue
        short, long = sorted(zip(counts, call.args, strict=True), key=lambda pair: pair[0] or 0)
        known = models(view) if known is None else known
        if (short[0] or 0) < _LEAST or predicted(view, long[1], known) is not False:
            continue
        if predicted(view, short[1], known) and not _ends_early(view, call):
            left = (long[0] or 0) - (short[0] or 0)
            yield Slip(
                "short-zip",
                call.lineno,
                f"`zip` pairs {short[0]} results with the first {short[0]} of {long[0]} rows",
                f"`{ast.unparse(short[1])[:40]}` has {short[0]} items and `{ast.unparse(long[1])[:40]}` has {long[0]}. "
                f"`zip` stops at the shorter one, without an error: {left} rows have no result, and if those were left "
                "out before the end, each later row has the result of another one.",
            )


def _ends_early(view: View, call: ast.Call) -> bool:
    """Whether some loop of the scope may stop on purpose."""
    return any(True for _ in nodes_of(view.scope(call), ast.Break))

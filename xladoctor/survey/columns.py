"""What every table of causes says of a cause, of the runs that were named and of a whole fleet: names and order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from xladoctor.model.fleet import FleetCause
    from xladoctor.model.survey import Cause

    Named = Cause | FleetCause


FIELDS = {
    "code": "code", "class": "slug", "level": "level", "title": "title", "message": "message", "op": "op",
    "place": "place",
}  # fmt: skip
"""What JSON says of a cause first, and from which field."""
_FIRST = ("level", "class", "code", "op", "place", "runs")
_LAST = ("title", "message", "remedy")


def columns(table: str, own: Sequence[str], at_the_end: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns of a table of causes: its number, what all tables have, and what only this one has (`own`)."""
    return (table, *_FIRST, *own, *_LAST, *at_the_end)


def as_data(cause: Named) -> dict[str, Any]:
    """What JSON says of a cause first."""
    return {name: getattr(cause, field) for name, field in FIELDS.items()}


def frame(columns: Sequence[str], causes: Iterable[tuple[Named, Mapping[str, Any]]]) -> pd.DataFrame:
    """A row a cause: what all tables have, and the values of its own columns."""
    import pandas as pd

    rows = [
        {columns[0]: number, **as_data(cause), "runs": cause.count, "remedy": cause.remedy, **own}
        for number, (cause, own) in enumerate(causes, 1)
    ]
    made: pd.DataFrame = pd.DataFrame(rows, columns=list(columns))
    return made

"""Diagnosed runs -> a survey, grouped with pandas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import xladoctor
from xladoctor.model.survey import Cause, Run, Survey
from xladoctor.survey import same
from xladoctor.survey.columns import columns
from xladoctor.survey.columns import frame as framed

if TYPE_CHECKING:
    import pandas as pd

    from xladoctor.model.diagnosis import Finding

COLUMNS = columns("xladoctor_cause", ("newest", "example", "numbers"), ("sources",))
_MOST_NUMBERS = 3


def survey(runs: Sequence[Run], problems: Sequence[str] = ()) -> Survey:
    """The survey: runs and causes newest first, errors before warnings."""
    ordered = sorted(runs, key=lambda run: (-(run.time or 0.0), run.target.name))
    rooted = [(at, root) for at, run in enumerate(ordered) if (root := run.diagnosis.root) and root.level != "note"]
    if not rooted:
        return Survey(tuple(ordered), (), tuple(problems), xladoctor.__version__)
    import pandas as pd

    frame = pd.DataFrame(
        {
            "run": [at for at, _ in rooted],
            "group": same.groups([root for _, root in rooted]),
            "time": [ordered[at].time for at, _ in rooted],
            "serious": [root.level == "error" for _, root in rooted],
        }
    )
    frame["time"] = frame["time"].astype("float64")
    order = (
        frame.groupby("group")
        .agg(newest=("time", "max"), serious=("serious", "max"), first=("run", "min"))
        .sort_values(["serious", "newest", "first"], ascending=[False, False, True], na_position="last")
    )
    roots = dict(rooted)
    causes: list[Cause] = []
    numbers: dict[int, int] = {}
    for group in order.index:
        members = [int(at) for at in frame.loc[frame["group"] == group, "run"]]
        for at in members:
            numbers[at] = len(causes)
        causes.append(_cause(members, ordered, roots))
    return Survey(
        tuple(replace(run, group=numbers.get(at)) for at, run in enumerate(ordered)),
        tuple(causes),
        tuple(problems),
        xladoctor.__version__,
    )


def _cause(members: list[int], runs: Sequence[Run], roots: dict[int, Finding]) -> Cause:
    newest = roots[members[0]]
    times = [time for at in members if (time := runs[at].time) is not None]
    return Cause(
        code=newest.code,
        slug=newest.slug,
        level=newest.level,
        title=newest.title,
        message=newest.message,
        op=newest.op,
        place=str(newest.location) if newest.location else same.place(newest),
        runs=tuple(members),
        newest=max(times, default=None),
        example=members[0],
        numbers=tuple(dict.fromkeys(dims for at in members if (dims := same.numbers(roots[at].dims)))),
        remedy=next((remedy.title for remedy in newest.remedies), None),
    )


def frame(survey: Survey) -> pd.DataFrame:
    """The causes as a table: one row a cause, with `COLUMNS`; times in UTC."""
    own = [
        {
            "newest": utc(cause.newest),
            "example": survey.runs[cause.example].target.name,
            "numbers": numbers_text(cause),
            "sources": " ".join(survey.runs[at].target.name for at in cause.runs),
        }
        for cause in survey.causes
    ]
    return framed(COLUMNS, zip(survey.causes, own, strict=True))


def utc(time: float | None) -> str | None:
    """A time as ISO 8601, to the second."""
    from datetime import datetime, timezone

    return None if time is None else datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def numbers_text(cause: Cause) -> str:
    """The numbers of a cause: once where they are the same in all runs, else the newest few."""
    shown = [" ".join("?" if n is None else str(n) for n in dims) for dims in cause.numbers[:_MOST_NUMBERS]]
    more = len(cause.numbers) - _MOST_NUMBERS
    return "; ".join(shown) + (f"; {more} more" if more > 0 else "")

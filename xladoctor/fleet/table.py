"""What the store holds of one survey -> the table by root cause, with users, nodes and times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import xladoctor
from xladoctor.fleet import nodes
from xladoctor.fleet.store import paths_of
from xladoctor.model.fleet import Fleet, FleetCause, Share
from xladoctor.survey.columns import columns
from xladoctor.survey.columns import frame as framed
from xladoctor.survey.table import utc

if TYPE_CHECKING:
    import pandas as pd

    from xladoctor.fleet.store import Store

DAY = 86_400.0
_EXAMPLES, _PROBLEMS, _NUMBERS = 3, 20, 3
_HERE = "FROM present JOIN runs ON runs.id = present.run"
COLUMNS = columns(
    "xladoctor_fleet", ("first", "last", "new", "users", "nodes", "follows_node", "chance", "example", "numbers")
)


def fleet(store: Store, roots: tuple[str, ...], *, now: float, since: float | None, read: int) -> Fleet:
    """The table of the runs that are present: errors first, then what is in most runs, then the newest."""
    verdicts = dict(store.rows(f"SELECT verdict, count(*) {_HERE} WHERE verdict IS NOT NULL GROUP BY verdict"))
    [(runs, unreadable, placed)] = store.rows(f"SELECT count(*), count(problem), count(node) {_HERE}")
    problems = [row[0] for row in store.rows(f"SELECT problem {_HERE} WHERE problem IS NOT NULL LIMIT {_PROBLEMS}")]
    return Fleet(
        roots=roots,
        since=since,
        until=now,
        runs=runs,
        verdicts={name: verdicts.get(name, 0) for name in ("failed", "warnings", "healthy")},
        causes=tuple(_causes(store, now, _has_history(store, now - DAY))),
        read=read,
        unreadable=unreadable,
        problems=tuple(problems),
        placed=placed,
        tool_version=xladoctor.__version__,
    )


def _has_history(store: Store, time: float) -> bool:
    """Whether the store knows of any run that ended before."""
    return bool(store.rows("SELECT 1 FROM runs WHERE ended < ? LIMIT 1", (time,)))


def _causes(store: Store, now: float, history: bool) -> list[FleetCause]:
    counted = store.rows(f"SELECT cause, count(*), max(ended) {_HERE} WHERE cause IS NOT NULL GROUP BY cause")
    users, places = _names(store, "user"), _names(store, "node")
    first = dict(store.rows("SELECT id, first FROM causes"))
    shares = _shares(store, places)
    found = []
    for cause, count, last in counted:
        rows = store.rows(
            f"SELECT name, finding {_HERE} WHERE cause = ? ORDER BY ended DESC, name LIMIT {_EXAMPLES * 4}", (cause,)
        )
        quoted = [json.loads(finding) for _, finding in rows]
        root, seen = quoted[0], first.get(cause)
        numbers = dict.fromkeys(text for each in quoted if (text := _dims(each["dims"])))
        found.append(
            FleetCause(
                id=cause,
                code=root["code"],
                slug=root["class"],
                level=root["level"],
                title=root["title"],
                message=root["message"],
                op=root["op"],
                place=root["place"],
                numbers=tuple(numbers)[:_NUMBERS],
                remedy=root["remedy"],
                count=count,
                first=seen,
                last=last,
                new=None if seen is None or (not history and seen >= now - DAY) else seen >= now - DAY,
                users=tuple(users.get(cause, Counter()).most_common()),
                nodes=tuple(places.get(cause, Counter()).most_common()),
                examples=tuple(", ".join(paths_of(name)) for name, _ in rows[:_EXAMPLES]),
                share=shares.get(cause),
            )
        )
    return sorted(found, key=lambda c: (c.level != "error", -c.count, -(c.last or 0.0), c.id))


def _names(store: Store, column: str) -> dict[int, Counter[str]]:
    """For each cause how many of its runs each user, or node, has."""
    names: dict[int, Counter[str]] = {}
    query = f"SELECT cause, {column}, count(*) {_HERE} WHERE cause IS NOT NULL AND {column} IS NOT NULL GROUP BY 1, 2"
    for cause, name, count in store.rows(query):
        names.setdefault(cause, Counter())[name] = count
    return names


def _shares(store: Store, places: dict[int, Counter[str]]) -> dict[int, Share]:
    """For each cause the node that it follows, if it follows one."""
    pairs = sum(len(counted) for counted in places.values())
    wanted = {cause: counted.most_common(1)[0] for cause, counted in places.items()}
    wanted = {cause: (node, n) for cause, (node, n) in wanted.items() if n >= nodes.LEAST}
    if not wanted:
        return {}
    of_program: dict[str, int] = {}
    on_node: dict[tuple[str, str], int] = {}
    for program, node, count in store.rows(
        f"SELECT program, node, count(*) {_HERE} WHERE node IS NOT NULL AND problem IS NULL GROUP BY 1, 2"
    ):
        of_program[program] = of_program.get(program, 0) + count
        on_node[program, node] = count
    found = {}
    for cause, (node, _) in wanted.items():
        failed: dict[str, list[int]] = {}
        for program, there, count in store.rows(
            f"SELECT program, node = ?, count(*) {_HERE} WHERE cause = ? AND node IS NOT NULL GROUP BY 1, 2",
            (node, cause),
        ):
            row = failed.setdefault(program, [0, 0])
            row[0] += count
            row[1] += count if there else 0
        strata = [(of_program[p], on_node.get((p, node), 0), all_, here) for p, (all_, here) in failed.items()]
        share = nodes.share(node, strata, pairs)
        if share is not None:
            found[cause] = share
    return found


def _dims(dims: Iterable[Any]) -> str:
    return " ".join("?" if n is None else str(n) for n in dims)


def frame(fleet: Fleet) -> pd.DataFrame:
    """The causes as a table: one row a cause, with `COLUMNS`; times in UTC."""
    made = framed(COLUMNS, ((cause, _own(cause)) for cause in fleet.causes))
    made["new"] = made["new"].astype("boolean")
    made["chance"] = made["chance"].astype("float64")
    return made


def _own(cause: FleetCause) -> dict[str, Any]:
    """What only the table of a fleet says."""
    return {
        "first": utc(cause.first),
        "last": utc(cause.last),
        "new": cause.new,
        "users": counted(cause.users),
        "nodes": counted(cause.nodes),
        "follows_node": cause.share.node if cause.share else None,
        "chance": cause.share.chance if cause.share else None,
        "example": cause.examples[0] if cause.examples else None,
        "numbers": "; ".join(cause.numbers),
    }


def counted(names: Iterable[tuple[str, int]]) -> str:
    """`ada 12, max 3`."""
    return ", ".join(f"{name} {count}" for name, count in names)

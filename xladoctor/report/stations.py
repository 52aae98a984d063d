"""What the pictures of a diagnosis show, as plain values: stations on the path of the data, moments of the settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from xladoctor.model.diagnosis import Diagnosis, ShapeRow
from xladoctor.model.shapes import shape_text
from xladoctor.report import timeline

_STATIONS = 26
_MOMENTS = 22
_LONGEST_CYCLE = 4
# Calls that never return (the first op failed) would nest in each other without end.
_DEEPEST = 50
_TOO_LATE = frozenset({"setting-too-late", "dead-switch", "baked-in-setting"})


State = Literal["ok", "broken", "failed", "none"]


@dataclass(frozen=True)
class Station:
    """A call of a place on the path of the data, or, where `calls` is not 0, so many calls that are left out.

    `first` marks the first violation, `remark` says what is violated; `depth` counts the calls around it.
    """

    place: str = ""
    shapes: str = ""
    layer: str | None = None
    state: State = "none"
    first: bool = False
    depth: int = 0
    remark: str | None = None
    calls: int = 0


@dataclass(frozen=True)
class SettingMoment:
    """What happened to a setting after `t` seconds; of a milestone, `setting` is what happened. `wrong` marks a write
    that came too late or has no effect.
    """

    t: float
    setting: str
    action: str
    value: str
    note: str | None
    wrong: bool

    @property
    def is_milestone(self) -> bool:
        """Whether it concerns the run, and no setting."""
        return self.action == "milestone"


@dataclass
class _Node:
    """A call of a place, with the calls that were made within it."""

    first: ShapeRow
    arguments: list[ShapeRow] = field(default_factory=list)
    results: list[ShapeRow] = field(default_factory=list)
    inner: list[_Node] = field(default_factory=list)

    @property
    def rows(self) -> list[ShapeRow]:
        return [*self.arguments, *self.results]

    @cached_property
    def has_first(self) -> bool:
        """Whether the first violation is in it, at any depth."""
        return any(r.first_violation for r in self.rows) or any(node.has_first for node in self.inner)

    @cached_property
    def alike(self) -> tuple[Any, ...]:
        rows = [
            (r.place, r.layer, r.phase, r.tensor, str(_shape(r)), r.violation, r.first_violation) for r in self.rows
        ]
        return (*rows, *(node.alike for node in self.inner))


def stations(rows: Sequence[ShapeRow]) -> list[Station]:
    """The path as stations: outer calls with what they call, and all that leads to the first violation.

    Branches that were not taken are left out, repeated calls counted, and of a long path the beginning, the
    surroundings of the first violation and the violations after it are kept.
    """
    executed = [row for row in rows if row.state != "not-executed"]
    found: list[Station] = []
    _walk(_tree(executed), 0, found)
    return _shortened(found)


def moments(diagnosis: Diagnosis) -> list[SettingMoment]:
    """The telling moments of the settings, for the timeline."""
    every = timeline.folded(diagnosis.settings)
    governing = [switch for path in diagnosis.xla_paths for switch in map(str, path.governed_by)]
    telling = timeline.telling(every, governing)
    wrong = _wrong_writes(diagnosis)
    pids = [m.event.pid for m in telling]
    main = next((pid for pid in pids if pid is not None), None)
    telling = [m for m in telling if m.event.pid in (main, None)]
    acted = {_name(m) for m in telling if m.event.store != "milestone" and m.event.action != "start"}
    kept = [m for m in telling if m.event.store == "milestone" or _name(m) in acted]
    if len(kept) > _MOMENTS:
        # Milestones that no other event stands between say the order of nothing.
        near = {n for n, m in enumerate(kept) if m.event.store != "milestone"}
        near |= {n + 1 for n in near} | {n - 1 for n in near}
        kept = [m for n, m in enumerate(kept) if n in near][:_MOMENTS]
    return [_moment(m, wrong) for m in kept]


def _name(moment: timeline.Moment) -> str:
    return timeline.words(moment.event)[0]


def _moment(moment: timeline.Moment, wrong: set[tuple[str, str, int | None]]) -> SettingMoment:
    event = moment.event
    setting, action, value = timeline.words(event)
    kind = "milestone" if event.store == "milestone" else "read" if timeline.is_read(event) else action
    kind = kind if kind in ("milestone", "read", "start") else "write"
    where = event.location
    late = kind == "write" and where is not None and (str(event.key), where.file, where.line) in wrong
    seconds = float(event.t) if isinstance(event.t, int | float) else 0.0
    return SettingMoment(seconds, str(setting), kind, str(value), event.note, late)


def _wrong_writes(diagnosis: Diagnosis) -> set[tuple[str, str, int | None]]:
    """(setting, file, line) of each write of which a finding says that it came too late or has no effect."""
    found = set()
    for finding in diagnosis.findings:
        where = finding.location
        if finding.slug in _TOO_LATE and where is not None:
            said = f"{finding.title} {finding.message}"
            found |= {(str(e.key), where.file, where.line) for e in diagnosis.settings if str(e.key) in said}
    return found


def _tree(rows: Iterable[ShapeRow]) -> list[_Node]:
    top: list[_Node] = []
    way: list[_Node] = []
    for (*key, phase), group in groupby(rows, key=lambda r: (*_call(r), r.phase)):
        found = list(group)
        if phase == "in":
            node = _Node(found[0], arguments=found)
            (way[-1].inner if way else top).append(node)
            if len(way) < _DEEPEST:
                way.append(node)
            continue
        # An argument that was never left (the call failed) closes with the call around it.
        for depth in range(len(way) - 1, -1, -1):
            if list(_call(way[depth].first)) == key:
                way[depth].results = found
                del way[depth:]
                break
        else:
            (way[-1].inner if way else top).append(_Node(found[0], results=found))
    return top


def _call(row: ShapeRow) -> tuple[Any, ...]:
    return (row.place, row.call, row.iteration, row.layer, row.function)


def _walk(nodes: Sequence[_Node], depth: int, out: list[Station]) -> None:
    n = 0
    while n < len(nodes):
        size, times = _cycle(nodes, n)
        for node in nodes[n : n + size]:
            _put(node, depth, times, out)
        n += size * times


def _put(node: _Node, depth: int, times: int, out: list[Station]) -> None:
    opened = bool(node.inner) and (depth < 1 or any(inner.has_first for inner in node.inner))
    if not opened:
        out.append(_station(node, node.arguments, node.results, depth, times))
        return
    if node.arguments:
        out.append(_station(node, node.arguments, [], depth, times))
    _walk(node.inner, depth + 1, out)
    if node.results:
        out.append(_station(node, [], node.results, depth, times))


def _cycle(nodes: Sequence[_Node], at: int) -> tuple[int, int]:
    """(size, times) of the longest repetition that begins at a node: the turns of a loop look alike."""
    best = (1, 1)
    for size in range(1, _LONGEST_CYCLE + 1):
        cycle, times = [n.alike for n in nodes[at : at + size]], 1
        while (
            cycle
            and [n.alike for n in nodes[at + size * times : at + size * (times + 1)]] == cycle
            and not any(n.has_first for n in nodes[at : at + size])
        ):
            times += 1
        if times > 1 and size * times > best[0] * best[1]:
            best = (size, times)
    return best


def _station(
    node: _Node, arguments: Sequence[ShapeRow], results: Sequence[ShapeRow], depth: int, times: int
) -> Station:
    rows = [*arguments, *results]
    wrong = next((r for r in rows if r.first_violation), None) or next((r for r in rows if r.violation), None)
    failed = any(r.state == "failed" for r in rows)
    shapes = ", ".join(f"{r.tensor} {shape_text(_shape(r))}" for r in arguments)
    if results:
        ends = "failed" if all(r.state == "failed" for r in results) else ", ".join(_result(r) for r in results)
        shapes = f"{shapes} -> {ends}" if arguments else "does not return" if ends == "failed" else f"returns {ends}"
    state: State = "broken" if wrong else "failed" if failed else "ok" if any(r.contract for r in rows) else "none"
    name = str(node.first.place).rpartition(":")[2] + (f" ×{times}" if times > 1 else "")
    return Station(
        place=name,
        shapes=shapes,
        layer=node.first.layer,
        state=state,
        first=any(r.first_violation for r in rows),
        depth=depth,
        remark=wrong.violation if wrong else None,
    )


def _result(row: ShapeRow) -> str:
    shape = shape_text(_shape(row))
    return shape if row.tensor == "result" else f"{row.tensor} {shape}"


def _shape(row: ShapeRow) -> Any:
    return row.runtime if row.runtime is not None else row.static


def _shortened(found: list[Station]) -> list[Station]:
    dead = next((n for n, s in enumerate(found) if s.state == "failed" or "failed" in s.shapes), len(found))
    # What comes after the op that failed was never computed: it tells nothing, unless a contract is broken.
    gone = {n for n, s in enumerate(found) if n > dead and s.state == "failed"}
    first = next((n for n, s in enumerate(found) if s.first), None)
    if len(found) - len(gone) <= _STATIONS:
        keep = set(range(len(found)))
    elif first is None:
        keep = set(range(_STATIONS))
    else:
        keep = set(range(4)) | set(range(max(first - 10, 0), min(first + 4, len(found))))
        later = [n for n in range(first + 4, len(found)) if found[n].state in ("broken", "failed")]
        keep |= set(later[: max(_STATIONS - len(keep), 0)])
    out: list[Station] = []
    for n, station in enumerate(found):
        if n in keep - gone:
            out.append(station)
        elif out and out[-1].calls:
            out[-1] = replace(out[-1], calls=out[-1].calls + 1)
        else:
            out.append(Station(depth=station.depth, calls=1))
    return out

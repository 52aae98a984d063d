"""What running it again showed, on the blocker page: the parts of each replay, with pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from xladoctor.model.replay import Agreement, Parity, Replay
from xladoctor.report import html, svg
from xladoctor.report.html import Section, section
from xladoctor.report.replay import parts
from xladoctor.report.replay.parity import deviations
from xladoctor.report.writers import html as writer

_FEW = 16
_PICTURES = 2
_PICTURE = 360.0
_SWEEP = "One field for each case that was run. If there are many, neighbours with the same outcome share a field."
_CHAIN = "From the op where it becomes dynamic to the op that cannot carry it."


def sections(replays: Sequence[Replay]) -> list[Section]:
    """A section for each replay."""
    numbers = [f" {n}" for n in range(1, len(replays) + 1)] if len(replays) > 1 else [""]
    return [
        section(f"replay{n}", f"Run again{tail}: {replay.subject}", _replay(replay, f"replay{n}"))
        for n, (tail, replay) in enumerate(zip(numbers, replays, strict=False), 1)
    ]


def _replay(replay: Replay, name: str) -> Iterator[str]:
    for part in parts(replay):
        yield from writer.write(part, *_pictures(replay, part.name, name))
    if replay.notes:
        yield html.items(f"Note: {note}" for note in replay.notes)


def _pictures(replay: Replay, part: str, name: str) -> Iterator[str]:
    if part == "sweep" and replay.sweep is not None and len(replay.sweep.outcomes) > 1:
        yield html.figure(svg.sweep(f"{name}-sweep", replay.sweep.outcomes), _SWEEP)
    if part == "isolated" and replay.isolated is not None and len(replay.isolated.chain) > 1:
        yield html.figure(svg.chain(f"{name}-chain", replay.isolated.chain), _CHAIN)
    if part == "lowering" and replay.lowering is not None and len(replay.lowering.dynamic) > 1:
        yield html.figure(svg.chain(f"{name}-lowering", replay.lowering.dynamic), _CHAIN)
    if part == "parity" and replay.parity is not None:
        yield from _deviations(replay.parity, name)
        yield from _where(replay.parity, name)


def _deviations(parity: Parity, name: str) -> Iterator[str]:
    matrix, rows, columns, tolerance = deviations(parity)
    if matrix:
        said = "Deviation of each output between two ways to compute it"
        said += ", in multiples of the tolerance." if tolerance == 1.0 else ", relative to its largest magnitude."
        yield html.figure(svg.heat(f"{name}-heat", matrix, rows, columns, tolerance), said)


def _where(parity: Parity, name: str) -> Iterator[str]:
    """Of outputs that differ: in which rows of the batch, and where in the worst row. The worst output first."""
    known = [a for a in parity.agreements if not a.agree and a.map is not None and a.map.rows]
    known.sort(key=lambda a: max(far for _, far in a.map.rows) if a.map else 0.0, reverse=True)
    for number, between in enumerate(dict.fromkeys(a.between for a in known), 1):
        yield from _of_pair([a for a in known if a.between == between], between, f"{name}-{number}")


def _of_pair(same: Sequence[Agreement], between: str, name: str) -> Iterator[str]:
    maps = [(a, a.map) for a in same if a.map is not None]
    first = maps[0][1]
    numbers = [row for row, _ in first.rows]
    # Rows of one batch stand below each other; an output with other rows has a picture of its own kind only.
    like = [(a, m) for a, m in maps if [row for row, _ in m.rows] == numbers]
    matrix = [[far for _, far in m.rows] for _, m in like]
    heads = [str(n) for n in numbers] if len(numbers) <= _FEW else ()
    picture = svg.heat(
        f"{name}-rows", matrix, [a.output for a, _ in like], heads, like[0][0].tolerance, each=(1, first.block)
    )
    yield html.figure(
        picture, f"Which rows of the batch deviate, {between}: one field for each row, one line for each output."
    )
    drawn = [(a, m, m.shape, m.cells) for a, m in maps if m.shape and m.cells and m.cells[0]]
    for number, (a, m, (high, wide), cells) in enumerate(drawn[:_PICTURES]):
        each = (math.ceil(high / len(cells)), math.ceil(wide / len(cells[0])))
        picture = svg.heat(f"{name}-map{number}", cells, tolerance=a.tolerance, each=each, widest=_PICTURE)
        yield html.figure(picture, f"Where {a.output} deviates in row {m.row}, {between} ({high} by {wide}).")

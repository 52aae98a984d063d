"""A fleet as one page: the causes as a table, and a section for each with an example and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.report import fleet as words
from xladoctor.report import html
from xladoctor.report.facts import count
from xladoctor.report.html import Section, breakable, code, esc, section
from xladoctor.report.text import clip
from xladoctor.survey.table import utc

if TYPE_CHECKING:
    from xladoctor.model.fleet import Fleet, FleetCause

_MOST = 100
_HEADS = ("runs", "class", "where", "first seen", "last seen", "users", "nodes")


def render(fleet: Fleet) -> str:
    """The page."""
    runs, said = words.headline(fleet)
    kind = "bad" if fleet.verdicts.get("failed") else "warn" if fleet.verdicts.get("warnings") else "ok"
    head = [
        f'<p class="kicker {kind}">Survey</p>',
        f"<h1>{esc(runs)}: {esc(said)}</h1>",
        html.facts(
            [
                ("Below", breakable(", ".join(fleet.roots))),
                ("Since", utc(fleet.since) or "the first log"),
                ("Until", utc(fleet.until)),
                ("Read now", fleet.read),
                ("With a node", fleet.placed),
            ],
            "facts brief",
        ),
    ]
    return html.page(fleet.schema, fleet.tool_version, f"Survey: {runs}, {said}", head, list(_sections(fleet)))


def _sections(fleet: Fleet) -> Iterator[Section]:
    if fleet.causes:
        rows = [_row(cause) for cause in fleet.causes]
        yield section("causes", "Root causes", [html.small(_HEADS, rows, "Root causes, those of most runs first")])
    for number, cause in enumerate(fleet.causes[:_MOST], 1):
        yield section(f"cause-{number}", f"{cause.code} {cause.slug}: {count(cause.count, 'run')}", _cause(cause))
    more = len(fleet.causes) - _MOST
    if more > 0:
        yield from html.bullets("more", "Not shown", [f"{more} more causes are in the table"])
    yield from html.bullets("problems", f"Could not be read: {fleet.unreadable}", fleet.problems)


def _row(cause: FleetCause) -> tuple[object, ...]:
    first = f"{utc(cause.first) or ''}{' (new)' if cause.new else ''}"
    where = breakable(cause.place or cause.op or "")
    name = f"{cause.code} {cause.slug}"
    return cause.count, name, where, first, utc(cause.last), words.names(cause.users), words.names(cause.nodes)


def _cause(cause: FleetCause) -> Iterator[str]:
    follow = words.follows(cause)
    if follow:
        yield f"<p><strong>{esc(follow)}</strong></p>"
    yield f"<p>{esc(cause.title)}</p>"
    yield html.fence(clip(cause.message, words.WORDS))
    rows: list[tuple[str, object]] = [("Seen", words.times(cause))]
    rows += [("Where", breakable(cause.place))] if cause.place else []
    rows += [("Op", code(cause.op))] if cause.op else []
    rows += [("Numbers", "; ".join(cause.numbers))] if cause.numbers else []
    rows += [("Users", words.names(cause.users, 20))] if cause.users else []
    rows += [("Nodes", words.names(cause.nodes, 20))] if cause.nodes else []
    rows += [("To do", cause.remedy)] if cause.remedy else []
    yield html.facts(rows)
    yield html.items(breakable(example) for example in cause.examples)

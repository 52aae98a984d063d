"""Parts of a report on a page."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.report import html
from xladoctor.report.document import Block, Bullets, Code, Facts, Item, Paragraph, Part, Table, Tree
from xladoctor.report.html import Markup, code, esc, mixed

_KINDS = {"red": "bad", "bold red": "bad", "green": "ok"}


def write(part: Part, *pictures: str) -> Iterator[str]:
    """The markup of a part, below a heading of the third level; pictures stand before what they show."""
    yield f"<h3>{esc(part.title)}</h3>"
    if part.note:
        yield f'<p class="dim">{esc(part.note)}</p>'
    yield from pictures
    for block in part.blocks:
        yield from _block(block, part.title)


def _block(block: Block, title: str) -> Iterator[str]:
    match block:
        case Bullets(items) if items:
            yield html.items(_item(item) for item in items)
        case Paragraph(text):
            yield f"<p>{esc(text)}</p>"
        case Code(lines):
            for said in lines:
                yield f"<p>{code(said)}</p>"
        case Facts(rows) if rows:
            yield html.facts((name, code(value)) for name, value in rows)
        case Table(heads, rows) if rows:
            yield html.small(heads, ([code(cell) for cell in row] for row in rows), title)
        case Tree(said, lines) if lines:
            yield f"<p>{esc(said)}</p>"
            yield html.fence("\n".join(lines))


def _item(item: Item) -> Markup:
    kind = _KINDS.get(item.style)
    lead = f"<strong>{esc(item.lead)}</strong>: " if item.lead else ""
    text = lead + str(mixed(item.text))
    return Markup(f'<span class="{kind}">{text}</span>' if kind else text)

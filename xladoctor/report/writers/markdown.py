"""Parts of a report in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.report.document import Block, Bullets, Code, Facts, Item, Paragraph, Part, Table, Tree
from xladoctor.report.text import md, md_code, md_fence


def write(part: Part, level: int = 2) -> list[str]:
    """The blocks of a part; its heading is of that level."""
    said = (text for block in part.blocks for text in _block(block))
    return [f"{'#' * level} {md(part.title)}", *([md(part.note)] if part.note else []), *said]


def _block(block: Block) -> Iterator[str]:
    match block:
        case Bullets(items) if items:
            yield "\n".join(f"- {_item(item)}" for item in items)
        case Paragraph(text):
            yield md(text)
        case Code(lines) if lines:
            yield "\n".join(f"- {md_code(said)}" for said in lines) if len(lines) > 1 else md_code(lines[0])
        case Facts(rows) if rows:
            yield "\n".join(f"- {md(name)}: {md_code(value)}" for name, value in rows)
        case Table(heads, rows) if rows:
            cells = [heads, ["---"] * len(heads), *([_cell(cell) for cell in row] for row in rows)]
            yield "\n".join(f"| {' | '.join(row)} |" for row in cells)
        case Tree(title, lines) if lines:
            yield md(title)
            yield md_fence("\n".join(lines))


def _item(item: Item) -> str:
    return f"**{md(item.lead)}**: {md(item.text)}" if item.lead else md(item.text)


def _cell(text: str) -> str:
    return md_code(text, table=True) if text else ""

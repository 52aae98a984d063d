"""Parts of a report on a terminal."""

from __future__ import annotations

from xladoctor.report.document import Block, Bullets, Code, Facts, Paragraph, Part, Table, Tree
from xladoctor.report.page import Page


def write(page: Page, part: Part) -> None:
    """Put a part at the end of the page."""
    page.heading(part.title, part.note)
    for block in part.blocks:
        _block(page, block)


def _block(page: Page, block: Block) -> None:
    match block:
        case Bullets(items):
            for item in items:
                said = f"{item.lead}: {item.text}" if item.lead else item.text
                page.para(said, first="- ", hang=2, style=item.style)
        case Paragraph(text):
            page.para(text)
        case Code(lines):
            for said in lines:
                page.para(said, hang=2)
        case Facts(rows):
            page.table(rows)
        case Table(heads, rows):
            page.table([heads, *rows] if rows else [])
        case Tree(title, _, short) if short:
            page.para(title)
            page.verbatim("\n".join(short), indent=4)

"""A part of a report, written once: what it says as blocks, before any format. `writers` has one module a format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """A point of a list. `lead` names what it is about; `style` is that of the console."""

    text: str
    lead: str = ""
    style: str = ""


@dataclass(frozen=True)
class Bullets:
    """Points in their order."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Paragraph:
    """A sentence or more."""

    text: str


@dataclass(frozen=True)
class Code:
    """Lines as a program printed them."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and values."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Rows of one length below their heads."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Tree:
    """Lines whose indentation says what hangs on what, below a sentence about them. A terminal shows the short form."""

    title: str
    lines: tuple[str, ...]
    short: tuple[str, ...]


Block = Bullets | Paragraph | Code | Facts | Table | Tree


@dataclass(frozen=True)
class Part:
    """A titled part; `note` says what it took to know it. Blocks in which nothing stands are left out."""

    name: str
    title: str
    note: str = ""
    blocks: tuple[Block, ...] = ()


def points(texts: list[str] | tuple[str, ...], style: str = "") -> Bullets:
    """A list of plain sentences."""
    return Bullets(tuple(Item(text, style=style) for text in texts))

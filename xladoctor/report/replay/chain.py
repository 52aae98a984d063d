"""The chain of a dynamic dimension, drawn as a small tree: each op below the one it has the dimension from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.report.document import Tree
from xladoctor.report.text import line

if TYPE_CHECKING:
    from xladoctor.model.replay import Link

_TITLE = "The dynamic dimension, from its origin to the op that cannot carry it:"
_MANY = 8
_MARK = {"birth": "born", "carries": "", "fails": "FAILS"}


def tree(links: Sequence[Link], all_of_it: bool) -> list[Tree]:
    """The tree; its short form is the ends of a long one, unless all of it is asked for."""
    if len(links) < 2:
        return []
    return [Tree(_TITLE, tuple(drawn(links, all_of_it=True)), tuple(drawn(links, all_of_it)))]


def drawn(links: Sequence[Link], all_of_it: bool) -> list[str]:
    """One or two lines a link."""
    shown: list[Link | int] = list(links)
    if len(links) > _MANY and not all_of_it:
        shown = [*links[:3], len(links) - 6, *links[-3:]]
    lines = []
    last_location = None
    for number, link in enumerate(shown):
        lead = "" if number == 0 else "└─ "
        if isinstance(link, int):
            lines.append(f"{lead}... {link} more ops carry it")
            continue
        node = (link.node or "").rpartition("/")[2]
        mark = _MARK[link.what]
        named = link.op if node.lower() == link.op.lower() else f"{link.op} {node}"
        mark += f": {link.why}" if link.why else ""
        lines.append(lead + "  ".join(line(part) for part in (named, link.shape, mark) if part))
        if link.location and link.location != last_location:
            lines.append(f"   at {line(link.location)}")
        last_location = link.location
    return lines

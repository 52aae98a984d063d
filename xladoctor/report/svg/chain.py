"""The chain of a dynamic dimension: from the op where it is born to the op that cannot carry it."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.replay import Link
from xladoctor.report.html import Markup
from xladoctor.report.svg.canvas import Canvas

_BOX, _STEP, _WIDTH, _LEFT = 46, 68, 860, 90
_MOST = 14
_ENDS = {"birth": "born in", "fails": "fails in", "carries": ""}


def chain(name: str, links: Sequence[Link]) -> Markup:
    """A box for each op, joined by arrows.

    Args:
        name: of the picture on its page.
        links: birth first. Of a long chain the middle is left out, which is said.
    """
    shown: list[Link | int] = list(links)
    if len(links) > _MOST:
        shown = [*links[: _MOST // 2], len(links) - _MOST + 1, *links[1 - _MOST // 2 :]]
    ends = (
        f"It becomes dynamic in {links[0].op}, and {links[-1].op} cannot carry it; {len(links)} ops."
        if links
        else "Nothing."
    )
    canvas = Canvas(name, "The chain of a dynamic dimension", ends)
    for n, link in enumerate(shown):
        y = 8 + _STEP * n
        if n:
            canvas.line(_LEFT + 30, y - _STEP + _BOX, _LEFT + 30, y - 6, "line")
            canvas.path(f"M{_LEFT + 25} {y - 8}L{_LEFT + 30} {y - 1}L{_LEFT + 35} {y - 8}", "line")
        if isinstance(link, int):
            canvas.text(_LEFT + 46, y + _BOX / 2 + 4, f"{link} more ops that carry it", "t-dim")
            continue
        fails = link.what == "fails"
        kind = "o-bad" if fails else "f-mark" if link.what == "birth" else "f-head"
        canvas.rect(_LEFT, y, _WIDTH - _LEFT - 4, _BOX, kind, f"{link.op} {link.node or ''}", 5)
        canvas.text(4, y + _BOX / 2 + 4, _ENDS[link.what], "t-bad t-s t-b" if fails else "t-s t-b")
        end = canvas.text(_LEFT + 12, y + 19, link.op, "t-b")
        end = canvas.text(end + 14, y + 19, link.shape, "t-bad" if fails else "", 40)
        canvas.text(end + 14, y + 19, link.node or "", "t-dim t-s", max(int((_WIDTH - end - 30) / 6.7), 6))
        said = "; ".join(part for part in (link.location or "no line of yours", link.why) if part)
        canvas.text(_LEFT + 12, y + 36, said, "t-dim t-s", 112)
    return canvas.svg(_WIDTH, 8 + _STEP * len(shown) - (_STEP - _BOX) + 6)

"""The chain of a dynamic dimension: from the op where it is born to the op that cannot carry it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xladoctor.report.html import Markup
from xladoctor.report.svg.canvas import Canvas

_BOX, _STEP, _WIDTH, _LEFT = 46, 68, 860, 90
_MOST = 14
_ENDS = {"birth": "born in", "fails": "fails in", "carries": ""}


def chain(name: str, links: Sequence[dict[str, Any]]) -> Markup:
    """A box for each op, joined by arrows.

    Args:
        name: of the picture on its page.
        links: `{"op", "node", "shape": "f32[<=64,3]", "source": "file:line in function", "why", "what"}`, birth first;
            `what` is birth, carries or fails. Of a long chain the middle is left out, which is said.
    """
    links = list(links)
    shown: list[dict[str, Any] | int] = list(links)
    if len(links) > _MOST:
        shown = [*links[: _MOST // 2], len(links) - _MOST + 1, *links[1 - _MOST // 2 :]]
    ends = f"Born in {links[0]['op']}, {links[-1]['op']} cannot carry it; {len(links)} ops." if links else "Nothing."
    canvas = Canvas(name, "The way of a dynamic dimension", ends)
    for n, link in enumerate(shown):
        y = 8 + _STEP * n
        if n:
            canvas.line(_LEFT + 30, y - _STEP + _BOX, _LEFT + 30, y - 6, "line")
            canvas.path(f"M{_LEFT + 25} {y - 8}L{_LEFT + 30} {y - 1}L{_LEFT + 35} {y - 8}", "line")
        if isinstance(link, int):
            canvas.text(_LEFT + 46, y + _BOX / 2 + 4, f"{link} more ops that carry it", "t-dim")
            continue
        what = str(link.get("what") or "carries")
        kind = "o-bad" if what == "fails" else "f-mark" if what == "birth" else "f-head"
        canvas.rect(_LEFT, y, _WIDTH - _LEFT - 4, _BOX, kind, f"{link.get('op')} {link.get('node') or ''}", 5)
        canvas.text(4, y + _BOX / 2 + 4, _ENDS.get(what, ""), "t-bad t-s t-b" if what == "fails" else "t-s t-b")
        end = canvas.text(_LEFT + 12, y + 19, link.get("op", "?"), "t-b")
        end = canvas.text(end + 14, y + 19, link.get("shape", ""), "t-bad" if what == "fails" else "", 40)
        canvas.text(end + 14, y + 19, link.get("node") or "", "t-dim t-s", max(int((_WIDTH - end - 30) / 6.7), 6))
        said = "; ".join(str(part) for part in (link.get("source") or "no line of yours", link.get("why")) if part)
        canvas.text(_LEFT + 12, y + 36, said, "t-dim t-s", 112)
    return canvas.svg(_WIDTH, 8 + _STEP * len(shown) - (_STEP - _BOX) + 6)

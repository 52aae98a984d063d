"""The sheet that all pictures are drawn on."""

from __future__ import annotations

from xladoctor.report.html import Markup, esc
from xladoctor.report.text import clip, line

# The width of one character of the style's 13 px and 11 px monospaced text, on the wide side.
WIDE, NARROW = 7.9, 6.7


class Canvas:
    """Shapes in the order in which they are drawn. Sizes are CSS pixels.

    `name` is ours: the ids of title and description are made of it, and must be unique on a page.
    """

    def __init__(self, name: str, title: str, description: str) -> None:
        self._name, self._title, self._description = name, title, description
        self._parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, kind: str, tip: str = "", round_: int = 0) -> None:
        """A box; `tip` is shown where the pointer rests."""
        inside = f"<title>{esc(tip)}</title>" if tip else ""
        corner = f' rx="{round_}"' if round_ else ""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner} '
            f'class="{kind}">{inside}</rect>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str, tip: str = "") -> None:
        """A dot."""
        inside = f"<title>{esc(tip)}</title>" if tip else ""
        self._parts.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" class="{kind}">{inside}</circle>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A straight line."""
        self._parts.append(f'<path d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" class="{kind}"/>')

    def path(self, points: str, kind: str) -> None:
        """A path of SVG's own commands, which must be ours."""
        self._parts.append(f'<path d="{points}" class="{kind}"/>')

    def text(self, x: float, y: float, said: object, kind: str = "", longest: int = 0) -> float:
        """Text from `x` on, cut at `longest` characters; gives where it ends, about."""
        whole = line(said)
        shown = clip(whole, longest) if longest else whole
        tip = f"<title>{esc(whole)}</title>" if shown != whole else ""
        named = f' class="{kind}"' if kind else ""
        self._parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{named}>{esc(shown)}{tip}</text>')
        return x + len(shown) * (NARROW if "t-s" in kind.split() else WIDE)

    def cross(self, x: float, y: float, radius: float) -> None:
        """A cross in a filled square: what is wrong, also without colours."""
        self.rect(x - radius, y - radius, 2 * radius, 2 * radius, "f-bad", round_=2)
        r = radius * 0.5
        self.path(
            f"M{_n(x - r)} {_n(y - r)}L{_n(x + r)} {_n(y + r)}M{_n(x + r)} {_n(y - r)}L{_n(x - r)} {_n(y + r)}", "x"
        )

    def tick(self, x: float, y: float, radius: float) -> None:
        """A tick in a filled circle: what is right."""
        self.circle(x, y, radius, "f-ok")
        r = radius * 0.5
        self.path(f"M{_n(x - r)} {_n(y)}L{_n(x - r * 0.2)} {_n(y + r * 0.8)}L{_n(x + r)} {_n(y - r * 0.8)}", "x")

    def svg(self, width: float, height: float) -> Markup:
        """The picture."""
        name = self._name
        return Markup(
            f'<svg role="img" aria-labelledby="{name}-t {name}-d" '
            f'viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}">'
            f'<title id="{name}-t">{esc(self._title)}</title><desc id="{name}-d">{esc(self._description)}</desc>'
            + "".join(self._parts)
            + "</svg>"
        )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")

"""A page inside of another, as a notebook shows it: in a frame of its own, without scripts and without its styles."""

from __future__ import annotations

from html import escape

_STYLE = "width:100%;height:34em;border:1px solid #8884;resize:vertical;background:#fff"


def framed(page: str) -> str:
    """The markup of a frame that shows a whole HTML page."""
    return f'<iframe sandbox="" title="xladoctor" style="{_STYLE}" srcdoc="{escape(page, quote=True)}"></iframe>'

"""Renderers of traces: a `Trace`, or two side by side, becomes text; nothing is computed, read or written."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.trace import Trace, TraceDiff
    from xladoctor.report.page import Page

FORMATS = ("console", "csv", "json", "markdown", "html")


def render(found: Trace | TraceDiff, format: str, page: Page | None = None, view: View | None = None) -> str:
    """A trace, or two side by side, as text.

    `page` gives width and colours to the console format; without it the text has 80 columns and no colours.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    from xladoctor.model.trace import Trace

    # One module a format, each with the same two functions.
    module: Any = import_module(f"xladoctor.report.trace_{format}")
    renderer = module.render if isinstance(found, Trace) else module.render_diff
    if format != "console":
        return str(renderer(found))
    from xladoctor.report.page import Page

    return str(renderer(found, page or Page(), view or View()))

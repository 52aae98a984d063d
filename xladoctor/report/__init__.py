"""Renderers: a `Diagnosis` becomes text, and nothing is computed, read or written.

`render(diagnosis, format)` gives the text of any format. The console format can also go straight to a rich
console (`xladoctor.report.console.render`), which knows its width and colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.report.view import View

if TYPE_CHECKING:
    from rich.console import Console

    from xladoctor.diagnosis.model import Diagnosis

FORMATS = ("console", "json", "markdown")

__all__ = ["FORMATS", "View", "render"]


def render(
    diagnosis: Diagnosis, format: str, console: Console | None = None, view: View | None = None
) -> str:
    """The diagnosis as text.

    `console` gives width and colours to the console format; without it the text has 80 columns and no
    colours. What the console format writes is captured, so nothing appears on `console` itself.

    Raises:
        ValueError: there is no such format.
    """
    view = view or View()
    if format == "json":
        from xladoctor.report import json_

        return json_.render(diagnosis)
    if format == "markdown":
        from xladoctor.report import markdown

        return markdown.render(diagnosis, view)
    if format != "console":
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    from xladoctor.report import console as report

    if console is None:
        from rich.console import Console

        console = Console(width=80, force_terminal=False, color_system=None)
    with console.capture() as captured:
        report.render(diagnosis, console, view)
    return captured.get()

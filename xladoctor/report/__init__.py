"""Renderers: a `Diagnosis` becomes text, and nothing is computed, read or written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.diagnosis.model import Diagnosis
    from xladoctor.report.page import Page

FORMATS = ("console", "json", "markdown")

__all__ = ["FORMATS", "View", "render"]


def render(diagnosis: Diagnosis, format: str, page: Page | None = None, view: View | None = None) -> str:
    """The diagnosis as text.

    `page` gives width and colours to the console format; without it the text has 80 columns and no colours.

    Raises:
        ValueError: there is no such format.
    """
    if format == "json":
        from xladoctor.report import json_

        return json_.render(diagnosis)
    if format == "markdown":
        from xladoctor.report import markdown

        return markdown.render(diagnosis, view)
    if format != "console":
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    from xladoctor.report import console
    from xladoctor.report.page import Page

    return console.render(diagnosis, page or Page(), view)

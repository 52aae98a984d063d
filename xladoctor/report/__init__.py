"""Renderers: a `Diagnosis` becomes text, and nothing is computed, read or written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.report.exports import EXPORTS
from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.report.page import Page

# What every command can write; and what only a diagnosis can be written as, one or many in a file.
PAGES = ("console", "json", "markdown")
MANY = tuple(EXPORTS)
FORMATS = (*PAGES, "html", *MANY)

__all__ = ["FORMATS", "MANY", "PAGES", "View", "render", "render_many"]


def render(diagnosis: Diagnosis, format: str, page: Page | None = None, view: View | None = None) -> str:
    """The diagnosis as text.

    `page` gives width and colours to the console format; without it the text has 80 columns and no colours.

    Raises:
        ValueError: there is no such format.
    """
    if format in EXPORTS:
        return render_many((diagnosis,), format)
    if format == "json":
        from xladoctor.report import json_

        return json_.render(diagnosis)
    if format == "markdown":
        from xladoctor.report import markdown

        return markdown.render(diagnosis, view)
    if format == "html":
        from xladoctor.report.html import blocker

        return blocker.render(diagnosis, view)
    if format != "console":
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    from xladoctor.report import console
    from xladoctor.report.page import Page

    return console.render(diagnosis, page or Page(), view)


def render_many(diagnoses: Sequence[Diagnosis], format: str) -> str:
    """Several diagnoses as one text, in a format that holds any number of them.

    Raises:
        ValueError: the format holds one diagnosis, or there is no such format.
    """
    if format not in EXPORTS:
        raise ValueError(f"{format!r} does not hold several diagnoses; these do: {', '.join(MANY)}")
    return EXPORTS[format].render(diagnoses)

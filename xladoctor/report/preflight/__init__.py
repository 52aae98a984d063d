"""Renderers of preflights: a `Preflight` becomes text; nothing is computed, read or written."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xladoctor.model.preflight import Preflight
    from xladoctor.report.page import Page

FORMATS = ("console", "json", "markdown")


def render(found: Preflight, format: str, page: Page | None = None, verbose: bool = False) -> str:
    """A preflight as text.

    Raises:
        ValueError: there is no such format.
    """
    if format == "json":
        return json.dumps(to_dict(found), indent=1) + "\n"
    if format == "markdown":
        from xladoctor.report.preflight.markdown import render as as_markdown

        return as_markdown(found)
    if format != "console":
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    from xladoctor.report.page import Page
    from xladoctor.report.preflight.console import render as as_console

    return as_console(found, page or Page(), verbose)


def to_dict(found: Preflight) -> dict[str, Any]:
    """The preflight as what JSON can hold, schema and verdict first."""
    told = asdict(found)
    plan = [{**b, "full": p.full, "last": p.last} for b, p in zip(told["plan"], found.plan, strict=True)]
    head = {"schema": found.schema, "verdict": found.verdict}
    told["unchecked"] = [{"name": c.name, "why": c.message} for c in found.unchecked]
    return {**head, **{k: v for k, v in told.items() if k != "schema"}, "plan": plan}

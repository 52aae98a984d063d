"""Renderers of two runs side by side: one module a format."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.run_diff import RunDiff, Topic
    from xladoctor.report.page import Page

FORMATS = ("console", "json", "markdown", "html")
NOT_A_CAUSE = "In the order in which they act. A difference need not be the cause."


def render(found: RunDiff, format: str, page: Page | None = None, view: View | None = None) -> str:
    """Two runs side by side, as text.

    Raises:
        ValueError: there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"no such format: {format!r}; there are {', '.join(FORMATS)}")
    if format == "json":
        return _json(found)
    module: Any = import_module(f"xladoctor.report.run_diff.{format}")
    if format != "console":
        return str(module.render(found))
    from xladoctor.report.page import Page

    return str(module.render(found, page or Page(), view or View()))


def summary(found: RunDiff) -> str:
    """What differs, in a sentence."""
    topics = [f"{_within(topic.title)} ({len(topic.differ)})" for topic in found.topics if topic.differ]
    rows = sum(len(step.rows) for step in found.shapes.steps)
    alone = sum(step.a is None or step.b is None for step in found.shapes.steps)
    if rows or alone:
        topics.append(f"shapes ({rows + alone})")
    return f"They differ in {', '.join(topics)}." if topics else "They do not differ in anything that was compared."


def _within(title: str) -> str:
    """A title within a sentence: `Settings` is `settings`, `XLA paths` stays."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def same(topic: Topic) -> str:
    """How many are the same, in words."""
    return f"{topic.same} the same" if topic.same else ""


def _json(found: RunDiff) -> str:
    import json

    from xladoctor.report import trace_json
    from xladoctor.report.json_ import plain

    shapes = json.loads(trace_json.render_diff(found.shapes))
    data = {**plain(found), "differs": found.differs, "shapes": shapes}
    ordered = {key: data.pop(key) for key in ("schema", "tool_version", "differs")} | data
    return json.dumps(ordered, indent=1, allow_nan=False) + "\n"

"""Two runs side by side, for a person at a terminal."""

from __future__ import annotations

from xladoctor.model.run_diff import RunDiff, Topic
from xladoctor.report import run_diff, text, trace_words
from xladoctor.report.page import Page
from xladoctor.report.view import View

_FEW = 10
_LONG = 300


def render(found: RunDiff, page: Page, view: View) -> str:
    """Writes the comparison on `page`, and returns what is on it."""
    word, style = ("DIFFERENT", "bold yellow") if found.differs else ("THE SAME", "bold green")
    page.parts(("xladoctor: ", "bold"), (word, style))
    for name, side in (("A", found.a), ("B", found.b)):
        page.parts((f"{name}  ", "bold"), (side.source, "cyan"), (f"  {side.verdict}; {side.ended}", "dim"), indent=2)
        if side.root:
            page.para(side.root, indent=5)
    page.para(run_diff.summary(found))
    if view.quiet:
        return page.text()
    page.bullets("Could not be read", found.problems)
    if found.differs:
        page.para(run_diff.NOT_A_CAUSE, style="dim")
    for topic in found.topics:
        if topic.differ or view.verbose:
            _topic(page, topic, view)
    _shapes(page, found)
    page.bullets("Notes", found.notes)
    return page.text()


def _topic(page: Page, topic: Topic, view: View) -> None:
    page.heading(topic.title, run_diff.same(topic))
    shown = topic.differ if view.verbose else topic.differ[:_FEW]
    for difference in shown:
        page.parts((difference.name, "bold"), indent=2)
        for name, value in (("A", difference.a), ("B", difference.b)):
            said = "-" if value is None else value if view.verbose else text.clip(value, _LONG)
            page.para(said, indent=4, hang=3, first=f"{name}  ", style="dim" if value is None else "")
    if len(topic.differ) > len(shown):
        page.parts((f"… {len(topic.differ) - len(shown)} more (--verbose)", "dim"), indent=2)


def _shapes(page: Page, found: RunDiff) -> None:
    shapes = found.shapes
    if not shapes.steps:
        return
    page.heading("Shapes", "xladoctor trace --diff for all of them")
    page.para(trace_words.differs(shapes))
    for title, first in (("First difference", shapes.first), ("First contract broken", shapes.first_broken)):
        if first is None:
            continue
        row = first[1]
        page.para(f"{title}: {trace_words.sentence(first)}", style="bold")
        sides = (("A", row.a, row.named_a), ("B", row.b, row.named_b))
        page.table([(n, trace_words.side(s, said)) for n, s, said in sides], indent=4, styles=["bold", ""])

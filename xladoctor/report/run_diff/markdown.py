"""Two runs side by side, as Markdown for an issue."""

from __future__ import annotations

from xladoctor.model.run_diff import RunDiff, RunSide
from xladoctor.report import run_diff, trace_markdown
from xladoctor.report.markdown import md_comment
from xladoctor.report.markdown_tables import code, prose, table
from xladoctor.report.text import md


def render(found: RunDiff) -> str:
    """The document, with a line break at its end."""
    sides = [(("A", found.a)), (("B", found.b))]
    parts = [
        f"<!-- {md_comment(found.schema)} written by xladoctor {md_comment(found.tool_version)} -->",
        f"# Two runs side by side: {md(run_diff.summary(found))}",
        table(("", "Run", "Verdict", "End", "Root"), [(f"**{name}**", *_side(side)) for name, side in sides]),
    ]
    if found.problems:
        parts += ["## Could not be read", "\n".join(f"- {md(problem)}" for problem in found.problems)]
    if found.differs:
        parts.append(run_diff.NOT_A_CAUSE)
    for topic in found.topics:
        if topic.differ:
            aside = run_diff.same(topic)
            parts.append(f"## {md(topic.title)}" + (f" ({aside})" if aside else ""))
            parts.append(
                table(("What", "A", "B"), [(code(d.name), code(d.a) or "-", code(d.b) or "-") for d in topic.differ])
            )
    parts += trace_markdown.diff_parts(found.shapes)
    if found.notes:
        parts += ["## Notes", "\n".join(f"- {md(note)}" for note in found.notes)]
    return "\n\n".join(parts) + "\n"


def _side(side: RunSide) -> tuple[str, ...]:
    return (code(side.source), prose(side.verdict), prose(side.ended), prose(side.root or "-"))

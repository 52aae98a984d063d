"""Two runs side by side, as a page."""

from __future__ import annotations

from xladoctor.model.run_diff import RunDiff, Topic
from xladoctor.report import html, run_diff, trace_html, trace_words
from xladoctor.report.html import Section, breakable, code, esc, section

_MOODS = {"failed": "bad", "warnings": "warn", "healthy": "ok"}


def render(found: RunDiff) -> str:
    """The page."""
    rows = [
        (
            html.Markup(f"<strong>{name}</strong>"),
            code(side.source),
            _verdict(side.verdict),
            side.ended,
            side.root or "-",
        )
        for name, side in (("A", found.a), ("B", found.b))
    ]
    head = [
        '<p class="kicker dim">Two runs side by side</p>',
        f"<h1>{esc(run_diff.summary(found))}</h1>",
        html.small(("Side", "Run", "Verdict", "End", "Root"), rows, "The two runs"),
        f"<p>{esc(run_diff.NOT_A_CAUSE)}</p>" if found.differs else "",
    ]
    sections = html.bullets("problems", "Could not be read", found.problems)
    sections += [_topic(topic) for topic in found.topics if topic.differ]
    if found.shapes.differs:
        said = [f"<p>{esc(trace_words.differs(found.shapes))}</p>"]
        for title, first in (
            ("First difference", found.shapes.first),
            ("First contract broken", found.shapes.first_broken),
        ):
            if first is not None:
                said.append(f"<p><strong>{title}:</strong> {esc(trace_words.sentence(first))}</p>")
        sections.append(section("shapes", "Shapes", said))
        sections += trace_html.diff_sections(found.shapes)
    sections += html.bullets("notes", "Notes", found.notes)
    return html.page(found.schema, found.tool_version, f"{found.a.source} and {found.b.source}", head, sections)


def _verdict(word: str) -> html.Markup:
    return html.Markup(f'<span class="{_MOODS.get(word, "dim")}">{esc(word)}</span>')


def _topic(topic: Topic) -> Section:
    rows = [html.row((breakable(d.name), breakable(d.a) or "-", breakable(d.b) or "-")) for d in topic.differ]
    aside = run_diff.same(topic)
    caption = f"{topic.title}: {len(topic.differ)} differ{', ' + aside if aside else ''}"
    return section(topic.id, topic.title, html.table(("What", "A", "B"), (20, 40, 40), rows, caption))

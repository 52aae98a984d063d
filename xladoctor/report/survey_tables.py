"""A survey as one table, a row a cause: for a spreadsheet or pandas, and for an issue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.model.survey import Survey
from xladoctor.report.csv_table import of_frame
from xladoctor.report.facts import count
from xladoctor.report.text import clip, md, md_code
from xladoctor.survey.table import frame, numbers_text, utc

if TYPE_CHECKING:
    from xladoctor.survey.columns import Named

_WORDS = 300


def unreadable(problems: Sequence[str]) -> list[str]:
    """The runs that could not be read, as lines of Markdown."""
    return ["Could not be read:", "", *(f"- {md(problem)}" for problem in problems), ""] if problems else []


def what_and_where(cause: Named) -> tuple[str, str, str]:
    """Class, op and place of a cause, as cells of Markdown."""
    name = f"{cause.code} {md(cause.slug)} ({cause.level})"
    return name, md_code(cause.op or "", table=True), md_code(cause.place or "", table=True)


def sentence(number: int, cause: Named) -> str:
    """Title and message of a cause below the table."""
    return f"{number}. {md(cause.title)}: {md(clip(cause.message, _WORDS))}"


def csv(survey: Survey) -> str:
    """The causes as CSV, with one line of names on top."""
    return of_frame(frame(survey))


def markdown(survey: Survey) -> str:
    """The causes as a Markdown table, and the runs of each below it."""
    verdicts = survey.verdicts
    lines = [
        f"<!-- {survey.schema} -->",
        f"# {count(len(survey.runs), 'run')}: {verdicts['failed']} failed, {verdicts['warnings']} with warnings, "
        f"{verdicts['healthy']} in which nothing wrong was found",
        "",
    ]
    lines += unreadable(survey.problems)
    if survey.causes:
        lines += [
            "| runs | newest | class | op | where | numbers | example | to do |",
            "| ---: | --- | --- | --- | --- | --- | --- | --- |",
        ]
    for cause in survey.causes:
        cells = (
            str(cause.count),
            utc(cause.newest) or "",
            *what_and_where(cause),
            md(numbers_text(cause)),
            md_code(survey.runs[cause.example].target.name, table=True),
            md(cause.remedy or ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for number, cause in enumerate(survey.causes, 1):
        lines += ["", sentence(number, cause), ""]
        lines += [f"   - {md_code(survey.runs[at].target.name)}" for at in cause.runs]
    return "\n".join(lines).rstrip("\n") + "\n"

"""A survey as one table, a row a cause: for a spreadsheet or pandas, and for an issue."""

from __future__ import annotations

from xladoctor.model.survey import Survey
from xladoctor.report.csv_table import table
from xladoctor.report.facts import count
from xladoctor.report.text import clip, md, md_code
from xladoctor.survey.table import COLUMNS, frame, numbers_text, utc

_WORDS = 300


def csv(survey: Survey) -> str:
    """The causes as CSV, with one line of names on top."""
    rows = frame(survey).astype(object)
    return table(COLUMNS, rows.where(rows.notna(), None).itertuples(index=False))


def markdown(survey: Survey) -> str:
    """The causes as a Markdown table, and the runs of each below it."""
    verdicts = survey.verdicts
    lines = [
        f"<!-- {survey.schema} -->",
        f"# {count(len(survey.runs), 'run')}: {verdicts['failed']} failed, {verdicts['warnings']} with warnings, "
        f"{verdicts['healthy']} in which nothing wrong was found",
        "",
    ]
    if survey.problems:
        lines += ["Could not be read:", "", *(f"- {md(problem)}" for problem in survey.problems), ""]
    if survey.causes:
        lines += [
            "| runs | newest | class | op | where | numbers | example | to do |",
            "| ---: | --- | --- | --- | --- | --- | --- | --- |",
        ]
    for cause in survey.causes:
        cells = (
            str(cause.count),
            utc(cause.newest) or "",
            f"{cause.code} {md(cause.slug)} ({cause.level})",
            md_code(cause.op or "", table=True),
            md_code(cause.place or "", table=True),
            md(numbers_text(cause)),
            md_code(survey.runs[cause.example].target.name, table=True),
            md(cause.remedy or ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for number, cause in enumerate(survey.causes, 1):
        lines += ["", f"{number}. {md(cause.title)}: {md(clip(cause.message, _WORDS))}", ""]
        lines += [f"   - {md_code(survey.runs[at].target.name)}" for at in cause.runs]
    return "\n".join(lines).rstrip("\n") + "\n"

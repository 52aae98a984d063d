"""A survey as text, in each of the formats that hold many runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.report.exports import EXPORTS
from xladoctor.report.view import View

if TYPE_CHECKING:
    from xladoctor.model.survey import Survey
    from xladoctor.report.page import Page

# The table over all runs; and those that list the findings of each run.
TABLES = ("console", "json", "markdown", "csv")
LISTS = tuple(name for name, export in EXPORTS.items() if export.lists_runs)
FORMATS = (*TABLES, *LISTS)


def render(survey: Survey, format: str, page: Page | None = None, view: View | None = None) -> str:
    """The survey as text. `page` gives width and colours to the console format.

    Raises:
        ValueError: a survey has no such format.
    """
    if format == "console":
        from xladoctor.report import survey_console
        from xladoctor.report.page import Page

        return survey_console.render(survey, page or Page(), view or View())
    if format == "json":
        from xladoctor.report import survey_json

        return survey_json.render(survey)
    if format in ("markdown", "csv"):
        from xladoctor.report import survey_tables

        return survey_tables.markdown(survey) if format == "markdown" else survey_tables.csv(survey)
    if format not in LISTS:
        raise ValueError(f"a survey has no format {format!r}; it has {', '.join(FORMATS)}")
    from xladoctor.report import render_many

    return render_many([run.diagnosis for run in survey.runs], format)

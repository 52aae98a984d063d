"""A survey for a person with many dead runs: the causes, newest first, each with one example and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.survey import Cause, Survey
from xladoctor.report.facts import count
from xladoctor.report.page import Page
from xladoctor.report.text import clip
from xladoctor.report.view import View
from xladoctor.rules import OUTSIDE
from xladoctor.survey.table import numbers_text, utc

if TYPE_CHECKING:
    from xladoctor.survey.columns import Named

_MOST = 12
_WORDS = 300
_STYLES = {"error": "bold red", "warning": "bold yellow"}


def render(survey: Survey, page: Page, view: View) -> str:
    """Writes the survey on `page`, and returns what is on it."""
    verdicts = survey.verdicts
    said = [f"{verdicts['failed']} failed"] if verdicts["failed"] else []
    said += [f"{verdicts['warnings']} with warnings"] if verdicts["warnings"] else []
    said += [f"{verdicts['healthy']} in which nothing wrong was found"] if verdicts["healthy"] else []
    said += [f"{len(survey.problems)} not readable"] if survey.problems else []
    page.flow((("xladoctor: ", "bold"), (count(len(survey.runs), "run"), "bold")), ", ".join(said), hang=2)
    if survey.problems and not view.quiet:
        page.heading("Could not be read", style="bold yellow")
        for problem in survey.problems:
            page.para(problem, hang=2, first="- ")
    shown = survey.causes if view.verbose else survey.causes[:_MOST]
    if shown:
        page.heading("Root causes", "newest first")
    for cause in shown:
        _cause(page, survey, cause, view)
    if len(shown) < len(survey.causes):
        page.blank()
        page.parts((f"… {count(len(survey.causes) - len(shown), 'more cause')} (--verbose)", "dim"), indent=2)
    if view.verbose:
        _runs(page, survey)
    elif survey.causes and not view.quiet:
        page.heading("Next")
        page.parts((f"xladoctor scan {_shell(survey, survey.causes[0])}", ""), indent=2)
    return page.text()


def _cause(page: Page, survey: Survey, cause: Cause, view: View) -> None:
    if not view.quiet:
        page.blank()
    newest = utc(cause.newest)
    page.flow(
        lead(cause),
        ", ".join(part for part in (cause.op, newest and f"newest {newest}") if part),
        indent=2,
        hang=4,
    )
    if view.quiet:
        return
    describe(page, cause)
    if cause.numbers:
        varies = "" if len(cause.numbers) == 1 else " (they differ between the runs)"
        page.para(f"numbers: {numbers_text(cause)}{varies}", indent=4)
    page.para(f"such as {survey.runs[cause.example].target.name}", indent=4)
    if cause.remedy:
        page.para(f"to do: {cause.remedy}", indent=4)


def lead(cause: Named) -> tuple[tuple[str, str], ...]:
    """How many runs have a cause, and its class."""
    return (count(cause.count, "run"), "bold"), (f"  {cause.code} {cause.slug}", _STYLES.get(cause.level, "bold"))


def describe(page: Page, cause: Named) -> None:
    """What a cause says, and where it is."""
    # Of what is no tensor's failure, the title says nothing.
    page.para(clip(cause.message, _WORDS) if cause.slug in OUTSIDE else cause.title, indent=4)
    if cause.place:
        page.para(f"at {cause.place}", indent=4)


def _runs(page: Page, survey: Survey) -> None:
    page.heading("Runs", "newest first")
    words = {"failed": "FAILED", "warnings": "WARNINGS", "healthy": "NOTHING FOUND"}
    page.table(
        [
            (
                utc(run.time) or "-",
                words.get(run.diagnosis.verdict, run.diagnosis.verdict),
                survey.causes[run.group].slug if run.group is not None else "",
                run.target.name,
            )
            for run in survey.runs
        ]
    )


def _shell(survey: Survey, cause: Cause) -> str:
    import shlex

    target = survey.runs[cause.example].target
    together = "--one-run " if len(target.paths) > 1 else ""
    return together + " ".join(shlex.quote(path) for path in target.paths)

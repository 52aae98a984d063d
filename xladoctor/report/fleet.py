"""A fleet as text, in each of its formats."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xladoctor.errors import XladoctorError
from xladoctor.fleet.table import counted, frame
from xladoctor.report import survey_console, survey_tables
from xladoctor.report.csv_table import cell, of_frame
from xladoctor.report.facts import count
from xladoctor.report.text import md, md_code
from xladoctor.report.view import View
from xladoctor.survey.columns import as_data as cause_data
from xladoctor.survey.table import utc

if TYPE_CHECKING:
    from xladoctor.model.fleet import Fleet, FleetCause
    from xladoctor.report.page import Page

FORMATS = ("console", "json", "markdown", "html", "csv", "parquet")
WORDS = 300
_MOST, _FEW = 20, 5


def render(fleet: Fleet, format: str, page: Page | None = None, view: View | None = None) -> str | bytes:
    """The fleet as text; as bytes in a format that is none.

    Raises:
        ValueError: there is no such format.
        XladoctorError: the format needs a library that is not there.
    """
    if format == "console":
        from xladoctor.report.page import Page

        return console(fleet, page or Page(), view or View())
    if format == "html":
        from xladoctor.report.html import fleet as html

        return html.render(fleet)
    renderers: dict[str, Callable[[Fleet], str | bytes]] = {
        "json": as_json,
        "markdown": markdown,
        "csv": csv,
        "parquet": parquet,
    }
    if format not in renderers:
        raise ValueError(f"a survey of a fleet has no format {format!r}; it has {', '.join(FORMATS)}")
    return renderers[format](fleet)


def headline(fleet: Fleet) -> tuple[str, str]:
    """How many runs, and what came of them."""
    words = {"failed": "failed", "warnings": "with warnings", "healthy": "in which nothing wrong was found"}
    parts = [f"{fleet.verdicts[name]} {said}" for name, said in words.items() if fleet.verdicts.get(name)]
    parts += [f"{fleet.unreadable} not readable"] if fleet.unreadable else []
    return count(fleet.runs, "run"), ", ".join(parts)


def window(fleet: Fleet) -> str:
    """Which runs these are, and how many of them were read now."""
    since = f" that ended since {utc(fleet.since)}" if fleet.since is not None else ""
    return f"Runs below {', '.join(fleet.roots)}{since}. {fleet.read} read now, {fleet.runs - fleet.read} known before."


def follows(cause: FleetCause) -> str | None:
    """The sentence on the node that a cause follows."""
    share = cause.share
    if share is None:
        return None
    chance = "less than 1e-9" if share.chance < 1e-9 else f"{share.chance:.1g}"
    return (
        f"{share.runs} of {share.of} are on {share.node}, where {share.expected:g} would be expected. "
        f"The probability by chance is {chance}."
    )


def times(cause: FleetCause) -> str:
    """When it was first and last seen."""
    new = {True: " (new since yesterday)", False: "", None: ""}[cause.new]
    return f"first {utc(cause.first) or 'unknown'}{new}, last {utc(cause.last) or 'unknown'}"


def names(counts: tuple[tuple[str, int], ...], most: int = _FEW) -> str:
    """The first few names with their numbers of runs."""
    more = len(counts) - most
    return counted(counts[:most]) + (f", {more} more" if more > 0 else "")


def console(fleet: Fleet, page: Page, view: View) -> str:
    """The table for a person: the causes in most runs first, each with what to do."""
    runs, said = headline(fleet)
    page.flow((("xladoctor: ", "bold"), (runs, "bold")), said, hang=2)
    if not view.quiet:
        page.para(window(fleet), indent=2)
    if fleet.problems and not view.quiet:
        page.heading("Could not be read", count(fleet.unreadable, "run"), style="bold yellow")
        for problem in fleet.problems if view.verbose else fleet.problems[:_FEW]:
            page.para(problem, hang=2, first="- ")
    shown = fleet.causes if view.verbose else fleet.causes[:_MOST]
    if shown:
        page.heading("Root causes", "errors first, then those of most runs")
    for cause in shown:
        _cause(page, cause, view)
    if len(shown) < len(fleet.causes):
        page.blank()
        page.parts((f"… {count(len(fleet.causes) - len(shown), 'more cause')} (--verbose)", "dim"), indent=2)
    return page.text()


def _cause(page: Page, cause: FleetCause, view: View) -> None:
    if not view.quiet:
        page.blank()
    new = "new since yesterday" if cause.new else ""
    page.flow(survey_console.lead(cause), ", ".join(part for part in (cause.op, new) if part), indent=2, hang=4)
    if follows(cause):
        page.para(follows(cause) or "", indent=4, style="bold")
    if view.quiet:
        return
    survey_console.describe(page, cause)
    if cause.numbers:
        page.para(f"numbers: {'; '.join(cause.numbers)}", indent=4)
    page.para(times(cause), indent=4)
    for title, counts in (("users", cause.users), ("nodes", cause.nodes)):
        if counts:
            page.para(f"{title}: {names(counts, len(counts) if view.verbose else _FEW)}", indent=4)
    for example in cause.examples if view.verbose else cause.examples[:1]:
        page.para(f"such as {example}", indent=4)
    if cause.remedy:
        page.para(f"to do: {cause.remedy}", indent=4)


def as_json(fleet: Fleet) -> str:
    """`xladoctor.fleet/1`."""
    from xladoctor.report.json_ import plain

    data: dict[str, Any] = {
        "schema": fleet.schema,
        "tool_version": fleet.tool_version,
        "roots": fleet.roots,
        "since": utc(fleet.since),
        "until": utc(fleet.until),
        "runs": fleet.runs,
        "read": fleet.read,
        "unreadable": fleet.unreadable,
        "with_node": fleet.placed,
        "verdicts": fleet.verdicts,
        "causes": [_as_dict(cause) for cause in fleet.causes],
        "problems": fleet.problems,
    }
    return json.dumps(plain(data), indent=2, allow_nan=False) + "\n"


def _as_dict(cause: FleetCause) -> dict[str, Any]:
    share = cause.share
    return {
        "id": cause.id,
        **cause_data(cause),
        "numbers": cause.numbers,
        "remedy": cause.remedy,
        "count": cause.count,
        "first": utc(cause.first),
        "last": utc(cause.last),
        "new": cause.new,
        "users": dict(cause.users),
        "nodes": dict(cause.nodes),
        "follows_node": share
        and {
            "node": share.node,
            "runs": share.runs,
            "of": share.of,
            "expected": share.expected,
            "chance": share.chance,
        },
        "examples": cause.examples,
    }


def csv(fleet: Fleet) -> str:
    """A row a cause, with one line of names on top."""
    return of_frame(frame(fleet))


def parquet(fleet: Fleet) -> bytes:
    """The same table for pandas, Spark or DuckDB.

    Raises:
        XladoctorError: pyarrow is not installed.
    """
    import io

    out = io.BytesIO()
    try:
        frame(fleet).map(lambda value: cell(value) if isinstance(value, str) else value).to_parquet(
            out, engine="pyarrow", index=False
        )
    except ImportError as error:
        raise XladoctorError(
            "--format parquet needs the package pyarrow", hint=f"To install it: {sys.executable} -m pip install pyarrow"
        ) from error
    return out.getvalue()


def markdown(fleet: Fleet) -> str:
    """The causes as a table, for an issue or a mail."""
    runs, said = headline(fleet)
    lines = [f"<!-- {fleet.schema} -->", f"# {runs}: {said}", "", md(window(fleet)), ""]
    lines += survey_tables.unreadable(fleet.problems)
    if fleet.causes:
        lines += [
            "| runs | class | op | where | first | last | users | nodes | to do |",
            "| ---: | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
    for cause in fleet.causes:
        cells = (
            str(cause.count),
            *survey_tables.what_and_where(cause),
            f"{utc(cause.first) or ''}{' (new)' if cause.new else ''}",
            utc(cause.last) or "",
            md(names(cause.users)),
            md(names(cause.nodes)),
            md(cause.remedy or ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for number, cause in enumerate(fleet.causes, 1):
        follow = follows(cause)
        lines += ["", survey_tables.sentence(number, cause)]
        lines += ["", f"   **{md(follow)}**"] if follow else []
        lines += ["", *(f"   - {md_code(example)}" for example in cause.examples)]
    return "\n".join(lines).rstrip("\n") + "\n"

"""The blocker document as one page: the same sections as the Markdown document, with pictures.

Each picture has a title and a description, and its values stand in a table beside or below it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.model.shapes import sizes_text
from xladoctor.report import blamed, checked, details, facts, findings, html
from xladoctor.report import excerpt as excerpts
from xladoctor.report.headline import headline
from xladoctor.report.html import Markup, Section, code, esc, fence, mixed, replay, section, tables
from xladoctor.report.html.tables import at
from xladoctor.report.text import clip, line, stop
from xladoctor.report.view import View
from xladoctor.report.words import commands_to_reproduce, end, next_action

_LONGEST = 4000
_WIDE = 110
_WHAT = {
    "compiled-function": "XLA against plain execution",
    "rows": "which rows meet",
    "gradients": "variables without a gradient",
    "own-gradients": "a gradient of the program's own against differences",
    "kept-values": "Python values that its graph keeps",
    "callbacks": "metrics that callbacks wait for",
    "batches": "order and cuts of the data",
}
_VERDICTS = {"failed": ("FAILED", "bad"), "warnings": ("WARNINGS", "warn"), "healthy": ("HEALTHY", "ok")}


def render(diagnosis: Diagnosis, view: View | None = None) -> str:
    """The page."""
    view = view or View()
    root = diagnosis.root
    word, _ = _VERDICTS.get(diagnosis.verdict, (str(diagnosis.verdict), ""))
    title = headline(root) if root else word.capitalize()
    return html.page(
        diagnosis.schema, diagnosis.tool_version, f"{_kind(diagnosis)}: {title}", _head(diagnosis, view, title),
        sections(diagnosis, view),
    )  # fmt: skip


def sections(diagnosis: Diagnosis, view: View) -> list[Section]:
    """The sections of the document, in order; one that has nothing to say is left out."""
    found = (
        section("problem", "Problem", _problem(diagnosis, view)),
        section("checked", "Checked", _checked(diagnosis)),
        section("signature", "Error signature", _signature(diagnosis)),
        section("numbers", "Numerical analysis", tables.numbers(diagnosis)),
        section("shapes", "Shape trace", tables.shapes(diagnosis)),
        section("stack", "Call stack", tables.stacks(diagnosis)),
        section("xla", "XLA paths", tables.xla_paths(diagnosis)),
        section("settings", "Settings timeline", tables.settings(diagnosis)),
        *replay.sections(view.replays),
        section("hypotheses", "Hypotheses", tables.hypotheses(diagnosis)),
        *_findings(diagnosis),
        section("remedies", "Remedies", tables.remedies(diagnosis)),
        section("next", "Next action", _next(diagnosis, view)),
        section("reproduce", "How to reproduce", _reproduce(diagnosis, view)),
        section("environment", "Environment", tables.environment(diagnosis)),
    )
    return [one for one in found if one.body]


def _kind(diagnosis: Diagnosis) -> str:
    return "Blocker" if any(f.level == "error" for f in diagnosis.findings) else "Diagnosis"


def _head(diagnosis: Diagnosis, view: View, title: str) -> Iterator[str]:
    word, kind = _VERDICTS.get(diagnosis.verdict, (str(diagnosis.verdict), ""))
    yield f'<p class="kicker {kind}">{esc(_kind(diagnosis))}: {esc(word)}</p>'
    yield f"<h1>{mixed(title)}</h1>"
    rows: list[tuple[str, object]] = [("Run", code(diagnosis.source))]
    root = diagnosis.root
    if root:
        rows.insert(0, ("Class", Markup(f"{code(root.code)} {code(root.slug)}")))
    if view.target_status is not None:
        rows.insert(1, ("End", end(diagnosis, view)))
    ran = facts.ran(diagnosis)
    if ran:
        rows.append(("With", ran))
    yield html.facts(rows, "facts brief")


def _problem(diagnosis: Diagnosis, view: View) -> Iterator[str]:
    errors = [finding for finding in diagnosis.findings if finding.level == "error"]
    if not errors:
        yield "<p>Nothing at error level was found.</p>"
    shown = errors or [f for f in diagnosis.findings if f.role == "root"]
    for finding in shown:
        where = (
            f", {esc(blamed.heading(finding))} {at(facts.near(finding.location, diagnosis))}"
            if finding.location
            else ""
        )
        kind = _box(finding)
        said = f"<strong>{esc(findings.heading(finding))}</strong> ({esc(findings.status(finding))})"
        # What the title of the page says is not said again below it.
        what = "" if finding is diagnosis.root else f": {mixed(headline(finding))}"
        yield f'<div class="box {kind}"><p>{said}{what}{where}.</p>'
        yield from _source(finding, view)
        yield from _blame(finding, diagnosis)
        yield "</div>"
        if finding is diagnosis.root:
            yield from _first_remedy(diagnosis)
    if not any(finding is diagnosis.root for finding in shown):
        yield from _first_remedy(diagnosis)
    if diagnosis.problems:
        yield html.items(Markup(f"<strong>Could not be read:</strong> {esc(p)}") for p in diagnosis.problems)
    if diagnosis.notes:
        yield html.items(f"Note: {note}" for note in diagnosis.notes)
    command = diagnosis.environment.get("command")
    if command:
        yield "<h3>Command</h3>"
        yield fence(shlex.join(map(str, command)) if isinstance(command, list | tuple) else command)


def _checked(diagnosis: Diagnosis) -> Iterator[str]:
    """What was looked at after a run that ended well, and what came of it."""
    if not diagnosis.checked:
        return
    yield f"<p>{esc(checked.summary(diagnosis.checked) or 'What was found stands above.')}</p>"
    heads = ("function", "what", "result", "calls", "why not")
    rows = [(c.function, _WHAT.get(c.what, c.what), c.result, c.calls, c.why or "") for c in diagnosis.checked]
    yield html.small(heads, rows, "What was checked")


def _source(finding: Finding, view: View) -> Iterator[str]:
    excerpt = excerpts.of(finding.location, view.excerpts)
    if excerpt is None or finding.role != "root":
        return
    if excerpt.lines:
        yield html.source(excerpts.drawn(excerpt, _WIDE))
    if excerpt.note:
        yield f'<p class="dim">{esc(excerpt.note)}</p>'


def _blame(finding: Finding, diagnosis: Diagnosis) -> Iterator[str]:
    """What does not fit, and the other lines that may be at fault."""
    if blamed.why(finding):
        yield f"<p>{mixed(blamed.why(finding))}</p>"
    rows = []
    for row in blamed.rows(finding):
        said = next((s.code for s in finding.suspects if s.location == row.location and s.code), "")
        shown = f": {code(said)}" if said else ""
        rows.append(
            Markup(
                f"{esc(row.what)} {at(facts.near(row.location, diagnosis))}{shown}"
                + (f". {mixed(row.reason)}" if row.reason else "")
            )
        )
    if rows:
        yield html.items(rows)


def _first_remedy(diagnosis: Diagnosis) -> Iterator[str]:
    remedies = findings.remedies(findings.decisive(diagnosis.findings))
    if not remedies or diagnosis.verdict == "healthy":
        return
    first = remedies[0]
    how = findings.how(first)
    known = f"({esc(first.safety)}; {esc(findings.tested(first))})"
    yield f'<div class="box {"good" if first.result == "verified" else "after"}">'
    yield f"<p><strong>What to do first</strong> {known}: {mixed(stop(facts.near_words(first.title, diagnosis)))}</p>"
    yield html.diff(findings.as_diff(first))
    yield (f"<p>{mixed(how)}</p>" if how else "") + "</div>"


def _signature(diagnosis: Diagnosis) -> Iterator[str]:
    logged = [f for f in diagnosis.findings if any(proof.kind == "log" for proof in f.evidence)]
    for finding in logged or [f for f in diagnosis.findings if f.op or f.node]:
        said = next((proof.text for proof in finding.evidence if proof.kind == "log"), None)
        if said:
            yield fence(clip(said, _LONGEST))
        rows = [
            (key, code(getattr(finding, key))) for key in ("op", "node", "device", "layer") if getattr(finding, key)
        ]
        if finding.dims:
            rows.append(("sizes", code(sizes_text(finding.dims))))
        if rows:
            yield html.facts(rows)


def _findings(diagnosis: Diagnosis) -> Iterator[Section]:
    roots = [f for f in diagnosis.findings if f.role == "root"]
    rest = [f for f in diagnosis.findings if f.role != "root"]
    if roots:
        yield section("root", findings.heading(roots[0]), (part for f in roots for part in _finding(f, diagnosis)))
    if rest:
        title = "Consequences" if any(f.level == "error" for f in rest) else "Also found"
        yield section("rest", title, (part for f in rest for part in _finding(f, diagnosis)))


def _box(finding: Finding) -> str:
    return "after" if finding.role != "root" else "root" if finding.level == "error" else "mild"


def _finding(finding: Finding, diagnosis: Diagnosis) -> Iterator[str]:
    yield f'<div class="box {_box(finding)}"><h3>{esc(finding.title)}</h3>'
    where = f", at {at(facts.near(finding.location, diagnosis))}" if finding.location else ""
    yield f"<p>{code(finding.code)} {code(finding.slug)}, {esc(findings.status(finding))}{where}.</p>"
    for part in clip(finding.message, _LONGEST).split("\n\n"):
        if part.strip() and part.strip() != finding.title.strip():
            yield f"<p>{mixed(part)}</p>"
    rows: list[tuple[str, object]] = [(key, code(value)) for key, value in facts.shapes(finding)]
    rows += [
        (axis.name, Markup(f"{code(axis.value)}" + (f", bound by {esc(axis.by)}" if axis.by else "")))
        for axis in facts.axes(finding)
    ]
    rows += [
        (what, Markup(", ".join(code(clip(value, _LONGEST)) for value in values if value)))
        for what, values in details.known(finding)
    ]
    if rows:
        yield html.facts(rows)
    if finding.evidence:
        yield "<p>Evidence:</p>"
        yield html.items(
            Markup(mixed(clip(proof.text, _LONGEST)) + (f" ({code(proof.where)})" if proof.where else ""))
            for proof in findings.told_once(finding.evidence)
        )
    yield "</div>"


def _next(diagnosis: Diagnosis, view: View) -> Iterator[str]:
    said = next_action(diagnosis, view)
    if said:
        yield f"<p>{mixed(said)}</p>"


def _reproduce(diagnosis: Diagnosis, view: View) -> Iterator[str]:
    commands = commands_to_reproduce(diagnosis, view)
    if commands:
        yield fence("\n".join(line(command) for command in commands))
    if diagnosis.isolated:
        yield "<p>Isolated to:</p>"
        yield html.facts((key, code(value)) for key, value in facts.flat(diagnosis.isolated))

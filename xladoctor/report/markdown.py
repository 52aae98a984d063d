"""The blocker document: what a team files about a run that cannot go on, with every claim tested or called
untested.

GitHub's Markdown. All foreign text is escaped, in code spans, or in fenced blocks (see
`xladoctor.report.text`).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof
from xladoctor.model.shapes import sizes_text
from xladoctor.report import blamed, checked, details, facts, findings, markdown_tables, stack
from xladoctor.report import excerpt as excerpts
from xladoctor.report.headline import headline
from xladoctor.report.text import clip, line, md, md_code, md_fence, md_mixed, stop
from xladoctor.report.view import View
from xladoctor.report.words import commands_to_reproduce, end, next_action

if TYPE_CHECKING:
    from xladoctor.model.replay import Replay

_LONGEST = 4000
_VERDICTS = {"failed": "Failed", "warnings": "Warnings", "healthy": "Healthy"}


def render(diagnosis: Diagnosis, view: View | None = None) -> str:
    """The document, with a line break at its end."""
    view = view or View()
    root = diagnosis.root
    title = headline(root) if root else _VERDICTS.get(diagnosis.verdict, str(diagnosis.verdict))
    parts = [
        f"<!-- {md_comment(diagnosis.schema)} written by xladoctor {md_comment(diagnosis.tool_version)} -->",
        f"# {'Blocker' if any(f.level == 'error' for f in diagnosis.findings) else 'Diagnosis'}: {md_mixed(title)}",
        *_head(diagnosis, view),
        *(part for section in sections(diagnosis, view).values() for part in section),
    ]
    return "\n\n".join(parts) + "\n"


def sections(diagnosis: Diagnosis, view: View) -> dict[str, list[str]]:
    """The sections of the document by name, in order, each as its blocks; one that has nothing to say is left out."""
    found = {
        "problem": _problem(diagnosis, view),
        "signature": _signature(diagnosis),
        "numbers": markdown_tables.numbers(diagnosis),
        "shapes": markdown_tables.shapes(diagnosis),
        "stack": _stacks(diagnosis),
        "xla": markdown_tables.xla_paths(diagnosis),
        "settings": markdown_tables.settings(diagnosis),
        "replays": _replays(view.replays),
        "hypotheses": markdown_tables.hypotheses(diagnosis),
        "root": _root(diagnosis),
        "remedies": markdown_tables.remedies(diagnosis),
        "next": _next(diagnosis, view),
        "reproduce": _reproduce(diagnosis, view),
        "environment": markdown_tables.environment(diagnosis),
    }
    return {name: parts for name, parts in found.items() if parts}


def _replays(replays: Sequence[Replay]) -> list[str]:
    """What running it again showed, each replay below a heading of its own."""
    from xladoctor.report.replay import markdown

    numbers = [f" {n}" for n in range(1, len(replays) + 1)] if len(replays) > 1 else [""]
    blocks = []
    for tail, replay in zip(numbers, replays, strict=False):
        blocks += [f"## Run again{tail}: {md(replay.subject)}", *markdown(replay, level=3)]
    return blocks


def md_comment(value: str) -> str:
    """Foreign text inside an HTML comment, which must not end it."""
    return "".join(c for c in line(value) if c.isalnum() or c in "./")


def at(location: Location | None) -> str:
    """A place in the source as a code span."""
    if location is None:
        return ""
    place = md_code(location.place)
    return f"{place} in {md_code(location.function)}" if location.function else place


def proofs(evidence: Sequence[Proof]) -> list[str]:
    """Evidence as list items."""
    return [
        f"- {md_mixed(clip(proof.text, _LONGEST))}" + (f" ({md_code(proof.where)})" if proof.where else "")
        for proof in findings.told_once(evidence)
    ]


def _head(diagnosis: Diagnosis, view: View) -> list[str]:
    rows = [f"- **Verdict:** {_VERDICTS.get(diagnosis.verdict, md(diagnosis.verdict)).lower()}"]
    rows.append(f"- **Source:** {md_code(diagnosis.source)}")
    if view.target_status is not None:
        rows.append(f"- **End:** {end(diagnosis, view)}")
    compared = checked.summary(diagnosis.checked)
    if compared:
        rows.append(f"- **Checked:** {md(compared)}")
    if diagnosis.root:
        rows.append(f"- **Class:** {md_code(diagnosis.root.code)} {md_code(diagnosis.root.slug)}")
    if diagnosis.tool_version:
        rows.append(f"- **Written by:** xladoctor {md(diagnosis.tool_version)}")
    return ["\n".join(rows)]


def _problem(diagnosis: Diagnosis, view: View) -> list[str]:
    parts = ["## Problem"]
    errors = [finding for finding in diagnosis.findings if finding.level == "error"]
    if not errors:
        parts.append("Nothing at error level was found.")
    shown = errors or [f for f in diagnosis.findings if f.role == "root"]
    for finding in shown:
        place = (
            f", {md(blamed.heading(finding))} {at(facts.near(finding.location, diagnosis))}" if finding.location else ""
        )
        status = (
            "" if finding.level != "error" and finding.status == "confirmed" else f" ({md(findings.status(finding))})"
        )
        parts.append(f"**{md(findings.heading(finding))}**{status}: {md_mixed(headline(finding))}{place}.")
        parts += _source(finding, view)
        parts += _blame(finding, diagnosis)
        if finding is diagnosis.root:
            parts += _first_remedy(diagnosis)
    if not any(finding is diagnosis.root for finding in shown):
        parts += _first_remedy(diagnosis)
    if diagnosis.problems:
        parts.append("\n".join(f"- **Could not be read:** {md(problem)}" for problem in diagnosis.problems))
    if diagnosis.notes:
        parts.append("\n".join(f"- Note: {md(note)}" for note in diagnosis.notes))
    command = diagnosis.environment.get("command")
    if command:
        words = shlex.join(map(str, command)) if isinstance(command, list | tuple) else command
        parts += ["### Command", md_fence(words, "sh")]
    return parts


def _source(finding: Finding, view: View) -> list[str]:
    excerpt = excerpts.of(finding.location, view.excerpts)
    if excerpt is None or finding.role != "root":
        return []
    note = [md(excerpt.note)] if excerpt.note else []
    return ([md_fence(excerpts.text(excerpt))] if excerpt.lines else []) + note


def _blame(finding: Finding, diagnosis: Diagnosis) -> list[str]:
    """What does not fit, and the other lines that may be at fault."""
    parts = [md_mixed(blamed.why(finding))] if blamed.why(finding) else []
    rows = []
    for row in blamed.rows(finding):
        code = next((s.code for s in finding.suspects if s.location == row.location and s.code), "")
        rows.append(
            f"- {md(row.what)} {at(facts.near(row.location, diagnosis))}" + (f": {md_code(code)}" if code else "")
        )
        rows[-1] += f". {md_mixed(row.reason)}" if row.reason else ""
    return [*parts, "\n".join(rows)] if rows else parts


def _first_remedy(diagnosis: Diagnosis) -> list[str]:
    remedies = findings.remedies(findings.decisive(diagnosis.findings))
    if not remedies or diagnosis.verdict == "healthy":
        return []
    first = remedies[0]
    how = findings.how(first)
    known = f"({md(first.safety)}; {md(findings.tested(first))})"
    said = f"**What to do first** {known}: {md_mixed(stop(facts.near_words(first.title, diagnosis)))}"
    diff = [md_fence("\n".join(f"{sign} {line(code)}" for sign, code in findings.as_diff(first)), "diff")]
    if not findings.as_diff(first):
        return [f"{said} {md_mixed(how)}".rstrip()]
    return [said, *diff, *([md_mixed(how)] if how else [])]


def _signature(diagnosis: Diagnosis) -> list[str]:
    logged = [f for f in diagnosis.findings if any(proof.kind == "log" for proof in f.evidence)]
    said = logged or [f for f in diagnosis.findings if f.op or f.node]
    if not said:
        return []
    parts = ["## Error signature"]
    for finding in said:
        lines = [proof.text for proof in finding.evidence if proof.kind == "log"]
        if lines:
            parts.append(md_fence(clip(lines[0], _LONGEST)))
        named = [(key, getattr(finding, key)) for key in ("op", "node", "device", "layer")]
        rows = [f"- {key}: {md_code(value)}" for key, value in named if value]
        if finding.dims:
            rows.append(f"- sizes: {md_code(sizes_text(finding.dims))}")
        if rows:
            parts.append("\n".join(rows))
    return parts


def _stacks(diagnosis: Diagnosis) -> list[str]:
    found = stack.shown(diagnosis.stacks, diagnosis.environment.get("cwd"))
    parts = ["## Call stack"] if found else []
    for one in found:
        where = f" ({md_code(one.stack.where)})" if one.stack.where else ""
        parts.append(f"**{md(one.title)}**{where}" + (f": {md(stop(one.stack.note))}" if one.stack.note else ""))
        lines = [f"... {facts.count(one.above, 'frame')} as above"] if one.above else []
        for entry in one.entries:
            if isinstance(entry, stack.Folded):
                lines.append(f"... {entry}")
                continue
            lines.append(f"{stack.place(entry)} in {entry.function}" if entry.function else stack.place(entry))
            lines += [f"    {line(entry.code)}"] if entry.code else []
        parts.append(md_fence("\n".join(lines)))
    return parts


def _root(diagnosis: Diagnosis) -> list[str]:
    if not diagnosis.findings:
        return []
    roots = [finding for finding in diagnosis.findings if finding.role == "root"]
    parts = [f"## {md(findings.heading(roots[0])) if roots else 'Findings'}"]
    for finding in roots:
        parts += _finding(finding, diagnosis)
    rest = [finding for finding in diagnosis.findings if finding.role != "root"]
    if not roots:
        parts.pop()
    if rest:
        parts.append("## Consequences" if any(f.level == "error" for f in rest) else "## Also found")
        for finding in rest:
            parts += _finding(finding, diagnosis)
    return parts


def _finding(finding: Finding, diagnosis: Diagnosis) -> list[str]:
    called = f"{md_code(finding.code)} {md_code(finding.slug)}, {md(findings.status(finding))}"
    parts = [f"**{md(finding.title)}** ({called})"]
    if finding.location:
        parts.append(f"At {at(facts.near(finding.location, diagnosis))}.")
    paragraphs = [part for part in clip(finding.message, _LONGEST).split("\n\n") if part.strip()]
    parts += [md_mixed(part) for part in paragraphs if part.strip() != finding.title.strip()]
    parts += [md(findings.basis(finding))] if findings.basis(finding) else []
    rows = [f"- {key}: {md_code(value)}" for key, value in facts.shapes(finding)]
    rows += [
        f"- {md_code(axis.name)} = {md_code(axis.value)}" + (f", bound by {md(axis.by)}" if axis.by else "")
        for axis in facts.axes(finding)
    ]
    rows += [
        f"- {md(what)}: {', '.join(md_code(clip(value, _LONGEST)) for value in values if value)}"
        for what, values in details.known(finding)
    ]
    parts += ["\n".join(rows)] if rows else []
    if finding.evidence:
        parts += ["Evidence:", "\n".join(proofs(finding.evidence))]
    return parts


def _next(diagnosis: Diagnosis, view: View) -> list[str]:
    said = next_action(diagnosis, view)
    return ["## Next action", md_mixed(said)] if said else []


def _reproduce(diagnosis: Diagnosis, view: View) -> list[str]:
    commands = commands_to_reproduce(diagnosis, view)
    if not commands:
        return []
    parts = ["## How to reproduce", md_fence("\n".join(commands), "sh")]
    if diagnosis.isolated:
        rows = [f"- {md(key)}: {md_code(value)}" for key, value in facts.flat(diagnosis.isolated)]
        parts += ["Isolated to:", "\n".join(rows)]
    return parts

"""A preflight for an issue or a log book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.report.preflight.words import next_commands, plan_rows, verdict
from xladoctor.report.text import md, md_code

if TYPE_CHECKING:
    from xladoctor.model.preflight import Preflight


def render(found: Preflight) -> str:
    """The answer, a table of checks, what to do, the batches."""
    blocks = [f"<!-- {found.schema} -->", f"# Preflight: {verdict(found)}", f"Study: {md(found.study)}"]
    if found.cached:
        blocks.append(f"This answer is from {md(found.cached)}; nothing has changed since.")
    rows = ["| state | check | seconds | why |", "|---|---|---|---|"]
    rows += [
        f"| {c.state} | {md_code(c.name, table=True)} | {c.seconds:.1f} | {md_code(c.message, table=True)} |"
        for c in found.checks
    ]
    blocks.append("\n".join(rows))
    todo = [
        f"- {md_code(c.name)}: {md(c.todo)}"
        for c in found.checks
        if c.todo and c.state in ("fail", "warn", "unchecked")
    ]
    if todo:
        blocks += ["## What to do", "\n".join(todo)]
    commands = next_commands(found)
    if commands:
        blocks += ["## Next", "\n".join(f"- {md_code(command)}: {why}" for command, why in commands)]
    plan = plan_rows(found)
    if plan:
        lines = [f"| {' | '.join(plan[0])} |", "|" + "---|" * len(plan[0])]
        lines += [f"| {' | '.join(md_code(c, table=True) if c else '' for c in row)} |" for row in plan[1:]]
        blocks += ["## Batches", "\n".join(lines)]
    details = [f"- {md_code(c.name)}: {md(d)}" for c in found.checks for d in c.details]
    if details:
        blocks += ["## Evidence", "\n".join(details)]
    return "\n\n".join(blocks) + "\n"

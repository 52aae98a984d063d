"""Rules as text: one in full, or all in a list, in each format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from xladoctor.report.guides import guide_of

if TYPE_CHECKING:
    from xladoctor.report.page import Page
    from xladoctor.rules.base import Rule

SCHEMA = "xladoctor.rules/1"
_SECTIONS = (
    ("What happens", "what"),
    ("Why", "why"),
    ("Example", "example"),
    ("How to tell it apart", "tell_apart"),
)


def as_json(rules: Sequence[Rule]) -> str:
    """The rules as data; `class` is the slug, as in a diagnosis."""
    return json.dumps({"schema": SCHEMA, "rules": [_plain(rule) for rule in rules]}, indent=2) + "\n"


def _plain(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "class": rule.slug,
        "title": rule.title,
        "level": rule.level,
        **{key: getattr(rule, key) for _, key in _SECTIONS},
        "remedies": [asdict(remedy) for remedy in rule.remedies],
        "references": list(rule.references),
        "rank": rule.rank,
        "origin": rule.origin or "xladoctor",
    }


def one_markdown(rule: Rule) -> str:
    """A page on one class of failure."""
    from xladoctor.report.text import md, md_code, md_fence, md_mixed

    parts = [f"<!-- {SCHEMA} -->", f"# {rule.code} {md(rule.slug)}", f"**{md_mixed(rule.title)}** ({rule.level})"]
    for title, key in _SECTIONS:
        said = getattr(rule, key).strip("\n")
        if said.strip():
            body = md_fence(said) if key == "example" else "\n\n".join(map(md_mixed, said.split("\n\n")))
            parts += [f"## {title}", body]
    if rule.remedies:
        rows = [f"- **{md_mixed(r.title)}** ({r.safety}). {md_mixed(r.how)}" for r in rule.remedies]
        parts += ["## What to do", "\n".join(rows)]
    if rule.origin:
        parts.append(f"From the plug-in {md(rule.origin)}.")
    if rule.references:
        parts += ["## References", "\n".join(f"- {md_code(item)}" for item in rule.references)]
    return "\n\n".join(parts) + "\n"


def one_console(rule: Rule, page: Page, quiet: bool) -> str:
    """The same for a terminal."""
    page.parts((rule.code, "bold"), (f" {rule.slug}", "bold"), (f"  {rule.level}", "dim"))
    page.para(rule.title)
    if rule.origin:
        page.para(f"From the plug-in {rule.origin}.", style="dim")
    for title, key in () if quiet else _SECTIONS:
        said = getattr(rule, key).strip("\n")
        if said.strip():
            page.heading(title)
            if key == "example":
                page.verbatim(said)
            else:
                page.paragraphs(said)
    if rule.remedies and not quiet:
        page.heading("What to do")
        for number, remedy in enumerate(rule.remedies, 1):
            page.para(f"{remedy.title} ({remedy.safety})", hang=3, first=f"{number}. ", style="bold")
            page.para(remedy.how, indent=5)
    if rule.references and not quiet:
        page.heading("References")
        for item in rule.references:
            page.para(item, hang=2, first="- ", style="dim")
    guide = guide_of(rule.code)
    if guide is not None and not quiet:
        page.heading("Guide")
        page.para(f"{guide}", indent=2)
    return page.text()


def list_markdown(rules: Sequence[Rule]) -> str:
    """A table of all rules."""
    from xladoctor.report.text import md_mixed

    lines = [f"<!-- {SCHEMA} -->", "", "| Code | Class | Level | Title |", "| --- | --- | --- | --- |"]
    lines += [f"| {r.code} | `{r.slug}` | {r.level} | {md_mixed(r.title, table=True)} |" for r in rules]
    return "\n".join(lines) + "\n"


def list_console(rules: Sequence[Rule], page: Page, verbose: bool, quiet: bool) -> str:
    """All rules, a line each; with `verbose` what each one is, with `quiet` only the codes."""
    if quiet:
        for rule in rules:
            page.parts((rule.code, ""))
    elif verbose:
        for rule in rules:
            page.parts((rule.code, "bold"), (f"  {rule.slug}", "bold"), (f"  {rule.level}", "dim"))
            page.para(rule.title)
            page.paragraphs(rule.what, indent=4)
    else:
        rows = [(r.code, r.slug, r.level, r.title) for r in rules]
        page.table(rows, indent=0, styles=["bold", "", "dim", ""])
    return page.text()

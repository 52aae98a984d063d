"""The rules, as the commands `explain` and `rules` need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.errors import XladoctorError, did_you_mean

if TYPE_CHECKING:
    from xladoctor.rules.base import Rule


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    from xladoctor.rules import all_rules as registered

    return tuple(sorted(registered(), key=lambda rule: rule.code))


def rule_named(name: str) -> Rule:
    """The rule with this code or slug, in any case.

    Raises:
        XladoctorError: there is none; with the closest ones.
    """
    rules = all_rules()
    wanted = name.strip().lower().replace("_", "-")
    for rule in rules:
        if wanted in (rule.code.lower(), rule.slug):
            return rule
    near = did_you_mean(wanted, [rule.code for rule in rules]) if wanted[:2] == "xd" else _slugs_like(wanted)
    raise XladoctorError(f"there is no class of failure {name!r}", hint=near or "All of them: xladoctor rules")


def _slugs_like(wanted: str) -> str | None:
    from xladoctor.rules import nearest

    near = nearest(wanted) if wanted else ()
    return f"Did you mean {' or '.join(near)}?" if near else None


def complete(incomplete: str) -> list[tuple[str, str]]:
    """Codes and slugs for shell completion."""
    return [
        (name, rule.title)
        for rule in all_rules()
        for name in (rule.code, rule.slug)
        if name.lower().startswith(incomplete.lower())
    ]

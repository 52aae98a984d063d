"""The rules by name, by words and by a pasted message: what `explain` and `rules` show, and agents ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xladoctor.commands import typed_words
from xladoctor.errors import XladoctorError, did_you_mean

if TYPE_CHECKING:
    from xladoctor.rules.atlas import Difference
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


def rule_meant(name: str) -> Rule:
    """The rule with this code or slug; else the one that the words, or the beginning of a message, speak of most.

    Raises:
        XladoctorError: nothing speaks of them.
    """
    try:
        return rule_named(name)
    except XladoctorError as unknown:
        if name.strip()[:2].lower() == "xd" or len(name.strip()) < 3:
            raise
        # A whole message is surer than some of its words.
        found = _shown_by(name)
        if found is not None:
            return found
        slug = typed_words.slug_meant(name)
        if slug is not None:
            return rule_named(slug)
        hint = typed_words.no_class(name)
        if hint is not None:
            raise XladoctorError(f"{name!r} alone names no class of failure", hint=hint) from None
        try:
            # What people type of a message ends before its shapes.
            words = name.strip().rstrip(":")
            begun = _shown_by(f"{words}: [2,3] vs. [4,5]") if " " in words else None
            return begun or search(name)[0]
        except XladoctorError:
            if " " in name.strip():
                hint = "Paste the line of the error, or: xladoctor scan LOG. All classes: xladoctor rules"
                raise XladoctorError(f"no class of failure has the name or words {name!r}", hint=hint) from None
            near = None if _slugs_like(name.strip().lower()) else did_you_mean(name.strip(), _pages_of_atlas(), 0.75)
            raise XladoctorError(str(unknown), hint=near or unknown.hint) from None


def _pages_of_atlas() -> list[str]:
    from xladoctor.rules import atlas

    return [_EVERY_OP, *dict.fromkeys(one.op.rpartition(":")[2] for one in atlas.differences())]


_EVERY_OP = "silent-under-xla"
"""The page with all entries of the atlas."""


def search(words: str) -> tuple[Rule, ...]:
    """The rules in whose texts all the words begin a word, the closest first; before them, if `words` is an error
    message, its class.

    Raises:
        XladoctorError: no rule has them.
    """
    wanted = [word for word in _WORD.findall(words.lower()) if word not in _COMMON]
    rules = all_rules()
    shown = _shown_by(words)
    scored = [(score, rule) for rule in rules if rule is not shown and (score := _score(rule, wanted))]
    scored.sort(key=lambda found: (-found[0], found[1].code))
    found = (*((shown,) if shown else ()), *(rule for _, rule in scored))
    if not found:
        raise XladoctorError(
            f"no class of failure speaks of {words!r}", hint="Fewer words, or all of them: xladoctor rules"
        )
    return found


_WORD = re.compile(r"(?<![\w.+-])[\w.+-]*\w")
_COMMON = frozenset(("a", "an", "and", "are", "at", "be", "for", "in", "is", "it", "of", "on", "the", "to", "with"))
_WEIGHTS = (("code", 8), ("slug", 8), ("title", 5), ("what", 3), ("example", 3), ("why", 2), ("tell_apart", 1))


def _score(rule: Rule, words: list[str]) -> int:
    """0 unless every word stands somewhere; more where it stands in the name."""
    texts = [(str(getattr(rule, name)).lower(), weight) for name, weight in _WEIGHTS]
    texts += [(f"{remedy.id} {remedy.title} {remedy.how}".lower(), 1) for remedy in rule.remedies]
    total = 0
    for word in words:
        begun = re.compile(rf"(?<!\w){re.escape(word)}")
        score = sum(weight for text, weight in texts if begun.search(text))
        if not score:
            return 0
        total += score
    return total


def _shown_by(text: str) -> Rule | None:
    """The class of an error message that somebody pasted."""
    import io

    from xladoctor.logs import read_log
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules import by_code, findings, literals

    if " " not in text.strip():
        return None
    stream = io.BytesIO(text.encode("utf-8", "replace"))
    evidence = Evidence("", read_log(stream, name="", allow_empty=True, literals=literals()))
    code = next((found.code for found in findings(evidence)), "XD901")
    return by_code(code) if code != "XD901" else None


def tell_problems() -> None:
    """What is wrong with plug-ins, on standard error."""
    import typer

    from xladoctor.report.text import line
    from xladoctor.rules import plugin_problems

    for problem in plugin_problems():
        typer.echo(f"xladoctor: {line(problem)}", err=True)


def atlas_of(name: str) -> tuple[str | None, tuple[Difference, ...]] | None:
    """The op or composition that is named, or the function that compositions are about, and where XLA is known to
    differ for it; (None, all) for `silent-under-xla`; else None.
    """
    from xladoctor.rules import atlas

    if name.strip().lower().replace("_", "-") == _EVERY_OP:
        return None, atlas.differences()
    found = atlas.of_op(name.strip()) or atlas.about(name.strip())
    return (name.strip(), found) if found else None


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

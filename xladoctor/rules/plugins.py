"""Rules of third parties: installed packages name them under the entry point group `xladoctor.rules`.

A plug-in must never stop the doctor. It is left out if it cannot be loaded, is malformed, uses a code that is already
taken, or raises while it reads evidence; `problems()` says so in one line. See docs/rules.md.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from xladoctor.model.diagnosis import Finding, Level, Remedy, Safety

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules.base import Rule

GROUP = "xladoctor.rules"
_OFF = "XLADOCTOR_PLUGINS"
_CODE = re.compile(r"^(?!XD)[A-Z][A-Z0-9]{1,11}[0-9]{3}$")
_SLUG = re.compile(r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$")
# A shorter literal stands in too many lines; of a longer one, a part does.
SHORTEST, LONGEST = 4, 200
_TEXTS = ("title", "what", "why", "example", "tell_apart")


def rules() -> tuple[Rule, ...]:
    """The rules of all plug-ins, by code."""
    return _load()[0]


def literals() -> tuple[str, ...]:
    """The literals of plug-ins, which the reader of logs looks for besides its own."""
    return tuple(dict.fromkeys(literal for rule in rules() for literal in rule.literals))


def problems() -> tuple[str, ...]:
    """What is wrong with plug-ins, one line each."""
    return tuple(_load()[1])


@cache
def _load() -> tuple[tuple[Rule, ...], list[str]]:
    said: list[str] = []
    kept: dict[str, Rule] = {}
    if os.environ.get(_OFF) == "0" or not any(_named(folder) for folder in dict.fromkeys(sys.path)):
        return (), said
    from importlib.metadata import entry_points

    from xladoctor.rules import CODES

    taken = dict.fromkeys([*CODES, *(slug for slug, _ in CODES.values())], "xladoctor itself")
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (_origin(entry), entry.name)):
        origin = _origin(entry)
        try:
            for rule in _given(entry):
                wrong = _wrong(rule) or _conflict(rule, taken)
                if wrong:
                    said.append(f"the plug-in {origin} is not used for {_called(rule)}: {wrong}")
                    continue
                if rule.recognise is not None and not rule.literals:
                    said.append(
                        f"the rule {rule.code} of {origin} names no `literals`: it sees what has a "
                        f"traceback, and of lines that "
                        "stand alone only those that a rule of xladoctor's own would look at"
                    )
                taken |= {rule.code: origin, rule.slug: origin}
                kept[rule.code] = _guarded(replace(rule, origin=origin), said)
        except (Exception, SystemExit) as error:
            said.append(f"the plug-in {origin} ({entry.value}) could not be loaded: {_words(error)}")
    return tuple(kept[code] for code in sorted(kept)), said


def _named(folder: str) -> bool:
    """Whether a package that is installed in a folder names the group. Without importlib.metadata, which costs more
    than all else that a scan imports.
    """
    try:
        with os.scandir(folder or ".") as found:
            installed = [entry.path for entry in found if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    return any(_names_group(path) for path in installed)


def _names_group(path: str) -> bool:
    try:
        with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123  hundreds of them
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.name


def _given(entry: EntryPoint) -> Iterable[Any]:
    """A rule, several, or a function that returns them."""
    from xladoctor.rules.base import Rule

    loaded = entry.load()
    if callable(loaded) and not isinstance(loaded, Rule):
        loaded = loaded()
    return (loaded,) if isinstance(loaded, Rule) else tuple(loaded)


def _called(rule: Any) -> str:
    return str(getattr(rule, "code", type(rule).__name__))[:80]


def _wrong(rule: Any) -> str | None:
    from xladoctor.rules.base import Rule

    if not isinstance(rule, Rule):
        return "it is no xladoctor.rules.base.Rule"
    if not isinstance(rule.code, str) or not _CODE.match(rule.code):
        return "a code is capital letters and three digits, such as ACME101; XD is the doctor's own"
    if not isinstance(rule.slug, str) or not _SLUG.match(rule.slug):
        return f"{rule.slug!r} is no class: use small letters and hyphens"
    empty = [name for name in _TEXTS if not isinstance(getattr(rule, name), str) or not getattr(rule, name).strip()]
    if empty:
        return f"it has no {', '.join(empty)}"
    if not isinstance(rule.literals, tuple) or any(not _is_literal(part) for part in rule.literals):
        return f"its literals must be a tuple of strings of {SHORTEST} to {LONGEST} characters on one line"
    if rule.level not in get_args(Level):
        return f"its level is {rule.level!r}, not one of {', '.join(get_args(Level))}"
    if any(not isinstance(r, Remedy) or r.safety not in get_args(Safety) for r in rule.remedies):
        return f"each remedy must be a Remedy whose safety is one of {', '.join(get_args(Safety))}"
    return None


def _is_literal(part: Any) -> bool:
    return isinstance(part, str) and len(part.strip()) >= SHORTEST and len(part) <= LONGEST and "\n" not in part


def _conflict(rule: Rule, taken: dict[str, str]) -> str | None:
    name = next((name for name in (rule.code, rule.slug) if name in taken), None)
    return f"{name} belongs to {taken[name]}" if name else None


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}".rstrip(": ")


def _guarded(rule: Rule, said: list[str]) -> Rule:
    """The rule with functions that never raise, and that yield nothing but findings of this rule."""

    def note(error: BaseException | str) -> None:
        told = error if isinstance(error, str) else _words(error)
        line = f"the rule {rule.code} of {rule.origin} failed and was left out: {told}"
        if line not in said:
            said.append(line)

    def recognise(record: ErrorRecord, text: str) -> object | None:
        try:
            return rule.recognise(record, text) if rule.recognise else None
        except Exception as error:
            note(error)
            return None

    def match(evidence: Evidence) -> Iterator[Finding]:
        try:
            for found in rule.match(evidence) if rule.match else ():
                if isinstance(found, Finding) and found.code == rule.code and found.level in get_args(Level):
                    yield found
                else:
                    note(f"it yielded {_called(found)}, which is no finding of its own")
        except Exception as error:
            note(error)

    guarded: dict[str, Callable[..., Any] | None] = {
        "recognise": recognise if rule.recognise else None,
        "general": None,
        "match": match if rule.match else None,
    }
    return replace(rule, **guarded)  # type: ignore[arg-type]

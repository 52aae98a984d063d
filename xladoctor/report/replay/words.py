"""What a replay found, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xladoctor.replay.model import Case, Outcome, Replay


def verdict(found: Replay) -> str:
    """The one line that matters."""
    sweep = found.sweep
    if sweep is None:
        return f"{found.subject} was replayed"
    if sweep.rules:
        return "; ".join(dict.fromkeys(rule.text for rule in sweep.rules))
    ran = [o for o in sweep.outcomes if o.state != "refused"]
    bad = [o for o in ran if o.bad]
    if not ran:
        return "nothing could be run"
    if not bad:
        return f"passes in {count(len(ran), 'case')}"
    return f"{len(bad)} of {count(len(ran), 'case')} show a failure"


def count(number: int, word: str) -> str:
    """`1 case`, `3 cases`; `1 try`, `3 tries`."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"


def varied(case: Case) -> str:
    """What is varied in a case: `jit=on USE_X=1`."""
    return " ".join(f"{name.removeprefix('arg:')}={value}" for name, value in case.vary)


def failure(outcome: Outcome) -> str:
    """What went wrong, with its class and op; empty where nothing did."""
    if outcome.signature is None:
        return ""
    return outcome.signature.slug + (f" ({outcome.signature.op})" if outcome.signature.op else "")


def seconds(value: float | None) -> str:
    """A time with two significant digits."""
    if value is None:
        return ""
    return f"{value * 1000:.2g} ms" if value < 0.0995 else f"{value:.2g} s" if value < 99.5 else f"{value:.0f} s"

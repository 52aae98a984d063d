"""What a replay found, in a sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xladoctor.model.replay import Case, Outcome, Parity, Replay, Sweep

_FEW = 3


def verdict(found: Replay) -> str:
    """The one line that matters."""
    sweep = found.sweep
    apart = disagreement(found.parity)
    if apart is not None and (sweep is None or not any(o.bad for o in sweep.outcomes)):
        return apart
    if sweep is None and found.interrupted:
        return "interrupted before anything was tried"
    if sweep is None:
        return f"{found.subject} was replayed"
    if len({rule.text for rule in sweep.rules}) == 1:
        said = [how(o) for o in sorted(sweep.outcomes, key=lambda o: o.case.batch or 0) if o.bad]
        return sweep.rules[0].text + (f": {said[0]}" if said else "")
    if 1 < len(sweep.rules) <= _FEW:
        return "; ".join(f"{where(rule.vary, sweep)}: {rule.text}" for rule in sweep.rules)
    ran = [o for o in sweep.outcomes if o.state != "refused"]
    bad = [o for o in ran if o.bad]
    if not ran:
        return "nothing could be run"
    if not bad:
        return f"passes in {count(len(ran), 'case')}"
    return f"{len(bad)} of {count(len(ran), 'case')} show a failure"


def disagreement(parity: Parity | None) -> str | None:
    """The classes of what disagrees, in a sentence; None where all agree."""
    bad = [a for a in parity.agreements if not a.agree] if parity else []
    if not bad:
        return None
    rule = f"; {parity.rule.text}" if parity and parity.rule else ""
    return f"the ways do not agree: {', '.join(dict.fromkeys(a.slug or 'they differ' for a in bad))}{rule}"


def count(number: int, word: str) -> str:
    """`1 case`, `3 cases`; `1 try`, `3 tries`."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"


def where(vary: Sequence[tuple[str, str]], sweep: Sweep) -> str:
    """What distinguishes one combination of what is varied from the others."""
    others = [dict(rule.vary) for rule in sweep.rules]
    told = [(n, v) for n, v in vary if any(other.get(n) != v for other in others)]
    return " ".join(f"{name.removeprefix('arg:')}={value}" for name, value in told)


def varied(case: Case, but: Collection[str] = ()) -> str:
    """What is varied in a case: `jit=on env:USE_X=1`."""
    said = [f"{name.removeprefix('arg:')}={value}" for name, value in case.vary]
    return " ".join(text for text in said if text not in but)


def ranges(sizes: Sequence[int]) -> str:
    """Sizes as they are asked for: `1, 4, 15:17`."""
    from xladoctor.model.replay import runs

    return ", ".join(runs(sizes))


def how(outcome: Outcome) -> str:
    """In which way an outcome is bad."""
    if outcome.state != "silent":
        return failure(outcome) or outcome.state
    if outcome.rows_out not in (None, outcome.rows_in):
        return f"without an error, {outcome.rows_in} rows in, {outcome.rows_out} out"
    return f"without an error, {outcome.place or 'but wrong'}"


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

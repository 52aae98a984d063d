"""What was checked after a run, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Check
from xladoctor.report import facts

_FEW = 3


def agreed(checked: Sequence[Check]) -> str | None:
    """`3 compiled functions agree with plain execution`; None where none was compared."""
    same = [c for c in checked if c.result == "agrees"]
    if not same:
        return None
    return (
        f"{facts.count(len(same), 'compiled function')} {'agree' if len(same) > 1 else 'agrees'} with plain execution"
    )


def left_out(checked: Sequence[Check]) -> str | None:
    """`not checked: f (draws random numbers)`; None where everything was compared."""
    rest = [c for c in checked if c.result == "not-checked"]
    if not rest:
        return None
    first = "; ".join(f"{c.function} ({c.why})" for c in rest[:_FEW])
    more = f"; and {len(rest) - _FEW} more" if len(rest) > _FEW else ""
    compared = len(rest) < len(checked)
    return f"{'not checked' if compared else 'nothing could be checked'}: {first}{more}"


def summary(checked: Sequence[Check]) -> str | None:
    """All of it: what agrees, what does not, what was not compared."""
    apart = [c.function for c in checked if c.result == "diverges"]
    verb = "differs" if len(apart) == 1 else "differ"
    wrong = f"{', '.join(apart[:_FEW])} {verb} from plain execution" if apart else None
    return "; ".join(part for part in (agreed(checked), wrong, left_out(checked)) if part) or None

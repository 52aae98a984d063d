"""What was checked after a run, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Check
from xladoctor.report import facts

_FEW = 3


def agreed(checked: Sequence[Check]) -> str | None:
    """`3 compiled functions agree with plain execution; no rows are mispaired in fit of net`; None for nothing."""
    same = [c for c in checked if c.result == "agrees" and c.what == "compiled-function"]
    verb = "agree" if len(same) > 1 else "agrees"
    compiled = f"{facts.count(len(same), 'compiled function')} {verb} with plain execution" if same else None
    return "; ".join(part for part in (compiled, _rows(checked)) if part) or None


def _rows(checked: Sequence[Check]) -> str | None:
    """`no rows are mispaired in fit of net, predict of net and 2 more`."""
    kept = list(dict.fromkeys(c.function for c in checked if c.result == "agrees" and c.what == "rows"))
    if not kept:
        return None
    named = kept if len(kept) <= _FEW else [*kept[: _FEW - 1], f"{len(kept) - _FEW + 1} more"]
    return f"no rows are mispaired in {' and '.join([', '.join(named[:-1]), named[-1]] if len(named) > 1 else named)}"


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
    apart = [c.function for c in checked if c.result == "diverges" and c.what == "compiled-function"]
    verb = "differs" if len(apart) == 1 else "differ"
    wrong = f"{', '.join(apart[:_FEW])} {verb} from plain execution" if apart else None
    return "; ".join(part for part in (agreed(checked), wrong, left_out(checked)) if part) or None

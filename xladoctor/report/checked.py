"""What was checked after a run, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Check
from xladoctor.report import facts

_FEW = 3
_LOOKED_AT = {
    "kept-values": "no value that {} keeps from its trace has changed",
    "own-gradients": "the gradient that the program gives {} agrees with differences",
    "callbacks": "the callbacks of {} got the metrics that they wait for",
    "batches": "the data of {} are in order",
}


def agreed(checked: Sequence[Check]) -> str | None:
    """`3 compiled functions agree with plain execution; no rows are mispaired in fit of net`; None for nothing.

    What the recorder looked at besides is said where it is all.
    """
    same = [c for c in checked if c.result == "agrees" and c.what == "compiled-function"]
    verb = "agree" if len(same) > 1 else "agrees"
    compiled = f"{facts.count(len(same), 'compiled function')} {verb} with plain execution" if same else None
    asked = [part for part in (compiled, _rows(checked), _gradients(checked)) if part]
    return "; ".join(asked or _looked_at(checked)) or None


def _rows(checked: Sequence[Check]) -> str | None:
    """`no rows are mispaired in fit of net, predict of net and 2 more`."""
    kept = list(dict.fromkeys(c.function for c in checked if c.result == "agrees" and c.what == "rows"))
    return f"no rows are mispaired in {_listed(kept)}" if kept else None


def _gradients(checked: Sequence[Check]) -> str | None:
    """`adam has a gradient for each of its variables`."""
    apart = {c.function for c in checked if c.result == "diverges" and c.what == "gradients"}
    names = [c.function for c in checked if c.result == "agrees" and c.what == "gradients"]
    kept = [name for name in dict.fromkeys(names) if name not in apart]
    if not kept:
        return None
    verb, whose = ("has", "its") if len(kept) == 1 else ("have", "their")
    return f"{_listed(kept)} {verb} a gradient for each of {whose} variables"


def _looked_at(checked: Sequence[Check]) -> list[str]:
    """`no value that step keeps from its trace has changed`, and the like."""
    found = []
    for what, words in _LOOKED_AT.items():
        names = list(dict.fromkeys(c.function for c in checked if c.what == what and c.result == "agrees"))
        if names:
            found.append(words.format(_listed(names)))
    return found


def nothing(checked: Sequence[Check]) -> bool:
    """Whether a run of which nothing looks wrong is one of which nothing could be checked."""
    return all(c.result == "not-checked" for c in checked)


def _listed(names: Sequence[str]) -> str:
    shown = list(names) if len(names) <= _FEW else [*names[: _FEW - 1], f"{len(names) - _FEW + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def left_out(checked: Sequence[Check]) -> str | None:
    """`not checked: f (draws random numbers)`; None where everything was compared."""
    rest = [c for c in checked if c.result == "not-checked"]
    if not rest:
        return None
    first = "; ".join(f"{c.function} ({c.why}{_hazards(c)})" for c in rest[:_FEW])
    more = f"; and {len(rest) - _FEW} more" if len(rest) > _FEW else ""
    compared = len(rest) < len(checked)
    return f"{'not checked' if compared else 'nothing could be checked'}: {first}{more}"


def _hazards(one: Check) -> str:
    """`; under XLA its ops GatherV2 and Max can differ without an error`."""
    return (
        f"; under XLA its {'ops' if len(one.hazards) > 1 else 'op'} {_listed(one.hazards)} can differ without an error"
        if one.hazards
        else ""
    )


def summary(checked: Sequence[Check]) -> str | None:
    """All of it: what agrees, what does not, what was not compared."""
    apart = [c.function for c in checked if c.result == "diverges" and c.what == "compiled-function"]
    verb = "differs" if len(apart) == 1 else "differ"
    wrong = f"{', '.join(apart[:_FEW])} {verb} from plain execution" if apart else None
    return "; ".join(part for part in (agreed(checked), wrong, left_out(checked)) if part) or None

"""From sizes that were tried to the rule in them.

The simplest rule that fits everything that was seen: all alike, one threshold, multiples, the sizes of one call, else
the bad sizes by name. Sizes between two that were tried are only spoken of where the rule is one threshold and both of
its neighbours were run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xladoctor.model.replay import Rule, runs

_SHOWN = 12
_BETWEEN = "between them nothing was tried"


@dataclass(frozen=True)
class Known:
    """What is known of the subject besides the tries.

    `met` are the sizes of the recorded call (the full batch, then what was left over of `rows`); `axes` sizes of named
    axes that go with a row, such as C = 4.
    """

    met: tuple[int, ...] = ()
    rows: int | None = None
    axes: Mapping[str, int] | None = None


def rule(
    tried: Mapping[int, bool],
    asked: Sequence[int],
    known: Known | None = None,
    vary: tuple[tuple[str, str], ...] = (),
) -> Rule | None:
    """The rule in `tried` (size -> whether it is bad) of the sizes that were `asked` for; None if nothing was tried."""
    if not tried:
        return None
    known = known or Known()
    seen = tuple(sorted(tried))
    bad = [n for n in seen if tried[n]]
    good = [n for n in seen if not tried[n]]
    kind, value, text = (
        _alike(bad, good, len(asked))
        or _of_one_call(bad, good, known)
        or _threshold(bad, good, known)
        or _multiple(bad, good)
        or _but_one(bad, good, known)
        or ("set", None, f"fails at {_listed(bad)} of the {len(seen)} sizes tried; no simple rule fits")
    )
    return Rule(kind, text, value, vary, seen)


def holds(found: Rule, size: int) -> bool | None:
    """Whether a rule says that a size fails; None where it does not say."""
    value = found.value
    if found.kind in ("always", "never"):
        return found.kind == "always"
    if value is not None:
        if found.kind == "from":
            return size >= value
        if found.kind == "up-to":
            return size <= value
        if found.kind in ("multiple", "not-multiple"):
            return (size % value == 0) is (found.kind == "multiple")
        if found.kind == "not-trained-size":
            return size != value
    return None


Found = tuple[str, int | None, str]


def _alike(bad: Sequence[int], good: Sequence[int], asked: int) -> Found | None:
    if bad and good:
        return None
    seen = bad or good
    if len(seen) == asked:
        where = f"at batch {seen[0]}" if asked == 1 else f"at every size asked for ({_listed(seen)})"
    else:
        where = f"at each of the {len(seen)} sizes tried ({_listed(seen)})"
    return ("always", None, f"fails {where}") if bad else ("never", None, f"passes {where}")


def _of_one_call(bad: Sequence[int], good: Sequence[int], known: Known) -> Found | None:
    """The sizes that one call met: the full batch and the last, partial one."""
    if len(known.met) != 2 or set(bad) | set(good) != set(known.met):
        return None
    full, rest = known.met
    of = f" of {known.rows} rows" if known.rows else ""
    if bad == [rest]:
        return "partial-batch", rest, f"fails only for the last partial batch ({rest}{of}; batches of {full} pass)"
    return None


def _threshold(bad: Sequence[int], good: Sequence[int], known: Known) -> Found | None:
    if not bad or not good:
        return None
    if max(good) < min(bad):
        first, last = min(bad), max(good)
        if first - last == 1:
            return "from", first, f"fails from {first} on{_product(first, known.axes or {})}"
        return "from", first, f"fails from {first} on, of the sizes tried; passes at {last} ({_BETWEEN})"
    if max(bad) < min(good):
        first, last = min(good), max(bad)
        if first - last == 1:
            return "up-to", last, f"fails up to {last}, and passes from {first} on"
        return "up-to", last, f"fails up to {last}, of the sizes tried; passes at {first} ({_BETWEEN})"
    return None


def _multiple(bad: Sequence[int], good: Sequence[int]) -> Found | None:
    for kind, inside, outside, text in (
        ("multiple", bad, good, "fails when a multiple of {}"),
        ("not-multiple", good, bad, "fails when not a multiple of {}"),
    ):
        # One size is a multiple of much, and one that is none is an exception from much: two of each make a rule.
        if len(inside) < 2 or len(outside) < 2:
            continue
        m = math.gcd(*inside)
        # Neighbours are what tells a multiple from what is merely far away.
        near = any(abs(n - other) == 1 for n in inside for other in outside)
        if m > 1 and near and all(n % m for n in outside):
            return kind, m, text.format(m)
    return None


def _but_one(bad: Sequence[int], good: Sequence[int], known: Known) -> Found | None:
    if len(good) != 1 or len(bad) < 2:
        return None
    text = f"fails at every size tried but {good[0]}"
    if known.met and good[0] == known.met[0]:
        return "not-trained-size", good[0], f"{text}, the batch of the recorded call"
    return "set", None, f"{text} ({len(bad)} sizes fail)"


def _product(first: int, axes: Mapping[str, int]) -> str:
    """` (B*C >= 64)` where a named axis makes the threshold a power of two, and only one axis does."""
    found = []
    for name, size in axes.items():
        low, high = (first - 1) * size, first * size
        power = 1 << (high.bit_length() - 1)
        if size > 1 and low < power and power >= 8:
            found.append(f" (B*{name} >= {power})")
    return found[0] if len(found) == 1 else ""


def _listed(sizes: Sequence[int]) -> str:
    parts = runs(sizes)
    return ", ".join(parts) if len(parts) <= _SHOWN else f"{', '.join(parts[:_SHOWN])}, ..."

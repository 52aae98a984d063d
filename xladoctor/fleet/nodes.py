"""Whether failures follow a node, and not by chance.

A node with more jobs has more failures, and a program that fails everywhere fails on the one node where it ran. So runs
are compared only with runs of the same program: had the node nothing to do with it, the failures of a program would be
dealt over its runs like cards, and how many fall on the node is hypergeometric. The sums over all programs are added
up exactly. A program that ran on one node only, or always failed, says nothing, and adds nothing. The probability
is multiplied by the number of (cause, node) pairs that were looked at (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, lgamma
from typing import TYPE_CHECKING

from xladoctor.model.fleet import Share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.001
"""A share is pointed out where chance would give it less often than this."""
LEAST = 5
"""Fewer failures on a node than this are never pointed out."""
_EXACT = 4000

Stratum = tuple[int, int, int, int]
"""Of one program: runs, runs on the node, failures with the cause, such failures on the node."""


def share(node: str, strata: Iterable[Stratum], pairs: int) -> Share | None:
    """The share of a node in a cause, where it is more than chance; `pairs` is how many were looked at."""
    known = list(strata)
    runs, of = sum(row[3] for row in known), sum(row[2] for row in known)
    telling = [row for row in known if 0 < row[1] < row[0] and 0 < row[2] < row[0]]
    expected = sum(on * failed / total for total, on, failed, _ in known)
    excess = sum(row[3] for row in telling)
    if runs < LEAST or 2 * runs <= of or not telling or excess <= sum(n * k / total for total, n, k, _ in telling):
        return None
    chance = min(1.0, at_least(excess, telling) * max(pairs, 1))
    return Share(node, runs, of, round(expected, 2), chance) if chance < LEVEL else None


def at_least(count: int, strata: Iterable[Stratum]) -> float:
    """The probability that at least `count` failures are on the node, if each program deals its own at random."""
    import numpy as np

    known = list(strata)
    if sum(min(row[1], row[2]) for row in known) > _EXACT:
        return _bounded(count, known)
    whole: NDArray[np.float64] = np.ones(1)
    for total, on, failed, _ in known:
        whole = np.convolve(whole, _hypergeometric(total, on, failed))
    return float(whole[count:].sum()) if count < len(whole) else 0.0


def _hypergeometric(total: int, on: int, failed: int) -> NDArray[np.float64]:
    """The probability of 0, 1, 2, ... failures on the node."""
    import numpy as np

    def choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    least, most = max(0, on + failed - total), min(on, failed)
    whole = choose(total, failed)
    return np.array(
        [exp(choose(on, k) + choose(total - on, failed - k) - whole) if k >= least else 0.0 for k in range(most + 1)]
    )


def _bounded(count: int, strata: list[Stratum]) -> float:
    """For very many runs, a bound from above (Hoeffding's, which holds for sums of hypergeometric counts, too)."""
    expected = sum(on * failed / total for total, on, failed, _ in strata)
    dealt = sum(min(on, failed) for _, on, failed, _ in strata)
    beyond = count - expected
    return exp(-2 * beyond * beyond / dealt) if beyond > 0 and dealt else 1.0

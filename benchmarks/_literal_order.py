"""Searches the order of the log literals in which the matcher has the fewest false alarms; prints it.

`python -m benchmarks._literal_order LOG...` on logs of your own, after a literal was added. The matcher (Teddy, "fat"
with more than 32 patterns) puts pattern n into group n mod 16 and keeps, of each group and of each of the first four
bytes, which low and which high half-bytes occur. Text that fits all eight sets of a group is looked at again, one by
one. The search swaps literals between groups as long as that share of text falls (simulated annealing).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from math import exp
from pathlib import Path

from benchmarks.logs import _lines
from xladoctor.logs.literals import BARE, COMMON, MESSAGES

GROUPS, FIRST, STEPS = 16, 4, 9_000


def main(files: list[str]) -> None:
    """Prints the order that was found for each set, and the share of false alarms before and after."""
    import numpy as np

    logs = [Path(file).read_bytes()[:1_000_000] for file in files] or [_lines(random.Random(1), 10_000, False)]
    grams, counts = np.unique(
        np.concatenate([np.lib.stride_tricks.sliding_window_view(np.frombuffer(log, np.uint8), FIRST) for log in logs]),
        axis=0,
        return_counts=True,
    )
    weights = counts / counts.sum()

    def cost(group: list[bytes]) -> float:
        fits = np.ones(len(grams), bool)
        for at in range(FIRST):
            low, high = np.zeros(16, bool), np.zeros(16, bool)
            for literal in group:
                low[literal[at] & 15] = high[literal[at] >> 4] = True
            fits &= low[grams[:, at] & 15] & high[grams[:, at] >> 4]
        return float(weights[fits].sum())

    for literals in (COMMON, (*MESSAGES, *BARE)):
        _search(list(literals), cost)


def _search(order: list[bytes], cost: Callable[[list[bytes]], float]) -> None:
    pick = random.Random(1)
    costs = [cost(order[group::GROUPS]) for group in range(GROUPS)]
    before = sum(costs)
    best, found = before, order[:]
    for step in range(STEPS):
        a, b = pick.randrange(len(order)), pick.randrange(len(order))
        one, two = a % GROUPS, b % GROUPS
        if one == two:
            continue
        order[a], order[b] = order[b], order[a]
        new = cost(order[one::GROUPS]), cost(order[two::GROUPS])
        worse = sum(new) - costs[one] - costs[two]
        if worse <= 0 or pick.random() < exp(-worse / (1e-3 * (1 - step / STEPS) ** 2)):
            costs[one], costs[two] = new
            if sum(costs) < best:
                best, found = sum(costs), order[:]
        else:
            order[a], order[b] = order[b], order[a]
    print(f"{before:.2%} of the text looked like a literal; in this order {best:.2%}:")
    print(", ".join(f"b{literal.decode()!r}" for literal in found))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Ways of writing that end well and compute something else than they say, found by the source and by what its names
held in the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xladoctor.sources.habits import (
    axes,
    grids,
    orders,
    ranks,
    scores,
    targets,
    text_order,
    whole_numbers,
    window_count,
)
from xladoctor.sources.held import Fault, View

_EVERY: tuple[Callable[[View], Iterator[Fault]], ...] = (
    axes.faults, grids.faults, orders.faults, ranks.faults, scores.faults, targets.faults, text_order.faults,
    whole_numbers.faults, window_count.faults,
)  # fmt: skip


def faults_of(view: View) -> Iterator[Fault]:
    """All that is found in a file, each kind and line once."""
    seen: set[tuple[str, int]] = set()
    for check in _EVERY:
        for fault in check(view):
            if (fault.kind, fault.line) not in seen:
                seen.add((fault.kind, fault.line))
                yield fault

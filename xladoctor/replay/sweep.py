"""The sweep: outcomes over batch sizes and what is varied, and the rule in them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from xladoctor.replay.bench import Bench
from xladoctor.replay.model import Case, Outcome, Rule, Sweep
from xladoctor.replay.outcome import Attempt

Varied = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Asked:
    """What the user wants to have swept."""

    sizes: tuple[int | None, ...]
    vary: tuple[Varied, ...] = ()
    exhaustive: bool = False


def combinations(vary: Sequence[Varied]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every combination of what is varied, in the order in which it was given."""
    names = [name for name, _ in vary]
    for values in itertools.product(*(values for _, values in vary)):
        yield tuple(zip(names, values, strict=True))


def sweep(bench: Bench, asked: Asked) -> Sweep:
    """Try what the ranges name, and say the rule."""
    started = time.monotonic()
    before, compiled = bench.tries, bench.compilations
    attempt = Attempt(bench)
    outcomes: list[Outcome] = []
    rules: list[Rule] = []
    cases = [[Case(size, vary) for size in asked.sizes] for vary in combinations(asked.vary)]
    for group in cases:
        outcomes += _all(bench.jobs, attempt, group)
    return Sweep(
        tuple(outcomes),
        tuple(rules),
        asked=sum(map(len, cases)),
        tries=bench.tries - before,
        compilations=bench.compilations - compiled,
        seconds=round(time.monotonic() - started, 3),
    )


def _all(jobs: int, attempt: Callable[[Case], Outcome], cases: Iterable[Case]) -> list[Outcome]:
    if jobs <= 1:
        return [attempt(case) for case in cases]
    with ThreadPoolExecutor(jobs) as threads:
        return list(threads.map(attempt, cases))

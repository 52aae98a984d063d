"""The sweep: outcomes over batch sizes and what is varied, and the rule in them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from xladoctor.experiments.judge import judged, undecided
from xladoctor.experiments.outcome import Attempt, axes, words
from xladoctor.experiments.rule import Known, rule
from xladoctor.experiments.search import SMALL, search
from xladoctor.model.replay import Case, Outcome, Rule, Sweep
from xladoctor.workers.bench import Bench

_WHY = (
    "the graph of the capsule was traced for {} rows and takes no other number; name your own callable: "
    "--subject module:callable"
)

Varied = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Asked:
    """What the user wants to have swept. `by_row`: whether each row of the arguments gives a row of the result."""

    sizes: tuple[int | None, ...]
    vary: tuple[Varied, ...] = ()
    exhaustive: bool = False
    by_row: bool | None = None
    fixed: int | None = None
    """The only number of rows that the graph of a capsule can take, where there is one."""


def combinations(vary: Sequence[Varied]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every combination of what is varied, in the order in which it was given."""
    names = [name for name, _ in vary]
    for values in itertools.product(*(values for _, values in vary)):
        yield tuple(zip(names, values, strict=True))


def sweep(bench: Bench, asked: Asked) -> Sweep:
    """Try what the ranges name, as far as the rule needs it. Interrupted, it gives what there is until then."""
    started = time.monotonic()
    before, compiled = bench.tries, bench.compilations
    outcomes: list[Outcome] = []
    rules: list[Rule] = []
    complete = True
    try:
        for vary in combinations(asked.vary):
            series = _Series(bench, asked, vary)
            try:
                series.run()
            finally:
                outcomes += series.outcomes()
                rules += series.rules()
    except KeyboardInterrupt:
        complete = False
    return Sweep(
        tuple(outcomes),
        tuple(rules),
        asked=len(asked.sizes) * sum(1 for _ in combinations(asked.vary)),
        tries=bench.tries - before,
        compilations=bench.compilations - compiled,
        seconds=round(time.monotonic() - started, 3),
        complete=complete,
    )


class _Series:
    """All sizes for one combination of what is varied."""

    def __init__(self, bench: Bench, asked: Asked, vary: tuple[tuple[str, str], ...]) -> None:
        self._bench = bench
        self._asked = asked
        self._vary = vary
        self._attempt = Attempt(bench)
        self._found: dict[int | None, Outcome] = {}
        fixed = asked.fixed
        self._sizes = tuple(n for n in asked.sizes if n is not None and fixed in (None, n))
        other = next((n for n in asked.sizes if n is not None and fixed not in (None, n)), None)
        if other is not None:
            self._found[other] = Outcome(Case(other, vary), "refused", message=_WHY.format(fixed), rows_in=other)
        self._search = len(self._sizes) > SMALL and not asked.exhaustive

    def outcomes(self) -> list[Outcome]:
        """What was tried, in the order of size."""
        found = judged(list(self._found.values()), self._asked.by_row)
        return sorted(found, key=lambda o: o.case.batch or 0)

    def rules(self) -> list[Rule]:
        """The rule in it, if there is one."""
        subject = self._bench.subject
        known = Known(subject.sizes, subject.rows, axes(subject.step))
        tried = self._tried()
        if not tried:
            return []
        found = rule(tried, self._sizes or tuple(tried), known, self._vary)
        return [found] if found else []

    def run(self) -> None:
        """Try sizes until nothing more is to be learnt."""
        if not self._sizes:
            if not self._found:
                self._try([None])
            return
        steps = search(self._sizes, first=self._bench.subject.sizes, exhaustive=self._asked.exhaustive)
        todo: tuple[int, ...] | None = next(steps, None)
        while todo:
            self._try(todo)
            if self._search and undecided(list(self._found.values()), self._asked.by_row):
                # Two small sizes show whether the result has a row for each row of the arguments.
                self._try([n for n in (2, 3) if n in self._sizes and n not in self._found])
            try:
                todo = steps.send(self._tried())
            except StopIteration:
                todo = None
        if not self._search:
            self._confirm()

    def _tried(self) -> dict[int, bool]:
        return {
            size: o.bad for o in self.outcomes() if o.state != "refused" and (size := o.case.batch or o.rows_in or 0)
        }

    def _try(self, sizes: Sequence[int | None]) -> None:
        cases = [Case(size, self._vary) for size in sizes if size not in self._found]
        if self._bench.jobs > 1 and len(cases) > 1:
            self._together(cases)
            return
        for number, case in enumerate(cases, 1):
            self._one(case, f" ({number} of {len(cases)})" if len(cases) > 2 else "")

    def _one(self, case: Case, progress: str = "", own: bool = False) -> None:
        self._bench.say(f"{words(case)}{progress}, {self._bench.tries} tries so far")
        # In a search each size is traced alone, as the user's program would: there are few of them.
        self._found[case.batch] = self._attempt(case, own=own or self._search)

    def _together(self, cases: Sequence[Case]) -> None:
        threads = ThreadPoolExecutor(self._bench.jobs)
        try:
            running = [threads.submit(self._one, case) for case in cases]
            for one in running:
                one.result()
        except BaseException:
            self._bench.stop()
            raise
        finally:
            threads.shutdown(cancel_futures=True)

    def _confirm(self) -> None:
        """Both neighbours of each change once more with traces of their own: a shared one has open rows."""
        checked: set[int] = set()
        while True:
            seen = sorted(self._tried().items())
            ends = [n for (a, x), (b, y) in itertools.pairwise(seen) if x != y for n in (a, b)]
            todo = [n for n in ends if n not in checked and self._found[n].shared]
            if not todo:
                return
            for size in todo:
                checked.add(size)
                self._one(Case(size, self._vary), own=True)

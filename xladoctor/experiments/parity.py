"""The same call in different ways: eagerly, as a graph, under XLA, against a reference, under other settings, on other
rows. See `parity_judge` for what the differences mean and `probes.graph.sensitivity` for the tolerance.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.experiments import parity_judge as judge
from xladoctor.experiments import settled
from xladoctor.experiments.parity_rule import seen_plainly, silent_rule
from xladoctor.model.replay import Agreement, Case, Parity, runs
from xladoctor.protocol import answers, requests
from xladoctor.workers.bench import Answer, Bench, digest

_SIZES = 3
_DONE = ("jit", "eager")
"""What is varied so is a way of its own anyway."""


Rows = Sequence[answers.ComparedWays]


def parity(
    bench: Bench,
    case: Case,
    others: Sequence[Case] = (),
    *,
    worth: Callable[[Rows], Rows] = lambda rows: rows,
    seconds: float | None = None,
) -> Parity:
    """Compare the ways of the subject in this case; `others` are cases of the same size under other settings, each of
    which is one more way. `worth` picks the results that differ and for whose sake the first op that differs is looked
    for, for so many seconds.
    """
    started, tries = time.monotonic(), bench.tries
    case = _plain(case)
    asked = _Parity(bench, case, _otherwise(case, others), worth, seconds)
    found, notes, node = asked.run()
    ways = tuple(dict.fromkeys([*asked.passed, *(w for a in found for w in a.ways)]))
    return Parity(
        ways=ways,
        agreements=tuple(found),
        not_comparable=tuple(dict.fromkeys(notes)),
        first_node=node,
        batch=case.batch,
        tries=bench.tries - tries,
        seconds=round(time.monotonic() - started, 3),
    )


def over_sizes(
    bench: Bench, swept: Sequence[Case], worst: Case | None, every: bool = False, asked: Sequence[int] = ()
) -> Parity:
    """Parity at the case that shows something wrong, if there is one; else at the largest size that was swept, then at
    others (at `every` one of them if so asked), until two ways disagree. The settings that were varied are compared
    with each other at each size. Of sizes that all agree, the one is given that came nearest to its tolerance. At one
    size it is also seen whether settings govern what they should (`settled`), and of a callable that is silently wrong
    for which of the sizes that were `asked` for it is (`parity_rule`).
    """
    if worst is not None:
        told = parity(bench, worst, [c for c in swept if c.batch == worst.batch])
    else:
        told = _over(bench, swept, every)
    case = worst or next(c for c in swept if c.batch == told.batch)
    started, tries = time.monotonic(), bench.tries
    found, notes = settled.agreements(bench, _plain(case), _otherwise(case, swept))
    sizes = asked or sorted({c.batch for c in swept if c.batch is not None})
    rule = None
    if worst is None and len(sizes) > 1 and bench.subject.kind == "callable":
        named = {judge.PLAIN: _plain(case), **{_named(o, case): o for o in _otherwise(case, swept)}}
        wrong = seen_plainly(told.agreements)
        rule = silent_rule(bench, named[wrong], sizes) if wrong in named else None
    return replace(
        told,
        rule=rule,
        ways=tuple(dict.fromkeys([*told.ways, *(w for a in found for w in a.ways)])),
        agreements=(*told.agreements, *found),
        not_comparable=(*told.not_comparable, *notes),
        tries=told.tries + bench.tries - tries,
        seconds=round(told.seconds + time.monotonic() - started, 3),
    )


def _over(bench: Bench, swept: Sequence[Case], every: bool) -> Parity:
    first: dict[int | None, Case] = {}
    for case in swept:
        first.setdefault(case.batch, case)
    done: list[Parity] = []
    sizes = sorted(first, key=lambda s: s or 0, reverse=True) if every else _telling(list(first))
    for n, size in enumerate(sizes, 1):
        if len(sizes) > 1:
            bench.say(f"comparing at batch size {size} ({n} of {len(sizes)})")
        found = parity(bench, first[size], [c for c in swept if c.batch == size])
        done.append(found)
        if any(not a.agree for a in found.agreements):
            break
    told = done[-1] if any(not a.agree for a in done[-1].agreements) else max(done, key=_nearness)
    compared = ", ".join(runs(sorted(p.batch for p in done if p.batch is not None)))
    notes = (f"compared at batch sizes {compared}",) if len(done) > 1 else ()
    return replace(
        told,
        not_comparable=(*told.not_comparable, *notes),
        tries=sum(p.tries for p in done),
        seconds=round(sum(p.seconds for p in done), 3),
    )


def _nearness(found: Parity) -> float:
    """The largest deviation in units of its tolerance: above 1 is a finding."""
    return max((a.deviation / a.tolerance for a in found.agreements if a.deviation and a.tolerance), default=0.0)


def _telling(sizes: Sequence[int | None]) -> list[int | None]:
    """The largest, the one before it (a multiple of something often has a neighbour that is none), the smallest."""
    known = sorted(s for s in sizes if s is not None)
    if not known:
        return [None]
    return list(dict.fromkeys([known[-1], *known[-2:-1], *(s for s in known if s > 1)][:_SIZES]))


_ROWS: tuple[requests.Way, ...] = (judge.PLAIN, judge.XLA)


class _Parity:
    """The questions about one case."""

    def __init__(
        self, bench: Bench, case: Case, others: Sequence[Case], worth: Callable[[Rows], Rows], seconds: float | None
    ) -> None:
        self._bench = bench
        self._worth = worth
        self._seconds = seconds
        self._case = case
        self._others = others
        self._capsule = ""
        """Of a callable, what was made of it."""
        self.passed: tuple[str, ...] = ()
        """The ways in which the call passes."""

    def run(self) -> tuple[list[Agreement], list[str], dict[str, Any] | None]:
        """(agreements, notes, first node)."""
        notes: list[str] = []
        against, problems = self._variations()
        notes += problems
        answer = self._ways((judge.XLA,), against)
        died = None
        if answer.state in ("crashed", "timed-out"):
            died = answer
            answer = self._ways((), against)
        if not answer.ok:
            return [], [*notes, f"not comparable: {answer.why}"], None
        told = answer.result
        self._capsule = told.capsule or ""
        notes += judge.drawn(told)
        if told.note:
            notes.append(told.note)
        if told.filled:
            notes.append(f"random values stand in for {judge.names(told.filled)}")
        self.passed = tuple(w for w, outcome in told.ways.items() if outcome.passed)
        passed = judge.PLAIN in self.passed
        xla = judge.XLA in self.passed
        apart = [a for a in told.agreements if a.apart and a.ways[1] == judge.XLA]
        sought = tuple(a.output for a in (self._worth(apart) if apart else ()))
        node = None
        if xla and (sought or not passed):
            self._bench.say("looking for the first op that differs")
            request = requests.FindFirstNode(capsule=self._capsule, outputs=sought, seconds=self._seconds)
            node = self._bench.ask(request, self._case)
        parted = node.result if node is not None and node.ok else None
        found, more = judge.agreements(told, parted)
        notes += more
        if node is not None and not node.ok:
            notes.append(f"the first node at which the ways differ was not found: {node.why}")
        if died is not None and passed:
            found.append(_death(died))
        elif died is not None:
            notes.append(f"{judge.XLA}: {died.why}")
        for way in _ROWS[:1] if passed and not apart else _ROWS:
            if way in self.passed:
                self._bench.say("comparing rows")
                rows = self._bench.ask(requests.CompareRows(capsule=self._capsule, way=way), self._case)
                if rows.ok:
                    tests, more = judge.of_rows(rows.result, way)
                    found += tests
                    notes += more
                else:
                    notes.append(f"rows ({way}): {rows.why}")
        return found, notes, judge.first_node(parted)

    def _ways(
        self,
        ways: tuple[str, ...],
        against: Sequence[tuple[str, str]],
        other: Case | None = None,
        save: str | None = None,
    ) -> Answer[answers.Ways]:
        """The ways of the case, or of another one, beside the results that were kept of others."""
        case = other or self._case
        self._bench.say(f"comparing ways{f' at batch {case.batch}' if case.batch else ''}")
        kept = tuple(against)
        if self._bench.subject.kind == "callable":
            folder = str(self._bench.open_folder(case))
            return self._bench.ask(requests.CompareCallable(folder=folder, ways=ways, against=kept, save=save), case)
        return self._bench.ask(requests.CompareWays(ways=ways, against=kept, save=save), case)

    def _variations(self) -> tuple[list[tuple[str, str]], list[str]]:
        """([[way, file of its plain results]], what could not be had)."""
        found, notes = [], []
        for other in self._others:
            name = _named(other, self._case)
            file = self._bench.folder / "parity" / f"{digest(other)}.npz"
            answer = self._ways((), (), other, str(file))
            outcome = answer.result.ways[judge.PLAIN] if answer.ok else None
            if outcome is not None and outcome.passed:
                found.append((name, str(file)))
            else:
                error = outcome.error if outcome is not None else None
                notes.append(f"{name}: {answer.why if outcome is None else error.message[:300] if error else ''}")
        return found, notes


def _otherwise(case: Case, others: Sequence[Case]) -> list[Case]:
    """The other cases without what is a way of its own, each once."""
    return [o for o in dict.fromkeys(_plain(o) for o in others) if o != _plain(case) and o.batch == case.batch]


def _named(other: Case, case: Case) -> str:
    """Another setting as a way: what is not so in the case."""
    return ", ".join(f"{n}={v}" for n, v in other.vary if (n, v) not in _plain(case).vary)


def _plain(case: Case) -> Case:
    return Case(case.batch, tuple(v for v in case.vary if v[0] not in _DONE))


def _death(answer: Answer[answers.Ways]) -> Agreement:
    how = f"ends the process {answer.kind}" if answer.state == "crashed" else "does not end in time"
    what = f"compiled, the step {how}; plainly it passes"
    ways = (judge.PLAIN, judge.XLA)
    return Agreement(judge.EVERY, ways, False, (None, None), slug="parity-divergence", what=what)

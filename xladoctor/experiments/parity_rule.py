"""For which batch sizes a call is silently wrong: the search over sizes, with parity in the place of an error.

At each size the call is run plainly only: against the subject's own reference, if it has one, and on other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xladoctor.experiments import parity_judge as judge
from xladoctor.experiments import settled
from xladoctor.experiments.rule import rule
from xladoctor.experiments.search import search
from xladoctor.model.replay import Agreement, Case, Rule
from xladoctor.protocol import requests
from xladoctor.workers.bench import Bench

REFERENCE = "reference"


def seen_plainly(found: Sequence[Agreement]) -> str | None:
    """The way (plain, or a setting) that a plain run has shown to be wrong: by its rows, or against the reference."""
    for one in found:
        if not one.agree and (one.ways[1] == REFERENCE or (one.test and one.ways[0] == judge.PLAIN)):
            return one.ways[0]
    return None


def silent_rule(bench: Bench, case: Case, sizes: Sequence[int]) -> Rule | None:
    """The rule for which of these sizes the callable, in the settings of the case, gives wrong numbers."""
    tried: dict[int, bool] = {}
    steps = search(sorted(sizes))
    todo: tuple[int, ...] | None = next(steps, None)
    while todo:
        for size in todo:
            bench.say(f"comparing at batch size {size}, plainly")
            wrong = _wrong(bench, Case(size, case.vary))
            if wrong is not None:
                tried[size] = wrong
        try:
            todo = steps.send(tried)
        except StopIteration:
            todo = None
    found = rule(tried, sizes, vary=case.vary)
    return None if found is None else replace(found, text=found.text.replace("fails", "is wrong", 1))


def _wrong(bench: Bench, case: Case) -> bool | None:
    """None where it cannot be told."""
    built = bench.ask(replace(settled.building(bench, case), python=(REFERENCE,)), case)
    if not built.ok or not built.result.ways[judge.PLAIN].passed:
        return None
    if any(a.apart for a in built.result.agreements):
        return True
    rows = bench.ask(requests.CompareRows(capsule=built.result.capsule or ""), case)
    return rows.ok and any(not a.agree for a in judge.of_rows(rows.result, judge.PLAIN)[0])

"""Remedies applied to the subject, each in a worker: cured, another failure, no effect, or worse.

A remedy has cured only what then passes *and* gives the numbers of the reference (`probes.graph.remedies`). One that
makes the error go away and changes the numbers is told as such, loudly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from xladoctor.experiments import settled
from xladoctor.experiments.trials import XLA_SWITCHES, Trial, of_settings, trials
from xladoctor.model.replay import Case, Isolation, Signature, Sweep, Tested
from xladoctor.protocol import answers, requests
from xladoctor.workers.bench import Answer, Bench, digest
from xladoctor.workers.classify import UNKNOWN, gist, signature

Result = Literal["cured", "another failure", "no effect", "worse", "not applicable", "unverified"]
_WAYS: Mapping[str, requests.Way] = {"on": "xla", "off": "plain"}
Told = Answer[answers.Remedy]
_NO_REFERENCE = "neither the batch nor a row alone passes without it, so there is nothing to compare with"
_NO_ROWS = "none of its results has rows, so no rows can be joined and compared"
_OWN_ROWS = "compared with its own rows, each alone: the call as it is gives no numbers, not even for one row"
_OWN_CALL = "it makes its call itself, so there is nothing to compare its numbers with"


def test_remedies(
    bench: Bench, case: Case, swept: Sweep | None = None, isolated: Isolation | None = None
) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
    """(every remedy that can be tried on the subject in this case, notes). Without a failure in this case, remedies are
    tried against wrong numbers: results that are not those of the rows alone; without these, against settings that came
    too late.
    """
    return _Verifier(bench, case, swept, isolated).run()


class _Verifier:
    def __init__(self, bench: Bench, case: Case, swept: Sweep | None, isolated: Isolation | None) -> None:
        self._bench = bench
        self._case = case
        self._swept = swept
        self._isolated = isolated
        self._callable = bench.subject.kind == "callable"
        vary = dict(case.vary)
        # Functions that a callable calls keep the XLA that they asked for, with jit=off too.
        self._way: requests.Way = "recorded" if self._callable and vary.get("jit") != "on" else _way(case, "recorded")
        self._eager = vary.get("eager") == "on"
        self._capsule = ""
        """Of a callable, what was made of it."""
        self._reference: str | None = None

    def run(self) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """Try the case as it is, then each remedy."""
        if self._callable:
            file = self._bench.folder / "parity" / f"reference-{digest(self._case)}.npz"
            asked = settled.building(self._bench, self._case)
            opened = self._bench.ask(replace(asked, python=("reference",), save_reference=str(file)), self._case)
            if not opened.ok:
                return self._without_graph(opened.why)
            self._capsule = opened.result.capsule or ""
            reference = opened.result.ways.get("reference")
            if reference is not None and reference.passed:
                self._reference = str(file)
        before = self._apply({"kind": "as-is"})
        if before.state == "refused":
            return (), (f"no remedy was tried: {before.why}",)
        if before.ok and is_right(before.result):
            return self._too_late()
        return tuple(self._judged(self._trials(), before)), ()

    def _judged(self, trials: Sequence[Trial], before: Told) -> Iterator[Tested]:
        for trial in trials:
            self._bench.say(f"trying a remedy: {trial.title}")
            yield judged(trial, self._tried(trial), before)

    def _too_late(self) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """Nothing fails in this case: what is left is that a setting does not govern what it should."""
        none = "no remedy was tried: nothing fails in this case, and the numbers are those of the reference"
        case = Case(self._case.batch, tuple(v for v in self._case.vary if v[0] not in ("jit", "eager")))
        late = settled.too_late(self._bench, case)
        if late is None:
            return (), (none,)
        settings, _ = late
        wanted = settled.graph_of(self._bench, settled.earlier(case, settings))
        before = settled.graph_of(self._bench, case)
        found = []
        for trial in of_settings(case, settings):
            graph = settled.graph_of(self._bench, trial.case or case, trial.again)
            if graph is None or before is None or wanted is None:
                found.append(_tested(trial, "not applicable", message="it gives no graph then"))
            elif graph.digest == before.digest:
                found.append(_tested(trial, "no effect", message="the graph is the same as it is"))
            else:
                message = f"the setting governs the graph then: {settled.difference(before, graph)}"
                found.append(_tested(trial, "cured", message=message))
        return tuple(found), ()

    def _without_graph(self, why: str) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """The call fails while it is traced, or makes its call itself: only another setting can be tried."""
        before = self._called(self._case, "xla" if self._way == "xla" else "graph")
        if not before.ok or before.result.outcome == "passed":
            return (), (f"no remedy was tried: {why}",)
        trials = [t for t in self._trials() if t.case is not None]
        if not trials:
            return (), (f"no remedy was tried: {why}",)
        return tuple(self._judged(trials, before)), ()

    def _trials(self) -> Sequence[Trial]:
        config: Sequence[str] = ()
        if self._callable:
            told = self._bench.ask(requests.DescribeCallable(), Case(None))
            config = self._governing(told.result.config if told.ok else ())
        outcomes = self._swept.outcomes if self._swept else ()
        rows = self._case.batch
        if rows is None:
            facts = self._bench.ask(requests.CompareRows(), self._case) if not self._callable else None
            rows = facts.result.batch if facts is not None and facts.ok else None
        passing = [o.case.batch for o in outcomes if o.state == "passed" and o.case.vary == self._case.vary]
        smaller = [b for b in passing if b is not None and rows is not None and b < rows]
        sizes = self._bench.subject.sizes
        full = max(sizes) if len(sizes) > 1 else None
        node = _full_name(self._isolated)
        slug = self._isolated.signature.slug if self._isolated and self._isolated.signature else None
        return list(
            trials(
                self._case,
                rows,
                callable=self._callable,
                config=config,
                node=node if self._isolated and self._isolated.mode == "xla" else None,
                good=max(smaller, default=None),
                full=full,
                others=[o.case for o in outcomes],
                slug=slug,
                written=settled.written(self._bench, self._case),
            )
        )

    def _governing(self, config: Sequence[str]) -> Sequence[str]:
        """The switches that the subject's own program reads; merely installed packages do not count."""
        switches = [key for key in config if key in XLA_SWITCHES]
        told = self._bench.ask(requests.ListRead(), self._case) if switches else None
        # Where it is not known, they are tried.
        return (
            switches
            if told is None or not told.ok or told.result is None
            else [k for k in switches if k in told.result]
        )

    def _tried(self, trial: Trial) -> Told:
        if trial.case is None:
            return self._apply(trial.apply)
        way = _way(trial.case, "plain")
        if not self._capsule:
            return self._by_itself(trial.case, way, trial.again)
        if way == "plain":
            # As it is called: the graph below runs without the XLA that functions of it asked for.
            call = self._called(trial.case, "graph", trial.again)
            if not call.ok or call.result.outcome != "passed":
                return call
        file = self._bench.folder / "parity" / f"remedy-{digest(trial.case)}{'-again' if trial.again else ''}.npz"
        asked = settled.building(self._bench, trial.case, trial.again)
        asked = replace(asked, ways=("xla",) if way == "xla" else (), save=str(file), save_way=way)
        built = self._bench.ask(asked, trial.case)
        if not built.ok:
            return _remedy(built, None)
        outcome = built.result.ways[way]
        if not outcome.passed:
            return _remedy(built, outcome)
        held = self._apply({"kind": "kept", "file": str(file)})
        return held if not held.ok or held.result.outputs else self._by_itself(trial.case, way, trial.again)

    def _by_itself(self, case: Case, way: requests.Way, again: bool) -> Told:
        """A case in the place of one that gives no numbers: nothing of that one is there to compare with."""
        built = self._bench.ask(settled.building(self._bench, case, again), case)
        if built.ok:
            asked = requests.TryRemedy(
                capsule=built.result.capsule or "", apply={"kind": "as-is"}, way=way, by_row=self._loses_rows
            )
            answer = self._bench.ask(asked, case)
            passed = answer.ok and answer.result.outcome == "passed"
            if passed and not answer.result.alone and not answer.result.lost:
                # Held against itself, it is nothing.
                return replace(answer, value=answers.Remedy("passed"))
            return _noted(answer, _OWN_ROWS)
        call = self._called(case, "xla" if way == "xla" else "graph", again, eagerly=False)
        return _noted(call, _OWN_CALL)

    def _called(self, case: Case, way: requests.Way, again: bool = False, eagerly: bool = True) -> Told:
        """What comes of a call as the subject is called, of which no numbers are compared."""
        way = "eager" if self._eager and eagerly else way
        answer = self._bench.ask(requests.Call(way=way, again=again), case)
        return _remedy(answer, answer.result if answer.ok else None)

    def _apply(self, apply: dict[str, Any]) -> Told:
        request = requests.TryRemedy(
            capsule=self._capsule,
            apply=apply,
            way=self._way,
            by_row=self._loses_rows,
            reference=self._reference,
        )
        return self._bench.ask(request, self._case)

    @property
    def _loses_rows(self) -> bool:
        """Whether the sweep saw that rows are lost: what has too few or too many is no reference then."""
        outcomes = self._swept.outcomes if self._swept else ()
        return any(o.state == "silent" and o.rows_out not in (None, o.rows_in) for o in outcomes)


def _way(case: Case, otherwise: requests.Way) -> requests.Way:
    return _WAYS.get(dict(case.vary).get("jit", ""), otherwise)


def _remedy(answer: Answer[Any], outcome: answers.Outcome | None) -> Told:
    """An answer to another question as one about a remedy whose numbers were not compared."""
    found = None if outcome is None else answers.Remedy(outcome.outcome, outcome.error)
    return replace(answer, value=found)


def _noted(answer: Told, note: str) -> Told:
    """The answer with what is to be said of its numbers."""
    if not answer.ok or answer.result.outcome != "passed":
        return answer
    return replace(answer, value=replace(answer.result, held=note))


def _full_name(isolated: Isolation | None) -> str | None:
    """The failing op along its call path."""
    if isolated is None or not isolated.node:
        return None
    within = "/".join(isolated.path)
    return isolated.node if not within or isolated.node.startswith(f"{within}/") else f"{within}/{isolated.node}"


def judged(trial: Trial, answer: Told, before: Told) -> Tested:
    """What came of a trial, against what the case gives without it."""
    was = _signature(before)
    sign: Signature | None
    if answer.state == "refused":
        # With sizes that are known TensorFlow may find the same while the graph is made.
        sign = signature(answer.kind, str(answer.message))
        same = was is not None and sign.slug == was.slug != UNKNOWN
        return _tested(trial, "no effect" if same else "not applicable", sign if same else None, answer.why)
    if not answer.ok:
        sign = Signature("worker-died" if answer.state == "crashed" else "timed-out", answer.signal)
        result: Result = "no effect" if before.state == answer.state else "worse"
        return _tested(trial, result, sign, answer.why)
    found = answer.result
    message = found.error.message if found.error is not None else None
    if found.outcome == "refused":
        return _tested(trial, "not applicable", message=str(message))
    if found.outcome != "passed":
        sign = _signature(answer)
        return _tested(trial, "no effect" if sign == was else "another failure", sign, gist(message))
    if found.deviation is None or not (found.outputs or found.lost):
        # Nothing of the call as it is passes, neither the whole batch nor a row alone: there is no reference.
        return _tested(trial, "unverified", message=found.held or _NO_REFERENCE)
    if found.results == 0 and not found.lost:
        return _tested(trial, "unverified", message=_NO_ROWS)
    deviation = None if math.isinf(found.deviation) else found.deviation
    speed = _ratio(found)
    if is_right(found):
        return _tested(trial, "cured", message=found.held, deviation=deviation, speed=speed)
    if before.ok and before.result.outcome == "passed":
        unchanged = before.result
        worse = found.deviation > 2 * (unchanged.deviation or 0.0) or found.missing > unchanged.missing
        message = f"{'even farther off' if worse else 'as wrong as before'}: {wrong(found)}"
        return _tested(trial, "worse" if worse else "no effect", None, message, deviation, speed, worse)
    return _tested(trial, "cured", None, f"THE NUMBERS CHANGE: {wrong(found)}", deviation, speed, True)


def is_right(found: answers.Remedy) -> bool:
    """Whether a step passed with all rows, and with the numbers of the reference."""
    results = found.outputs if found.results is None else found.results
    wrong = found.apart or found.missing or found.lost
    return found.outcome == "passed" and not wrong and bool(found.compared or not results)


def wrong(found: answers.Remedy) -> str:
    """In which way results are not those of the reference, in words."""
    if found.lost:
        return f"rows are lost or too many: {', '.join(found.lost[:4])}"
    parts = []
    if not found.compared:
        parts.append("no row of the result is left that could be compared")
    if found.missing:
        parts.append(f"{found.missing} rows have no result")
    if found.apart:
        names = ", ".join(found.apart[:4])
        by = "" if found.deviation is None or math.isinf(found.deviation) else f" by {found.deviation:.2g}"
        parts.append(f"{names} {'differ' if len(found.apart) > 1 else 'differs'}{by} from the reference")
    return "; ".join(parts)


def _tested(
    trial: Trial,
    result: Result,
    sign: Signature | None = None,
    message: str | None = None,
    deviation: float | None = None,
    speed: float | None = None,
    changes: bool = False,
) -> Tested:
    return Tested(
        remedy=trial.remedy,
        title=trial.title,
        result=result,
        safety="changes-numerics" if changes else trial.safety,
        deviation=deviation,
        speed_ratio=speed,
        changes_numerics=changes,
        signature=sign,
        message=message,
        how=trial.how,
    )


def _signature(answer: Told) -> Signature | None:
    if not answer.ok:
        return Signature("worker-died" if answer.state == "crashed" else answer.state, answer.signal)
    error = answer.result.error
    return signature(error.kind, error.message) if error is not None else None


def _ratio(found: answers.Remedy) -> float | None:
    """How many times as fast as the plain run of the same rows."""
    if not found.seconds or not found.reference_seconds:
        return None
    return round(found.reference_seconds / found.seconds, 3)

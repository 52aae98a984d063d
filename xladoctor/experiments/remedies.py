"""Remedies applied to the subject, each in a worker: cured, another failure, no effect, or worse.

A remedy has cured only what then passes *and* gives the numbers of the reference (`probes.graph.remedies`). One that
makes the error go away and changes the numbers is told as such, loudly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from xladoctor.experiments import settled
from xladoctor.experiments.trials import XLA_SWITCHES, Trial, of_settings, trials
from xladoctor.model.replay import Case, Isolation, Signature, Sweep, Tested
from xladoctor.workers.bench import Answer, Bench, digest
from xladoctor.workers.classify import UNKNOWN, gist, signature

Result = Literal["cured", "another failure", "no effect", "worse", "not applicable", "unverified"]
_WAYS = {"on": "xla", "off": "plain"}
_NO_REFERENCE = "as neither the batch nor a row alone passes without it, nothing is there to compare with"
_NO_ROWS = "none of its results is one of rows, so there is nothing that could be put together and compared"
_OWN_ROWS = "held against its own rows, each alone: the call as it is gives no numbers, not for a row either"
_OWN_CALL = "as it makes its call itself, there is nothing to hold its numbers against"


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
        self._way = "recorded" if self._callable and vary.get("jit") != "on" else _way(case, "recorded")
        self._eager = vary.get("eager") == "on"
        self._capsule: str | None = None
        self._reference: dict[str, Any] = {}

    def run(self) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """Try the case as it is, then each remedy."""
        if self._callable:
            file = self._bench.folder / "parity" / f"reference-{digest(self._case)}.npz"
            asked = {"python": ["reference"], "save_reference": str(file)}
            opened = settled.build(self._bench, self._case, **asked)
            if not opened.ok:
                return self._without_graph(opened.why)
            self._capsule = str(opened.result["capsule"])
            if opened.result["ways"].get("reference", {}).get("outcome") == "passed":
                self._reference = {"reference": str(file)}
        before = self._apply({"kind": "as-is"})
        if before.state == "refused":
            return (), (f"no remedy was tried: {before.why}",)
        if before.ok and is_right(before.result):
            return self._too_late()
        return tuple(self._judged(self._trials(), before)), ()

    def _judged(self, trials: Sequence[Trial], before: Answer) -> Iterator[Tested]:
        for trial in trials:
            self._bench.say(f"trying a remedy: {trial.title}")
            yield judged(trial, self._tried(trial), before)

    def _too_late(self) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """Nothing fails in this case: what is left is that a setting does not govern what it should."""
        none = "no remedy was tried: in this case nothing fails, and the numbers are those of the reference"
        case = Case(self._case.batch, tuple(v for v in self._case.vary if v[0] not in ("jit", "eager")))
        late = settled.too_late(self._bench, case)
        if late is None:
            return (), (none,)
        settings, _ = late
        wanted = settled.graph_of(self._bench, settled.earlier(case, settings))
        before = settled.graph_of(self._bench, case)
        found = []
        for trial in of_settings(case, settings):
            graph = settled.graph_of(self._bench, trial.case or case, **({"again": True} if trial.again else {}))
            if graph is None or before is None or wanted is None:
                found.append(_tested(trial, "not applicable", message="it gives no graph then"))
            elif graph["digest"] == before["digest"]:
                found.append(_tested(trial, "no effect", message="the graph is the same as it is"))
            else:
                message = f"the setting governs the graph then: {settled.difference(before, graph)}"
                found.append(_tested(trial, "cured", message=message))
        return tuple(found), ()

    def _without_graph(self, why: str) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """The call fails while it is traced, or makes its call itself: only another setting can be tried."""
        way = {"xla": "xla", "plain": "graph"}.get(self._way, "graph")
        before = self._bench.ask("call", self._case, way="eager" if self._eager else way)
        if not before.ok or before.result["outcome"] == "passed":
            return (), (f"no remedy was tried: {why}",)
        trials = [t for t in self._trials() if t.case is not None]
        if not trials:
            return (), (f"no remedy was tried: {why}",)
        return tuple(self._judged(trials, before)), ()

    def _trials(self) -> Sequence[Trial]:
        config: Sequence[str] = ()
        if self._callable:
            told = self._bench.ask("describe", Case(None))
            config = self._governing(told.result["config"] if told.ok else ())
        outcomes = self._swept.outcomes if self._swept else ()
        rows = self._case.batch
        if rows is None:
            facts = self._bench.ask("parity", self._case, what="rows", way="plain") if not self._callable else None
            rows = facts.result.get("batch") if facts is not None and facts.ok else None
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
        """The switches that the subject's own program reads: what is merely installed governs nothing of it."""
        switches = [key for key in config if key in XLA_SWITCHES]
        told = self._bench.ask("settings_read", self._case) if switches else None
        # Where it is not known, they are tried.
        return (
            switches
            if told is None or not told.ok or told.result is None
            else [k for k in switches if k in told.result]
        )

    def _tried(self, trial: Trial) -> Answer:
        if trial.case is None:
            return self._apply(trial.apply)
        way = _way(trial.case, "plain")
        again: dict[str, Any] = {"again": True} if trial.again else {}
        if self._capsule is None:
            return self._by_itself(trial.case, way, again)
        if way == "plain":
            # As it is called: the graph below runs without the XLA that functions of it asked for.
            call = self._bench.ask("call", trial.case, way="eager" if self._eager else "graph", **again)
            if not call.ok or call.result["outcome"] != "passed":
                return call
        file = self._bench.folder / "parity" / f"remedy-{digest(trial.case)}{'-again' if trial.again else ''}.npz"
        ways = ["xla"] if way == "xla" else []
        built = settled.build(self._bench, trial.case, ways=ways, save=str(file), save_way=way, **again)
        if not built.ok:
            return built
        told = built.result["ways"][way]
        if told["outcome"] != "passed":
            return Answer("ok", {"outcome": told["outcome"], "error": told["error"]})
        held = self._apply({"kind": "kept", "file": str(file)})
        return held if not held.ok or held.result.get("outputs") else self._by_itself(trial.case, way, again)

    def _by_itself(self, case: Case, way: str, again: dict[str, Any]) -> Answer:
        """A case in the place of one that gives no numbers: nothing of that one is there to compare with."""
        built = settled.build(self._bench, case, **again)
        if built.ok:
            asked = {"capsule": built.result["capsule"], "way": way, "apply": {"kind": "as-is"}, **self._rows_lost()}
            answer = self._bench.ask("remedy", case, on="subject", **asked)
            told = answer.result if answer.ok and answer.result["outcome"] == "passed" else {}
            if told and not told.get("alone") and not told.get("lost"):
                # Held against itself, it is nothing.
                return replace(answer, result={"outcome": "passed", "error": None})
            return _noted(answer, _OWN_ROWS)
        call = self._bench.ask("call", case, way="xla" if way == "xla" else "graph", **again)
        return _noted(call, _OWN_CALL) if call.ok and call.result["outcome"] == "passed" else call

    def _apply(self, apply: dict[str, Any]) -> Answer:
        parameters: dict[str, Any] = {"way": self._way, "apply": apply, **self._rows_lost(), **self._reference}
        if self._capsule is not None:
            return self._bench.ask("remedy", self._case, on="subject", capsule=self._capsule, **parameters)
        return self._bench.ask("remedy", self._case, **parameters)

    def _rows_lost(self) -> dict[str, Any]:
        """Said to the worker where the sweep saw that rows are lost: what has too few or too many is no reference."""
        outcomes = self._swept.outcomes if self._swept else ()
        lost = any(o.state == "silent" and o.rows_out not in (None, o.rows_in) for o in outcomes)
        return {"by_row": True} if lost else {}


def _way(case: Case, otherwise: str) -> str:
    return _WAYS.get(dict(case.vary).get("jit", ""), otherwise)


def _noted(answer: Answer, note: str) -> Answer:
    """The answer with what is to be said of its numbers."""
    if not answer.ok or answer.result["outcome"] != "passed":
        return answer
    return replace(answer, result={**answer.result, "held": note})


def _full_name(isolated: Isolation | None) -> str | None:
    """The failing op along its call path."""
    if isolated is None or not isolated.node:
        return None
    within = "/".join(isolated.path)
    return isolated.node if not within or isolated.node.startswith(f"{within}/") else f"{within}/{isolated.node}"


def judged(trial: Trial, answer: Answer, before: Answer) -> Tested:
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
    told = answer.result
    if told["outcome"] == "refused":
        return _tested(trial, "not applicable", message=str((told.get("error") or {}).get("message")))
    if told["outcome"] != "passed":
        sign = _signature(answer)
        message = gist((told.get("error") or {}).get("message"))
        return _tested(trial, "no effect" if sign == was else "another failure", sign, message)
    if "deviation" not in told or not (told.get("outputs") or told.get("lost")):
        # Nothing of the call as it is passes, neither the whole batch nor a row alone: there is no reference.
        return _tested(trial, "unverified", message=told.get("held") or _NO_REFERENCE)
    if not told.get("results", 1) and not told.get("lost"):
        return _tested(trial, "unverified", message=_NO_ROWS)
    deviation = None if told["deviation"] == "inf" else float(told["deviation"])
    speed = _ratio(told)
    if is_right(told):
        return _tested(trial, "cured", message=told.get("held"), deviation=deviation, speed=speed)
    silent_before = before.ok and before.result["outcome"] == "passed"
    if silent_before:
        worse = _far(told) > 2 * _far(before.result) or told["missing"] > before.result["missing"]
        message = f"{'even farther off' if worse else 'as wrong as before'}: {wrong(told)}"
        return _tested(trial, "worse" if worse else "no effect", None, message, deviation, speed, worse)
    return _tested(trial, "cured", None, f"THE NUMBERS CHANGE: {wrong(told)}", deviation, speed, True)


def is_right(told: dict[str, Any]) -> bool:
    """Whether a step passed with all rows, and with the numbers of the reference."""
    return bool(
        told["outcome"] == "passed"
        and not told["apart"]
        and not told["missing"]
        and not told.get("lost")
        and (told["compared"] or not told.get("results", told["outputs"]))
    )


def wrong(told: dict[str, Any]) -> str:
    """In which way results are not those of the reference, in words."""
    if told.get("lost"):
        return f"rows are lost or too many: {', '.join(told['lost'][:4])}"
    parts = []
    if not told["compared"]:
        parts.append("no row of the result is left that could be compared")
    if told["missing"]:
        parts.append(f"{told['missing']} rows have no result")
    if told["apart"]:
        names = ", ".join(told["apart"][:4])
        by = "" if told["deviation"] == "inf" else f" by {float(told['deviation']):.2g}"
        parts.append(f"{names} {'differ' if len(told['apart']) > 1 else 'differs'}{by} from the reference")
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


def _signature(answer: Answer) -> Signature | None:
    if answer.state != "ok":
        return Signature("worker-died" if answer.state == "crashed" else answer.state, answer.signal)
    error = answer.result.get("error")
    return signature(error.get("kind"), str(error.get("message"))) if error else None


def _far(told: dict[str, Any]) -> float:
    return float("inf") if told["deviation"] == "inf" else float(told["deviation"] or 0.0)


def _ratio(told: dict[str, Any]) -> float | None:
    """How many times as fast as the plain run of the same rows."""
    if not told.get("seconds") or not told.get("reference_seconds"):
        return None
    return round(float(told["reference_seconds"]) / float(told["seconds"]), 3)

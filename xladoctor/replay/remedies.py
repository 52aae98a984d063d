"""Remedies applied to the subject, each in a worker: cured, another failure, no effect, or worse.

A remedy has cured only what then passes *and* gives the numbers of the reference (`probes.graph.remedies`). One that
makes the error go away and changes the numbers is told as such, loudly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from xladoctor.replay.bench import Answer, Bench
from xladoctor.replay.classify import signature
from xladoctor.replay.model import Case, Isolation, Signature, Sweep, Tested
from xladoctor.replay.parity import digest
from xladoctor.replay.trials import Trial, trials

Result = Literal["cured", "another failure", "no effect", "worse", "not applicable"]
_WAYS = {"on": "xla", "off": "plain"}


def test_remedies(
    bench: Bench, case: Case, swept: Sweep | None = None, isolated: Isolation | None = None
) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
    """(every remedy that can be tried on the subject in this case, notes). Without a failure in this case, remedies are
    tried against wrong numbers: results that are not those of the rows alone.
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
        self._way = _WAYS.get(vary.get("jit", ""), "plain" if self._callable else "recorded")
        self._capsule: str | None = None

    def run(self) -> tuple[tuple[Tested, ...], tuple[str, ...]]:
        """Try the case as it is, then each remedy."""
        if self._callable:
            opened = self._built(self._case)
            if not opened.ok:
                return (), (f"no remedy was tried: {_line(opened)}",)
            self._capsule = str(opened.result["capsule"])
        before = self._apply({"kind": "as-is"})
        if before.state == "refused":
            return (), (f"no remedy was tried: {_line(before)}",)
        if before.ok and is_right(before.result):
            return (), ("no remedy was tried: in this case nothing fails, and the numbers are those of its rows alone",)
        found = []
        for trial in self._trials():
            self._bench.say(f"trying a remedy: {trial.title}")
            found.append(judged(trial, self._tried(trial), before))
        return tuple(found), ()

    def _trials(self) -> Sequence[Trial]:
        config: Sequence[str] = ()
        if self._callable:
            told = self._bench.ask("describe", Case(None))
            config = told.result["config"] if told.ok else ()
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
                node=node if self._way != "plain" else None,
                good=max(smaller, default=None),
                full=full,
                others=[o.case for o in outcomes],
                slug=slug,
            )
        )

    def _tried(self, trial: Trial) -> Answer:
        if trial.case is None:
            return self._apply(trial.apply)
        file = self._bench.folder / "parity" / f"remedy-{digest(trial.case)}.npz"
        way = _WAYS.get(dict(trial.case.vary).get("jit", ""), "plain")
        built = self._built(trial.case, save=str(file), save_way=way)
        if not built.ok:
            return built
        told = built.result["ways"][way]
        if told["outcome"] != "passed":
            return Answer("ok", {"outcome": told["outcome"], "error": told["error"]})
        return self._apply({"kind": "kept", "file": str(file)})

    def _apply(self, apply: dict[str, Any]) -> Answer:
        parameters: dict[str, Any] = {"way": self._way, "apply": apply}
        if self._capsule is not None:
            return self._bench.ask("remedy", self._case, on="subject", capsule=self._capsule, **parameters)
        return self._bench.ask("remedy", self._case, **parameters)

    def _built(self, case: Case, **parameters: Any) -> Answer:
        name = f"open-{case.batch}-{digest(case)}"
        ways = ["xla"] if parameters.get("save_way") == "xla" else []
        folder = str(self._bench.folder / "capsules" / name)
        return self._bench.ask("parity_call", case, on="subject", folder=folder, ways=ways, python=False, **parameters)


def _full_name(isolated: Isolation | None) -> str | None:
    """The failing op along its call path."""
    if isolated is None or not isolated.node:
        return None
    within = "/".join(isolated.path)
    return isolated.node if not within or isolated.node.startswith(f"{within}/") else f"{within}/{isolated.node}"


def judged(trial: Trial, answer: Answer, before: Answer) -> Tested:
    """What came of a trial, against what the case gives without it."""
    if answer.state == "refused":
        return _tested(trial, "not applicable", message=_line(answer))
    was = _signature(before)
    sign: Signature | None
    if not answer.ok:
        sign = Signature("worker-died" if answer.state == "crashed" else "timed-out", answer.signal)
        result: Result = "no effect" if before.state == answer.state else "worse"
        return _tested(trial, result, sign, _line(answer))
    told = answer.result
    if told["outcome"] == "refused":
        return _tested(trial, "not applicable", message=str((told.get("error") or {}).get("message")))
    if told["outcome"] != "passed":
        sign = _signature(answer)
        message = str((told.get("error") or {}).get("message", "")).strip().split("\n")[0]
        return _tested(trial, "no effect" if sign == was else "another failure", sign, message)
    deviation = None if told["deviation"] == "inf" else float(told["deviation"])
    speed = _ratio(told)
    if is_right(told):
        return _tested(trial, "cured", deviation=deviation, speed=speed)
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
        and (told["compared"] or not told["outputs"])
    )


def wrong(told: dict[str, Any]) -> str:
    """In which way results are not those of the reference, in words."""
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


def _line(answer: Answer) -> str:
    return (answer.message or answer.state).strip().split("\n")[0][:300]

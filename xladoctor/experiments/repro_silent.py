"""A script for what fails without an error: the same thing in two ways, and an assertion that they agree.

Handed over only if in a fresh process the assertion fails as it did here, and the script passes where it takes the
one way twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from xladoctor.experiments import parity_judge as judge
from xladoctor.experiments import shrink
from xladoctor.experiments.repro import Attempts, first_shown, last_line, run_script
from xladoctor.model.replay import Agreement, Case, Parity, Repro, Signature
from xladoctor.protocol import answers, requests
from xladoctor.workers.bench import Bench

_RANK = {"wrong-shape-silent": 0, "wrong-pairing": 1}
_NUMBER = re.compile(r"differ by ([\d.e+-]+)")
_SIMILAR = 2.0
_CONTROL = "control"


@dataclass(frozen=True)
class Meant:
    """A finding as a worker tests it."""

    slug: str
    output: str
    test: Mapping[str, Any]
    node: str | None = None


def write_assertion(
    bench: Bench,
    case: Case,
    parity: Parity,
    path: Path,
    again: bool = False,
) -> Repro:
    """Write a script to `path` whose assertion fails as parity found; `Repro.message` says why not.

    Raises:
        XladoctorError: there is a file already, or none can be written.
    """
    case = replace(case, vary=tuple(v for v in case.vary if v[0] not in ("jit", "eager")))  # ways of their own

    def attempts() -> Attempts:
        last = Repro(str(path), 0, False)
        for meant in meanings(parity):
            found = _Smaller(bench, case, meant).script()
            if isinstance(found, str):
                last = replace(last, message=found)
                yield "", last
            else:
                last = _tried(bench, case, meant, found, path)
                yield found.text, last

    return first_shown(bench, path, attempts(), "no finding of parity can be written as a script", again)


def meanings(parity: Parity) -> list[Meant]:
    """What disagrees, as tests of a worker, the most telling first."""
    bad = [a for a in parity.agreements if not a.agree and a.slug]
    node = str((parity.first_node or {}).get("node") or "") or None
    found = {(m.output, str(m.test)): m for a in sorted(bad, key=_rank) for m in _meant(a, node)}
    return list(found.values())


def otherwise(case: Case, way: str) -> Case:
    """The case that a way "NAME=VALUE, ..." stands for."""
    told = dict(part.split("=", 1) for part in way.split(", "))
    return replace(case, vary=tuple((n, told.get(n, v)) for n, v in case.vary))


def _rank(one: Agreement) -> int:
    # That plain mode raises is sure; which rows come out of XLA then is what follows from it.
    return -1 if one.output == judge.EVERY else _RANK.get(one.slug or "", 2)


def _meant(one: Agreement, node: str | None) -> Iterator[Meant]:
    assert one.slug is not None
    if one.test == "size" and one.shapes[1]:
        yield Meant(one.slug, one.output, {"kind": "size", "way": one.ways[0], "bad": one.shapes[1][0]})
    elif one.test in ("permuted", "few", "alone"):
        test = {"kind": "rows", "test": one.test, "way": one.ways[0], "row": one.rows[0] if one.rows else 0}
        yield Meant(one.slug, one.output, test)
    elif one.ways == (judge.PLAIN, judge.XLA):
        output = "output 0" if one.output == judge.EVERY else one.output
        yield Meant(one.slug, output, {"kind": "ways"}, node)
    elif one.ways[0] == judge.PLAIN and "=" in one.ways[1] and one.test is None:
        # Under other settings: the names are said in words that cannot end a string of the script.
        words = ("as it is", re.sub(r"[^\w .,:=-]", "", one.ways[1]))
        yield Meant(one.slug, one.output, {"kind": "pair", "names": words, "way": one.ways[1]})


@dataclass(frozen=True)
class _Script:
    text: str
    op: str
    deviation: float | None


class _Smaller:
    """One finding, in ever smaller parts of the step."""

    def __init__(self, bench: Bench, case: Case, meant: Meant) -> None:
        self._bench = bench
        self._case = case
        self._meant = meant
        self._tries = 0

    def script(self) -> _Script | str:
        """The script of the smallest part; or why there is none."""
        first = self._bench.ask(requests.ListSilent(**self._finding), self._case)
        if not first.ok:
            return f"{self._meant.slug} ({self._meant.output}): {first.why}"
        part = first.result
        known = {_key(k): v for k, v in part.shapes.items()}
        found = shrink.smaller(
            self._look,
            part.listed,
            [
                lambda left: [e for e in shrink.cuts(left, known) if _can_be_argument(e, part.by_rows)],
                lambda left: shrink.jumps(left, known),
                lambda left: shrink.constants(left, part.values),
            ],
        )
        for edits in found:
            asked = requests.WriteSilentScript(**self._finding, edits=tuple(edits), title=self._title(part))
            text = self._bench.ask(asked, self._case)
            if text.ok:
                now = self._reduce(edits)
                far = now.deviation if now is not None else None
                return _Script(text.result, part.op, far if far is not None and math.isfinite(far) else None)
        return f"{self._meant.slug} ({self._meant.output}): {text.why}"

    def _look(self, edits: Sequence[shrink.Edit]) -> tuple[bool, int, Container[str]]:
        now = self._reduce(edits)
        if now is None:
            return False, 0, frozenset()
        return now.shows and now.slug == self._meant.slug, now.nodes, frozenset(now.names)

    def _reduce(self, edits: Sequence[shrink.Edit]) -> answers.Shown | None:
        self._tries += 1
        self._bench.say(f"making the script smaller (try {self._tries})")
        request = requests.ReduceSilent(**self._finding, edits=tuple(edits), names=True)
        answer = self._bench.ask(request, self._case)
        return answer.result if answer.ok else None

    @cached_property
    def _finding(self) -> dict[str, Any]:
        """The fields of a request that say which finding is meant."""
        test, capsule = dict(self._meant.test), ""
        if self._bench.subject.kind == "callable":
            capsule = str(self._bench.open_folder(self._case))
            if test["kind"] == "pair":
                test["other"] = str(self._bench.open_folder(otherwise(self._case, str(test["way"]))))
        return {"capsule": capsule, "test": test, "output": self._meant.output, "node": self._meant.node}

    def _title(self, part: answers.SilentPart) -> str:
        """What the script shows, in characters that cannot end its docstring."""
        text = f"{part.op} of {part.node.rpartition('/')[2]}: {self._meant.slug}."
        return re.sub(r"[^\w .,:()-]", "", text)


def _tried(bench: Bench, case: Case, meant: Meant, script: _Script, path: Path) -> Repro:
    """The script run in a fresh process, and its control in another."""
    lines = len(script.text.splitlines())
    told = Repro(str(path), lines, False)
    done = run_script(bench, case, script.text)
    if isinstance(done, Repro):
        return replace(done, path=str(path), lines=lines)
    if done.returncode == 0:
        return replace(told, message="the script passes in a fresh process")
    last = last_line(done.stderr)
    found = Signature(meant.slug, script.op)
    if done.returncode < 0 or not last.startswith(f"AssertionError: {meant.slug}"):
        return replace(told, message=f"the script fails in another way: {last or f'exit code {done.returncode}'}")
    number = _NUMBER.search(last)
    if script.deviation is not None and (number is None or not _similar(float(number[1]), script.deviation)):
        return replace(told, signature=found, message=f"the deviation is another one ({script.deviation:.3g}): {last}")
    control = run_script(bench, case, script.text, [_CONTROL])
    if isinstance(control, Repro):
        return replace(control, path=str(path), lines=lines)
    if control.returncode != 0:
        why = last_line(control.stderr)
        return replace(told, signature=found, message=f"the one way twice does not pass either: {why}")
    return replace(told, reproduced=True, signature=found, message=last)


def _can_be_argument(edit: shrink.Edit, by_rows: Sequence[str] | None) -> bool:
    return bool(edit["frame"]) or by_rows is None or edit["tensor"] in by_rows


def _similar(a: float, b: float) -> bool:
    return max(a, b) <= _SIMILAR * min(a, b)


def _key(text: str) -> tuple[str, str]:
    frame, _, tensor = text.partition(" ")
    return frame, tensor

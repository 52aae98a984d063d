"""Two rehearsals of a command, call by call: by how much do the numbers differ, and from where on? Pure functions.

Calls are paired by what was called, where, and how often before. Only a call that was given the same in both
rehearsals shows where numbers part: of a call that was given something else, something earlier is to blame.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xladoctor.model.flips import ComparedNumbers, Parting, Replaced
from xladoctor.recording import contents, copies, files
from xladoctor.recording.run import Recording

FILE = "returns.json"
TOLERANCE: Mapping[str, float] = {
    "float64": 1e-9, "complex128": 1e-9, "float": 1e-9, "float32": 1e-4, "complex64": 1e-4, "float16": 2e-2,
    "bfloat16": 0.125,
}  # fmt: skip
"""Relative to the largest value: what is below is rounding. Integers and flags are compared exactly."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST = 50_000
_PRINTED_TOLERANCE = 1e-3

Row = Mapping[str, Any]
Key = tuple[str, int, str, int]


def numbers(control: Recording, again: Recording, repeated: Recording | None = None) -> ComparedNumbers:
    """What the calls of two rehearsals gave.

    Calls whose results differ between `control` and `repeated`, the same rehearsal once more, are left out: they are
    random, or depend on the time.
    """
    one, two = returns(control), returns(again)
    if not one or not two:
        return ComparedNumbers(0, why="a rehearsal did not end")
    a, b = _rows(one, control), _rows(two, again)
    noise = _differing(a, _rows(returns(repeated), repeated)) if repeated is not None else frozenset()
    both = [k for k in a if k in b and k not in noise]
    same = sum(_digests(a[k]) == _digests(b[k]) for k in both)
    printed = _printed(control, again, repeated)
    parting = next((p for k in both if (p := _parting(k, a[k], b[k])) is not None), None)
    complete = bool(one.get("complete") and two.get("complete"))
    alike = complete and same == len(both) == len(a) == len(b) and printed is None
    alike = alike and _lines(one, control) == _lines(two, again)
    return ComparedNumbers(
        compared=len(both),
        same=same,
        functions=len({k[:3] for k in both}),
        parting=parting,
        alike=alike and all(a[k]["given"] == b[k]["given"] for k in both),
        printed=printed,
        complete=complete,
    )


def returns(recording: Recording | None) -> dict[str, Any]:
    """What a rehearsal wrote of its calls; empty where it wrote nothing that can be read."""
    if recording is None or not files.is_file(recording.folder, FILE):
        return {}
    try:
        found = files.read_table(recording.folder, FILE)
    except (OSError, ValueError, files.Unusable):
        return {}
    return found if isinstance(found.get("rows"), list) else {}


def _rows(told: Mapping[str, Any], of: Recording) -> dict[Key, Row]:
    rows = [r for r in told.get("rows") or () if isinstance(r, dict)][:_MOST]
    rows = [{**r, "file": in_work(str(r["file"]), of)} for r in rows]
    return {(r["file"], int(r["defined"] or r["line"]), str(r["function"]), int(r["number"])): r for r in rows}


def _lines(told: Mapping[str, Any], of: Recording) -> list[Any]:
    return sorted([in_work(str(file), of), line, count] for file, line, count in told.get("lines") or ())


def in_work(file: str, of: Recording) -> str:
    """A file of a rehearsal as the program would name it from its working directory; one elsewhere as it is."""
    for folder in (of.folder / copies.WORK, (of.folder / copies.WORK).resolve()):
        if file.startswith(f"{folder}/"):
            return file[len(str(folder)) + 1 :]
    return file


def _digests(row: Row) -> list[str]:
    return [str(r["digest"]) for r in row["results"]]


def _differing(a: Mapping[Key, Row], b: Mapping[Key, Row]) -> frozenset[Key]:
    return frozenset(k for k in a if k not in b or (_digests(a[k]) != _digests(b[k]) and _apart(a[k], b[k])))


def _apart(a: Row, b: Row) -> bool:
    pairs = list(zip(a["results"], b["results"], strict=False))
    return len(a["results"]) != len(b["results"]) or any(_far(x, y, "values") > _allowed(x) for x, y in pairs)


def _parting(key: Key, a: Row, b: Row) -> Parting | None:
    if a["given"] != b["given"] or len(a["results"]) != len(b["results"]):
        return None
    for x, y in zip(a["results"], b["results"], strict=True):
        far = _far(x, y, "values")
        if far <= _allowed(x) or _decides(x):
            continue
        same_shape = x["shape"] == y["shape"]
        pairs = [(p, q) for p, q in zip(x["values"], y["values"], strict=False) if not _near(p, q, _allowed(x))][:4]
        return Parting(
            function=key[2], file=key[0], line=int(a["line"]), number=key[3],
            shapes=(tuple(x["shape"]), tuple(y["shape"])),
            deviation=far if far < math.inf else None,
            values=(tuple(p for p, _ in pairs), tuple(q for _, q in pairs)),
            permuted=same_shape and len(x["values"]) > 2 and _far(x, y, "sorted") <= _allowed(x),
        )  # fmt: skip
    return None


def _decides(x: Mapping[str, Any]) -> bool:
    """Whether a result is a flag or a whole number of Python's: the switch itself, as it is read and handed on."""
    return x["dtype"] in ("bool", "int") and not x["shape"]


def _far(x: Mapping[str, Any], y: Mapping[str, Any], which: str) -> float:
    """The largest difference of two results, relative to their largest value; infinite where there is none to tell."""
    if x["shape"] != y["shape"] or x["dtype"] != y["dtype"]:
        return math.inf
    if x["digest"] == y["digest"]:
        return 0.0
    pairs = list(zip(x[which], y[which], strict=True))
    if any((p is None) != (q is None) for p, q in pairs):
        return math.inf
    finite = [(p, q) for p, q in pairs if p is not None and q is not None]
    largest = max((max(abs(p), abs(q)) for p, q in finite), default=0.0)
    return max((abs(p - q) for p, q in finite), default=0.0) / largest if largest else 0.0


def _allowed(x: Mapping[str, Any]) -> float:
    return TOLERANCE.get(str(x["dtype"]), 0.0)


def _near(p: float | None, q: float | None, allowed: float) -> bool:
    if p is None or q is None:
        return p is q
    return abs(p - q) <= allowed * max(abs(p), abs(q))


# -- what was printed -------------------------------------------------------------------------------------------------


def _printed(control: Recording, again: Recording, repeated: Recording | None) -> tuple[str, str] | None:
    """The first printed line whose numbers differ, in both positions; lines that differ by themselves are left out."""
    a, b = _output(control), _output(again)
    noisy = {i for i, (x, y) in enumerate(zip(a, _output(repeated), strict=False)) if x != y} if repeated else set()
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y and i not in noisy and _other_numbers(x, y):
            return x[:200], y[:200]
    return None if len(a) == len(b) else ("", "")


def prints_the_same(run: Recording, control: Recording) -> bool:
    """Whether a rehearsal printed what the run itself did, with a number that was computed (not a whole one) in it."""
    one, two = _output(run), _output(control)
    return one == two and any("." in n for line in one for n in _NUMBER.findall(line))


def _output(recording: Recording) -> list[str]:
    try:
        data = files.read(recording.folder, "stdout.log")
    except (OSError, files.Unusable):
        return []
    return data.decode("utf-8", "replace").splitlines()[:2000]


def _other_numbers(x: str, y: str) -> bool:
    one, two = ([float(n) for n in _NUMBER.findall(t)] for t in (x, y))
    if _NUMBER.sub("", x) != _NUMBER.sub("", y) or len(one) != len(two):
        return True
    return not all(abs(p - q) <= _PRINTED_TOLERANCE * max(abs(p), abs(q)) for p, q in zip(one, two, strict=True))


def defaulted(of: Recording) -> tuple[Replaced, ...]:
    """The configured values that a default replaced (`probes.record.defaulted`), each expression once."""
    seen: dict[tuple[str, int], Replaced] = {}
    for one in contents.fitting(Replaced, returns(of).get("defaulted")):
        one = replace(one, file=in_work(one.file, of))
        seen.setdefault((one.file, one.line), one)
    return tuple(seen.values())[:20]

"""Does a function that XLA compiled give what its graph gives plainly? On the values of its recorded first call.

Outputs first: where they are the same but for rounding, nothing is left to ask. Else op by op, each on the values that
it had under XLA (`diverge`): only an op that gives something else on identical inputs is a divergence. What rounding
can move (an argmax of values that are nearly equal, a cast of a value near a whole number, a NaN from a root of almost
nothing) is told from what it cannot by moving the inputs of that op: an element that then moves as far is explained.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol import codec
from ..protocol.comparisons import Agreement, Draw, PartingNode
from .errors import GraphRoomError, first_words
from .failing import Found as Failing
from .failing import described
from .failing import find as failing
from .ir import split
from .load import later_values
from .measure import Array, Results, deviation
from .parity import PLAIN, XLA, Ways
from .portions import RESULT, Portion, portions
from .strict import VARIANT, Strict, alike, differs, explained

AGREES, DIVERGES, NOT_CHECKED = "agrees", "diverges", "not-checked"

_SEEN = 1e-2
"""A difference of this part of the largest element is reported even where rounding explains it."""
_SHOWN = 4
_ITS_VALUES = ("InvalidArgumentError", "OutOfRangeError")
"""What ops raise because of the values that they get; other errors tell of this machine."""
_CANNOT = re.compile(r"support|implement|kernel|\b[CG]PU\b|out of memory|allocat", re.IGNORECASE)
"""In the words of an op that cannot run plainly on this machine, whatever its values are."""


def agreement(folder: Path, *, foreign: bool = False, whole: bool = False) -> Agreement:
    """Whether the ways agree; where they do not, `node` is the op that gives something else on the same values. `held`
    are the ops whose random numbers were the same in both ways, `draws` what they are, and `function` is the library
    function, where it is one that the capsule's own calls. With `whole` no op is looked for: the compiler may end the
    process when it is to give the values of all.

    Of a function in which XLA compiled several calls, the first divergence counts; it agrees where all do.
    """
    try:
        ways = Ways(folder, foreign=foreign)
    except GraphRoomError as error:
        return _unchecked(str(error))
    try:
        found = [_unchecked(part) if isinstance(part, str) else _of_part(part, whole) for part in portions(ways)]
    finally:
        ways.close()
    return next((f for r in (DIVERGES, NOT_CHECKED) for f in found if f.result == r), found[0])


def later(folder: Path, seconds: float, *, foreign: bool = False) -> Agreement:
    """The same of the later calls of a capsule, one after the other until one diverges or the time is over: `calls` is
    how many were compared, `call` the number of the one that diverges.
    """
    until = time.monotonic() + seconds
    calls = 0
    ways = Ways(folder, foreign=foreign)
    try:
        parts = [part for part in portions(ways) if not isinstance(part, str)]
        for number, values in later_values(folder).items():
            for part in parts:
                if time.monotonic() > until:
                    return Agreement(AGREES if calls else NOT_CHECKED, calls=calls, why="the time was over")
                told = _of_part(part, False, values)
                if told.result == DIVERGES:
                    return replace(told, calls=calls + 1, call=number)
            calls += bool(parts)
    finally:
        ways.close()
    return Agreement(AGREES if calls else NOT_CHECKED, calls=calls)


def _of_part(ways: Ways, whole: bool, values: Mapping[str, Array] | None = None) -> Agreement:
    """What comes of a part, on the values of another call if they are given."""
    try:
        told = _agreement(ways if values is None else ways.on(values), whole)
    except GraphRoomError as error:
        return _unchecked(str(error))
    if isinstance(ways, Portion):
        if RESULT in ways.program.values:
            told = replace(_as_in_the_run(ways, told), clustered=True)
        told = replace(told, function=ways.name or "")
        if ways.held:
            told = replace(told, held=tuple(ways.held), draws=codec.from_json(tuple[Draw, ...], list(ways.draws)))
    return told


def _as_in_the_run(ways: Portion, told: Agreement) -> Agreement:
    """A divergence counts only where the run had it: what XLA compiles of a function with auto-clustering is its own
    affair, and numbers that were drawn there are others.
    """
    if told.result != DIVERGES:
        return told
    if told.kind == "raises":
        return _unchecked("it does not run plainly here")
    kept = {f"output {n}": ways.program.values.get(f"output:{i}") for n, i in enumerate(ways.numbers)}
    plain = ways.of(PLAIN)[1]
    seen, name = kept.get(told.output), told.output
    if seen is None or name not in plain or ways.draws:
        return _unchecked("what the call gave in the run was not kept")
    if alike(plain[name], seen.astype(plain[name].dtype, copy=False), ways.arguments):
        return Agreement(AGREES, outputs=len(plain))
    return told


def _agreement(ways: Ways, whole: bool) -> Agreement:
    filled = ways.step.filled
    if filled:
        return _unchecked(ways.no_batch or f"the value of {filled[0]} was not kept")
    compiled, under_xla = ways.of(XLA)
    if compiled["outcome"] != "passed":
        return _unchecked(f"it does not compile here: {_message(compiled)}")
    told, plain = ways.of(PLAIN)
    if told["outcome"] != "passed":
        return _raises(ways, told)
    apart = [n for n in plain if n in under_xla and not alike(plain[n], under_xla[n], ways.arguments)]
    if not apart:
        return Agreement(AGREES, outputs=len(plain))
    return _parted(ways, apart, plain, under_xla, whole)


def _raises(ways: Ways, told: Mapping[str, Any]) -> Agreement:
    found = failing(ways.step, ways.frames)
    node = None if found is None else described(ways.step, found)
    message = str((node or {}).get("message") or _message(told))
    if _CANNOT.search(first_words(message)) or (told["error"] or {}).get("kind") not in _ITS_VALUES:
        return _unchecked(f"it does not run plainly here: {first_words(message)[:200]}")
    return Agreement(
        DIVERGES,
        kind="raises",
        message=message,
        error=(told["error"] or {}).get("kind"),
        node=_brief(node),
        before=None if found is None else _brief(_before(ways, found)),
    )


def _before(ways: Ways, found: Failing) -> Mapping[str, Any] | None:
    """The first op on the way to one that raises which gives something else under XLA: the values that the latter
    refuses may exist in plain execution only.
    """
    graph = ways.step.pure.graph
    if found.activation.graph is not graph:
        return None  # within a loop or a branch
    given = [t for t in graph.nodes[found.culprit.node].inputs if graph.nodes[split(t)[0]].op != "Const"]
    given = [t for t in given if graph.dtype(t) != VARIANT and split(t)[0] not in {i.name for i in graph.inputs}]
    return _searched(Strict(ways.step, ways.frames), given)[0] if given else None


def _searched(search: Strict, tensors: Sequence[str]) -> tuple[Mapping[str, Any] | None, str | None]:
    """What a search finds, and why it ended with an error."""
    try:
        return search.first(tensors), None
    except Exception as failed:
        if not (isinstance(failed, GraphRoomError) or type(failed).__module__.startswith("tensorflow")):
            raise
        return None, str(failed)


def _parted(ways: Ways, apart: Sequence[str], plain: Results, under_xla: Results, whole: bool) -> Agreement:
    search = Strict(ways.step, ways.frames)
    tensors = [ways.tensor(n) for n in apart]
    node, error = (None, None) if whole else _searched(search, tensors)
    if node is None and (whole or error is not None or search.incomplete):
        # Not every op could be asked: then the function is asked as a whole.
        outputs = [n for n in apart if not explained(ways.plain, ways.arguments, {n: plain[n]}, {n: under_xla[n]})]
        if not outputs:
            return _by_rounding(search.tie, apart, plain, under_xla)
        apart = outputs
    elif node is None:
        if search.tie is None and any(_far(plain[n], under_xla[n]) > _SEEN for n in apart):
            search.decide(tensors)
        return _by_rounding(search.tie, apart, plain, under_xla)
    unsteady = _unsteady(ways, apart, plain, under_xla)
    if unsteady is not None:
        return _unchecked(unsteady)
    if node is None and search.unchecked:
        node = {**search.told_of(search.unchecked[0]), "exact": False}
    name = next((n for n in apart if plain[n].shape != under_xla[n].shape), apart[0])
    a, b = plain[name], under_xla[name]
    one, other = _shown(a, b)
    return Agreement(
        DIVERGES,
        kind="values" if a.shape == b.shape else "shape",
        output=name,
        shapes=(a.shape, b.shape),
        deviation=deviation(a, b) if a.shape == b.shape else None,
        plain=one,
        xla=other,
        message=(node or {}).get("message"),
        node=_brief(node),
    )


def _by_rounding(tie: Mapping[str, Any] | None, apart: Sequence[str], plain: Results, under_xla: Results) -> Agreement:
    """The answer about outputs that only rounding sets apart, with the node that decided by the last places if one did
    and much came of it.
    """
    told = Agreement(AGREES, outputs=len(plain), rounding=True)
    far = {n: _far(plain[n], under_xla[n]) for n in apart}
    name = max(far, key=far.__getitem__, default=None)
    if tie is None or name is None or not far[name] > _SEEN:
        return told
    one, other = _shown(plain[name], under_xla[name])
    return replace(told, tie=_brief(tie), output=name, deviation=far[name], plain=one, xla=other)


def _far(a: Array, b: Array) -> float:
    return deviation(a, b) if a.shape == b.shape else 0.0


def _unsteady(ways: Ways, apart: Sequence[str], plain: Results, under_xla: Results) -> str | None:
    """Why a difference is none between the ways: one of them gives something else when it is run once more."""
    for how, first, run in (("plainly", plain, ways.plain), ("under XLA", under_xla, ways.xla)):
        told, again = run(ways.arguments)
        if told["outcome"] != "passed":
            continue
        same = (n for n in apart if n in again)
        if any(first[n].shape != again[n].shape or differs(first[n], again[n]).any() for n in same):
            return f"it is not deterministic: run twice {how} on the same values it gives two results"
    return None


def _shown(a: Array, b: Array) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first elements that differ, on both ways; the first ones where the shapes do."""
    at: Any = slice(0, _SHOWN)
    if a.shape == b.shape:
        at = np.flatnonzero(differs(a, b).ravel())[:_SHOWN]
        at = at if len(at) else slice(0, _SHOWN)
    return _listed(a.ravel()[at]), _listed(b.ravel()[at])


def _listed(values: Array) -> tuple[str, ...]:
    return tuple(f"{v:.6g}" if values.dtype.kind == "f" else str(v) for v in values)


def _brief(node: Mapping[str, Any] | None) -> PartingNode | None:
    """A node without what its outputs and `message` are, which the answer has."""
    if node is None:
        return None
    return replace(codec.read(PartingNode, codec.to_json(node)), message=None, tolerance=None)


def _message(told: Mapping[str, Any]) -> str:
    error = told.get("error") or {}
    return first_words(f"{error.get('kind')}: {error.get('message')}")[:300]


def _unchecked(why: str) -> Agreement:
    return Agreement(NOT_CHECKED, why=why)

"""Findings of what is written in one way and means another, in the source of a run that ended well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.diagnosis.basis import RECORDED_SOURCE
from xladoctor.diagnosis.own_source import files_of, program_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.backward import Backward
from xladoctor.sources.habits import faults_of
from xladoctor.sources.held import Fault, Held, View

_PAIRING, _ROWS, _SPLIT, _WRAP = "wrong-pairing", "wrong-shape-silent", "unsound-split", "integer-wrap"
_TRANSPOSE = Remedy(
    "transpose-axes", "Transpose instead of reshaping", "safe",
    "`reshape` keeps the order of the numbers. `np.transpose`, `np.moveaxis` or `.T` changes the order of axes.",
)  # fmt: skip
_KINDS: dict[str, tuple[str, Remedy]] = {
    "argsort-as-rank": (_PAIRING, Remedy(
        "rank-by-two-sorts", "Take the ranks by a second argsort", "changes-numerics",
        "`x.argsort().argsort()`, or `ranks = np.empty(n, int)` and `ranks[x.argsort()] = np.arange(n)`.")),
    "tiled-alike": (_PAIRING, Remedy(
        "tile-and-repeat", "Tile one and repeat the other", "changes-numerics",
        "`np.tile(a, len(b))` with `np.repeat(b, len(a))` are all pairs; so is `np.meshgrid`.")),
    "grid-axes": (_PAIRING, Remedy(
        "grid-by-rows", "Reshape to the shape of the grid", "changes-numerics",
        "`.reshape(len(y), len(x))` after `meshgrid(x, y)`, or `meshgrid(x, y, indexing=\"ij\")`.")),
    "axes-by-reshape": (_PAIRING, _TRANSPOSE),
    "series-by-reshape": (_PAIRING, Remedy(
        "stack-last", "Stack on a new last axis", "changes-numerics",
        "`np.stack([a, b], axis=-1)`, or `.reshape(rows, k, n).transpose(0, 2, 1)`.")),
    "classes-over-rows": (_PAIRING, Remedy(
        "classes-last", "Take the class of each row", "changes-numerics", "`argmax(axis=-1)`.")),
    "width-first": (_PAIRING, Remedy(
        "height-first", "Take the height first", "changes-numerics", "`height, width = image.shape[:2]`.")),
    "sorted-as-text": (_PAIRING, Remedy(
        "sort-by-number", "Sort by the number", "changes-numerics",
        "`sorted(paths, key=lambda p: int(re.findall(r\"\\d+\", str(p))[-1]))`, or write numbers with a fixed width: "
        "`f\"{i:05d}\"`.")),
    "two-orders-of-a-key": (_PAIRING, Remedy(
        "one-order", "Use one list of the values for both", "changes-numerics",
        "`keys = sorted(set(values))` once, and each side by these; `groupby(key, sort=False)` keeps the order in "
        "which "
        "they appear.")),
    "target-left-behind": (_PAIRING, Remedy(
        "turn-both", "Change both by one draw", "changes-numerics",
        "Join image and target on the last axis, change that, and take it apart again; or use the stateless functions "
        "with one seed for both.")),
    "last-window-left-out": (_ROWS, Remedy(
        "count-last-window", "Add the last window", "changes-numerics", "`(n - size) // step + 1`.")),
    "never-written": (_ROWS, Remedy(
        "fill-to-the-end", "Fill the array to its end", "safe",
        "`range(0, len(x), size)` includes the rest: a slice ends at the end of the array by itself.")),
    "padding-counted": (_ROWS, Remedy(
        "leave-out-padding", "Leave the padding out", "changes-numerics",
        "`(guess == truth)[truth != 0].mean()`, or weights that are 0 there.")),
    "feature-of-target": (_SPLIT, Remedy(
        "shift-first", "Use earlier rows alone", "changes-numerics",
        "`table[target].shift(1).rolling(k).mean()`; means of groups from training rows alone.")),
    "subjects-on-both-sides": (_SPLIT, Remedy(
        "split-by-group", "Split by the groups", "changes-numerics",
        "Draw some of `np.unique(groups)` for the test, and take `np.isin(groups, drawn)`; or `GroupShuffleSplit`.")),
    "fractions-cut-off": (_WRAP, Remedy(
        "make-floats", "Make the array of floats", "changes-numerics", "`np.zeros(shape)`, or `dtype=float`.")),
    "wraps-below": (_WRAP, Remedy(
        "widen-first", "Widen the type before the operation", "changes-numerics", "`a.astype(\"int32\") - b`.")),
}  # fmt: skip


def habits(recording: Recording, known: Sequence[Finding]) -> Iterator[Finding]:
    """A warning for each kind and line, but for lines of which one of the same class is `known`."""
    told = {(f.slug, f.location.file, f.location.line) for f in known if f.location is not None}
    if not (survived(recording) or ended_itself(recording)):
        return
    held = _held(recording)
    trees = program_of(recording)
    back = Backward(trees)
    views: dict[str, View] = {}
    views.update({file: View(file, tree, back, held.get(file, {}), views) for file, tree in trees.items()})
    for file, view in views.items():
        for fault in _faults(view):
            if (_KINDS[fault.kind][0], file, fault.line) not in told:
                yield _finding(fault, file, files_of(recording).function(file, fault.line))


def _faults(view: View) -> list[Fault]:
    """Those of a file; of one that is nested too deep, none."""
    try:
        return list(faults_of(view))
    except RecursionError:
        return []


def _held(recording: Recording) -> dict[str, dict[tuple[str, str], Held]]:
    """{file: {(function, name): what it held}}; of several looks at a function the last."""
    found: dict[str, dict[tuple[str, str], Held]] = {}
    for event in recording.of_kind(schema.NAMES):
        at = location({"file": event["file"], "line": 1, "function": None})
        names = found.setdefault(at.file if at is not None else str(event["file"]), {})
        names.update({(str(event["function"]), name): _of(facts) for name, facts in event["names"].items()})
    return found


def _of(facts: dict[str, Any]) -> Held:
    known = {k: facts[k] for k in Held.__dataclass_fields__ if k in facts}
    return Held(**{**known, "shape": tuple(facts.get("shape") or ())})


def _finding(fault: Fault, file: str, function: str | None) -> Finding:
    slug, remedy = _KINDS[fault.kind]
    rule = by_slug(slug)
    return Finding(
        code=rule.code, slug=rule.slug, level="warning", role="root", title=fault.title,
        message=f"{fault.message} No error was raised in the run.",
        location=Location(file, fault.line, function),
        evidence=(Proof("source", fault.title, f"{file}:{fault.line}"),),
        status="untested", basis=RECORDED_SOURCE, remedies=(remedy,),
        details={"kind": fault.kind},
    )  # fmt: skip

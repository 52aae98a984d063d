"""A mean, a sum or a maximum over the rows of the batch that a model gives back to each row.

What comes out for a row then hangs on the rows that happen to be in its batch: an axis is wrong, or batch statistics
are kept nowhere. Looked for where a model computes what it predicts; in a loss or a metric it is meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xladoctor.diagnosis.basis import ROWS_CHANGED
from xladoctor.diagnosis.facts import line
from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Recording
from xladoctor.rules import by_slug
from xladoctor.sources.names import dotted, nodes_of, walk

_REMEDY = Remedy(
    "other-axis",
    "Reduce over the axis that belongs to a row",
    "safe",
    "Axis 0 is the batch. Use an axis within a row (axis=1, or axis=-1). For statistics of the batch, predict with "
    "moving averages, as `BatchNormalization` does. If rows should depend on one another, set `by_row = False` as "
    "an attribute of the model or layer.",
)
_STEPS = frozenset({"train_step", "test_step", "compute_loss", "compute_metrics", "update_state", "result"})
_NOT_FORWARD = ("Loss", "Metric", "Regularizer", "Constraint")


def mixed_rows(
    recording: Recording, answer: Mapping[str, Any], method: str | None, model: str | None
) -> list[Mapping[str, Any]]:
    """The reductions of a worker's answer that are part of what a model predicts, and not declared as meant."""
    return [told for told in answer.get("pooled") or () if _is_forward(recording, told, method, model)]


def windowed_rows(
    recording: Recording, answer: Mapping[str, Any], method: str | None, model: str | None
) -> list[Mapping[str, Any]]:
    """The poolings and convolutions at which rows of the batch mix, in what a model predicts."""
    if method not in ("fit", "predict"):
        return []
    mixes = (told for told in answer.get("mixes") or () if str(told.get("op")) in _WINDOWED)
    return [told for told in mixes if _is_forward(recording, told, method, model)]


_WINDOWED = frozenset(
    {"AvgPool", "MaxPool", "AvgPool3D", "MaxPool3D", "Conv2D", "Conv3D", "DepthwiseConv2dNative", "Conv"}
)
"""Ops whose windows slide along axes: the batch is none of them."""


def windowed_findings(
    told: Sequence[Mapping[str, Any]], function: str, capsule: str, at: Location | None
) -> Iterator[Finding]:
    """A warning for each of them."""
    rule = by_slug("wrong-pairing")
    for each in told:
        op = str(each["op"])
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{function}: the windows of {op} run along the rows of the batch",
            message=f"When one row was changed, results of other rows changed, from {op} on: its windows slide along "
                    "the axis that the rows were put on. So the result for a row depends on the rows beside it in its "
                    "batch, in whatever order they come. No error was raised in the run.",
            op=op, node=each.get("node"), location=line(each) or at,
            evidence=(Proof("worker", f"{op} ({each.get('node')}): the first op after which a changed row changed "
                            "others", f"worker.jsonl, capsule {capsule}"),),
            status="confirmed", basis=ROWS_CHANGED, remedies=(_REMEDY,),
            details={"kind": "windowed", "function": function, "capsule": capsule},
        )  # fmt: skip


def pooled_findings(
    recording: Recording, told: Sequence[Mapping[str, Any]], function: str, capsule: str, at: Location | None
) -> Iterator[Finding]:
    """A warning for each of them."""
    rule = by_slug("wrong-pairing")
    for each in told:
        before, after = (python_shape(s) for s in each["shapes"])
        where, meets = line(each), line(each.get("meets") or {})
        spread = f"{each['meets']['op']}{f', {meets},' if meets is not None and meets != where else ''}"
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{function}: {each['op']} of {before} over the rows of the batch is given to each of them",
            message=f"{each['op']} reduces {before} to {after}: the axis of the rows is gone. {spread} broadcasts "
                    f"the result to the rows again, and no variable keeps it. So the result for a row depends on "
                    f"the other rows of its batch. No error was raised in the run.",
            op=str(each["op"]), node=each.get("node"), dims=tuple(each["shapes"]), location=where or at,
            evidence=(Proof("worker", f"{each['op']} ({each.get('node')}) of {before}; the result moved with each "
                            "row that was changed", f"worker.jsonl, capsule {capsule}"),),
            status="confirmed", basis=ROWS_CHANGED, remedies=(_REMEDY,),
            details={"kind": "pooled", "function": function, "capsule": capsule,
                     "meets": str(meets) if meets else None},
        )  # fmt: skip


def _is_forward(recording: Recording, told: Mapping[str, Any], method: str | None, model: str | None) -> bool:
    stacks = [told.get("sources") or (), *(told.get("call_sources") or ())]
    frames = [frame for stack in stacks for frame in stack]
    names = [str(frame[2]).rpartition(".")[2] for frame in frames]
    called = [f for f, name in zip(frames, names, strict=True) if name in ("call", "__call__")]
    kinds = [_class_at(recording, str(f[0]), int(f[1])) for f in called]
    if any(k is not None and (_is_meant(k) or _is_other(k)) for k in kinds):
        return False
    # `__call__` of a class without a base is a wrapper of any function: what it calls need not have rows.
    pairs = zip(called, kinds, strict=True)
    own = (not str(frame[2]).endswith("__call__") or (kind is not None and kind.bases) for frame, kind in pairs)
    if method == "predict" or any(own):
        return True
    parts = str(told.get("node")).split("/")
    in_model = method is not None and bool(model) and any(p.startswith(str(model)) for p in parts)
    return in_model and not _STEPS & set(names)


def _class_at(recording: Recording, file: str, number: int) -> ast.ClassDef | None:
    """The innermost class around a line."""
    source = source_of(recording, file)
    around = [
        n for n in nodes_of(source.tree, ast.ClassDef)
        if n.lineno <= number <= (n.end_lineno or n.lineno)
    ] if source is not None else []  # fmt: skip
    return max(around, key=lambda n: n.lineno) if around else None


def _is_meant(cls: ast.ClassDef) -> bool:
    """Whether a class says `by_row = False`."""
    for node in walk(cls):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is False):
            continue
        if any((dotted(t) or "").rpartition(".")[2] == "by_row" for t in node.targets):
            return True
    return False


def _is_other(cls: ast.ClassDef) -> bool:
    """Whether it is no layer and no model: a loss, a metric."""
    return any((dotted(base) or "").endswith(_NOT_FORWARD) for base in cls.bases)

"""What a model is given and what it gives: the inputs that it declares, and the rows of its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import conflict
from xladoctor.blame.values import Array, Dim, Map, Model, Seq, Value, leaves

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def check_inputs(run: Follower, model: Model, given: Value) -> None:
    """What a model is given has the shapes of its inputs; a clash for each axis that differs."""
    wanted = [v for v in leaves(model.inputs) if isinstance(v, Array)]
    got = [v for v in leaves(given) if isinstance(v, Array)]
    if isinstance(given, Map):
        keys = model.inputs.items if isinstance(model.inputs, Map) else {v.name: v for v in wanted}
        pairs = [(keys[name], have) for name, have in given.items.items() if name in keys]
        wanted = [want for want, have in pairs if isinstance(want, Array) and isinstance(have, Array)]
        got = [have for want, have in pairs if isinstance(want, Array) and isinstance(have, Array)]
    if len(wanted) != len(got):
        return
    if not isinstance(given, Map) and _other_order([v.sizes[1:] for v in got], [v.sizes[1:] for v in wanted]):
        bad = next(i for i, (a, b) in enumerate(zip(got, wanted, strict=True)) if a.sizes[1:] != b.sizes[1:])
        sides = [Dim(v.sizes[-1] if v.sizes else None, v.origin) for v in (got[bad], wanted[bad])]
        values = [got[bad], wanted[bad], given, *([model.inputs] if model.inputs is not None else [])]
        run.clash("feed", "the model", values, [-1, -1], sides, hint="order")
        return
    for want, have in zip(wanted, got, strict=True):
        if want.dims is None or have.dims is None:
            continue
        if len(want.dims) != len(have.dims):
            sides = [Dim(len(have.dims), have.origin), Dim(len(want.dims), want.origin)]
            run.clash("rank", "the model", [have, want], [None, None], sides, hint="input")
            continue
        for axis in range(1, len(want.dims)):
            if conflict(want.dims[axis], have.dims[axis]):
                sides = [have.dims[axis], want.dims[axis]]
                run.clash("feed", "the model", [have, want], [axis, axis], sides, hint="input")


def _other_order(got: list[tuple[int | None, ...]], wanted: list[tuple[int | None, ...]]) -> bool:
    """Whether all shapes are there, in another order."""
    return len(got) > 1 and got != wanted and sorted(map(str, got)) == sorted(map(str, wanted))


def predicted(outputs: Value | None, given: Value | None) -> Value | None:
    """What `predict` gives: the outputs as arrays, of as many rows as there are in the data."""
    if isinstance(outputs, Map):
        return Map({k: predicted(v, given) or Value() for k, v in outputs.items.items()}, outputs.origin)
    if isinstance(outputs, Seq):
        return Seq([predicted(v, given) or Value() for v in outputs.items], outputs.origin)
    if not isinstance(outputs, Array):
        return None
    first = next((v for v in leaves(given) if isinstance(v, Array)), None)
    rows = first.dims[0] if first is not None and first.dims else None
    dims = [rows, *outputs.dims[1:]] if rows is not None and outputs.dims else outputs.dims
    made = Array(dims, outputs.origin)
    made.inputs = (outputs,)
    return made

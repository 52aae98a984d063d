"""A recurrent layer over a cell of the user's: what its step returns as state must be what the state was declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import conflict
from xladoctor.blame.layer_settings import is_true, setting
from xladoctor.blame.values import Array, Dim, Instance, Layer, Seq, Value, array, number

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def of_cell(run: Follower, layer: Layer, found: Array) -> Value:
    """`RNN(cell)`: one step is followed, with a state of the declared sizes."""
    from xladoctor.blame.expressions import attribute, call

    cell, known = setting(layer, "cell"), found.dims or ()
    if not isinstance(cell, Instance) or len(known) < 3:
        return Array(None, layer.origin, "symbolic")
    declared = attribute(run, cell, "state_size")
    sizes = declared.items if isinstance(declared, Seq) else [declared]
    before = [_state(size, known[0]) for size in sizes]
    step = Array([known[0], *known[2:]], found.origin, "symbolic")
    made = call(run, cell, [step, Seq(before)], {})
    if not isinstance(made, Seq) or len(made.items) != 2:
        return Array(None, layer.origin, "symbolic")
    after = made.items[1]
    for old, new in zip(before, after.items if isinstance(after, Seq) else [after], strict=False):
        _compare(run, old, array(new))
    out = array(made.items[0])
    if out is None or out.dims is None:
        return Array(None, layer.origin, "symbolic")
    whole = is_true(setting(layer, "return_sequences"))
    return Array([known[0], *([known[1]] if whole else []), *out.dims[1:]], layer.origin, "symbolic")


def _state(size: Value, rows: Dim) -> Array:
    """A state as it is declared: by its columns, or by a shape."""
    if isinstance(size, Seq):
        return Array([rows, *(Dim(number(item), item.origin) for item in size.items)], size.origin, "symbolic")
    return Array([rows, Dim(number(size), size.origin)], size.origin, "symbolic")


def _compare(run: Follower, old: Array, new: Array | None) -> None:
    if new is None or new.dims is None or old.dims is None:
        return
    if len(new.dims) != len(old.dims):
        sides = [Dim(len(new.dims), new.origin), Dim(len(old.dims), old.origin)]
        run.clash("rank", "the state of the cell", [new, old], [None, None], sides)
        return
    for axis, (one, other) in enumerate(zip(new.dims, old.dims, strict=True)):
        if axis and conflict(one, other):
            run.clash("equal", "the state of the cell", [new, old], [axis, axis], [one, other])
            return

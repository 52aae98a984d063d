"""What Keras documents of the arguments of a layer's call: how many axes a mask or a state has, and which sizes.

`MultiHeadAttention(attention_mask=)` is (batch, queries, keys), with or without an axis for the heads, or without the
batch; `initial_state=` of a recurrent layer is (batch, units) for each state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame import layers, words
from xladoctor.blame.algebra import conflict
from xladoctor.blame.layer_settings import called, units
from xladoctor.blame.suspicion import Candidate, at_failure, at_origin, history
from xladoctor.blame.values import Array, Clash, Dim, Layer, Seq, Value, array

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

HINT = "argument"
FAILS = frozenset({"broadcast-mismatch", "rank-mismatch", "matmul-conv-mismatch", "keras-input-mismatch"})
"""How an argument fails that does not fit: where the layer uses it."""
_CELLS = ("LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU")
_ATTENTIONS = ("MultiHeadAttention", "GroupQueryAttention")
_STATE, _MASK = 2, 3


def applied(run: Follower, layer: Layer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """What the call of a layer gives; arguments that do not fit what it documents are a clash."""
    if layer.cls in _CELLS:
        _check_state(run, layer, kwargs.get("initial_state"))
    elif layer.cls in _ATTENTIONS:
        query = array(kwargs.get("query", args[0] if args else None))
        value = array(kwargs.get("value", args[1] if len(args) > 1 else None))
        mask = array(kwargs.get("attention_mask"))
        if query is not None and value is not None and mask is not None:
            _check_mask(run, layer, query, value, mask)
    return layers.apply(run, layer, args or [v for k, v in kwargs.items() if k in ("inputs", "x", "query")])


def _check_state(run: Follower, layer: Layer, state: Value | None) -> None:
    """The state that a recurrent layer starts with has rows, and its units as columns."""
    wanted = units(layer)
    for part in state.items if isinstance(state, Seq) else [state]:
        found = array(part)
        if found is None or not found.dims:
            continue
        if len(found.dims) != _STATE:
            _clash(run, "`initial_state`", layer, found, _STATE)
            return
        if conflict(found.dims[-1], wanted):
            run.clash("inner", called(layer), [found, layer], [-1, None], [found.dims[-1], wanted], hint="state")
            return


def _check_mask(run: Follower, layer: Layer, query: Array, value: Array, mask: Array) -> None:
    """The last axes of a mask are the queries and the keys; a mask of each row has the batch before them."""
    have, rows, steps = mask.dims or (), query.dims or (), value.dims or ()
    if len(rows) != 3 or len(steps) != 3 or len(have) < 2:
        return
    if len(have) == 2 and (have[0].batch or (_apart(have[0], rows[1]) and not _apart(have[0], rows[0]))):
        _clash(run, "`attention_mask`", layer, mask, _MASK)
        return
    for axis, want in ((-1, steps[1]), (-2, rows[1])):
        if _apart(have[axis], want):
            what = f"`attention_mask` of {layer.cls}"
            run.clash("broadcast", what, [mask, query], [axis, 1], [have[axis], want], hint=HINT)
            return


def _apart(one: Dim, other: Dim) -> bool:
    return one.size != 1 and conflict(one, other)


def _clash(run: Follower, what: str, layer: Layer, found: Array, wanted: int) -> None:
    sides = [Dim(len(found.dims or ()), found.origin), Dim(wanted, layer.origin)]
    run.clash("rank", f"{what} of {layer.cls}", [found, layer], [None, None], sides, hint=HINT)


def of_argument(clash: Clash) -> Iterator[Candidate]:
    """The line that gave the argument another number of axes, or made it; then the line that passes it."""
    found = clash.values[0]
    if clash.hint != HINT or clash.relation != "rank" or not isinstance(found, Array):
        return
    have, want = len(found.dims or ()), clash.sides[1].size or 0
    more = [a for a in history(found) if a.inputs and len(a.inputs[0].dims or ()) <= want < len(a.dims or ())]
    made = more[0] if have > want and more else found
    reason = f"It gives {words.axes(have)}, but {clash.what} is documented with {want}."
    yield from at_origin(made.origin, 7.4, reason, 0, "squeeze" if have > want else "expand")
    yield from at_failure(clash, 6.0, f"It passes {words.axes(have)} as {clash.what}, which has {want}.", "other")

"""Axes that are lost, moved, joined or rounded: which line did it."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.blame import words
from xladoctor.blame.algebra import JOINED
from xladoctor.blame.shaping import ROWS_DROPPED
from xladoctor.blame.subscripts import OF_FEWER
from xladoctor.blame.suspicion import (
    Candidate,
    Facts,
    all_before,
    at_failure,
    at_origin,
    chain,
    history,
    misses_one,
    product_of,
    shaper,
)
from xladoctor.blame.values import Array, Clash, Layer, number, text


def untransposed(clash: Clash) -> Iterator[Candidate]:
    """A product that would fit if one side were transposed: neither side is wrong, the product is."""
    one, other = clash.values[0], clash.values[1]
    if not isinstance(one, Array) or not isinstance(other, Array) or len(other.sizes) < 2 or not one.sizes:
        return
    if "conv" in clash.what:
        return  # a kernel has its axes in one order only
    given = "variable" in (one.kind, other.kind) or "placeholder" in (one.kind, other.kind)
    if one.sizes[-1] != other.sizes[-1] or one.sizes[-1] is None or given:
        return
    if clash.what.startswith("Dot("):
        yield from at_failure(clash, 7.5, "Along their last axes, the two fit.", "axis")
    else:
        yield from at_failure(clash, 7.0, "With the second one transposed, the product fits.", "transpose")


def batched_twice(value: Array, i: int) -> Iterator[Candidate]:
    """Batches that are made of batches."""
    first, second = (value.dims or ())[:2]
    if first.batch and second.batch and first.origin is not None and second.origin is not None:
        yield from at_origin(first.origin, 8.0, "It makes batches of data that are already batched.", i, "other")
        yield from at_origin(second.origin, 7.9, "It makes batches, and a later line batches them again.", i, "other")


def reduced(clash: Clash) -> Iterator[Candidate]:
    """A mean or sum along the wrong axis: it took the size that the other has, and left one that it has not."""
    for i in (0, 1):
        value, other = clash.values[i], clash.sides[1 - i]
        if not isinstance(value, Array) or not value.inputs or value.origin is None:
            continue
        gone = set(value.inputs[0].sizes) - set(value.sizes)
        if value.origin.text.startswith(_LOSES) and other.size in gone:
            reason = f"It removes the axis of {other.size} and leaves {clash.sides[i].size}: perhaps the wrong axis."
            yield from at_origin(value.origin, 7.0, reason, i, "axis")
            for origin, depth in chain(value.origin, 3):
                if origin.kind in ("constant", "argument") and depth:
                    yield from at_origin(origin, 7.0 + 0.05 * depth, reason, i, "axis")


def of_rows(clash: Clash) -> Iterator[Candidate]:
    """Inputs and labels of different numbers of rows: what put other rows on axis 0 of one of them."""
    for i in range(min(len(clash.values), 2)):
        value, side, other = clash.values[i], clash.sides[i], clash.sides[1 - i]
        if not isinstance(value, Array) or not value.dims or side.size is None or other.size is None:
            continue
        reshaped = side.origin is not None and side.origin.kind == "reshape"
        if len(value.dims) > 1 and value.dims[1].size == other.size and not reshaped:
            reason = f"Its axis 1 has the {other.size} rows of the other, and axis 0 has {side.size}."
            yield from at_origin(value.origin, 7.5, reason, i, "transpose")
            yield from at_origin(
                side.origin, 7.6 if side.origin and side.origin.text in _NEW else 6.0, reason, i, "transpose"
            )
        elif reshaped and side.origin is not None:
            reason = f"The reshape leaves {side.size} rows, but the other side has {other.size}."
            for origin, depth in chain(value.dims[1].origin if len(value.dims) > 1 else side.origin, 3):
                yield from at_origin(origin, 7.0 + 0.05 * depth, reason, i, "reshape")
            yield from at_origin(side.origin, 6.9, reason, i, "reshape")
        joined = next((d.origin for d in value.dims[1:] if d.origin is not None and d.origin.text == JOINED), None)
        if joined is not None and other.size % side.size == 0:
            reason = f"It joins along another axis than the rows: {side.size} are left, but the other has {other.size}."
            yield from at_origin(joined, 7.5, reason, i, "concat-axis")
        if side.origin is not None and side.origin.text == ROWS_DROPPED and side.size < other.size:
            reason = f"It drops rows: {side.size} are left, but the other side has {other.size}."
            yield from at_origin(side.origin, 6.5, reason, i, "slice")
        if 0 < abs(side.size - other.size) <= 4 and side.origin is not None and side.origin.kind == "slice":
            reason = f"It leaves {side.size} rows, but the other side has {other.size}."
            yield from at_origin(side.origin, 6.5, reason, i, "slice")


_NEW = ("a new axis", "the stack", "a slice")


def of_input(clash: Clash, known: Facts) -> Iterator[Candidate]:
    """What a model is given does not fit what it declares."""
    have, want = clash.values[0], clash.values[1]
    if not isinstance(have, Array) or not isinstance(want, Array) or have.dims is None or want.dims is None:
        return
    got, asked = [d.size for d in have.dims], [d.size for d in want.dims]
    if clash.relation == "rank" and have.unbatched is not None and len(got) == len(asked) - 1:
        reason = "No stage of the pipeline makes batches: each element is one sample."
        yield from at_origin(have.unbatched, 8.0, reason, 0, "other")
    if clash.relation == "rank" and have.unbatched is None and got == asked[1:] and None not in got:
        reason = "It passes one sample to the model: the batch axis is missing."
        yield from at_failure(clash, 7.5, reason, "expand")
    if clash.relation == "rank":
        whole = _before_slices(have)
        if misses_one(got[1:], asked[1:]) or misses_one(got, asked[1:]) or misses_one(got, asked):
            reason = f"The data have {words.axes(len(got))}, but {len(asked)} are expected: an axis is missing."
            yield from at_origin(have.origin, 5.5, reason, 0, "expand")
            yield from at_origin(whole.origin, 5.6, reason, 0, "expand")
        elif product_of(got[1:]) is not None and product_of(got[1:]) == product_of(asked[1:]):
            reason = "The data have the right number of elements in other axes: they need a reshape."
            yield from at_origin(have.origin, 5.5, reason, 0, "reshape")
            yield from at_origin(whole.origin, 6.5, reason, 0, "reshape")
        elif clash.hint == "feed" and {len(got), len(asked)} == {1, 2}:
            wanted = "class numbers" if len(asked) == 1 else "one column for each class"
            reason = f"The graph takes {wanted}, but the data that are fed are of the other kind."
            yield from at_origin(whole.aliases[0] if whole.aliases else whole.origin, 6.5, reason, 0, "one-hot")
            yield from at_origin(whole.origin, 6.4, reason, 0, "one-hot")
        elif len(got) - 1 == len(asked) and got[1:] == asked[1:]:
            yield from at_origin(want.origin, 6.0, "The data have one axis more than declared.", 1, "input-shape")
        return
    if len(got) == len(asked) and sorted(str(s) for s in got[1:]) == sorted(str(s) for s in asked[1:]):
        reason = "The axes have the right sizes, but in another order."
        yield from at_origin(have.origin, 7.0, reason, 0, "transpose")
        first = _arranger(have)
        if first is not have:
            yield from at_origin(first.origin, 7.2, reason, 0, "transpose")
        moved = next((v for v in history(have) if v.origin is not None and v.origin.text in _MOVES), None)
        yield from at_origin(moved.origin if moved is not None else None, 7.5, reason, 0, "transpose")
    elif have.rows is not None and len(got) == 2 and have.rows.size == asked[-1]:
        reason = f"The data have {asked[-1]} rows, but as many columns are expected: rows and columns are swapped."
        yield from at_origin(have.origin, 7.5, reason, 0, "transpose")


def _arranger(value: Array) -> Array:
    """What gave an array its last two axes in their order: the operation before which they were not there."""
    last = value.sizes[-2:]
    found = value
    for here in history(value, 12):
        if here.sizes[-2:] != last:
            return found
        found = here
    return found


_MOVES = ("a transpose", "the stack", "the concatenation", "a reshape")


def _before_slices(value: Array) -> Array:
    """An array before batches were cut from it."""
    for here in history(value, 12):
        if here.origin is None or here.origin.text != "a slice":
            return here
    return value


def odd_layer(clash: Clash) -> Iterator[Candidate]:
    """A layer on the way that is set otherwise than its like: channels first among channels last, other padding."""
    on_way = [v.made_by for x in clash.values[:2] if isinstance(x, Array) for v in all_before(x)]
    layers = list(dict.fromkeys(layer for layer in on_way if isinstance(layer, Layer)))
    for setting, edit in (("data_format", "channels"), ("padding", "other")):
        kinds = [layer for layer in layers if "Conv" in layer.cls or "Pool" in layer.cls]
        by_value: dict[str | None, list[Layer]] = {}
        for layer in kinds:
            if setting != "padding" or ("Conv" in layer.cls and number(layer.settings.get("kernel_size")) != 1):
                by_value.setdefault(text(layer.settings.get(setting)), []).append(layer)
        if len(by_value) == 2:
            few, many = sorted(by_value.values(), key=len)
            if len(few) == 1 and (len(many) > 1 or setting == "data_format"):
                odd = few[0] if setting != "data_format" or _is_first(few[0]) else many[0]
                reason = f"Its {setting} differs from that of similar layers."
                weight = 8.0 if setting == "data_format" else 6.2
                yield from at_origin(odd.origin, weight, reason, None, "channels" if edit == "channels" else "other")


def _is_first(layer: Layer) -> bool:
    return text(layer.settings.get("data_format")) == "channels_first"


def of_axis(clash: Clash, known: Facts) -> Iterator[Candidate]:
    """A concatenation along another axis than the one that differs."""
    one, other = clash.values[0], clash.values[1]
    if not isinstance(one, Array) or not isinstance(other, Array) or one.dims is None or other.dims is None:
        return
    differ = [i for i, (a, b) in enumerate(zip(one.dims, other.dims, strict=False)) if a.size != b.size]
    if len(differ) == 1:
        reason = f"The two differ only in axis {differ[0]}: joined along that one, they would fit."
        yield from at_failure(clash, 6.6, reason, "concat-axis")
        asked = clash.values[2].origin if len(clash.values) > 2 else None
        for origin, depth in chain(asked, 2):
            yield from at_origin(origin, 6.7 + 0.05 * depth, reason, None, "concat-axis")


_LOSES = ("reduce_", "mean", "sum", "max", "min", "arg", "squeeze", "a squeeze", "a slice")


def axis_lost(clash: Clash) -> Iterator[Candidate]:
    """The operation that took an axis away, of the value that has fewer."""
    sizes = [d.size or 0 for d in clash.sides]
    i = sizes.index(min(sizes))
    value = clash.values[i] if i < len(clash.values) else None
    for here in history(value, 12) if isinstance(value, Array) else ():
        origin = here.origin
        lost = here.inputs and len(here.inputs[0].dims or ()) > len(here.dims or ())
        if origin is not None and origin.text.startswith(_LOSES) and lost:
            reason = f"It removes an axis: {len(here.dims or ())} are left, but {max(sizes)} are needed."
            yield from at_origin(origin, 6.5, reason, i, "expand")
            return


def one_cut(clash: Clash) -> Iterator[Candidate]:
    """The line that cuts, or gathers, one of two values that had the same shape before: the other was left as it is."""
    values = [v for v in clash.values[:2] if isinstance(v, Array) and v.dims]
    for i, value in enumerate(values if len(values) == 2 else []):
        other = values[1 - i]
        for here in history(value):
            before = here.inputs[0] if here.inputs else None
            if before is None or before.sizes != other.sizes or here.sizes == other.sizes or None in before.sizes:
                continue
            cut = here.origin is not None and (here.origin.kind == "slice" or here.origin.text in ("gather", "take"))
            if cut and len(here.sizes) == len(other.sizes):
                left, whole = clash.sides[i].size, clash.sides[1 - i].size
                reason = f"It takes {left} of {whole} from one of the two, and the other keeps all."
                yield from at_origin(here.origin, 6.5, reason, i, "slice")
            break


def split_up(clash: Clash) -> Iterator[Candidate]:
    """A layer as wide as each part of its result should be: `mean, log_var = tf.split(Dense(latent)(x), 2, -1)`."""
    for i in (0, 1):
        small, large = clash.sides[i], clash.sides[1 - i]
        parts = (large.size or 0) // small.size if small.size else 0
        if parts < 2 or (small.size or 0) * parts != large.size:
            continue
        steps = [o for o, _ in chain(small.origin, 6)]
        cut = next((at for at, o in enumerate(steps) if o.text == "split"), None)
        made = next((o for o in steps[cut + 1 :] if o.kind == "layer"), None) if cut is not None else None
        reason = f"Its result is split into {parts} parts of {small.size}, and {large.size} are wanted of each."
        yield from at_origin(made, 7.6, reason, i, "units")


def rank_of_layer(clash: Clash) -> Iterator[Candidate]:
    """A layer that wants another number of axes than it gets."""
    found, layer = clash.values[0], clash.values[1]
    if not isinstance(found, Array) or not isinstance(layer, Layer):
        return
    have, want = clash.sides[0].size or 0, clash.sides[1].size or 0
    before = shaper(found).made_by
    root = list(history(found))[-1]
    if have == want + 1 and root.origin is not None and root.origin.kind == "input" and len(root.dims or ()) == have:
        reason = f"It declares {words.axes(have - 1)} without the batch, and {layer.cls} wants {want - 1}."
        yield from at_origin(root.origin, 7.0, reason, 0, "input-shape")
    if isinstance(before, Layer):
        if before.cls in ("LSTM", "GRU", "SimpleRNN") and have == 2 and want == 3:
            reason = "It returns only its last step, but the next layer needs all: return_sequences=True is missing."
            yield from at_origin(before.origin, 9.0, reason, 0, "return-sequences")
        elif before.cls == "Flatten" or before.cls.startswith("Global"):
            yield from at_origin(before.origin, 8.6, "It removes the axes that the next layer needs.", 0, "other")
        reason = f"{layer.cls} wants {words.axes(want)} and gets {have}."
        if layer.origin is not None:
            # What it wants is fixed; what it gets was made elsewhere.
            yield Candidate(layer.origin.file, layer.origin.line, 3.0, reason, 1, "other")
        return
    if have == 1 and want == 2:
        reason = f"It is one sample without a batch axis, but {layer.cls} needs a batch."
        yield from at_origin(found.origin, 7.0, reason, 0, "expand")
        return
    reason = f"It declares {words.axes(have)}, and {layer.cls} wants {want}."
    yield from at_origin(found.origin, 7.0, reason, 0, "input-shape")


def rounded(clash: Clash) -> Iterator[Candidate]:
    """An input size that pooling rounds, so that scaling up again gives another."""
    origins = [o for side in clash.sides for o, _ in chain(side.origin, 12)]
    said = next((o.text for o in origins if " rounds " in o.text), "")
    first = next((o for o in origins if o.kind == "input"), None)
    if said and clash.hint == "labels" and isinstance(clash.values[1], Array):
        layers = [v.made_by for v in history(clash.values[1]) if isinstance(v.made_by, Layer)]
        last = next((layer for layer in layers if layer.cls.startswith(("UpSampling", "Conv2DTranspose"))), None)
        yield from at_origin(
            last.origin if last else None, 7.0, f"{said}: scaled up again it is another size.", 1, "other"
        )
    elif said and first is not None:
        reason = f"{said}: scaled up again it is another size."
        named = [o for o, far in chain(first, 8) if far and o.kind == "constant" and not o.parents]
        yield from at_origin(named[0] if named else None, 7.6, reason, None, "input-shape")
        yield from at_origin(first, 4.0 if named else 7.5, reason, None, "input-shape")
    elif said and len(clash.sides) > 1:
        # The data have the number: it is the one that both sizes come from.
        largest = str(max(side.size or 0 for side in clash.sides))
        one, other = ({o for o, _ in chain(side.origin, 12)} for side in clash.sides[:2])
        both = [o for o in one if o in other and o.kind == "constant" and not o.parents and o.text == largest]
        yield from at_origin(
            both[0] if len(both) == 1 else None, 8.8, f"{said}: scaled up again it is another size.", None, "constant"
        )


def asked_of_fewer(clash: Clash) -> Iterator[Candidate]:
    """A slice that asks for as many as the other side has, where there are fewer: what says how many to ask for."""
    for i, side in enumerate(clash.sides[:2]):
        other = clash.sides[1 - i].size if len(clash.sides) > 1 else None
        cut = next((o for o, _ in chain(side.origin, 4) if OF_FEWER in o.text), None)
        if cut is None or other is None or not cut.text.startswith(f"{other} "):
            continue
        chosen = [o for o, _ in chain(cut, 8) if o.kind == "constant" and o.text == str(other) and not o.parents]
        yield from at_origin(chosen[0] if chosen else cut, 7.2, f"{cut.text}.", i, "constant")
        yield from at_origin(cut, 6.0, f"{cut.text}: a slice gives what there is.", i, "slice")


def of_elements(clash: Clash) -> Iterator[Candidate]:
    """A reshape whose numbers do not multiply to the elements."""
    yield from at_failure(
        clash, 5.6, "The product of the new shape is not the number of elements.", "reshape", strong=False
    )

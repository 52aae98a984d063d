"""Layers that slide a window over spatial axes, cut them, pad them or scale them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xladoctor.blame.arguments import axes_of, is_none
from xladoctor.blame.layer_settings import called, columns, is_first, is_true, setting, through, units
from xladoctor.blame.values import Array, Dim, Layer, Origin, Seq, Value, number, text

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def spatial(value: Value | None, count: int, default: int) -> list[int | None]:
    """A number for each spatial axis: of a window, a stride or a factor."""
    if is_none(value):
        return [default] * count
    found = axes_of(value)
    if found is None:
        return [None] * count
    return [found[0]] * count if len(found) == 1 else [*found, *[None] * count][:count]


def windowed(
    run: Follower, layer: Layer, found: Array, window: Sequence[int | None], stride: Sequence[int | None], last: Dim
) -> Value:
    """A convolution or pooling: each spatial axis by window and stride."""
    known = list(found.dims or ())
    first = is_first(layer)
    inner = known[2:] if first else known[1:-1]
    grow = (text(setting(layer, "padding")) or "valid").lower() in ("same", "causal")
    out = []
    for old, size, step in zip(inner, window, stride, strict=False):
        if old.size is None or size is None or not step:
            out.append(Dim(None, layer.origin))
            continue
        made = -(-old.size // step) if grow else (old.size - size) // step + 1
        if made < 1:
            run.clash(
                "elements", called(layer), [found, layer], [None, None], [old, Dim(size, layer.origin)], hint="window"
            )
            out.append(Dim(None, layer.origin))  # what comes after it is not at fault
            continue
        if ("Pool" in layer.cls or grow) and old.size % step and layer.origin is not None:
            said = f"{layer.cls} rounds {old.size} to {made}"
            here = Origin("layer", layer.origin.file, layer.origin.line, said, layer.origin.parents)
            out.append(Dim(made, through(here, old)))
            continue
        out.append(old if made == old.size else Dim(made, through(layer.origin, old)))
    return Array([known[0], last, *out] if first else [known[0], *out, last], layer.origin, "symbolic")


def convolution(run: Follower, layer: Layer, found: Array) -> Value:
    """A convolution, also a transposed or separable one."""
    count = len(found.dims or ()) - 2
    axis = 1 if is_first(layer) else -1
    columns(run, layer, found, axis)
    window = spatial(setting(layer, "kernel_size"), count, 1)
    apart = spatial(setting(layer, "dilation_rate"), count, 1)
    window = [None if w is None or a is None else (w - 1) * a + 1 for w, a in zip(window, apart, strict=True)]
    stride = spatial(setting(layer, "strides"), count, 1)
    if layer.cls.endswith("Transpose"):
        known = list(found.dims or ())
        grow = (text(setting(layer, "padding")) or "valid").lower() == "same"
        out = []
        for old, size, step in zip(known[1:-1], window, stride, strict=False):
            sure = old.size is not None and step is not None and size is not None
            more = 0 if grow or not sure else max((size or 0) - (step or 0), 0)
            out.append(Dim((old.size or 0) * (step or 1) + more if sure else None, through(layer.origin, old)))
        return Array([known[0], *out, units(layer, "filters")], layer.origin, "symbolic")
    last = units(layer, "filters") if "Depthwise" not in layer.cls else (found.dims or ())[axis]
    return windowed(run, layer, found, window, stride, last)


def pooling(run: Follower, layer: Layer, found: Array) -> Value:
    """A pooling, of windows or of whole axes."""
    known = found.dims or ()
    if layer.cls.startswith("Global"):
        ones = [Dim(1, layer.origin)] * (len(known) - 2) if is_true(setting(layer, "keepdims")) else []
        out = [known[0], known[1], *ones] if is_first(layer) else [known[0], *ones, known[-1]]
        return Array(out, layer.origin, "symbolic")
    count = len(known) - 2
    window = spatial(setting(layer, "pool_size"), count, 2)
    stride = setting(layer, "strides")
    steps = window if is_none(stride) else spatial(stride, count, 2)
    return windowed(run, layer, found, window, steps, known[1] if is_first(layer) else known[-1])


def edged(run: Follower, layer: Layer, found: Array) -> Value:
    """`Cropping` and `ZeroPadding`: each spatial axis is cut, or grows, at both ends."""
    known, crops = found.dims or (), layer.cls.startswith("Cropping")
    by = setting(layer, "cropping" if crops else "padding")
    count, first = len(known) - 2, is_first(layer)
    pairs = _edges(by, count)
    inner = known[2:] if first else known[1:-1]
    out = []
    for old, more in zip(inner, pairs, strict=True):
        sure = old.size is not None and more is not None
        size = (old.size or 0) + (-(more or 0) if crops else (more or 0))
        out.append(Dim(max(size, 0) if sure else None, through(layer.origin, old)))
    made = [known[0], known[1], *out] if first else [known[0], *out, known[-1]]
    return Array(made, layer.origin, "symbolic")


def _edges(by: Value | None, count: int) -> list[int | None]:
    """What is cut or added on each axis, both ends together."""
    if is_none(by):
        return [2] * count
    one = number(by)
    if one is not None:
        return [2 * one] * count
    items = by.items if isinstance(by, Seq) else []
    if count == 1 and len(items) == 2:
        items = [Seq(items)]
    found: list[int | None] = []
    for item in items:
        parts = [number(v) for v in item.items] if isinstance(item, Seq) else [number(item)] * 2
        found.append(None if None in parts else sum(p or 0 for p in parts))
    return found if len(found) == count else [None] * count


def upsampling(run: Follower, layer: Layer, found: Array) -> Value:
    """Each spatial axis times a factor."""
    known = found.dims or ()
    sizes = spatial(setting(layer, "size"), len(known) - 2, 2)
    out = [
        Dim(None if old.size is None or by is None else old.size * by, through(layer.origin, old))
        for old, by in zip(known[1:-1], sizes, strict=False)
    ]
    return Array([known[0], *out, known[-1]], layer.origin, "symbolic")

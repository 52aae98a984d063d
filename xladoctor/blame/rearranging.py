"""Functions that move, cut or fold the axes of arrays, take them apart into frames and patches, or map over rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame.algebra import broadcast, conflict, joined_arrays
from xladoctor.blame.arguments import Args, Kwargs, arg, axes_of, is_none, shape_of
from xladoctor.blame.values import Array, Const, Dim, Function, Origin, Seq, Value, array, dim, number, text, unknown

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Shaper = Callable[["Follower", str, Args, Kwargs], Value]


def _of(run: Follower, name: str, args: Args, kwargs: Kwargs, *names: str) -> tuple[Array | None, Origin]:
    """The first argument where its shape is known, and the origin of what is made of it."""
    found = array(arg(args, kwargs, 0, *names))
    return (found if found is not None and found.dims is not None else None), run.origin("operation", name, *args)


def _made(dims: Sequence[Dim] | None, origin: Origin, *inputs: Array) -> Array:
    made = Array(dims, origin, inputs[0].kind if inputs else "tensor")
    made.inputs = inputs
    return made


def moved(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`moveaxis(x, source, destination)`, `rollaxis(x, axis, start)`."""
    found, origin = _of(run, "a transpose", args, kwargs, "a", "x")
    ends = [number(arg(args, kwargs, 1, "source", "axis")), number(arg(args, kwargs, 2, "destination", "start"))]
    if found is None or ends[0] is None or (ends[1] is None and name == "moveaxis"):
        return Array(None, origin)
    left = list(found.dims or ())
    if not -len(left) <= ends[0] < len(left):
        return Array(None, origin)
    one = left.pop(ends[0])
    at = ends[1] or 0
    left.insert(at if at >= 0 else len(left) + 1 + at, one)
    return _made(left, origin, found)


def spread(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`broadcast_to(x, shape)`."""
    origin = run.origin("reshape", name, *args)
    wanted, found = shape_of(arg(args, kwargs, 1, "shape"), origin)[0], array(args[0]) if args else None
    if wanted is None:
        return Array(None, origin)
    made = Array(wanted, origin, "tensor")
    if found is not None and found.dims is not None:
        broadcast(run, [found, made], f"`{name}`")
        made.inputs = (found,)
    return made


def times_vector(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`matvec(a, b)`."""
    found, origin = _of(run, name, args, kwargs, "a")
    other = array(arg(args, kwargs, 1, "b"))
    if found is None or other is None or not other.dims or len(found.dims or ()) < 2:
        return Array(None, origin, "tensor")
    known = found.dims or ()
    if conflict(known[-1], other.dims[-1]):
        run.clash("inner", f"`{name}`", [found, other], [-1, -1], [known[-1], other.dims[-1]])
    return _made(known[:-1], origin, found, other)


def contracted(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tensordot(a, b, axes)`."""
    found, origin = _of(run, name, args, kwargs, "a")
    other, by = array(arg(args, kwargs, 1, "b")), arg(args, kwargs, 2, "axes")
    if found is None or other is None or other.dims is None:
        return Array(None, origin, "tensor")
    left, right, count = found.dims or (), other.dims, number(by) if by is not None else 2
    if count is not None:
        ends = (list(range(len(left) - count, len(left))), list(range(count)))
    else:
        sides = [axes_of(item) for item in by.items] if isinstance(by, Seq) else []
        if len(sides) != 2 or sides[0] is None or sides[1] is None:
            return Array(None, origin, "tensor")
        ends = (sides[0], sides[1])
    if any(not -len(d) <= a < len(d) for d, e in zip((left, right), ends, strict=True) for a in e):
        return Array(None, origin, "tensor")
    for a, b in zip(*ends, strict=False):
        if conflict(left[a], right[b]):
            run.clash("inner", f"`{name}`", [found, other], [a, b], [left[a], right[b]])
    kept = [d for i, d in enumerate(left) if i not in {a % len(left) for a in ends[0]}]
    kept += [d for i, d in enumerate(right) if i not in {b % len(right) for b in ends[1]}]
    return _made(kept, origin, found, other)


def outer(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`outer(a, b)`."""
    found, origin = _of(run, name, args, kwargs, "a")
    other = array(arg(args, kwargs, 1, "b"))
    ends = [d for v in (found, other) if v is not None and len(v.dims or ()) == 1 for d in v.dims or ()]
    return Array(ends if len(ends) == 2 else None, origin)


def sliced(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.slice(x, begin, size)`."""
    found, origin = _of(run, name, args, kwargs, "input_")
    begin, size = arg(args, kwargs, 1, "begin"), arg(args, kwargs, 2, "size")
    if not isinstance(size, Seq) or not isinstance(begin, Seq) or len(size.items) != len(begin.items):
        return Array(None, origin, "tensor")
    here = run.origin("slice", name, *size.items)
    old = list(found.dims or ()) if found is not None else []
    out = []
    for i, (first, item) in enumerate(zip(begin.items, size.items, strict=True)):
        start, have = number(first), old[i] if i < len(old) else Dim()
        if number(item) != -1:
            out.append(dim(item, here))
        elif start == 0:
            out.append(have)
        else:
            out.append(Dim(None if have.size is None or start is None else have.size - start, here))
    return _made(out, origin, *([found] if found is not None else []))


def cropped(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`random_crop(value, size)`, `crop_to_bounding_box(image, top, left, height, width)` and its opposite."""
    found, origin = _of(run, "a crop", args, kwargs, "value", "image")
    if name in ("random_crop", "stateless_random_crop"):
        shape = shape_of(arg(args, kwargs, 1, "size"), run.origin("slice", "a crop", *args[1:2]))[0]
        return _made(shape, origin, *([found] if found is not None else []))
    new = [dim(arg(args, kwargs, 3 + i, f"target_{n}"), origin) for i, n in enumerate(("height", "width"))]
    if found is None or len(found.dims or ()) < 3:
        return Array(None, origin, "tensor")
    return _made([*(found.dims or ())[:-3], *new, (found.dims or ())[-1]], origin, found)


def recoloured(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`rgb_to_grayscale`, `grayscale_to_rgb`."""
    found, origin = _of(run, name, args, kwargs, "images")
    if found is None or not found.dims:
        return Array(None, origin, "tensor")
    return _made([*found.dims[:-1], Dim(1 if name.endswith("grayscale") else 3, origin)], origin, found)


def blocks(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`space_to_depth(x, block_size)` and back."""
    found, origin = _of(run, name, args, kwargs, "input")
    size = number(arg(args, kwargs, 1, "block_size"))
    if found is None or not size or len(found.dims or ()) != 4:
        return Array(None, origin, "tensor")
    known, into = found.dims or (), name == "space_to_depth"

    def scaled(old: Dim, by: int, shrinks: bool) -> Dim:
        return Dim(None if old.size is None else old.size // by if shrinks else old.size * by, origin)

    inner = [scaled(d, size, into) for d in known[1:3]]
    return _made([known[0], *inner, scaled(known[3], size * size, not into)], origin, found)


def patches(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`extract_patches(images, sizes, strides, rates, padding)`."""
    found, origin = _of(run, name, args, kwargs, "images")
    sizes, steps = axes_of(arg(args, kwargs, 1, "sizes")), axes_of(arg(args, kwargs, 2, "strides"))
    same = (text(arg(args, kwargs, 4, "padding")) or "VALID").upper() == "SAME"
    known = found.dims or () if found is not None else ()
    if found is None or len(known) != 4 or not sizes or not steps or len(sizes) != 4 or len(steps) != 4:
        return Array(None, origin, "tensor")
    inner = []
    for old, size, step in zip(known[1:3], sizes[1:3], steps[1:3], strict=True):
        made = None if old.size is None or not step else -(-old.size // step) if same else (old.size - size) // step + 1
        inner.append(Dim(made, origin))
    depth = known[3].size
    last = Dim(None if depth is None else depth * sizes[1] * sizes[2], origin)
    return _made([known[0], *inner, last], origin, found)


def frames(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`stft(signals, frame_length, frame_step, fft_length)`, `frame(signal, frame_length, frame_step)`."""
    found, origin = _of(run, name, args, kwargs, "signals", "signal")
    length, step = arg(args, kwargs, 1, "frame_length"), number(arg(args, kwargs, 2, "frame_step"))
    long, whole = number(length), number(arg(args, kwargs, 3, "fft_length")) if name == "stft" else None
    if found is None or not found.dims:
        return Array(None, origin, "tensor")
    old, pads = found.dims[-1].size, arg(args, kwargs, -1, "pad_end")
    padded = isinstance(pads, Const) and bool(pads.value)
    sure = old is not None and long is not None and step
    count = (
        (-(-(old or 0) // (step or 1)) if padded else 1 + ((old or 0) - (long or 0)) // (step or 1)) if sure else None
    )
    last = dim(length, origin)
    if name == "stft":
        size = whole if whole is not None else None if long is None else 1 << max(long - 1, 0).bit_length()
        last = Dim(None if size is None else size // 2 + 1, origin)
    return _made([*found.dims[:-1], Dim(count, origin), last], origin, found)


def halved(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`rfft(x)`: n // 2 + 1 columns."""
    found, origin = _of(run, name, args, kwargs, "input", "a", "x")
    if found is None or not found.dims:
        return Array(None, origin, "tensor")
    size = found.dims[-1].size
    return _made([*found.dims[:-1], Dim(None if size is None else size // 2 + 1, origin)], origin, found)


def restored(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`irfft(x, n)`: as many columns as are asked for, or those of which `rfft` made these."""
    found, origin = _of(run, name, args, kwargs, "input", "a", "x")
    asked = arg(args, kwargs, 1, "n", "fft_length")
    if found is None or not found.dims:
        return Array(None, origin, "tensor")
    size = found.dims[-1].size
    wanted = asked.items[0] if isinstance(asked, Seq) and asked.items else asked
    last = Dim(None if size is None else 2 * (size - 1), origin) if is_none(wanted) else dim(wanted, origin)
    return _made([*found.dims[:-1], last], origin, found)


def mel_weights(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.signal.linear_to_mel_weight_matrix(num_mel_bins, num_spectrogram_bins)`."""
    origin = run.origin("array", name, *args, *kwargs.values())
    bins = [arg(args, kwargs, 1, "num_spectrogram_bins"), arg(args, kwargs, 0, "num_mel_bins")]
    pairs = zip(bins, (129, 20), strict=True)
    return Array([dim(n, origin) if n is not None else Dim(usual, origin) for n, usual in pairs], origin, "tensor")


def masked(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`boolean_mask(x, mask)`: nobody knows how many are left."""
    found, origin = _of(run, name, args, kwargs, "tensor")
    mask = array(arg(args, kwargs, 1, "mask"))
    if found is None or mask is None or mask.dims is None:
        return Array(None, origin, "tensor")
    for i, (have, asked) in enumerate(zip(found.dims or (), mask.dims, strict=False)):
        if conflict(have, asked):
            run.clash("equal", f"`{name}`", [found, mask], [i, i], [have, asked])
    return _made([Dim(None, origin), *(found.dims or ())[len(mask.dims) :]], origin, found)


def best(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`top_k(x, k)`: values and indices."""
    found, origin = _of(run, name, args, kwargs, "input", "x")
    if found is None or not found.dims:
        return unknown(*args)
    made = _made([*found.dims[:-1], dim(arg(args, kwargs, 1, "k"), origin)], origin, found)
    return Seq([made, made], origin)


def scattered(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`scatter_nd(indices, updates, shape)`."""
    origin = run.origin("array", name, *args)
    return Array(shape_of(arg(args, kwargs, 2, "shape"), origin)[0], origin, "tensor")


def until(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`sequence_mask(lengths, maxlen)`."""
    found, origin = _of(run, name, args, kwargs, "lengths")
    if found is None:
        return Array(None, origin, "tensor")
    longest = arg(args, kwargs, 1, "maxlen")
    return _made([*(found.dims or ()), Dim(None, origin) if is_none(longest) else dim(longest, origin)], origin, found)


def as_columns(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`column_stack([a, b])`: vectors become columns."""
    given = args[0] if args else Value()
    items: list[Value] = []
    for value in given.items if isinstance(given, Seq) else []:
        found = array(value)
        flat = found is not None and found.dims is not None and len(found.dims) == 1
        here = run.origin("operation", name, value)
        items.append(_made([*(found.dims or ()), Dim(1, here)], here, found) if flat and found is not None else value)
    return joined_arrays(run, items, 1, "the concatenation", of=given) if items else unknown(given)


# -- functions that are given functions -------------------------------------------------------------------------------


def _entered(run: Follower, act: Value | None, args: Sequence[Value]) -> Value:
    from xladoctor.blame.expressions import call

    return call(run, act, list(args), {}) if act is not None else Value()


def mapped(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`map_fn(f, elems)`, `vectorized_map(f, elems)`: along the first axis."""
    given, rows = arg(args, kwargs, 1, "elems"), list[Dim]()

    def one(value: Value) -> Value:
        if isinstance(value, Seq) and any(isinstance(i, Array) for i in value.items):
            return Seq([one(i) for i in value.items], value.origin)
        found = array(value)
        if found is None or not found.dims:
            return unknown(value)
        rows.append(found.dims[0])
        part = Array(found.dims[1:], found.origin, "tensor")
        part.inputs = (found,)
        return part

    def many(value: Value) -> Value:
        if isinstance(value, Seq):
            return Seq([many(i) for i in value.items], value.origin)
        found = array(value)
        if found is None or found.dims is None or not rows:
            return Array(None, value.origin, "tensor")
        return _made([rows[0], *found.dims], found.origin or run.origin("operation", name, value), found)

    element = one(given) if given is not None else Value()
    return many(_entered(run, arg(args, kwargs, 0, "fn"), [element]))


def chosen(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`cond(p, f, g)`: what one of the two gives."""
    ways = [arg(args, kwargs, 1, "true_fn"), arg(args, kwargs, 2, "false_fn")]
    made = [_entered(run, way, []) for way in ways if isinstance(way, Function)]
    return next((v for v in made if type(v) is not Value), made[0] if made else unknown(*args))


def looped(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`while_loop(cond, body, loop_vars)`: one round."""
    given = arg(args, kwargs, 2, "loop_vars")
    act = arg(args, kwargs, 1, "body")
    if not isinstance(given, Seq) or not isinstance(act, Function):
        return unknown(*args)
    made = _entered(run, act, given.items)
    return made if isinstance(made, Seq) and len(made.items) == len(given.items) else given


FUNCTIONS: dict[str, Shaper] = {
    "moveaxis": moved, "rollaxis": moved, "broadcast_to": spread, "matvec": times_vector, "tensordot": contracted,
    "outer": outer, "slice": sliced, "random_crop": cropped, "stateless_random_crop": cropped,
    "crop_to_bounding_box": cropped, "pad_to_bounding_box": cropped, "rgb_to_grayscale": recoloured,
    "grayscale_to_rgb": recoloured, "space_to_depth": blocks, "depth_to_space": blocks, "extract_patches": patches,
    "extract_image_patches": patches, "stft": frames, "frame": frames, "rfft": halved, "irfft": restored,
    "linear_to_mel_weight_matrix": mel_weights, "boolean_mask": masked,
    "top_k": best, "scatter_nd": scattered, "sequence_mask": until, "column_stack": as_columns, "map_fn": mapped,
    "vectorized_map": mapped, "cond": chosen, "while_loop": looped,
}  # fmt: skip
"""By the last part of the name."""

"""Functions on arrays, of NumPy and TensorFlow alike: what shape they give, and what they ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame import rearranging
from xladoctor.blame.algebra import broadcast, conflict, elements, joined_arrays, product, reshaped, same
from xladoctor.blame.arguments import Args, Kwargs, arg, axes_of, is_none, shape_of
from xladoctor.blame.einsum import summed
from xladoctor.blame.elementwise import KEEP, PAIRS, REDUCE
from xladoctor.blame.layer_settings import is_true
from xladoctor.blame.parts import asserted, difference, ensured, gather, gather_nd, logits_loss
from xladoctor.blame.subscripts import is_no_array
from xladoctor.blame.values import Array, Const, Dim, Origin, Seq, Value, array, dim, number, unknown

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Shaper = Callable[["Follower", str, Args, Kwargs], Value]


def keep(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """A function that keeps the shape of its first argument."""
    first = arg(args, kwargs, 0, "x", "input", "features", "logits", "tensor", "a", "inputs")
    return same(first, run, name) if first is not None else Value()


def element_wise(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """A function of two arrays, element by element."""
    given = [*args, *(kwargs[k] for k in ("x", "y", "x1", "x2") if k in kwargs)][:2]
    return broadcast(run, given, f"`{name}`") if given else Value()


def reshape(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`reshape(x, shape)`; as a method also `x.reshape(2, 3)`."""
    source = arg(args, kwargs, 0, "tensor", "a", "x")
    wanted = arg(args, kwargs, 1, "shape", "newshape", "target_shape")
    if len(args) > 2 and isinstance(wanted, Const):
        wanted = Seq([a for a in args[1:] if not isinstance(a, Const) or not isinstance(a.value, str)])
    shape, free = shape_of(wanted, run.origin("reshape", "a reshape"))
    return reshaped(run, source or Value(), shape, free)


def _of_an_array(run: Follower, args: Args) -> None:
    """What is given must have axes."""
    if args and is_no_array(args[0]) and not isinstance(args[0], Seq):
        run.refuse()


def flat(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`ravel`, `flatten`."""
    found = array(args[0]) if args else None
    origin = run.origin("reshape", name, *args)
    if found is None or found.dims is None:
        return Array([Dim(None, origin)], origin)
    made = Array([Dim(elements(found.dims), origin)], origin, found.kind)
    made.integer, made.classes = found.integer, found.classes
    return made


def transpose(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`transpose(x, perm)`."""
    _of_an_array(run, args)
    found = array(args[0]) if args else None
    if found is None or found.dims is None:
        return Array(None, run.origin("operation", "a transpose", *args))
    order = arg(args, kwargs, 1, "perm", "axes", "pattern", "dims")
    axes = axes_of(order) if not isinstance(order, Const) or len(args) < 3 else axes_of(Seq(list(args[1:])))
    origin = run.origin("operation", "a transpose", *args)
    if is_none(order):
        made = Array(found.dims[::-1], origin, found.kind)
    elif axes is not None and (len(axes) != len(found.dims) or not all(-len(axes) <= a < len(axes) for a in axes)):
        sides = [Dim(len(found.dims), found.origin), Dim(len(axes), origin)]
        run.clash("rank", "the transpose", [found, order or found], [None, None], sides)
        made = Array([Dim(None, origin) for _ in axes], origin, found.kind)
    elif axes is None or sorted(a % max(len(found.dims), 1) for a in axes) != list(range(len(axes))):
        made = Array(None, origin, found.kind)
    else:
        made = Array([found.dims[a] for a in axes], origin, found.kind)
    made.inputs = (found,)
    return made


def expand_dims(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`expand_dims(x, axis)`."""
    _of_an_array(run, args)
    found = array(args[0]) if args else None
    axis = number(arg(args, kwargs, 1, "axis", "dim"))
    origin = run.origin("operation", "a new axis", *args)
    if found is None or found.dims is None or axis is None:
        return Array(None, origin)
    at = axis % (len(found.dims) + 1)
    made = Array([*found.dims[:at], Dim(1, origin), *found.dims[at:]], origin, found.kind)
    made.integer, made.classes, made.inputs = found.integer, found.classes, (found,)
    return made


def squeeze(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`squeeze(x, axis)`."""
    _of_an_array(run, args)
    found = array(args[0]) if args else None
    axes = axes_of(arg(args, kwargs, 1, "axis", "squeeze_dims"))
    origin = run.origin("operation", "a squeeze", *args)
    if found is None or found.dims is None:
        return Array(None, origin)
    rank = len(found.dims)
    gone = [a % rank for a in axes] if axes and rank else [i for i, d in enumerate(found.dims) if d.size == 1]
    made = Array([d for i, d in enumerate(found.dims) if i not in gone], origin, found.kind)
    made.inputs = (found,)
    return made


def moments(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.nn.moments(x, axes)`: the mean and the variance."""
    return Seq([reduce(run, name, args, kwargs) for _ in range(2)])


def reduce(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`reduce_mean(x, axis, keepdims)`, `argmax`, `max`, ...; only the first of several is reduced."""
    found = array(args[0]) if args else None
    axis = arg(args, kwargs, 1, "axis", "axes", "reduction_indices", "dimension")
    kept = is_true(arg(args, kwargs, 2, "keepdims", "keep_dims"))
    origin = run.origin("operation", name, *args, axis if len(args) < 2 else None)
    if found is None:
        return unknown(*args)
    if is_none(axis) and not (name.startswith("arg") or kept):
        return Array((), origin, found.kind)
    axes = list(range(1 if name.startswith("arg") else len(found.dims or ()))) if is_none(axis) else axes_of(axis)
    if found.dims is None or axes is None:
        return Array(None, origin, found.kind)
    rank = max(len(found.dims), 1)
    if any(not -rank <= a < rank for a in axes):
        wanted = Dim(max(a + 1 if a >= 0 else -a for a in axes), axis.origin if axis is not None else origin)
        run.clash(
            "rank", f"`{name}`", [found, axis or found], [None, None], [Dim(len(found.dims), found.origin), wanted]
        )
    left = {*range(rank)} - {a % rank for a in axes}
    out = [d if i in left else Dim(1, origin) for i, d in enumerate(found.dims) if kept or i in left]
    made = Array(out, origin, found.kind)
    made.inputs, made.integer = (found,), name.startswith("arg") or None
    return made


def assigned(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`variable.assign(value)`: of the variable's shape."""
    held, given = (array(a) for a in args[:2]) if len(args) > 1 else (None, None)
    if held is None or given is None or held.dims is None or given.dims is None or held.kind != "variable":
        return held or Value()
    if len(held.dims) != len(given.dims):
        sides = [Dim(len(given.dims), given.origin), Dim(len(held.dims), held.origin)]
        run.clash("rank", f"`{name}`", [given, held], [None, None], sides)
    for i, (one, other) in enumerate(zip(given.dims, held.dims, strict=False)):
        if len(held.dims) == len(given.dims) and conflict(one, other):
            run.clash("equal", f"`{name}`", [given, held], [i, i], [one, other])
    return held


def join(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`concat(values, axis)`; TensorFlow's oldest form has the axis first."""
    values, axis = arg(args, kwargs, 0, "values", "arrays", "tup", "inputs"), arg(args, kwargs, 1, "axis", "concat_dim")
    if number(values) is not None and isinstance(axis, Seq):
        values, axis = axis, values
    default = {"vstack": 0, "hstack": 1, "append": 0}.get(name, 0)
    items = values.items if isinstance(values, Seq) else [values] if values is not None else []
    if name == "append" and len(args) > 1:
        items, axis = list(args[:2]), arg(args, kwargs, 2, "axis")
        if is_none(axis):
            return Array([Dim(None, run.origin("operation", name, *items))], run.origin("operation", name, *items))
    if name == "stack" and isinstance(values, Array) and values.dims is not None and is_none(axis):
        return same(values, run, "the stack")  # of a list that nobody counted
    if name == "stack":
        return joined_arrays(run, items, number(axis) or 0, "the stack", new=True, of=values)
    if not isinstance(values, Seq) and name != "append":
        return Array(None, run.origin("operation", name, *args))
    at = number(axis)
    return joined_arrays(run, items, default if at is None else at, "the concatenation", asked=axis, of=values)


def multiply(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`matmul(a, b)` and `dot`."""
    one, other = arg(args, kwargs, 0, "a", "x", "x1"), arg(args, kwargs, 1, "b", "y", "x2")
    flips = [arg(args, kwargs, -1, *names) for names in (("transpose_a", "adjoint_a"), ("transpose_b", "adjoint_b"))]
    flip = tuple(isinstance(f, Const) and f.value is True for f in flips)
    if one is None or other is None:
        return Value()
    return product(run, one, other, f"`{name}`", (flip[0], flip[1]))


def dense_from(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.nn.xw_plus_b(x, w, b)`."""
    made = product(run, args[0], args[1], "`xw_plus_b`") if len(args) > 1 else Value()
    return broadcast(run, [made, args[2]], "the bias") if len(args) > 2 else made


def one_hot(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`one_hot(indices, depth)`, `to_categorical(y, num_classes)`."""
    found = array(arg(args, kwargs, 0, "indices", "y", "x"))
    depth = arg(args, kwargs, 1, "depth", "num_classes", "nb_classes")
    origin = run.origin("constant", name, *args)
    if found is None or found.dims is None:
        return Array(None, replace(origin, text=COUNTED) if is_none(depth) else origin)
    old = found.dims
    if name == "to_categorical" and len(old) > 1 and old[-1].size == 1:
        old = old[:-1]
    counted = Origin(origin.kind, origin.file, origin.line, COUNTED, origin.parents)
    last = dim(depth, origin) if not is_none(depth) else Dim(found.classes.size if found.classes else None, counted)
    made = Array([*old, last], origin, found.kind)
    made.inputs, made.integer = (found,), False
    return made


COUNTED = "a one-hot coding of as many columns as there are numbers"


def pad_sequences(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`pad_sequences(sequences, maxlen)`."""
    found, length = array(arg(args, kwargs, 0, "sequences")), arg(args, kwargs, 1, "maxlen")
    origin = run.origin("array", name, *args)
    rows = found.dims[0] if found is not None and found.dims else Dim(None, origin)
    return Array([rows, dim(length, origin) if not is_none(length) else Dim(None, origin)], origin)


def tile(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tile(x, multiples)`."""
    found, by = array(args[0]) if args else None, arg(args, kwargs, 1, "multiples", "reps")
    origin = run.origin("operation", name, *args)
    if found is None or found.dims is None or not isinstance(by, Seq) or len(by.items) != len(found.dims):
        return Array(None, origin)
    out = []
    for old, item in zip(found.dims, by.items, strict=True):
        times = number(item)
        made = None if times is None or old.size is None else old.size * times
        out.append(old if times == 1 else Dim(made, origin))
    return Array(out, origin, found.kind)


def repeat(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`repeat(x, repeats, axis)`."""
    found, times = array(args[0]) if args else None, number(arg(args, kwargs, 1, "repeats"))
    along = arg(args, kwargs, 2, "axis")
    axis, origin = number(along), run.origin("operation", name, *args)
    if along is None:
        return Array([Dim(None, origin)], origin)
    if found is None or axis is None or not found.dims:
        return Array(None, origin)
    at = axis % len(found.dims)
    old = found.dims[at].size
    new = Dim(None if old is None or times is None else old * times, origin)
    return Array([*found.dims[:at], new, *found.dims[at + 1 :]], origin, found.kind)


def split(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`split(x, n, axis)`."""
    found = array(args[0]) if args else None
    parts = arg(args, kwargs, 1, "num_or_size_splits", "indices_or_sections")
    axis, origin = number(arg(args, kwargs, 2, "axis")) or 0, run.origin("split", name, *args)
    if (
        found is not None
        and found.dims
        and not (-len(found.dims) <= axis < len(found.dims) and not found.dims[axis].batch)
    ):
        run.refuse()
    if found is None or found.dims is None or not found.dims:
        return unknown(*args)
    at, count = axis % len(found.dims), number(parts)
    old = found.dims[at].size
    if isinstance(parts, Seq) and name == "split":
        sizes = [number(p) for p in parts.items]
    elif count:
        if old is not None and old % count and name == "split":
            asked = Dim(count, parts.origin if parts is not None else origin)
            values = [found, parts if parts is not None else found]
            run.clash("elements", "the split", values, [at, None], [found.dims[at], asked])
        sizes = [None if old is None else old // count] * min(count, 64)
    else:
        return unknown(*args)
    made = [Array([*found.dims[:at], Dim(s, origin), *found.dims[at + 1 :]], origin, found.kind) for s in sizes]
    return Seq(made, origin)


def shape(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.shape(x)`, `x.shape`: its sizes keep their origins."""
    found = array(args[0]) if args else None
    if found is None or found.dims is None:
        return unknown(*args)
    return Seq([Const(d.size, d.origin, d) if d.size is not None else _open(d) for d in found.dims], found.origin)


def _open(found: Dim) -> Value:
    made = Const(None, found.origin, found)
    return made


def unstack(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`unstack(x, num, axis)`."""
    found, axis = array(args[0]) if args else None, number(arg(args, kwargs, 2, "axis")) or 0
    if found is None or not found.dims:
        return unknown(*args)
    at = axis % len(found.dims)
    one = Array([*found.dims[:at], *found.dims[at + 1 :]], found.origin, found.kind)
    return Seq([one] * min(found.dims[at].size or 1, 64), found.origin)


def pad(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`pad(x, paddings)`."""
    found, by = array(args[0]) if args else None, arg(args, kwargs, 1, "paddings", "pad_width")
    origin = run.origin("operation", name, *args)
    if found is None or found.dims is None or not isinstance(by, Seq) or len(by.items) != len(found.dims):
        return Array(None, origin)
    out = []
    for old, item in zip(found.dims, by.items, strict=True):
        more = [number(v) for v in item.items] if isinstance(item, Seq) else [None]
        sure = None not in more and old.size is not None
        out.append(
            old if more == [0, 0] else Dim((old.size or 0) + sum(m or 0 for m in more) if sure else None, origin)
        )
    return Array(out, origin, found.kind)


def resize(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.image.resize(images, (height, width))`."""
    found, size = array(arg(args, kwargs, 0, "images", "image")), arg(args, kwargs, 1, "size")
    origin = run.origin("reshape", "a resize", *args)
    new = [dim(item, origin) for item in size.items] if isinstance(size, Seq) else []
    if found is None or found.dims is None or len(new) != 2 or len(found.dims) < 3:
        return Array(None, origin, "tensor")
    made = Array([*found.dims[:-3], *new, found.dims[-1]], origin, "tensor")
    made.inputs = (found,)
    return made


def swapaxes(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`swapaxes(x, a, b)`."""
    found = array(args[0]) if args else None
    ends = [number(a) for a in args[1:3]]
    origin = run.origin("operation", "a transpose", *args)
    if found is None or not found.dims or len(ends) < 2 or None in ends:
        return Array(None, origin)
    out, (a, b) = list(found.dims), [(e or 0) % len(found.dims) for e in ends]
    out[a], out[b] = out[b], out[a]
    return Array(out, origin, found.kind)


ROWS_DROPPED = "rows are dropped"


def rows_dropped(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`dropna` and the like: how many rows are left, the data tell."""
    found = array(args[0]) if args else None
    origin = run.origin("slice", ROWS_DROPPED, *args)
    if found is None or not found.dims:
        return Value(origin, args)
    made = Array([Dim(None, origin), *found.dims[1:]], origin, found.kind)
    made.inputs = (found,)
    return made


FUNCTIONS: dict[str, Shaper] = {
    **dict.fromkeys(KEEP, keep),
    **dict.fromkeys(REDUCE, reduce), "moments": moments,
    **dict.fromkeys(PAIRS, element_wise),
    **dict.fromkeys(("dropna", "drop_duplicates", "query"), rows_dropped),
    **rearranging.FUNCTIONS,
    "reshape": reshape, "ravel": flat, "flatten": flat, "transpose": transpose, "permute_dimensions": transpose,
    "expand_dims": expand_dims, "squeeze": squeeze, "swapaxes": swapaxes, "concat": join, "concatenate": join,
    "stack": join, "vstack": join, "hstack": join, "append": join, "matmul": multiply, "dot": multiply,
    "einsum": summed, "assign": assigned, "assign_add": assigned, "assign_sub": assigned, "xw_plus_b": dense_from,
    "one_hot": one_hot, "to_categorical": one_hot, "tile": tile, "repeat": repeat,
    "split": split, "array_split": split, "gather": gather, "take": gather, "gather_nd": gather_nd,
    "ensure_shape": ensured, "diff": difference,
    "assert_shapes": asserted, "pad_sequences": pad_sequences,
    "embedding_lookup": gather, "shape": shape,
    "int_shape": shape, "unstack": unstack, "unbind": unstack, "pad": pad,
    "softmax_cross_entropy_with_logits": logits_loss, "softmax_cross_entropy_with_logits_v2": logits_loss,
    "sparse_softmax_cross_entropy_with_logits": logits_loss, "sigmoid_cross_entropy_with_logits": logits_loss,
    "softmax_cross_entropy": logits_loss, "mean_squared_error": logits_loss, "sigmoid_cross_entropy": logits_loss,
    "sparse_softmax_cross_entropy": logits_loss,
}  # fmt: skip
"""By the last part of the name."""

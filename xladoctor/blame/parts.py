"""Parts of arrays: what is gathered, differences along an axis, shapes that a program asserts, and losses of logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import broadcast, conflict
from xladoctor.blame.arguments import Args, Kwargs, arg, shape_of
from xladoctor.blame.values import Array, Const, Dim, Map, Seq, Value, array, dims, number, text, unknown

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def gather(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`gather(x, indices, axis=...)`, `np.take`, `embedding_lookup`."""
    found, by = array(args[0]) if args else None, array(arg(args, kwargs, 1, "indices", "ids"))
    origin = run.origin("operation", name, *args)
    given = arg(args, kwargs, 2 if name == "take" else 3, "axis")
    axis = 0 if given is None else number(given)
    if found is None or by is None or not found.dims or by.dims is None or axis is None or "batch_dims" in kwargs:
        return Array(None, origin, "tensor")
    at = axis % len(found.dims)
    made = Array([*found.dims[:at], *by.dims, *found.dims[at + 1 :]], origin, "tensor")
    made.inputs = (found,) if by.dims else ()
    return made


def gather_nd(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`gather_nd(x, indices)`: each row of the last axis of the indices is a place in x."""
    found, by = array(args[0]) if args else None, array(arg(args, kwargs, 1, "indices"))
    origin = run.origin("operation", name, *args)
    deep = by.dims[-1].size if by is not None and by.dims else None
    if found is None or found.dims is None or by is None or by.dims is None or deep is None or "batch_dims" in kwargs:
        return Array(None, origin, "tensor")
    return Array([*by.dims[:-1], *found.dims[deep:]], origin, "tensor")


def ensured(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`ensure_shape(x, shape)`: the sizes that are named must be there."""
    found, wanted = array(args[0]) if args else None, dims(arg(args, kwargs, 1, "shape"), run.origin("reshape", name))
    if found is None or found.dims is None or wanted is None or len(found.dims) != len(wanted):
        return found if found is not None and wanted is None else Array(wanted, run.origin("reshape", name, *args))
    for axis, (have, asked) in enumerate(zip(found.dims, wanted, strict=True)):
        if have.size is not None and asked.size is not None and have.size != asked.size:
            run.clash("equal", f"`{name}`", [found, args[1]], [axis, None], [have, asked])
    return Array([w if w.size is not None else h for h, w in zip(found.dims, wanted, strict=True)], found.origin)


def difference(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.diff(x, n, axis)`: `n` fewer along the axis, which is the last where none is named."""
    found = array(args[0]) if args else None
    times, axis = arg(args, kwargs, 1, "n"), arg(args, kwargs, 2, "axis")
    less, along = (1 if times is None else number(times)), (-1 if axis is None else number(axis))
    origin = run.origin("operation", "a difference along an axis", *args)
    if found is None or not found.dims or less is None or along is None:
        return Array(None, origin)
    at = along % len(found.dims)
    old = found.dims[at].size
    made = Dim(None if old is None else old - less, origin)
    out = Array([*found.dims[:at], made, *found.dims[at + 1 :]], origin, found.kind)
    out.inputs = (found,)
    return out


def asserted(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`assert_shapes([(x, ("B", "N", 3)), ...])`: one letter stands for one size."""
    given = arg(args, kwargs, 0, "shapes")
    pairs = list(given.items.items()) if isinstance(given, Map) else []
    if isinstance(given, Seq):
        pairs = [(i.items[0], i.items[1]) for i in given.items if isinstance(i, Seq) and len(i.items) == 2]
    known: dict[str | int, tuple[Array, int, Dim]] = {}
    for value, letters in pairs:
        found = array(value) if isinstance(value, Value) else None
        if found is None or found.dims is None or not isinstance(letters, Seq) or len(letters.items) != len(found.dims):
            continue
        for axis, (letter, here) in enumerate(zip(letters.items, found.dims, strict=True)):
            key = text(letter) or number(letter)
            fixed = Dim(number(letter), letter.origin) if number(letter) is not None else None
            if key is None or (isinstance(key, str) and not key.isidentifier()):
                continue
            other, at, size = known.setdefault(key, (found, axis, fixed or here))
            if conflict(size, here):
                run.clash("equal", "`assert_shapes`", [other, found], [at, axis], [size, here])
    return Const(None)


SETS = "`set_shape`"


def declared(run: Follower, holder: Array, shape: Value | None) -> Value:
    """`x.set_shape(shape)`: from here on the graph believes it, true or not."""
    wanted = shape_of(shape, run.origin("input", "set_shape", shape))[0]
    if wanted is None:
        return Const(None)
    old = holder.dims if holder.dims is not None and len(holder.dims) == len(wanted) else None
    for axis, (have, want) in enumerate(zip(old or (), wanted, strict=False)):
        if conflict(have, want):
            given = Array(wanted, want.origin)
            run.clash("equal", SETS, [holder, given], [axis, axis], [have, want])
    if holder.dims is None:
        holder.dims = wanted
    elif old is not None:
        holder.dims = tuple(have if want.size is None else want for have, want in zip(old, wanted, strict=True))
    return Const(None)


def counted(run: Follower, value: Value) -> Value:
    """How many things there are that nobody counted here: the line that asks for it makes the number."""
    return Value(run.origin("call", COUNTS, value), (unknown(value),))


COUNTS = "a count of things"


def logits_loss(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`softmax_cross_entropy_with_logits(labels, logits)` and the like."""
    sparse = name.startswith("sparse")
    labels = arg(args, kwargs, 0, "labels", "onehot_labels", "y_true", "_sentinel")
    logits = arg(args, kwargs, 1, "logits", "y_pred", "predictions")
    one, other = array(labels), array(logits)
    origin = run.origin("loss", name, labels, logits)
    if one is None or other is None or one.dims is None or other.dims is None:
        return Array(None, origin, "tensor")
    if sparse:
        if len(one.dims) != len(other.dims) - 1:
            sides = [Dim(len(one.dims), one.origin), Dim(len(other.dims), other.origin)]
            run.clash("rank", f"`{name}`", [one, other], [None, None], sides, hint="sparse")
        return Array(one.dims, origin, "tensor")
    if len(one.dims) != len(other.dims):
        sides = [Dim(len(one.dims), one.origin), Dim(len(other.dims), other.origin)]
        run.clash("rank", f"`{name}`", [one, other], [None, None], sides, hint="labels")
        return Array(other.dims[:-1], origin, "tensor")
    broadcast(run, [one, other], f"`{name}`")
    return Array(other.dims[:-1], origin, "tensor")

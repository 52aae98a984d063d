"""How data come to a model: `tf.data` pipelines, splits, loops over them, and what a session is fed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import conflict
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.values import (
    Array,
    Const,
    Dataset,
    Dim,
    Function,
    Map,
    Seq,
    Value,
    array,
    dim,
    number,
    unknown,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def from_slices(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`Dataset.from_tensor_slices(x)`."""
    given = arg(args, kwargs, 0, "tensors")
    whole = name.endswith("from_tensors")
    rows: list[Dim] = []

    def element(value: Value) -> Value:
        if isinstance(value, Seq) and any(isinstance(i, Array | Seq | Map) for i in value.items):
            return Seq([element(i) for i in value.items], value.origin)
        if isinstance(value, Map):
            return Map({k: element(v) for k, v in value.items.items()}, value.origin)
        found = array(value)
        if found is None or not found.dims:
            return Array(None, found.origin if found is not None else value.origin, "tensor")
        rows.append(found.dims[0])
        made = Array(found.dims if whole else found.dims[1:], found.origin, "tensor")
        made.integer, made.classes, made.name = found.integer, found.classes, found.name
        made.aliases = found.aliases
        return made

    made = Dataset(element(given) if given is not None else Value(), run.origin("stage", name))
    for other in rows[1:]:
        if conflict(rows[0], other) and not whole:
            run.clash("rows", f"`{name}`", [given or Value()], [0], [rows[0], other], hint="rows")
    made.rows = rows[0] if rows else None
    return made


def from_generator(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`Dataset.from_generator(f, output_signature=...)`: the shapes are what is declared."""
    from xladoctor.blame.expressions import call

    act = arg(args, kwargs, 0, "generator")
    given = call(run, act, [], {}) if isinstance(act, Function) else None
    declared = kwargs.get("output_signature") or kwargs.get("output_shapes") or arg(args, kwargs, 2)
    element = given.element if isinstance(given, Dataset) else Value()
    if declared is not None and not isinstance(element, Seq | Array):
        element = declared
    return Dataset(element, run.origin("stage", name))


def stage(run: Follower, name: str, data: Dataset, args: Args, kwargs: Kwargs) -> Value:
    """One stage of a pipeline."""
    origin = run.origin("stage", f"`{name}`", data)
    made = Dataset(data.element, origin, data.rows)
    made.batch, made.size, made.whole, made.endless = data.batch, data.size, data.whole, data.endless
    if name in ("batch", "padded_batch"):
        size = dim(arg(args, kwargs, 0, "batch_size"), run.origin("batch-size", "a batch", *args))
        rest = kwargs.get("drop_remainder")
        whole = isinstance(rest, Const) and rest.value is True
        if data.batch is not None:
            made.rows = _batches(data)  # batches of batches
        alone = made.rows is not None and made.rows.size == size.size  # one batch of all there is
        made.element = _batched(data.element, Dim(size.size if whole or alone else None, size.origin, batch=True))
        made.batch, made.size, made.whole = run.origin("stage", "`batch`"), size.size, whole or data.endless
        run.made.append(made)
    elif name == "repeat" and not args and not kwargs:
        made.endless = True
    elif name in ("take", "skip", "repeat", "filter"):
        made.rows, made.endless = None, False
    elif name == "window":
        rest = kwargs.get("drop_remainder") or arg(args, kwargs, 3)
        made.whole = isinstance(rest, Const) and rest.value is True
        size = dim(arg(args, kwargs, 0, "size"), run.origin("batch-size", "a window", *args))
        made.element, made.batch = _windowed(data.element, Dim(size.size if made.whole else None, size.origin)), None
        run.made.append(made)
    elif name == "map" and args:
        from xladoctor.blame.expressions import call

        inner = data.element
        made.element = call(run, args[0], list(inner.items) if isinstance(inner, Seq) else [inner], {})
    elif name in ("flat_map", "interleave") and args:
        from xladoctor.blame.expressions import call

        inner = data.element
        found = call(run, args[0], list(inner.items) if isinstance(inner, Seq) else [inner], {})
        made.element = found.element if isinstance(found, Dataset) else Value(origin)
    elif name == "concatenate":
        made.rows = None
    elif name == "enumerate":
        made.element = Seq([Value(origin), data.element], origin)
    elif name == "unbatch":
        made.element, made.batch = _unbatched(data.element), None
    elif name == "group_by_window":
        made.element = Value(origin)
    return made


def _batches(data: Dataset) -> Dim | None:
    """How many batches a pipeline has."""
    if data.rows is None or not data.rows.size or not data.size:
        return None
    rows, size = data.rows.size, data.size
    return Dim(rows // size if data.whole else -(-rows // size), data.rows.origin)


def _unbatched(element: Value) -> Value:
    if isinstance(element, Seq):
        return Seq([_unbatched(item) for item in element.items], element.origin)
    if isinstance(element, Map):
        return Map({k: _unbatched(v) for k, v in element.items.items()}, element.origin)
    found = array(element)
    if found is None or not found.dims:
        return Array(None, element.origin, "tensor")
    made = Array(found.dims[1:], found.origin, "tensor")
    made.integer, made.classes, made.name, made.aliases = found.integer, found.classes, found.name, found.aliases
    return made


def _windowed(element: Value, size: Dim) -> Value:
    """Each part of an element as a pipeline of its own, of so many rows."""
    if isinstance(element, Seq):
        return Seq([_windowed(item, size) for item in element.items], element.origin)
    if isinstance(element, Map):
        return Map({k: _windowed(v, size) for k, v in element.items.items()}, element.origin)
    return Dataset(element, element.origin, size)


def _batched(element: Value, size: Dim) -> Value:
    if isinstance(element, Seq):
        return Seq([_batched(i, size) for i in element.items], element.origin)
    if isinstance(element, Map):
        return Map({k: _batched(v, size) for k, v in element.items.items()}, element.origin)
    found = array(element)
    if found is None or found.dims is None:
        return Array(None, element.origin, "tensor")
    made = Array([size, *found.dims], found.origin, "tensor")
    made.integer, made.classes, made.name = found.integer, found.classes, found.name
    made.aliases = found.aliases
    return made


def zipped(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`Dataset.zip((a, b))`."""
    given = args[0].items if len(args) == 1 and isinstance(args[0], Seq) else list(args)
    elements = [d.element if isinstance(d, Dataset) else Value() for d in given]
    return Dataset(Seq(elements), run.origin("stage", "zip", *given))


def timeseries(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`timeseries_dataset_from_array(data, targets, sequence_length, batch_size)`: batches of windows."""
    origin = run.origin("stage", name)
    found, targets = array(arg(args, kwargs, 0, "data")), array(arg(args, kwargs, 1, "targets"))
    length = dim(arg(args, kwargs, 2, "sequence_length"), origin)
    batch = Dim(None, origin, batch=True)
    x = Array([batch, length, *(found.dims or ())[1:]], origin, "tensor") if found is not None else Value(origin)
    y = Array([batch, *(targets.dims or ())[1:]], targets.origin, "tensor") if targets is not None else Value(origin)
    if isinstance(y, Array) and targets is not None:
        y.name, y.aliases = targets.name, targets.aliases
    made = Dataset(Seq([x, y]), origin)
    made.batch = origin
    return made


def train_test_split(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`train_test_split(x, y, ...)`: two parts of each, with other rows."""
    out: list[Value] = []
    rows = [(array(a), a) for a in args]
    known = [a for a, _ in rows if a is not None and a.dims]
    for other in known[1:]:
        if known[0].dims and other.dims and conflict(known[0].dims[0], other.dims[0]):
            run.clash("rows", f"`{name}`", [known[0], other], [0, 0], [known[0].dims[0], other.dims[0]], hint="rows")
    for found, value in rows:
        if found is None or not found.dims:
            out += [unknown(value), unknown(value)]
            continue
        for _ in range(2):
            part = Array([Dim(None, run.origin("split", name, value)), *found.dims[1:]], found.origin, found.kind)
            part.integer, part.classes = found.integer, found.classes
            out.append(part)
    return Seq(out, run.origin("split", name, *args))


def session_run(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`session.run(fetches, feed_dict)`: what is fed must fit its placeholder."""
    feeds = arg(args, kwargs, 1, "feed_dict")
    if isinstance(feeds, Map):
        for key, value in feeds.items.items():
            feed(run, key, value)
    fetches = arg(args, kwargs, 0, "fetches")
    if isinstance(fetches, Array):
        return Array(fetches.dims, fetches.origin)
    if isinstance(fetches, Seq):
        return Seq([Array(f.dims, f.origin) if isinstance(f, Array) else unknown(f) for f in fetches.items])
    return unknown(fetches)


def feed(run: Follower, key: object, value: Value, what: str = "the feed") -> None:
    """One value that is fed, or given to a function with a signature."""
    have = array(value)
    if not isinstance(key, Array) or key.dims is None or have is None or have.dims is None:
        return
    if len(have.dims) != len(key.dims):
        sides = [Dim(len(have.dims), have.origin), Dim(len(key.dims), key.origin)]
        run.clash("rank", what, [have, key], [None, None], sides, hint="feed")
        return
    for axis, (left, right) in enumerate(zip(have.dims, key.dims, strict=True)):
        if conflict(left, right):
            run.clash("feed", what, [have, key], [axis, axis], [left, right], hint="feed")
            return


def take(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`zip`, `enumerate`: tuples of what goes in."""
    parts = [items_of(a) for a in args]
    is_open = all(not isinstance(a, Seq) or a.is_open for a in args)
    if name.endswith("enumerate"):
        if is_open and parts:
            return Seq([Seq([Value(), item]) for item in parts[0]], is_open=True)
        return Seq([Seq([Const(i), item]) for i, item in enumerate(parts[0][:64])] if parts else [])
    count = min((len(p) for p in parts), default=0)
    return Seq([Seq([p[i] for p in parts]) for i in range(min(count, 64))], is_open=is_open)


def items_of(value: Value) -> list[Value]:
    """The items that a loop would meet; one that stands for all where they are not known."""
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Dataset):
        return [value.element]
    if isinstance(value, Array) and value.dims:
        return [Array(value.dims[1:], value.origin, value.kind)]
    return [unknown(value)]


def whole_range(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`range(...)`: the numbers, where they are few."""
    numbers = [number(a) for a in args[:3]]
    if not numbers or any(n is None for n in numbers):
        return Seq([Value(run.origin("call", "range", *args))])
    bounds = [n for n in numbers if n is not None]
    if len(bounds) == 3 and not bounds[2]:
        return Seq([])
    found = range(*bounds)
    shown = list(found) if len(found) <= 32 else list(found)[:2]
    return Seq([Const(n, run.origin("constant", "range", *args)) for n in shown], None, len(found))


def check_signature(run: Follower, function: Function, args: Args) -> None:
    """What is given must fit the `input_signature` of a `tf.function`."""
    for decorator in getattr(function.node, "decorator_list", ()):
        asked = [k.value for k in getattr(decorator, "keywords", ()) if k.arg == "input_signature"]
        specs = run.value(asked[0], function.scope) if asked else None
        if isinstance(specs, Seq):
            for spec, given in zip(specs.items, args, strict=False):
                feed(run, spec, given, "the signature")

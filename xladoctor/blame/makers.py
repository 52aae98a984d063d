"""Functions that make arrays: of zeros, at random, read from files, declared as placeholders and variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame.algebra import broadcast, same
from xladoctor.blame.arguments import Args, Kwargs, arg, is_none, shape_of
from xladoctor.blame.values import (
    Array,
    Const,
    Dim,
    Library,
    Seq,
    Value,
    array,
    dim,
    is_at,
    number,
    text,
    unknown,
)  # fmt: skip
from xladoctor.model.blame import StepKind

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Maker = Callable[["Follower", str, Args, Kwargs], Value]


def _made(run: Follower, shape: Value | None, kind: StepKind, what: str, of: str = "array") -> Array:
    origin = run.origin(kind, what, shape)
    if is_none(shape):
        return Array(None if kind == "placeholder" else (), origin, of)
    found = array(shape)
    if any(text(item) is not None for item in (shape.items if isinstance(shape, Seq) else [shape])):
        run.refuse()
    if not isinstance(shape, Seq | Const) and found is not None:
        return Array([dim(shape, origin)] if found.dims == () else None, origin, of)
    return Array(shape_of(shape, origin)[0], origin, of)


def of_shape(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`zeros(shape)` and the like."""
    kind = "array" if name.startswith("numpy") else "tensor"
    return _made(run, arg(args, kwargs, 0, "shape", "dims", "size"), "array", name, kind)


def spec(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.TensorSpec(shape, dtype)`."""
    return _made(run, arg(args, kwargs, 0, "shape"), "input", "TensorSpec", "tensor")


def of_size(at: int) -> Maker:
    """A random function of NumPy whose `size` stands at this place; without it one draw for each item given."""

    def make(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
        size = arg(args, kwargs, at, "size", "shape")
        given = [v for v in [*args[:at], *kwargs.values()] if isinstance(v, Array) and v.dims != ()]
        return broadcast(run, given, f"`{name}`") if is_none(size) and given else _made(run, size, "array", name)

    return make


def of_dims(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.random.rand(d0, d1, ...)`."""
    origin = run.origin("array", name, *args)
    if len(args) == 1 and not isinstance(args[0], Const):
        return Array(None, origin)
    return Array([dim(a, origin) for a in args], origin)


def integers(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.random.randint(low, high, size)`: labels, where the numbers are few."""
    low, high = arg(args, kwargs, 0, "low"), arg(args, kwargs, 1, "high")
    made = _made(run, arg(args, kwargs, 2, "size"), "array", name)
    made.integer = True
    bound = high if not is_none(high) else low
    if number(bound) is not None:
        made.classes = dim(bound, made.origin)
    return made


def choice(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.random.choice(a, size)`."""
    made = _made(run, arg(args, kwargs, 1, "size"), "array", name)
    made.integer = number(arg(args, kwargs, 0, "a")) is not None or None
    return made


def permutation(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.random.permutation(x)`: of the numbers below x, or of the rows of an array."""
    found = array(args[0]) if args else None
    return arange(run, name, args[:1], {}) if found is not None and found.dims == () else same(args[0], run, name)


def uniform(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.random.uniform(shape, minval, maxval, dtype)`."""
    made = _made(run, arg(args, kwargs, 0, "shape"), "array", name, "tensor")
    high = arg(args, kwargs, 2, "maxval")
    if number(high) not in (None, 1):
        made.classes, made.integer = dim(high, made.origin), True
    return made


def arange(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`arange(start, stop, step)` and `range`."""
    origin = run.origin("array", name, *args)
    numbers = [number(a) for a in args[:3]]
    if not numbers or any(n is None for n in numbers):
        return Array([Dim(None, origin)], origin)
    bounds = [n for n in numbers if n is not None]
    made = Array([Dim(len(range(*bounds)) if len(bounds) < 3 or bounds[2] else None, origin)], origin)
    made.integer = True
    return made


def linspace(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`linspace(start, stop, num)`."""
    origin = run.origin("array", name, *args)
    count = arg(args, kwargs, 2, "num")
    return Array([dim(count, origin) if count is not None else Dim(50, origin)], origin)


def meshgrid(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`meshgrid(x, y, ..., indexing="xy")`: an array for each, of all their sizes."""
    origin = run.origin("array", name, *args)
    ends = [a.dims[0] for v in args if (a := array(v)) is not None and a.dims]
    if len(ends) != len(args) or not ends:
        return unknown(*args)
    order = kwargs.get("indexing")
    if not (isinstance(order, Const) and order.value == "ij"):
        ends[:2] = ends[1::-1]
    return Seq([Array(ends, origin) for _ in args], origin)


def eye(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`eye(n, m)`."""
    origin = run.origin("array", name, *args)
    rows = dim(arg(args, kwargs, 0, "N", "num_rows"), origin)
    columns = arg(args, kwargs, 1, "M", "num_columns")
    return Array([rows, rows if is_none(columns) else dim(columns, origin)], origin)


def converted(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.array(x)`, `tf.constant(x, dtype, shape)`."""
    source = arg(args, kwargs, 0, "object", "value", "initial_value", "a", "data", "input")
    shape = arg(args, kwargs, 2, "shape") if name.endswith("constant") else None
    if not is_none(shape):
        return _made(run, shape, "array", name, "tensor")
    found = array(source)
    if found is None:
        return Value(run.origin("array", name, source))
    where = found.origin if isinstance(source, Array) and source.dims is not None else run.origin("array", name, source)
    made = Array(found.dims, where, "array" if name.startswith("numpy") else "tensor")
    made.integer, made.classes, made.inputs = found.integer, found.classes, found.inputs
    if isinstance(source, Seq) and source.items:
        numbers = [number(i) for i in source.items]
        if all(n is not None for n in numbers):
            made.integer = True
    return made


def variable(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.Variable(initial)`, `tf.get_variable(name, shape)`, `add_weight(shape=...)`."""
    if name.endswith("get_variable"):
        shape = arg(args, kwargs, 1, "shape")
        if is_none(shape):
            return converted(run, "tensorflow.constant", [v for k, v in kwargs.items() if k == "initializer"], {})
        return _made(run, shape, "variable", "a variable", "variable")
    if name == "add_weight" or name == "add_variable":
        shape = arg(args, kwargs, -1, "shape")
        if is_none(shape):
            shape = next((a for a in args if isinstance(a, Seq)), None)
        return _made(run, shape, "variable", "a weight", "variable")
    found = array(arg(args, kwargs, 0, "initial_value"))
    if found is None:
        return Array(None, run.origin("variable", "a variable", *args), "variable")
    here = run.origin("variable", "the variable", *args)
    made = [
        Dim(d.size, replace(d.origin, kind="variable") if is_at(d.origin, here) else d.origin) for d in found.dims or ()
    ]
    return Array(made if found.dims is not None else None, here, "variable")


def placeholder(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.placeholder(dtype, shape)`."""
    made = _made(run, arg(args, kwargs, 1, "shape"), "placeholder", "the placeholder", "placeholder")
    dtype = arg(args, kwargs, 0, "dtype")
    if isinstance(dtype, Library):
        made.integer = dtype.name.rpartition(".")[2].startswith(("int", "uint"))
    return made


def keras_input(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`keras.Input(shape, batch_size)`."""
    whole = arg(args, kwargs, -1, "batch_shape", "batch_input_shape")
    if not is_none(whole):
        return _made(run, whole, "input", "Input", "symbolic")
    made = _made(run, arg(args, kwargs, 0, "shape", "input_shape"), "input", "Input", "symbolic")
    size = arg(args, kwargs, 1, "batch_size")
    batch = Dim(None, None, batch=True) if is_none(size) else dim(size, run.origin("batch-size", "a batch size", size))
    if made.dims is not None:
        made.dims = (batch, *made.dims)
    made.name = text(kwargs.get("name")) or ""
    return made


_SETS = {
    "mnist": (60000, 10000, (28, 28), 10),
    "fashion_mnist": (60000, 10000, (28, 28), 10),
    "cifar10": (50000, 10000, (32, 32, 3), 10),
    "cifar100": (50000, 10000, (32, 32, 3), 100),
    "imdb": (25000, 25000, (), 2),
    "reuters": (8982, 2246, (), 46),
    "boston_housing": (404, 102, (13,), 0),
    "california_housing": (16512, 4128, (8,), 0),
}


def keras_set(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`keras.datasets.mnist.load_data()`."""
    known = _SETS.get(name.split(".")[-2])
    origin = run.origin("read", name)
    if known is None:
        return Value(origin)
    train, test, inner, classes = known

    def pair(rows: int) -> Seq:
        x = Array([Dim(rows, origin), *(Dim(n, origin) for n in inner)], origin)
        y = Array([Dim(rows, origin), *([Dim(1, origin)] if name.split(".")[-2].startswith("cifar") else [])], origin)
        y.integer = bool(classes)
        y.classes = Dim(classes, origin) if classes else None
        return Seq([x, y], origin)

    return Seq([pair(train), pair(test)], origin)


def frame(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`pd.read_csv(...)`, `pd.DataFrame({...})`: rows and columns."""
    origin = run.origin("read" if "read" in name else "array", name.rpartition(".")[2], *args)
    data = arg(args, kwargs, 0, "data") if "read" not in name else None
    found = array(data)
    if found is not None and found.dims is not None:
        return Array(found.dims, origin, "frame")
    from xladoctor.blame.values import Map

    if isinstance(data, Map) and data.items:
        column = array(next(iter(data.items.values())))
        rows = column.dims[0] if column is not None and column.dims else Dim(None, origin)
        return Array([rows, Dim(len(data.items), origin)], origin, "frame")
    return Array([Dim(None, origin), Dim(None, origin)], origin, "frame")


def read(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.load` and the like: nothing is known but that it was read."""
    return Value(run.origin("read", name.rpartition(".")[2], *args))


def stored(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.savez(file, x=..., y=...)`: what a later line reads from a file by one of these keys."""
    run.stored |= {key: found for key, value in kwargs.items() if (found := array(value)) is not None}
    return Const(None)


def of_stored(run: Follower, holder: Value, key: str) -> Value:
    """`np.load(file)["x"]`, with the shape that the program itself stored by that key."""
    known = run.stored.get(key)
    origin = run.origin("read", f"the array {key!r}", holder, known)
    made = Array(known.dims if known is not None else None, origin)
    made.inputs = (known,) if known is not None else ()
    return made


def activation(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`keras.activations.get("relu")`: whichever it is, a function that keeps the shape."""
    return Library("keras.activations.relu")


def generator(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`np.random.default_rng()`: its methods are those of `np.random`; of `tf.random.Generator`, of `tf.random`."""
    return Library("tensorflow.random" if name.rpartition(".")[2] in _OF_TENSORFLOW else "numpy.random")


_OF_TENSORFLOW = frozenset({"from_seed", "from_non_deterministic_state", "get_global_generator"})


def from_python(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`numpy_function(f, inputs, types)`: a tensor of each type, of no known shape."""
    types, origin = arg(args, kwargs, 2, "Tout"), run.origin("call", f"`{name}`", *args)
    if isinstance(types, Seq):
        return Seq([Array(None, origin, "tensor") for _ in types.items], origin)
    return Array(None, origin, "tensor")


FUNCTIONS: dict[str, Maker] = {
    "numpy_function": from_python, "py_function": from_python, "py_func": from_python,
    "zeros": of_shape, "ones": of_shape, "empty": of_shape, "full": of_shape, "fill": of_shape,
    "truncated_normal": of_shape, "random_normal": of_shape, "random_uniform": uniform,
    "constant": converted, "array": converted, "asarray": converted, "convert_to_tensor": converted,
    "ascontiguousarray": converted, "meshgrid": meshgrid, "TensorSpec": spec,
    "Variable": variable, "get_variable": variable, "add_weight": variable, "add_variable": variable,
    "placeholder": placeholder, "placeholder_with_default": placeholder, "Input": keras_input,
    "layers.Input": keras_input, "arange": arange, "range": arange, "linspace": linspace, "eye": eye,
    "loadtxt": read, "genfromtxt": read, "load": read, "fromfile": read, "imread": read, "fetch_openml": read,
    "savez": stored, "savez_compressed": stored, "read_csv": frame, "read_excel": frame,
    "DataFrame": frame, "read_table": frame, "load_data": keras_set,
    "RandomState": generator, "default_rng": generator, **dict.fromkeys(_OF_TENSORFLOW, generator),
}  # fmt: skip
"""By the last part of the name, for NumPy and TensorFlow alike."""

RANDOM: dict[str, Maker] = {
    "rand": of_dims, "randn": of_dims, "randint": integers, "integers": integers, "random_integers": integers,
    "choice": choice, "permutation": permutation,
    "random": of_size(0), "random_sample": of_size(0), "standard_normal": of_size(0),
    "normal": of_size(2), "uniform": of_size(2), "binomial": of_size(2), "poisson": of_size(1),
    "exponential": of_size(1), "beta": of_size(2), "gamma": of_size(2), "laplace": of_size(2),
}  # fmt: skip
"""Of `numpy.random`."""

TF_RANDOM: dict[str, Maker] = {
    "normal": of_shape, "uniform": uniform, "truncated_normal": of_shape, "stateless_normal": of_shape,
    "stateless_uniform": of_shape, "gamma": of_shape,
}  # fmt: skip
"""Of `tensorflow.random`."""

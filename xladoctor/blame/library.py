"""What a function, method or attribute of a library gives: one door to the rooms that know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xladoctor.blame import data, graph_layers, layers, makers, models, shaping
from xladoctor.blame.algebra import elements
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.parts import counted, declared
from xladoctor.blame.values import (
    Array,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Layer,
    Library,
    Map,
    Model,
    Seq,
    Value,
    array,
    number,
    unknown,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Act = Callable[["Follower", str, Args, Kwargs], Value]

_STAGES = frozenset(
    {
        "batch", "padded_batch", "map", "shuffle", "repeat", "prefetch", "cache", "take", "skip", "filter", "unbatch",
        "enumerate", "window", "flat_map", "interleave", "with_options", "make_one_shot_iterator", "get_next", "shard",
        "make_initializable_iterator", "as_numpy_iterator", "apply",
    }
)  # fmt: skip
_FITS = frozenset({"fit", "train_on_batch", "evaluate", "test_on_batch"})
_SPACES = ("numpy", "tensorflow", "keras", "pandas", "sklearn", "tflearn", "builtins")


def known(name: str) -> bool:
    """Whether a name of a library is one that is known here."""
    return layers.is_layer(name) or name.rpartition(".")[2] in {**makers.FUNCTIONS, **shaping.FUNCTIONS}


def call(run: Follower, called: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """What a call of something of a library gives."""
    if isinstance(called, Layer):
        return _called_layer(run, called, args, kwargs)
    if isinstance(called, Model):
        return models.called(run, called, args)
    if isinstance(called, Instance):
        return _called_instance(run, called, args, kwargs)
    if not isinstance(called, Library):
        return unknown(*args, called)
    if called.name.endswith("()") and ".losses." in called.name and called.bound is None:
        return models.called_loss(run, called, args, kwargs)
    if called.bound is not None:
        return _method(run, called.bound, called.name, args, kwargs)
    return _function(run, called.name, args, kwargs)


def _called_layer(run: Follower, layer: Layer, args: list[Value], kwargs: Kwargs) -> Value:
    layers.check_state(run, layer, kwargs.get("initial_state"))
    return layers.apply(run, layer, args or [v for k, v in kwargs.items() if k in ("inputs", "x", "query")])


def _called_instance(run: Follower, holder: Instance, args: list[Value], kwargs: dict[str, Value]) -> Value:
    build = holder.cls.find("build")
    if isinstance(build, Function) and not holder.built and args:
        holder.built = True
        shape = shaping.shape(run, "shape", args[:1], {}) if isinstance(args[0], Array) else Value()
        run.enter(Function(build.node, build.scope, holder, build.owner), [shape], {})
    act = holder.cls.find("call") or holder.cls.find("__call__")
    if isinstance(act, Function):
        return run.enter(Function(act.node, act.scope, holder, act.owner), args, kwargs)
    return unknown(*args)


def _function(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    head, _, last = name.rpartition(".")
    if name.startswith("builtins."):
        return _builtin(run, last, args, kwargs)
    if last in ("Sequential",) and head.startswith("keras"):
        return models.sequential(run, args, kwargs)
    if last == "Model" and head.startswith("keras"):
        return models.functional(run, args, kwargs)
    if layers.is_layer(name):
        return layers.build(run, last, args, kwargs)
    if head.startswith("keras") and head.endswith("layers") and last in ("add", "concatenate", "multiply", "average"):
        return layers.apply(run, layers.build(run, last.capitalize(), [], kwargs), args)
    if last.endswith("()") and ".initializers." in name:
        return makers.of_shape(run, name, args, kwargs)
    if any(space in name for space in (".losses.", ".metrics.", ".initializers.")) and last[:1].isupper():
        made = Library(f"{name}()", None, dict(kwargs))
        made.origin = run.origin("loss", last)
        return made
    act = _act(name, head, last)
    return act(run, name if act in _NAMED else last, args, kwargs) if act is not None else _other(run, name, args)


def _act(name: str, head: str, last: str) -> Act | None:
    if head.endswith("numpy.random") or head == "random":
        return makers.RANDOM.get(last) or makers.FUNCTIONS.get(last) or shaping.FUNCTIONS.get(last)
    if head == "tensorflow.random":
        return makers.TF_RANDOM.get(last) or shaping.FUNCTIONS.get(last)
    if head.endswith(("tensorflow.layers", "contrib.layers", "slim")):
        return graph_layers.graph_layer
    if last in ("conv1d", "conv2d", "conv3d") and head.startswith("tensorflow"):
        return graph_layers.convolution
    if last in ("max_pool", "avg_pool", "max_pool2d", "avg_pool2d"):
        return graph_layers.pool
    if name.startswith("tensorflow.data."):
        return {
            "from_tensor_slices": data.from_slices,
            "from_tensors": data.from_slices,
            "from_generator": data.from_generator,
            "zip": data.zipped,
        }.get(last)
    if head == "tensorflow.image":
        return shaping.resize if last.startswith(("resize", "central_crop")) else shaping.keep
    if last == "timeseries_dataset_from_array":
        return data.timeseries
    if last == "train_test_split":
        return data.train_test_split
    if last == "TensorSpec":
        return makers.spec
    if name.partition(".")[0] in _SPACES:
        return makers.FUNCTIONS.get(last) or shaping.FUNCTIONS.get(last)
    return None


_NAMED = {*makers.FUNCTIONS.values(), *makers.RANDOM.values(), *makers.TF_RANDOM.values()}


def _other(run: Follower, name: str, args: list[Value]) -> Value:
    last = name.rpartition(".")[2]
    if name.endswith(("Session", "InteractiveSession")):
        return Library("run", Value(run.origin("call", "Session")))
    if last == "image_data_format":
        return Const("channels_last")
    if last in ("function", "custom_gradient", "jit") and args:
        return args[0]
    return Value(run.origin("call", last, *args), args)


def _builtin(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    first = args[0] if args else Value()
    if name == "range":
        return data.whole_range(run, name, args, kwargs)
    if name in ("zip", "enumerate"):
        return data.take(run, name, args, kwargs)
    if name == "super":
        holder = next((c.scope.names.get("self") for c in reversed(run.calls) if "self" in c.scope.names), None)
        return Library("super", holder)
    if name == "len":
        return _length(run, first)
    if name in ("int", "round", "float") and isinstance(first, Const):
        return first if not isinstance(first.value, float) or name == "float" else Const(int(first.value), first.origin)
    if name in ("list", "tuple", "sorted", "reversed"):
        if name == "reversed" and isinstance(first, Seq) and first.count == len(first.items):
            return Seq(first.items[::-1], first.origin)
        return first if isinstance(first, Seq | Array | Dataset) else unknown(first)
    if name in ("next", "iter"):
        if name == "iter" or not isinstance(first, Dataset):
            return first
        return first.element
    if name == "dict":
        return Map(dict(kwargs))
    if name == "slice" and 0 < len(args) <= 2:
        return Library(
            "slice", None, dict(zip(("upper",) if len(args) == 1 else ("lower", "upper"), args, strict=True))
        )
    if name in ("min", "max") and len(args) > 1 and all(number(a) is not None for a in args):
        pick = min if name == "min" else max
        return pick(args, key=lambda a: number(a) or 0)
    return unknown(*args)


def _length(run: Follower, value: Value) -> Value:
    if isinstance(value, Seq):
        return Const(value.count, value.origin) if value.count is not None else counted(run, value)
    if isinstance(value, Array) and value.dims:
        return Const(value.dims[0].size, value.dims[0].origin, value.dims[0])
    if isinstance(value, Instance):
        count = value.cls.find("__len__")
        if isinstance(count, Function):
            return run.enter(Function(count.node, count.scope, value, count.owner), [], {})
    return counted(run, value)


# -- attributes and methods -------------------------------------------------------------------------------------------


def attribute(run: Follower, holder: Value, name: str) -> Value | None:
    """An attribute that is a value of its own; None for a method."""
    if isinstance(holder, Array):
        return _of_array(run, holder, name)
    if isinstance(holder, Model):
        found = {"input": holder.inputs, "inputs": holder.inputs, "output": holder.outputs, "outputs": holder.outputs}
        if name in found:
            return found[name] or Value(holder.origin)
        return Seq(holder.layers) if name == "layers" else None
    if isinstance(holder, Layer) and name in holder.settings:
        return holder.settings[name]
    return unknown(holder) if type(holder) is Value and name in ("T", "values", "data") else None


def _of_array(run: Follower, holder: Array, name: str) -> Value | None:
    if name in ("shape", "_keras_shape"):
        return shaping.shape(run, "shape", [holder], {})
    if name == "T":
        return shaping.transpose(run, "transpose", [holder], {})
    if name in ("values", "real", "imag", "flat", "at"):
        return holder
    if name == "ndim" and holder.dims is not None:
        return Const(len(holder.dims), holder.origin)
    if name == "size" and holder.dims is not None:
        return Const(elements(holder.dims), holder.origin)
    if name in ("dtype", "name", "device", "columns", "index"):
        return unknown(holder)
    if holder.kind == "frame" and name not in shaping.FUNCTIONS and name not in _FRAME:
        return Array(
            holder.dims[:1] if holder.dims else None, run.origin("column", f"the column {name}", holder), "frame"
        )
    return None


_FRAME = frozenset(
    {
        "drop", "drop_duplicates", "query",
        "iloc", "loc", "head", "tail", "sample", "to_numpy", "fillna", "dropna", "pop", "apply", "map", "merge",
        "join", "replace",
        "groupby", "describe", "info", "sort_values", "reset_index", "set_index", "isnull", "iterrows",
        "to_list", "tolist",
        "unique", "nunique", "as_matrix", "get_dummies", "corr", "rename", "isna", "copy", "rolling",
    }
)  # fmt: skip


def _method(run: Follower, holder: Value, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if isinstance(holder, Model):
        return _of_model(run, holder, name, args, kwargs)
    if isinstance(holder, Instance):
        return _of_instance(run, holder, name, args, kwargs)
    if isinstance(holder, Dataset):
        return data.stage(run, name, holder, args, kwargs) if name in _STAGES else unknown(holder)
    if name == "run":
        return data.session_run(run, name, args, kwargs)
    if isinstance(holder, Seq):
        return _of_list(run, holder, name, args)
    if isinstance(holder, Map):
        return _of_dict(holder, name, args)
    if isinstance(holder, Array):
        return _of_array_method(run, holder, name, args, kwargs)
    act = shaping.FUNCTIONS.get(name)
    if act is not None and not isinstance(holder, Layer | Library):
        return act(run, name, [holder, *args], kwargs)
    if name in ("fit_transform", "transform", "inverse_transform") and args:
        return shaping.keep(run, name, args, {})
    return unknown(holder, *args)


def _of_model(run: Follower, model: Model, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if name == "add" and args:
        return models.add(run, model, args[0])
    if name == "compile":
        return models.compile_(run, model, args, kwargs)
    if name in _FITS or name == "fit_generator":
        return models.fit(run, model, args, kwargs)
    if name in ("predict", "predict_on_batch", "predict_generator"):
        models.fit(run, model, args, kwargs, labels=False)
        found = array(model.outputs) if isinstance(model.outputs, Array) else None
        return Array(found.dims, found.origin) if found is not None else unknown(*args)
    return Value(run.origin("call", name, model, *args))


def _of_instance(run: Follower, holder: Instance, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    base = holder.cls.library_base()
    if name == "super" or not base:
        return unknown(holder, *args)
    if name in ("add_weight", "add_variable"):
        return makers.variable(run, name, args, kwargs)
    if name == "compile":
        return models.compile_(run, holder.model, args, kwargs)
    if name in _FITS or name in ("predict", "predict_on_batch"):
        return models.fit(run, holder, args, kwargs, labels=name in _FITS)
    return unknown(holder, *args)


def _of_list(run: Follower, holder: Seq, name: str, args: list[Value]) -> Value:
    if name == "append" and args and len(holder.items) < 4096:
        holder.items.append(args[0])
    elif name == "extend" and args and isinstance(args[0], Seq):
        holder.items += args[0].items[:4096]
    elif name == "pop" and holder.items:
        return holder.items.pop(number(args[0]) or 0 if args else -1) if len(holder.items) > 0 else Value()
    elif name in shaping.FUNCTIONS:
        return shaping.FUNCTIONS[name](run, name, [holder, *args], {})
    return Const(None)


def _of_dict(holder: Map, name: str, args: list[Value]) -> Value:
    if name == "items":
        return Seq([Seq([Const(k), v]) for k, v in holder.items.items()])
    if name == "values":
        return Seq(list(holder.items.values()))
    if name == "keys":
        return Seq([Const(k) for k in holder.items])
    if name in ("get", "pop") and args and isinstance(args[0], Const):
        return holder.items.get(args[0].value) or (args[1] if len(args) > 1 else Const(None))
    return unknown(holder)


def _of_array_method(run: Follower, holder: Array, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if name == "drop":
        axis, gone = number(arg(args, kwargs, 1, "axis")), arg(args, kwargs, 0, "labels", "columns")
        by_column = axis == 1 or "columns" in kwargs
        rows = holder.dims[0] if holder.dims else Dim(None, holder.origin)
        origin = run.origin("column", "drop", holder)
        old = holder.dims[1].size if by_column and holder.dims and len(holder.dims) > 1 else None
        count = len(gone.items) if isinstance(gone, Seq) else 1
        return Array(
            [rows, Dim(None if old is None else old - count, origin)] if by_column else holder.dims, origin, "frame"
        )
    if name in (
        "to_numpy",
        "as_matrix",
        "copy",
        "head",
        "tail",
        "sample",
        "reset_index",
        "numpy",
        "get_shape",
    ):
        return shaping.shape(run, "shape", [holder], {}) if name == "get_shape" else holder
    if name in ("as_list", "tolist"):
        return holder
    if name == "set_shape":
        return declared(run, holder, arg(args, kwargs, 0, "shape"))
    if name == "pop" and holder.kind == "frame":
        first = holder.dims[:1] if holder.dims else None
        if holder.dims is not None and len(holder.dims) == 2 and holder.dims[1].size is not None:
            holder.dims = (holder.dims[0], Dim(holder.dims[1].size - 1, run.origin("column", "a column less", holder)))
        return Array(first, run.origin("column", "a column", holder), "frame")
    if name == "transpose" and len(args) > 1:
        return shaping.transpose(run, name, [holder, Seq(args)], {})
    act = shaping.FUNCTIONS.get(name)
    return (
        act(run, name, [holder, *args], kwargs) if act is not None else Value(run.origin("call", name, holder, *args))
    )

"""What a function, method or attribute of a library gives: one door to the rooms that know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xladoctor.blame import (
    call_arguments,
    data,
    graph_layers,
    layers,
    makers,
    model_inputs,
    models,
    objects,
    pipelines,
    plain,
    pretrained,
    rearranging,
    setting_files,
    shaping,
)
from xladoctor.blame.algebra import elements
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.parts import declared
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
        "make_initializable_iterator", "as_numpy_iterator", "apply", "concatenate",
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
        return call_arguments.applied(run, called, args, kwargs)
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


def _called_instance(run: Follower, holder: Instance, args: list[Value], kwargs: dict[str, Value]) -> Value:
    build = holder.cls.find("build")
    if isinstance(build, Function) and not holder.built and args:
        holder.built = True
        run.enter(Function(build.node, build.scope, holder, build.owner), [_shape(run, args[0])], {})
    act = holder.cls.find("call") or holder.cls.find("__call__")
    if isinstance(act, Function):
        return run.enter(Function(act.node, act.scope, holder, act.owner), args, kwargs)
    return models.called(run, holder.model, args) if holder.model.outputs is not None else unknown(*args)


def _shape(run: Follower, given: Value) -> Value:
    """What `build` is given: the shape of the input, or those of several."""
    if isinstance(given, Array):
        return shaping.shape(run, "shape", [given], {})
    return Seq([_shape(run, item) for item in given.items], given.origin) if isinstance(given, Seq) else Value()


def _function(run: Follower, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    head, _, last = name.rpartition(".")
    if name.startswith("builtins."):
        return plain.call(run, last, args, kwargs)
    if head in _PLAIN:
        found = _of_python(run, name, last, args, kwargs)
        if found is not None:
            return found
    if last == "Sequential" and head.startswith("keras"):
        return models.sequential(run, args, kwargs)
    if last == "Model" and head.startswith("keras"):
        return models.functional(run, args, kwargs)
    if "keras.applications" in f"{head}." and last[:1].isupper():
        return pretrained.pretrained(run, last, args, kwargs)
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
    if act is None:
        return _other(run, name, args, kwargs)
    return act(run, name if act in _NAMED else last, args, kwargs)


_PLAIN = frozenset(
    {
        "math", "numpy", "functools", "dataclasses", "attr", "attrs", "pydantic", "types", "argparse", "os",
        "os.environ", "copy", "collections", "os.path", "pathlib", "json", "yaml", "tomllib",
        "tomli", "toml", "configparser",
    }
)  # fmt: skip
"""Modules whose functions concern plain values, too."""
_LOADS = frozenset({"load", "loads", "safe_load", "full_load"})


def _of_python(run: Follower, name: str, last: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """What a function of Python's own library gives, where its values are known; None else."""
    head = name.rpartition(".")[0]
    if last in plain.NUMBERS and not kwargs:
        return plain.computed(run, last, args)
    if last == "partial":
        return plain.partial(run, args, kwargs)
    if name in ("dataclasses.field", "attr.ib", "attrs.field", "pydantic.Field"):
        return objects.field(run, args, kwargs)
    if name in ("dataclasses.replace", "attr.evolve", "attrs.evolve"):
        return objects.changed(args[0] if args else None, kwargs)
    if name in ("dataclasses.asdict", "attr.asdict", "attrs.asdict"):
        return objects.as_map(args[0] if args else None)
    if last in ("SimpleNamespace", "Namespace"):
        return Map(dict(kwargs), run.origin("array", last))
    if last == "ArgumentParser":
        return objects.Options(run.origin("array", last))
    if last in ("Path", "join", "PurePath") and args:
        return setting_files.named(run, args)
    if head in ("os", "os.path") and (path := setting_files.of_path(last, args)) is not None:
        return path
    if last in _LOADS:
        return setting_files.loaded(run, args)
    if last in ("ConfigParser", "RawConfigParser", "SafeConfigParser"):
        return setting_files.Parser({}, run.origin("array", last))
    if last == "deque":
        return plain.deque(run, args, kwargs)
    if name in ("os.getenv", "os.environ.get") and len(args) > 1:
        return args[1]
    if name in ("copy.copy", "copy.deepcopy") and args:
        return args[0]
    return plain.call(run, "dict", args, kwargs) if last in ("OrderedDict", "defaultdict") else None


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
        return pipelines.STARTS.get(last)
    if last in pipelines.READS:
        return pipelines.READS[last]
    if head == "tensorflow.image":
        own = rearranging.FUNCTIONS.get(last)
        return own or (shaping.resize if last.startswith(("resize", "central_crop")) else shaping.keep)
    if last == "train_test_split":
        return data.train_test_split
    if last in ("get", "deserialize") and head.endswith("activations"):
        return makers.activation
    if name.partition(".")[0] in _SPACES:
        return makers.FUNCTIONS.get(last) or shaping.FUNCTIONS.get(last)
    return None


_NAMED = {*makers.FUNCTIONS.values(), *makers.RANDOM.values(), *makers.TF_RANDOM.values()}


def _other(run: Follower, name: str, args: list[Value], kwargs: Kwargs) -> Value:
    last = name.rpartition(".")[2]
    if name.endswith(("Session", "InteractiveSession")):
        return Library("run", Value(run.origin("call", "Session")))
    if last == "image_data_format":
        return Const("channels_last")
    if last in ("function", "custom_gradient", "jit") and args:
        return args[0]
    given = [*args, *kwargs.values()]
    named = setting_files.names_file(run, given) if not last.startswith(("is", "exists")) else None
    return named or Value(run.origin("call", last, *given), given)


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
    if isinstance(holder, Layer):
        return holder.output if name == "output" and holder.output is not None else holder.settings.get(name)
    if isinstance(holder, Dataset) and name == "element_spec":
        return holder.element
    if type(holder) is Value and name in ("T", "values", "data"):
        return unknown(holder)
    return setting_files.part(holder, name)


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
    if name in ("columns", "index") and holder.kind == "frame" and holder.dims is not None and len(holder.dims) == 2:
        return Array(holder.dims[1:] if name == "columns" else holder.dims[:1], run.origin("column", name, holder))
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
        act = shaping.FUNCTIONS.get(name) if name not in _OF_LISTS else None
        return act(run, name, [holder, *args], {}) if act is not None else plain.of_list(holder, name, args)
    if isinstance(holder, objects.Options):
        return objects.of_options(run, holder, name, args, kwargs)
    if isinstance(holder, Map):
        own = (
            setting_files.of_parser(run, holder, name, args, kwargs)
            if isinstance(holder, setting_files.Parser)
            else None
        )
        return own or plain.of_dict(holder, name, args, kwargs)
    if isinstance(holder, objects.Super):
        return _above(run, holder, name, args, kwargs)
    if (said := setting_files.asked(run, holder, name, args)) is not None:
        return said
    if isinstance(holder, Const) and isinstance(holder.value, str):
        return plain.of_text(holder, name, args) or unknown(holder, *args)
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
    if name == "get_layer":
        return models.found(model, arg(args, kwargs, 0, "name"), arg(args, kwargs, 1, "index"))
    if name in _FITS or name == "fit_generator":
        return models.fit(run, model, args, kwargs)
    if name in ("predict", "predict_on_batch", "predict_generator"):
        models.fit(run, model, args, kwargs, labels=False)
        return model_inputs.predicted(model.outputs, arg(args, kwargs, 0, "x")) or unknown(*args)
    return Value(run.origin("call", name, model, *args))


_OF_LISTS = frozenset({"append", "insert", "copy"})


def _above(run: Follower, holder: objects.Super, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a library's class above one of the program's: `super().__init__(inputs=..., outputs=...)`."""
    made = holder.holder
    if not isinstance(made, Instance):
        return unknown(*args)
    if name != "__init__":
        return _of_instance(run, made, name, args, kwargs)
    if made.cls.library_base().endswith("Model") and ("inputs" in kwargs or len(args) > 1):
        made.model.inputs, made.model.outputs = arg(args, kwargs, 0, "inputs"), arg(args, kwargs, 1, "outputs")
    return Const(None)


def _of_instance(run: Follower, holder: Instance, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    if name in ("_replace", "_asdict"):
        return objects.changed(holder, kwargs) if name == "_replace" else objects.as_map(holder)
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

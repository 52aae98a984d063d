"""What functions of NumPy, TensorFlow, Keras and of the program itself make of arrays."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.names import keyword, last_name
from xladoctor.sources.rows import tables
from xladoctor.sources.rows.checks import whole_blocks
from xladoctor.sources.rows.grids import COPIES, all_pairs, meshed, repeated, side_by_side, taken_flat
from xladoctor.sources.rows.making import LITERALS, MAKES, PICKS, made, ordered, picked, written
from xladoctor.sources.rows.meetings import compared, elementwise, indexed, meet
from xladoctor.sources.rows.neighbours import is_tree, neighbours
from xladoctor.sources.rows.objects import mapped, method, of_class, pipeline
from xladoctor.sources.rows.shapes import joined, padded, reshaped
from xladoctor.sources.rows.types import typed
from xladoctor.sources.rows.values import (
    Array,
    Call,
    Items,
    Named,
    Names,
    Pipeline,
    RowSet,
    Step,
    arrays,
    chunk_of,
    linked,
    may_be_one,
)

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

SAME = frozenset(
    {
        "abs", "absolute", "array", "asarray", "ascontiguousarray", "astype", "cast", "ceil", "clip", "clip_by_value",
        "constant", "convert_to_tensor", "copy", "cos", "erf", "exp", "expit", "float32", "float64", "floor",
        "identity", "int32", "int64", "isfinite", "isnan", "list", "log", "log1p", "logical_and", "logical_not",
        "logical_or", "nan_to_num", "numpy", "one_hot", "relu", "round", "sigmoid", "sign", "sin", "softmax", "sqrt",
        "square", "squeeze", "stop_gradient", "tan", "tanh", "to_categorical", "to_numpy",
    }
)  # fmt: skip
TWO = frozenset({"add", "equal", "greater", "less", "maximum", "minimum", "multiply", "not_equal", "subtract"})
REDUCES = frozenset(
    {
        "all", "any", "average", "max", "mean", "median", "min", "nanmax", "nanmean", "nanmin", "nanstd", "norm",
        "percentile", "prod", "quantile", "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min",
        "reduce_std", "reduce_sum", "reduce_variance", "std", "sum", "var",
    }
)  # fmt: skip
SCALES = frozenset({"mean", "std", "nanmean", "nanstd", "reduce_mean", "reduce_std"})
METHODS = frozenset({"evaluate", "fit", "predict", "predict_on_batch", "test_on_batch", "train_on_batch"})
LOADS = frozenset({"load", "loadtxt", "genfromtxt", "fromfile", "frombuffer"})
_JOINS = frozenset({"concatenate", "concat", "vstack", "stack", "hstack", "column_stack"})
_ALL_WITH_ALL = frozenset(
    {"cdist", "cosine_distances", "cosine_similarity", "euclidean_distances", "linear_kernel", "pairwise_distances"}
)
_COMPARES = ("accuracy", "auc", "corr", "error", "f1", "loss", "mae", "mse", "precision", "r2", "recall", "score")
_MODELS = frozenset({"Functional", "Model", "Sequential", "load_model"})
_WHOLE: dict[str, Callable[[float], int]] = {"ceil": math.ceil, "floor": math.floor, "int": int}
_MODULES = frozenset({"jnp", "math", "nn", "np", "numpy", "ops", "random", "tf", "linalg", "experimental"})


def called(reader: Reader, node: ast.Call, names: Names) -> Any:
    """What a call gives."""
    held = None
    if isinstance(node.func, ast.Attribute):
        held = reader.value(node.func.value, names)
        held = None if last_name(node.func.value) in _MODULES and not is_tree(held) else held
    given = list(_given(reader, node, names))
    found = _called(reader, node, names, held, given)
    if isinstance(found, Array) and found.rows is not None and found.rows.order:
        reader.lines.setdefault(id(found.rows), (reader.file, node.lineno))
    own = isinstance(node.func, ast.Name) and node.func.id in reader.functions
    return found if own else typed(found, node, held, given)


def _given(reader: Reader, node: ast.Call, names: Names) -> Iterator[Any]:
    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            yield reader.value(argument, names)
            continue
        several = reader.value(argument.value, names)
        yield from several.values if isinstance(several, Items) and several.block is None else [several]


def _called(reader: Reader, node: ast.Call, names: Names, held: Any, given: list[Any]) -> Any:
    name = last_name(node.func)
    named = {k.arg or "": reader.value(k.value, names) for k in node.keywords}
    if name == "diff" and given and isinstance(given[0], Array) and given[0].small:
        reader.fault("wraps-below", node, (given[0].name or "the array", "its neighbours"))
    if name == "append" and isinstance(held, Items):
        _appended(held, given, node, names)
        return None
    callee = held.values.get(name) if isinstance(held, Named) else names.get(name, reader.names.get(name))
    if isinstance(callee, Call) and callee.name in _MODELS and (isinstance(held, Named) or held is None):
        return _predicted(reader, node, name, given, named)
    near = neighbours(reader, node, held, given, named, names)
    if near is not None:
        return near
    if isinstance(held, Named) and (name in held.methods or name not in METHODS):
        if _has_model(reader, held, name):
            return _predicted(reader, node, name, given, named)
        return method(reader, held, name, given, named, names)
    of_table = tables.called(reader, node, names, held, given, named)
    if of_table is not None:
        return of_table.value
    given = tables.as_arrays(given) if name in METHODS or name in SAME or name == "len" else given
    if isinstance(held, Pipeline) or name == "from_tensor_slices":
        return mapped(reader, node, held, names) if isinstance(held, Pipeline) else pipeline([*given, None][0])
    kind = reader.names.get(name) if isinstance(node.func, ast.Name) else None
    if isinstance(node.func, ast.Name) and isinstance(names.get(name), Named):
        kind = names[name]
    if isinstance(kind, Named) and kind.kind == "class":
        return of_class(reader, kind, given, named, names)
    if isinstance(kind, Named) and "__call__" in kind.methods:
        return method(reader, kind, "__call__", given, named, names)
    function = reader.functions.get(name) if isinstance(node.func, ast.Name) else None
    if function is not None:
        return reader.call(function, given, named, names)
    own = isinstance(node.func, ast.Attribute) and last_name(node.func.value) == "self"
    if ((own or isinstance(node.func, ast.Name)) and name in reader.models) or name in ("predict", "predict_on_batch"):
        return _predicted(reader, node, name, given, named)
    values = [held, *given] if isinstance(held, Array | Items) else given
    found = list(arrays(values))
    if name in ("fit", "train_on_batch", "evaluate", "test_on_batch"):
        return _trained(reader, node, name, given, named)
    if name in _WHOLE and len(given) == 1 and isinstance(given[0], int | float) and abs(given[0]) < 1e15:
        return _WHOLE[name](given[0])
    if name == "len":
        return _length(given)
    if name == "range" and not (len(given) == 1 and isinstance(given[0], int)):
        return None
    if name == "where" and len(found) > 1 and len(values) == 3:
        return elementwise(reader, found, node)
    if name == "array_split" and given and isinstance(given[0], Array):
        return Items(block=chunk_of(given[0]), count=given[1] if len(given) > 1 and isinstance(given[1], int) else None)
    if name == "shuffle" and given and isinstance(given[0], Array):
        return _shuffled(reader, node, names, given)
    if name in MAKES:
        return made(name, given, named)
    return _of_arrays(reader, node, name, values, named, found)


def _has_model(reader: Reader, held: Named, name: str) -> bool:
    """Whether an object keeps a model under this name: `self.encoder(x)`."""
    inner = held.values.get(name)
    called = isinstance(inner, Named) and "call" in inner.methods and "__call__" not in inner.methods
    return held.kind == "object" and name not in held.methods and (called or (name in reader.models and inner is None))


def _shuffled(reader: Reader, node: ast.Call, names: Names, given: list[Any]) -> Any:
    """Of NumPy in place, of TensorFlow as a result, of scikit-learn several arrays by one order."""
    several = list(arrays(given))
    first = several[0]
    if len(several) > 1:
        rows = RowSet(source=first.rows, order=True)
        return Items([a.as_new(rows=rows, name="") for a in several])
    mixed = ordered(first)
    if ast.unparse(node.func).startswith(("tf.", "tensorflow.")):
        if mixed is None and first.rows is not None:
            mixed = first.as_new(rows=RowSet(source=first.rows, order=True), name="")
        return None if mixed is None else replace(mixed, name="")
    if mixed is not None and isinstance(node.args[0], ast.Name):
        names[node.args[0].id] = mixed
    return None


def _of_arrays(reader: Reader, node: ast.Call, name: str, values: list[Any], named: Names, found: list[Array]) -> Any:
    if (
        name in ("array", "asarray", "float32")
        and values
        and isinstance(values[0], Items)
        and values[0].block is not None
    ):
        return joined(reader, "array", values, named, node)
    if name == "sorted" and "key" in named and node.args and isinstance(node.args[0], ast.Call):
        return ordered(values[0]) if values and last_name(node.args[0].func) == "range" else None
    if name in PICKS:
        return picked(name, values, named)
    if name in ("gather", "take") and len(found) >= 2:
        return indexed(reader, found[0], found[1], node)
    if name in LOADS:
        return Array(RowSet())
    if name in LITERALS and values and (literal := written(values[0])) is not None:
        return literal
    if name in _JOINS and values:
        return joined(reader, name, values, named, node)
    if not found:
        held = reader.names.get(name)
        return held if isinstance(held, Named) else Call(name)
    first = found[0]
    if name in ("meshgrid", "product"):
        return meshed(values, named) if name == "meshgrid" else None if named else all_pairs(values)
    if (name == "matmul" and named.get("transpose_b") is True) or name in _ALL_WITH_ALL:
        return compared(values)
    if name in COPIES:
        return repeated(name, first, values, named)
    if name == "reshape":
        return reshaped(reader, values, node)
    if name == "pad":
        return padded(first, values, named, node)
    if name in REDUCES:
        return reduced(reader, name, first, values, named, node)
    if name in ("top_k", "argsort", "argpartition", "argmax", "argmin"):
        return picked(name, values, named)
    if name in SAME:
        keeps = name in ("array", "asarray", "astype", "copy", "int32", "int64", "numpy", "constant", "cast",
                         "convert_to_tensor", "list")  # fmt: skip
        return replace(first, name="") if keeps else first.as_new(shape=_kept_shape(name, first), name="")
    if name in ("ravel", "flatten") and first.plane:
        return taken_flat(first, (-1,))
    if name in ("ravel", "flatten"):
        flat = first.shape is not None and all(n == 1 for n in first.shape[1:])
        return first.as_new(shape=(first.count,), name="") if flat else None
    if name == "expand_dims":
        return first.as_new(shape=None, name="") if values[1:2] != [0] and named.get("axis") != 0 else None
    if name in TWO or any(word in name.lower() for word in _COMPARES):
        return elementwise(reader, found, node) if len(found) > 1 else first.as_new(shape=None)
    if name == "zip":
        return _zipped(reader, found, node)
    if name == "fit_transform":
        reader.kept.append(first)
        return first.as_new(scaled=first.scaled | {id(first)}, name="", place=(reader.file, node.lineno))
    return None


def _kept_shape(name: str, array: Array) -> Any:
    if name in ("to_categorical", "one_hot"):
        return None if array.shape is None else (array.count, None)
    if name == "squeeze":
        return None if array.shape is None else tuple(n for n in array.shape if n != 1)
    return array.shape


def _appended(held: Items, given: list[Any], node: ast.Call, names: Names) -> None:
    """A list that a loop fills with what it makes of the rows of one step."""
    array = given[0] if given and isinstance(given[0], Array) else None
    held.values = []
    held.block = array
    held.count = None


def _length(given: list[Any]) -> Any:
    value = given[0] if given else None
    if isinstance(value, Array):
        return value.count
    return len(value.values) if isinstance(value, Items) and value.block is None else None


def _predicted(reader: Reader, node: ast.Call, name: str, given: list[Any], named: Names) -> Any:
    """A model is called: its first argument has the rows."""
    data = given[0] if given else named.get("x")
    model = _model(node)
    if isinstance(data, Items | Named):
        data = side_by_side(reader, data, node)
    steps = keyword(node, "steps") if name == "predict" else None
    found = whole_blocks(reader, steps, reader.names) if steps is not None else None
    if found is not None and found[0] % found[1]:
        reader.fault("rest-left-out", node, (), (*found, found[0] - found[0] % found[1]))
    gave = reader.calls.gave.get(node.lineno, ())
    if not isinstance(data, Array):
        return Array(shape=gave[0] if len(gave) == 1 else None, predicted=True) if name.startswith("predict") else None
    if reader.under_tape:
        reader.trained.append((data, model))
    else:
        reader.used.append((data, (reader.file, node.lineno), model, name))
    shape = None if data.shape is None else (data.count, None)
    return data.as_new(
        shape=gave[0] if len(gave) == 1 else shape, predicted=True, name="", place=(reader.file, node.lineno)
    )


def _model(node: ast.Call) -> str:
    """The name of the model that is called, or whose method is."""
    if isinstance(node.func, ast.Attribute) and last_name(node.func) in METHODS:
        return last_name(node.func.value)
    return last_name(node.func)


def _trained(reader: Reader, node: ast.Call, name: str, given: list[Any], named: Names) -> Any:
    """`fit` and `evaluate`: rows and labels belong together."""
    data = given[0] if given else named.get("x")
    labels = given[1] if len(given) > 1 else named.get("y")
    model = _model(node)
    if isinstance(data, Array):
        if name in ("fit", "train_on_batch"):
            reader.trained.append((data, model))
        else:
            reader.used.append((data, (reader.file, node.lineno), model, name))
        if isinstance(labels, Array):
            one, other = (replace(a, name=a.name or _text(node, at)) for at, a in enumerate((data, labels)))
            meet(reader, one, other, node, one)
            linked(data, labels)
    return None


def _text(node: ast.Call, at: int) -> str:
    return ast.unparse(node.args[at])[:40] if len(node.args) > at else ""


def _zipped(reader: Reader, found: list[Array], node: ast.Call) -> Any:
    if len(found) == len(node.args) == 2:
        one, other = found
        counts = (one.count, other.count)
        if None not in counts and counts[0] != counts[1] and (one.predicted or other.predicted):
            reader.fault("zip-cuts", node, (one.name, other.name), (counts[0] or 0, counts[1] or 0))
        elif may_be_one(one, other):
            meet(reader, one, other, node)
    return None


def reduced(reader: Reader, name: str, array: Array, values: list[Any], named: Names, node: ast.Call) -> Array | None:
    """A mean or the like: over the rows it is a statistic of the array, over other axes it has the rows."""
    numbers = [v for v in values if isinstance(v, int | Items) and not isinstance(v, bool)]
    axis = named.get("axis", numbers[0] if numbers and name not in ("percentile", "quantile") else None)
    ranks = len(array.shape) if array.shape is not None else (2 if array.predicted else None)
    axes = axis.values if isinstance(axis, Items) else [axis]
    if axis is not None and all(isinstance(a, int) for a in axes) and ranks is not None:
        places = {a % ranks for a in axes if isinstance(a, int) and -ranks <= a < ranks}
        if 0 not in places:
            rest = None if array.shape is None else tuple(n for i, n in enumerate(array.shape) if i not in places)
            across = None if ranks - 1 in places else array.across
            if named.get("keepdims") is True and array.shape is not None:
                rest = tuple(1 if i in places else n for i, n in enumerate(array.shape))
            return array.as_new(shape=rest, across=across, name="")
    elif axis is not None and axis != 0:
        return None
    if array.padded is not None and array.predicted and not isinstance(array.count, Step):
        reader.fault("padded-rows", node, (array.name or "the result", name), (array.padded, node.lineno), array.place)
    if name not in SCALES or "weights" in named:
        return Array(shape=array.shape[1:]) if axis == 0 and array.shape is not None else None
    reader.kept.append(array)
    return Array(statistic=array)

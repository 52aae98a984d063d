"""Keras layers, losses, metrics, `fit`, `evaluate` and `predict`: a valid call, and what is said when one thing is
wrong.
"""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

# Constructor arguments and a valid input shape; several shapes: a list of inputs.
LAYERS: dict[str, tuple[dict[str, Any], list[tuple[int, ...]]]] = {
    **{
        name: ({}, [(2, 4)])
        for name in (
            "Activation",
            "ReLU",
            "LeakyReLU",
            "PReLU",
            "ELU",
            "Softmax",
            "Dropout",
            "GaussianNoise",
            "GaussianDropout",
            "AlphaDropout",
            "Flatten",
            "ActivityRegularization",
            "BatchNormalization",
            "LayerNormalization",
            "UnitNormalization",
            "Masking",
            "RMSNormalization",
        )
    },
    "Dense": ({"units": 3}, [(2, 4)]),
    "EinsumDense": ({"equation": "ab,bc->ac", "output_shape": 3}, [(2, 4)]),
    "Embedding": ({"input_dim": 10, "output_dim": 3}, [(2, 4)]),
    "Reshape": ({"target_shape": (2, 2)}, [(2, 4)]),
    "Permute": ({"dims": (2, 1)}, [(2, 3, 4)]),
    "RepeatVector": ({"n": 3}, [(2, 4)]),
    "GroupNormalization": ({"groups": 2}, [(2, 8, 4)]),
    "SpectralNormalization": ({"layer": "Dense"}, [(2, 4)]),
    "Conv1D": ({"filters": 3, "kernel_size": 3}, [(2, 8, 4)]),
    "Conv2D": ({"filters": 3, "kernel_size": 3}, [(2, 8, 8, 4)]),
    "Conv3D": ({"filters": 3, "kernel_size": 3}, [(2, 6, 6, 6, 4)]),
    "Conv1DTranspose": ({"filters": 3, "kernel_size": 3}, [(2, 8, 4)]),
    "Conv2DTranspose": ({"filters": 3, "kernel_size": 3}, [(2, 8, 8, 4)]),
    "Conv3DTranspose": ({"filters": 3, "kernel_size": 3}, [(2, 6, 6, 6, 4)]),
    "DepthwiseConv1D": ({"kernel_size": 3}, [(2, 8, 4)]),
    "DepthwiseConv2D": ({"kernel_size": 3}, [(2, 8, 8, 4)]),
    "SeparableConv1D": ({"filters": 3, "kernel_size": 3}, [(2, 8, 4)]),
    "SeparableConv2D": ({"filters": 3, "kernel_size": 3}, [(2, 8, 8, 4)]),
    **{
        f"{kind}Pooling{n}D": ({}, [(2, *(8,) * n, 4)])
        for kind in ("Max", "GlobalMax", "GlobalAverage")
        for n in (1, 2, 3)
    },
    **{f"AveragePooling{n}D": ({"pool_size": 2}, [(2, *(8,) * n, 4)]) for n in (1, 2, 3)},
    **{f"SpatialDropout{n}D": ({"rate": 0.5}, [(2, *(8,) * n, 4)]) for n in (1, 2, 3)},
    **{f"UpSampling{n}D": ({}, [(2, *(8,) * n, 4)]) for n in (1, 2, 3)},
    **{f"ZeroPadding{n}D": ({}, [(2, *(8,) * n, 4)]) for n in (1, 2, 3)},
    **{f"Cropping{n}D": ({"cropping": 5}, [(2, *(16,) * n, 4)]) for n in (1, 2, 3)},
    **{name: ({"units": 3}, [(2, 5, 4)]) for name in ("LSTM", "GRU", "SimpleRNN")},
    "ConvLSTM1D": ({"filters": 3, "kernel_size": 3}, [(2, 3, 8, 4)]),
    "ConvLSTM2D": ({"filters": 3, "kernel_size": 3}, [(2, 3, 8, 8, 4)]),
    "Bidirectional": ({"layer": "LSTM"}, [(2, 5, 4)]),
    "TimeDistributed": ({"layer": "Dense"}, [(2, 5, 4)]),
    **{
        name: ({}, [(2, 4), (2, 4)])
        for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")
    },
    "Dot": ({"axes": 1}, [(2, 4), (2, 4)]),
    "Attention": ({}, [(2, 5, 4), (2, 6, 4)]),
    "AdditiveAttention": ({}, [(2, 5, 4), (2, 6, 4)]),
    "MultiHeadAttention": ({"num_heads": 2, "key_dim": 3}, [(2, 5, 4), (2, 6, 4)]),
    "GroupQueryAttention": ({"head_dim": 2, "num_query_heads": 2, "num_key_value_heads": 2}, [(2, 5, 4), (2, 6, 4)]),
    "Rescaling": ({"scale": 0.5}, [(2, 8, 8, 3)]),
    "Resizing": ({"height": 4, "width": 4}, [(2, 8, 8, 3)]),
    "CenterCrop": ({"height": 4, "width": 4}, [(2, 8, 8, 3)]),
    "RandomFlip": ({}, [(2, 8, 8, 3)]),
    "RandomRotation": ({"factor": 0.1}, [(2, 8, 8, 3)]),
    "Normalization": ({"mean": [0.0] * 4, "variance": [1.0] * 4}, [(2, 4)]),
    "CategoryEncoding": ({"num_tokens": 4, "output_mode": "one_hot"}, [(2, 1)]),
    "Discretization": ({"bin_boundaries": [0.1, 0.5]}, [(2, 4)]),
    "HashedCrossing": ({"num_bins": 4}, [(2,), (2,)]),
    "Hashing": ({"num_bins": 4}, [(2, 1)]),
    "IntegerLookup": ({"vocabulary": [1, 2, 3]}, [(2, 3)]),
}
WHOLE = ("Embedding", "CategoryEncoding", "Hashing", "HashedCrossing", "IntegerLookup")
LOSSES = (
    "MeanSquaredError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError",
    "Huber",
    "LogCosh",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "SparseCategoricalCrossentropy",
    "CosineSimilarity",
    "Hinge",
    "SquaredHinge",
    "CategoricalHinge",
    "KLDivergence",
    "Poisson",
    "Dice",
    "Tversky",
    "Circle",
    "CTC",
)
METRICS = (
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "SparseCategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "AUC",
    "Precision",
    "SparseTopKCategoricalAccuracy",
    "Recall",
    "TruePositives",
    "F1Score",
    "FBetaScore",
    "R2Score",
    "IoU",
    "MeanIoU",
    "OneHotIoU",
    "MeanSquaredError",
    "RootMeanSquaredError",
    "CosineSimilarity",
    "KLDivergence",
    "Poisson",
    "PearsonCorrelation",
    "ConcordanceCorrelation",
)
OPS: dict[str, tuple[tuple[tuple[int, ...], ...], dict[str, Any]]] = {
    **{
        name: (((2, 4), (2, 4)), {})
        for name in ("add", "subtract", "multiply", "divide", "maximum", "where3", "logaddexp", "arctan2")
    },
    "matmul": (((2, 4), (4, 3)), {}),
    "dot": (((2, 4), (4, 3)), {}),
    "tensordot": (((2, 4), (4, 3)), {"axes": 1}),
    "concatenate": (((2, 4), (2, 4)), {"list": True}),
    "stack": (((2, 4), (2, 4)), {"list": True}),
    "reshape": (((2, 4),), {"newshape": (4, 2)}),
    "transpose": (((2, 4),), {"axes": (1, 0)}),
    "squeeze": (((2, 1),), {"axis": 1}),
    "expand_dims": (((2, 4),), {"axis": 1}),
    "sum": (((2, 4),), {"axis": 1}),
    "take": (((2, 4),), {"indices": [0], "axis": 1}),
    "broadcast_to": (((1, 4),), {"shape": (2, 4)}),
    "split": (((2, 4),), {"indices_or_sections": 2, "axis": 1}),
    "pad": (((2, 4),), {"pad_width": ((1, 1), (0, 0))}),
    "roll": (((2, 4),), {"shift": 1, "axis": 1}),
    "cholesky": (((4, 4),), {}),
    "conv": (((2, 8, 8, 4), (3, 3, 4, 3)), {}),
    "max_pool": (((2, 8, 8, 4),), {"pool_size": 2}),
    "norm": (((2, 4),), {"axis": 1}),
    "binary_crossentropy": (((2, 4), (2, 4)), {}),
    "categorical_crossentropy": (((2, 4), (2, 4)), {}),
    "inner": (((2, 4), (2, 4)), {}),
    "sparse_categorical_crossentropy": (((2,), (2, 4)), {}),
    "outer": (((4,), (3,)), {}),
    "cross": (((2, 3), (2, 3)), {}),
    "solve": (((4, 4), (4, 2)), {}),
    "inv": (((4, 4),), {}),
    "det": (((4, 4),), {}),
    "qr": (((4, 4),), {}),
    "eigh": (((4, 4),), {}),
    "image.resize": (((2, 8, 8, 3),), {"size": (4, 4)}),
    "image.rgb_to_grayscale": (((2, 8, 8, 3),), {}),
    "flip": (((2, 4),), {"axis": 1}),
    "top_k": (((2, 4),), {"k": 2}),
    "in_top_k": (((2,), (2, 4)), {"k": 2}),
    "segment_sum": (((4, 2), (4,)), {}),
    "moveaxis": (((2, 4),), {"source": 0, "destination": 1}),
    "scatter_update": (((4, 2), (1, 1), (1, 2)), {}),
    "diag": (((4,),), {}),
    "tile": (((2, 4),), {"repeats": (1, 2)}),
    "append": (((2, 4), (2, 4)), {"axis": 1}),
    "einsum": (((2, 4), (4, 3)), {"subscripts": "ij,jk->ik"}),
    "swapaxes": (((2, 4),), {"axis1": 0, "axis2": 1}),
    "vstack": (((2, 4), (2, 4)), {"list": True}),
    "layer_normalization": (((2, 4),), {}),
    "batch_normalization": (((2, 4), (4,), (4,)), {"axis": -1}),
    "dot_product_attention": (((2, 5, 2, 4), (2, 6, 2, 4), (2, 6, 2, 4)), {}),
    "unstack": (((2, 4),), {"num": 2}),
    "slice": (((2, 4),), {"start_indices": (0, 0), "shape": (1, 2)}),
    "argmax": (((2, 4),), {"axis": 1}),
}


def library() -> Any:
    """Keras as this version of TensorFlow has it."""
    try:
        import keras
    except ImportError:
        import tensorflow as tf

        return tf.keras
    return keras


def _class(room: str, name: str) -> Any:
    return getattr(getattr(library(), room), name, None)


def names() -> list[str]:
    """Every case that this version has: `layer:Dense`, `loss:Huber`, `metric:AUC`, `op:matmul`, `fit:...`."""
    keras = library()
    return [
        *(f"layer:{name}" for name in LAYERS if _class("layers", name)),
        *(f"loss:{name}" for name in LOSSES if _class("losses", name)),
        *(f"metric:{name}" for name in METRICS if _class("metrics", name)),
        *(f"op:{name}" for name in (OPS if hasattr(keras, "ops") else ())),
        *(f"fit:{name}" for name in ("dense", "conv", "two", "named", "rnn", "sparse")),
        *(f"saved:{name}" for name in ("dense", "conv")),
    ]


def messages(name: str) -> Iterator[dict[str, Any]]:
    """What a case says, for everything that is spoiled."""
    kind, _, what = name.partition(":")
    cases = {"layer": _layer, "loss": _loss, "metric": _metric, "op": _op, "fit": _fit, "saved": _saved}[kind](what)
    for way, spoilt, call in cases:
        said = _said(call)
        if said is not None:
            yield {"name": name, "way": way, "spoilt": spoilt, "said": said}
            if not spoilt:
                return
    yield {"name": name, "base": True}


def _said(call: Callable[[], Any]) -> str | None:
    try:
        call()
    except Exception:
        return traceback.format_exc()[-12_000:]
    return None


Case = Any
"""(way, what was spoiled, the call): Python 3.8 has no name for its type here."""


def _values(shape: tuple[int, ...], whole: bool = False) -> Any:
    size = int(np.prod(shape))
    values = np.arange(size).reshape(shape)
    return (values % 2).astype("int32") if whole else (values / max(size, 1)).astype("float32")


def _wrong(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "rank", shape[1:]
    yield "rank", (*shape, 2)
    yield "rank", (1, *shape, 1)
    for axis in range(len(shape)):
        for size in (shape[axis] + 1, 1) if axis in (0, len(shape) - 1) else (shape[axis] + 1,):
            if size != shape[axis]:
                yield "dimension", (*shape[:axis], size, *shape[axis + 1 :])


def layer(name: str) -> Any:
    """A layer with the arguments of its case."""
    return _make(name, LAYERS[name][0])


def _make(name: str, arguments: dict[str, Any]) -> Any:
    keras = library()
    inner = arguments.get("layer")
    if inner:
        arguments = {**arguments, "layer": getattr(keras.layers, inner)(3)}
    if name == "Activation":
        arguments = {"activation": "relu"}
    if name in ("Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout"):
        arguments = {"stddev" if "Noise" in name else "rate": 0.5}
    return getattr(keras.layers, name)(**arguments)


def _layer(name: str) -> Iterator[Case]:
    import tensorflow as tf

    keras = library()

    arguments, shapes = LAYERS[name]
    whole = name in WHOLE

    def call(values: list[Any], *, built: bool, way: str) -> Any:
        layer = _make(name, arguments)
        as_list = not name.startswith(("MultiHead", "GroupQuery"))
        give = (lambda v: layer(v[0] if len(v) == 1 else v)) if as_list else (lambda v: layer(*v))
        if built:
            give([tf.constant(_values(shape, whole)) for shape in shapes])
        if way == "eager":
            return give([tf.constant(v) for v in values])
        if way == "symbolic":
            return give([keras.Input(v.shape[1:], dtype=v.dtype.name) for v in values])
        jit = {"jit_compile": True} if way == "xla" else {}
        return tf.function(lambda *v: give(list(v)), **jit)(*(tf.constant(v) for v in values))

    right = [_values(shape, whole) for shape in shapes]
    yield "eager", "", lambda: call(right, built=False, way="eager")
    for number, shape in enumerate(shapes):
        for turn, (spoilt, other) in enumerate(_wrong(shape)):
            values = [*right[:number], _values(other, whole), *right[number + 1 :]]
            # Traces are dear, and say the same as the call that is not traced: a few of them.
            ways = [("eager", True), ("eager", False), ("symbolic", True)]
            ways += [("symbolic", False), ("graph", True)] if turn % 2 == 0 else []
            ways += [("xla", True)] if turn % 4 == 0 and hasattr(keras, "ops") else []
            for way, built in ways:
                yield way, spoilt, lambda v=values, b=built, w=way: call(v, built=b, way=w)
    if name == "Embedding":
        for way in ("eager", "graph"):
            yield way, "index", lambda w=way: call([np.full((2, 4), 97, "int32")], built=True, way=w)
    yield "eager", "count", lambda: call([*right, right[0]], built=True, way="eager")
    layer_weights = lambda: _make(name, arguments)  # noqa: E731

    def assign() -> None:
        layer = layer_weights()
        layer(*[tf.constant(v) for v in right]) if len(right) == 1 else layer([tf.constant(v) for v in right])
        layer.set_weights([np.zeros((*w.shape, 2)) for w in layer.get_weights()] or [np.zeros(2)])

    yield "eager", "weights", assign


def _pairs() -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    yield "", (4, 3), (4, 3)
    for first, second in (
        ((4, 2), (4, 3)),
        ((5, 3), (4, 3)),
        ((4,), (4, 3)),
        ((4, 3, 2), (4, 3)),
        ((4, 3), (4,)),
        ((4, 3), (4, 1)),
        ((2, 4, 3), (4, 2)),
        ((4, 1), (4, 3)),
        ((4, 3), (4, 5, 3)),
    ):
        yield "dimension" if len(first) == len(second) else "rank", first, second


def _pair_cases(make: Callable[[], Any], sparse: bool, call: Callable[[Any, Any, Any], Any]) -> Iterator[Case]:
    import tensorflow as tf

    for spoilt, first, second in _pairs():
        for way in ("eager", "graph"):

            def run(a: Any = first, b: Any = second, way: str = way) -> Any:
                target, output = _values(a, sparse), _values(b)
                one = make()
                if way == "eager":
                    return call(one, tf.constant(target), tf.constant(output))
                return tf.function(lambda x, y: call(one, x, y))(tf.constant(target), tf.constant(output))

            yield way, spoilt if spoilt else "", run


def _loss(name: str) -> Iterator[Case]:
    keras = library()
    sparse = name.startswith("Sparse")
    for way, spoilt, call in _pair_cases(getattr(keras.losses, name), sparse, lambda f, a, b: f(a, b)):
        yield way, spoilt or ("rank" if sparse or name in ("Circle", "CTC") else ""), call


def metric(name: str) -> Any:
    """A metric, for two or three classes."""
    arguments: dict[str, dict[str, Any]] = {
        "IoU": {"num_classes": 2, "target_class_ids": [0]},
        "MeanIoU": {"num_classes": 2},
        "OneHotIoU": {"num_classes": 3, "target_class_ids": [0]},
    }
    return getattr(library().metrics, name)(**arguments.get(name, {}))


def _metric(name: str) -> Iterator[Case]:
    for way, spoilt, call in _pair_cases(
        lambda: metric(name), name.startswith("Sparse"), lambda f, a, b: f.update_state(a, b)
    ):
        yield way, spoilt or ("rank" if name.startswith("Sparse") else ""), call


def _op(name: str) -> Iterator[Case]:
    import tensorflow as tf

    keras = library()

    shapes, arguments = OPS[name]
    arguments = dict(arguments)
    as_list = arguments.pop("list", False)
    function: Any = keras.ops
    for part in name.rstrip("3").split("."):
        function = getattr(function, part)

    def call(values: list[Any], way: str, **more: Any) -> Any:
        kept = {**arguments, **more}
        first = [kept.pop("subscripts")] if "subscripts" in kept else []

        def give(v: list[Any]) -> Any:
            if name == "where3":
                return function(v[0] > 0, *v)
            if name == "segment_sum" or name == "scatter_update":
                v = [v[0], *(keras.ops.cast(i, "int32") if n == 0 else i for n, i in enumerate(v[1:]))]
            if name in ("sparse_categorical_crossentropy", "in_top_k"):
                v = [keras.ops.cast(v[0], "int32"), *v[1:]]
            return function(v, **kept) if as_list else function(*first, *v, **kept)

        if way == "symbolic":
            return give([keras.Input(batch_shape=v.shape) for v in values])
        if way == "eager":
            return give([tf.constant(v) for v in values])
        return tf.function(lambda *v: give(list(v)))(*(tf.constant(v) for v in values))

    right = [_values(s) + (4 * np.eye(4, dtype="float32") if s == (4, 4) else 0) for s in shapes]
    yield "eager", "", lambda: call(right, "eager")
    for number, shape in enumerate(shapes):
        for spoilt, other in _wrong(shape):
            for way in ("eager", "symbolic"):
                values = [*right[:number], _values(other), *right[number + 1 :]]
                yield way, spoilt, lambda v=values, w=way: call(v, w)
    for key, value in (("axis", 7), ("axes", (0, 5)), ("newshape", (3, 5)), ("shape", (3, 5)), ("indices", [97])):
        if key in arguments:
            for way in ("eager", "graph", "symbolic"):
                what = "index" if key == "indices" else "rank" if key.startswith("ax") else "dimension"
                yield way, what, lambda k=key, v=value, w=way: call(right, w, **{k: v})


def _fit(name: str) -> Iterator[Case]:
    keras = library()
    shape = {"conv": (8, 8, 3), "rnn": (5, 4)}.get(name, (4,))
    loss = "sparse_categorical_crossentropy" if name == "sparse" else "mse"

    def model(eager: bool) -> Any:
        one = keras.Input(shape, name="a")
        x = {"conv": keras.layers.Conv2D(2, 3), "rnn": keras.layers.LSTM(3)}.get(name, keras.layers.Dense(3))(one)
        out = keras.layers.Dense(3)(keras.layers.Flatten()(x))
        inputs: Any = one
        if name in ("two", "named"):
            other = keras.Input((4,), name="b")
            out, inputs = keras.layers.Dense(3)(keras.layers.Concatenate()([out, other])), [one, other]
            if name == "named":
                inputs = {"a": one, "b": other}
        built = keras.Model(inputs, out)
        built.compile("sgd", loss, run_eagerly=eager)
        return built

    def data(
        rows: int = 8, sizes: tuple[int, ...] = shape, out: tuple[int, ...] = (3,), targets: int = 8
    ) -> tuple[Any, Any]:
        x = _values((rows, *sizes))
        y = (np.arange(targets) % 3).reshape(targets, 1) if name == "sparse" else _values((targets, *out))
        if name == "two":
            return [x, _values((rows, 4))], y
        return ({"a": x, "b": _values((rows, 4))} if name == "named" else x), y

    spoils: list[tuple[str, tuple[Any, Any]]] = [
        *((what, data(sizes=other)) for what, other in _wrong(shape)),
        ("dimension", data(out=(2,))),
        ("rank", data(out=(3, 2))),
        ("rank", data(out=())),
        ("dimension", data(targets=7)),
        ("dimension", data(rows=9)),
    ]
    if name == "sparse":
        spoils += [("index", (data()[0], np.full((8, 1), 97))), ("index", (data()[0], np.full((8, 1), -1)))]
    if name == "named":
        x, y = data()
        spoils += [("key", ({"a": x["a"], "c": x["b"]}, y)), ("key", ({"a": x["a"]}, y))]
    if name == "two":
        x, y = data()
        spoils += [("count", ([x[0]], y)), ("count", ([*x, x[0]], y))]
    for eager in (False, True):
        way = "eager" if eager else "graph"
        yield way, "", lambda e=eager: model(e).fit(*data(), verbose=0)
        for spoilt, (x, y) in spoils:
            yield way, spoilt, lambda x=x, y=y, e=eager: model(e).fit(x, y, verbose=0)
            if eager:
                yield way, spoilt, lambda x=x, y=y, e=eager: model(e).evaluate(x, y, verbose=0)
                yield way, spoilt, lambda x=x, e=eager: model(e).predict(x, verbose=0)


def _saved(name: str) -> Iterator[Case]:
    """Weights of one model for another, by every format that this version writes."""
    keras = library()

    def model(units: int, more: bool = False) -> Any:
        inputs = keras.Input((8, 8, 3) if name == "conv" else (4,))
        first = keras.layers.Conv2D(units, 3) if name == "conv" else keras.layers.Dense(units)
        x = keras.layers.Flatten()(first(inputs))
        if more:
            x = keras.layers.Dense(2)(x)
        return keras.Model(inputs, keras.layers.Dense(3)(x))

    def load(file: str, other: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / file)
            model(4).save_weights(path)
            other().load_weights(path)

    others = (("weights", lambda: model(5)), ("weights", lambda: model(4, True)))
    for file in ("a.weights.h5", "a.h5", "a"):
        if _said(partial(load, file, lambda: model(4))):
            continue  # a format that this version does not write
        for spoilt, other in others:
            yield "eager", spoilt, partial(load, file, other)
    yield "eager", "weights", lambda: model(4).set_weights(model(5).get_weights())
    yield "eager", "weights", lambda: model(4).set_weights(model(4).get_weights()[:-1])

"""Keras layers and the layers of TensorFlow 1: what they ask of their input, and what shape they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xladoctor.blame.algebra import broadcast, conflict, elements, joined_arrays, reshaped, same
from xladoctor.blame.arguments import Args, Kwargs, axes_of, is_none, shape_of
from xladoctor.blame.cells import of_cell
from xladoctor.blame.layer_settings import called, columns, is_true, line_of, setting, units
from xladoctor.blame.values import Array, Const, Dim, Layer, Origin, Seq, Value, array, dim, number, text
from xladoctor.blame.windows import convolution, edged, pooling, upsampling

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

PLACES: dict[str, tuple[str, ...]] = {
    "Dense": ("units", "activation"),
    "Embedding": ("input_dim", "output_dim"),
    "Reshape": ("target_shape",),
    "Permute": ("dims",),
    "RepeatVector": ("n",),
    "Concatenate": ("axis",),
    "Dot": ("axes",),
    "TimeDistributed": ("layer",),
    "Bidirectional": ("layer",),
    "Lambda": ("function", "output_shape"),
    "RNN": ("cell", "return_sequences"),
    "Activation": ("activation",),
    "InputLayer": ("input_shape",),
    "ZeroPadding2D": ("padding",),
    "ZeroPadding1D": ("padding",),
    "Cropping2D": ("cropping",),
    "Cropping1D": ("cropping",),
    "UpSampling2D": ("size",),
    "UpSampling1D": ("size",),
    "MultiHeadAttention": ("num_heads", "key_dim", "value_dim"),
    "DepthwiseConv2D": ("kernel_size", "strides", "padding"),
    **dict.fromkeys(("Resizing", "CenterCrop", "RandomCrop"), ("height", "width")),
}
_CELLS = ("LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU")
_RANKS = {"1D": 3, "2D": 4, "3D": 5}


def positions(cls: str) -> tuple[str, ...]:
    """The names of a layer's positional arguments."""
    if cls in PLACES:
        return PLACES[cls]
    if cls in _CELLS:
        return ("units",)
    if "Pool" in cls:
        return ("pool_size", "strides", "padding")
    if "Conv" in cls:
        return ("filters", "kernel_size", "strides", "padding")
    return ()


def build(run: Follower, cls: str, args: Args, kwargs: Kwargs) -> Layer:
    """A layer as its constructor makes it."""
    settings = dict(zip(positions(cls), args, strict=False)) | dict(kwargs)
    shown = next((settings[k] for k in ("units", "filters", "target_shape", "output_dim") if k in settings), None)
    made = Layer(cls, settings, run.origin("layer", f"{cls}({_shown(shown)})", *settings.values()))
    run.made.append(made)
    return made


def _shown(value: Value | None) -> str:
    if isinstance(value, Const):
        return str(value.value)
    if isinstance(value, Seq):
        return "(" + ", ".join(_shown(item) for item in value.items) + ")"
    return "" if value is None else "..."


def input_of(run: Follower, layer: Value) -> Array | None:
    """The input that a first layer of a Sequential declares by `input_shape`, `input_dim` or `batch_input_shape`."""
    if isinstance(layer, Array):
        return layer
    if not isinstance(layer, Layer):
        return None
    found, origin = layer.settings, layer.origin or run.origin("input")
    where = Origin("input", origin.file, origin.line, "input_shape", origin.parents)
    whole = found.get("batch_input_shape") or found.get("batch_shape")
    if whole is not None:
        return Array(shape_of(whole, where)[0], where, "symbolic")
    shape = found.get("input_shape") or (found.get("shape") if layer.cls == "InputLayer" else None)
    if shape is not None and not is_none(shape):
        inner = shape_of(shape, where)[0]
        return Array(None if inner is None else (Dim(batch=True), *inner), where, "symbolic")
    width = found.get("input_dim") if layer.cls != "Embedding" else None
    length = found.get("input_length")
    if layer.cls == "Embedding":
        return Array((Dim(batch=True), dim(length, where)), where, "symbolic") if length is not None else None
    if width is None:
        return None
    steps = [dim(length, where)] if length is not None else [Dim(None, where)] if layer.cls in _CELLS else []
    return Array((Dim(batch=True), *steps, dim(width, where)), where, "symbolic")


def apply(run: Follower, layer: Layer, args: Sequence[Value]) -> Value:
    """What a layer gives for its input."""
    given = args[0] if args else Value()
    found = array(given)
    merging = _MERGING.get(layer.cls)
    if merging is not None and isinstance(given, Seq):
        return _stamped(merging(run, layer, given.items), layer)
    if found is None or found.dims is None:
        return Array(None, layer.origin, "symbolic")
    wanted = _wanted_rank(layer)
    if (wanted is not None and len(found.dims) != wanted) or (layer.cls == "Dense" and len(found.dims) == 1):
        wanted = wanted or 2
        sides = [Dim(len(found.dims), found.origin), Dim(wanted, layer.origin)]
        run.clash("rank", called(layer), [found, layer], [None, None], sides)
        return Array(None, layer.origin, "symbolic")
    act = _BY_CLASS.get(layer.cls) or _by_kind(layer.cls)
    return _stamped(act(run, layer, found), layer, found)


def _stamped(made: Value, layer: Layer, *inputs: Array) -> Value:
    if isinstance(made, Array):
        made.made_by = layer
        made.inputs = made.inputs or tuple(inputs)
        layer.output = made
    return made


def _wanted_rank(layer: Layer) -> int | None:
    if layer.cls in _CELLS:
        return 3
    if layer.cls == "RepeatVector":
        return 2
    if (
        "Conv" in layer.cls
        or "Pooling" in layer.cls
        or "UpSampling" in layer.cls
        or "ZeroPadding" in layer.cls
        or "Cropping" in layer.cls
    ):
        return next((rank for end, rank in _RANKS.items() if layer.cls.endswith((end, end + "Transpose"))), None)
    return None


def _dense(run: Follower, layer: Layer, found: Array) -> Value:
    columns(run, layer, found, -1)
    return Array([*(found.dims or ())[:-1], units(layer)], layer.origin, "symbolic")


def _recurrent(run: Follower, layer: Layer, found: Array) -> Value:
    columns(run, layer, found, -1)
    whole, known = setting(layer, "return_sequences"), found.dims or ()
    made = [*known[:2], units(layer)] if is_true(whole) else [known[0], units(layer)]
    out = Array(made, layer.origin, "symbolic")
    if is_true(setting(layer, "return_state")):
        state = Array([known[0], units(layer)], layer.origin, "symbolic")
        return Seq([out, state, state] if "LSTM" in layer.cls else [out, state], layer.origin)
    return out


def _flatten(run: Follower, layer: Layer, found: Array) -> Value:
    known = found.dims or ()
    inner = [d.origin for d in known[1:] if d.origin is not None]
    origin = Origin("layer", *line_of(layer), "Flatten()", tuple(dict.fromkeys(inner))[:8])
    return Array([known[0], Dim(elements(known[1:]), origin)], layer.origin, "symbolic")


def _reshape(run: Follower, layer: Layer, found: Array) -> Value:
    shape, free = shape_of(setting(layer, "target_shape"), layer.origin or run.origin("reshape"))
    inner = Array((found.dims or ())[1:], found.origin, found.kind)
    made = reshaped(run, inner, shape, free)
    dims = made.dims if isinstance(made, Array) else None
    batch = (found.dims or (Dim(batch=True),))[0]
    return Array(None if dims is None else [batch, *dims], layer.origin, "symbolic")


def _embedding(run: Follower, layer: Layer, found: Array) -> Value:
    return Array([*(found.dims or ()), units(layer, "output_dim")], layer.origin, "symbolic")


def _permute(run: Follower, layer: Layer, found: Array) -> Value:
    axes, known = axes_of(setting(layer, "dims")), found.dims or ()
    if axes is None or sorted(axes) != list(range(1, len(known))):
        return Array(None, layer.origin, "symbolic")
    return Array([known[0], *(known[a] for a in axes)], layer.origin, "symbolic")


def _repeat(run: Follower, layer: Layer, found: Array) -> Value:
    known = found.dims or ()
    return Array([known[0], units(layer, "n"), known[-1]], layer.origin, "symbolic")


def _wrapped(run: Follower, layer: Layer, found: Array) -> Value:
    inner, known = setting(layer, "layer"), found.dims or ()
    if not isinstance(inner, Layer):
        return Array(None, layer.origin, "symbolic")
    if layer.cls == "TimeDistributed":
        made = array(apply(run, inner, [Array([known[0], *known[2:]], found.origin, "symbolic")]))
        if made is None or made.dims is None:
            return Array(None, layer.origin, "symbolic")
        return Array([known[0], known[1], *made.dims[1:]], layer.origin, "symbolic")
    whole = apply(run, inner, [found])
    made = array(whole.items[0] if isinstance(whole, Seq) and whole.items else whole)
    if made is None or made.dims is None:
        return Array(None, layer.origin, "symbolic")
    one = units(inner)
    summed = text(setting(layer, "merge_mode")) in ("sum", "mul", "ave")
    width = one if summed else Dim(None if one.size is None else 2 * one.size, layer.origin)
    out = Array([*made.dims[:-1], width], layer.origin, "symbolic")
    states = whole.items[1:] if isinstance(whole, Seq) else []
    return Seq([out, *states, *states], layer.origin) if states else out


def _vectorized(run: Follower, layer: Layer, found: Array) -> Value:
    """`TextVectorization`: as many numbers a text as `output_sequence_length` says, or as `max_tokens`."""
    counts = text(setting(layer, "output_mode")) in ("multi_hot", "count", "tf_idf")
    width = setting(layer, "max_tokens" if counts else "output_sequence_length")
    last = Dim(None, layer.origin) if is_none(width) else dim(width, layer.origin)
    made = Array([*(found.dims or ())[:1], last], layer.origin, "tensor")
    made.integer = not counts
    return made


def _opaque(run: Follower, layer: Layer, found: Array) -> Value:
    return Array(None, layer.origin, "symbolic")


def _lambda(run: Follower, layer: Layer, found: Array) -> Value:
    from xladoctor.blame.expressions import call

    act = setting(layer, "function")
    return call(run, act, [found], {}) if act is not None else Array(None, layer.origin, "symbolic")


def _like(run: Follower, layer: Layer, found: Array) -> Value:
    return same(found, run, layer.cls)


def _concatenated(run: Follower, layer: Layer, values: Sequence[Value]) -> Value:
    asked = setting(layer, "axis")
    axis = number(asked)
    made = joined_arrays(run, values, -1 if axis is None else axis, called(layer), asked=asked)
    if isinstance(made, Array) and made.dims is not None:
        made.origin = layer.origin or made.origin
    return made


def _summed(run: Follower, layer: Layer, values: Sequence[Value]) -> Value:
    return broadcast(run, values, called(layer))


def _dotted(run: Follower, layer: Layer, values: Sequence[Value]) -> Value:
    found = [array(v) for v in values]
    axes = axes_of(setting(layer, "axes"))
    if len(found) != 2 or not axes or found[0] is None or found[1] is None or not found[0].dims or not found[1].dims:
        return Array(None, layer.origin, "symbolic")
    at = (axes[0], axes[-1])
    if any(abs(a) >= len(f.dims or ()) + (a < 0) for a, f in zip(at, found, strict=True) if f is not None):
        return Array(None, layer.origin, "symbolic")
    sides = [found[0].dims[at[0]], found[1].dims[at[1]]]
    if conflict(sides[0], sides[1]):
        run.clash("inner", called(layer), [found[0], found[1]], list(at), sides)
    rest = [d for f, a in zip(found, at, strict=True) if f is not None for d in _without(f.dims or (), a)]
    return Array([found[0].dims[0], *(rest or [Dim(1, layer.origin)])], layer.origin, "symbolic")


def _without(known: Sequence[Dim], axis: int) -> list[Dim]:
    return [d for i, d in enumerate(known) if i not in (0, axis % len(known))]


def _attended(run: Follower, layer: Layer, values: Sequence[Value]) -> Value:
    """`Attention()([query, value])`: as many columns in both."""
    found = [array(v) for v in values[:2]]
    query, value = found if len(found) == 2 else (None, None)
    if query is None or value is None or not query.dims or not value.dims:
        return Array(None, layer.origin, "symbolic")
    if layer.cls == "Attention" and conflict(query.dims[-1], value.dims[-1]):
        run.clash("inner", called(layer), [query, value], [-1, -1], [query.dims[-1], value.dims[-1]])
    return Array([*query.dims[:-1], value.dims[-1]], layer.origin, "symbolic")


_MERGING: dict[str, Callable[[Follower, Layer, Sequence[Value]], Value]] = {
    "Concatenate": _concatenated,
    "Dot": _dotted,
    "Attention": _attended,
    "AdditiveAttention": _attended,
    **dict.fromkeys(("Add", "Multiply", "Subtract", "Average", "Maximum", "Minimum"), _summed),
}
_BY_CLASS: dict[str, Callable[[Follower, Layer, Array], Value]] = {
    "Dense": _dense,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Embedding": _embedding,
    "Permute": _permute,
    "RepeatVector": _repeat,
    "TimeDistributed": _wrapped,
    "Bidirectional": _wrapped,
    "Lambda": _lambda,
    "RNN": of_cell,
    **dict.fromkeys(_CELLS, _recurrent),
}


_CONVOLUTIONS = frozenset(
    {"Convolution2D", *(f"{kind}Conv{n}D" for kind in ("", "Depthwise", "Separable") for n in (1, 2, 3))}
    | {f"Conv{n}DTranspose" for n in (1, 2, 3)}
)


def _resized(run: Follower, layer: Layer, found: Array) -> Value:
    """`Resizing(height, width)` and the like."""
    known, new = found.dims or (), [dim(setting(layer, n), layer.origin) for n in ("height", "width")]
    made = [*known[:-3], *new, known[-1]] if len(known) > 2 else None
    return Array(made, layer.origin, "symbolic")


def _by_kind(cls: str) -> Callable[[Follower, Layer, Array], Value]:
    if "Pool" in cls:
        return pooling
    if cls in _CONVOLUTIONS:
        return convolution
    if cls in ("Resizing", "CenterCrop", "RandomCrop"):
        return _resized
    if cls.startswith("UpSampling"):
        return upsampling
    if cls.startswith(("ZeroPadding", "Cropping")):
        return edged
    if cls.startswith(("Hashing", "CategoryEncoding")):
        return _opaque
    if cls == "TextVectorization":
        return _vectorized
    return _like if any(word in cls for word in _KEEP) or cls == "InputLayer" else _opaque


_KEEP = (
    "Dropout", "Normalization", "Activation", "ReLU", "Softmax", "PReLU", "ELU", "Masking", "Noise", "Rescaling",
    "StringLookup", "IntegerLookup", "Discretization", "Random", "MultiHeadAttention", "GroupQueryAttention",
    "Regularization", "Identity",
)  # fmt: skip
"""Parts of the names of layers that keep the shape."""


def is_layer(name: str) -> bool:
    """Whether a canonical name is that of a Keras layer."""
    head, _, last = name.rpartition(".")
    return head.startswith("keras") and "layers" in head and last[:1].isupper() and last not in ("Input", "Layer")

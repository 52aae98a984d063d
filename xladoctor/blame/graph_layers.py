"""Layers and convolutions of TensorFlow without Keras: built and called in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import conflict
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.layers import apply, build
from xladoctor.blame.values import Array, Dim, Layer, Seq, Value, array
from xladoctor.blame.windows import spatial, windowed

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def graph_layer(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.layers.dense(inputs, units)` and the like: built and called in one."""
    cls = {"dense": "Dense", "fully_connected": "Dense", "conv2d": "Conv2D", "conv1d": "Conv1D", "flatten": "Flatten"}
    cls |= {"max_pooling2d": "MaxPooling2D", "average_pooling2d": "AveragePooling2D", "dropout": "Dropout"}
    cls |= {"batch_normalization": "BatchNormalization", "max_pooling1d": "MaxPooling1D", "conv3d": "Conv3D"}
    cls |= {"conv2d_transpose": "Conv2DTranspose"}
    given = dict(kwargs)
    first = given.pop("inputs", args[0] if args else Value())
    if "num_outputs" in given:
        given["units"] = given["filters"] = given.pop("num_outputs")
    layer = build(run, cls.get(name, "Unknown"), args[1:] if "inputs" not in kwargs else args, given)
    return apply(run, layer, [first])


def convolution(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.nn.conv2d(x, filters, strides, padding)`: the channels must agree."""
    found, kernel = array(arg(args, kwargs, 0, "input")), array(arg(args, kwargs, 1, "filters", "filter"))
    origin = run.origin("operation", f"`{name}`", *args)
    if found is None or kernel is None or not found.dims or not kernel.dims:
        return Array(None, origin, "tensor")
    count = {"conv1d": 1, "conv2d": 2, "conv3d": 3}.get(name, 2)
    for what, rank in ((found, count + 2), (kernel, count + 2)):
        if len(what.dims or ()) != rank:
            sides = [Dim(len(what.dims or ()), what.origin), Dim(rank, origin)]
            run.clash("rank", f"`{name}`", [what, kernel], [None, None], sides)
            return Array(None, origin, "tensor")
    if conflict(found.dims[-1], kernel.dims[-2]):
        run.clash("inner", f"`{name}`", [found, kernel], [-1, -2], [found.dims[-1], kernel.dims[-2]])
    settings = {
        "strides": _inner(arg(args, kwargs, 2, "strides", "stride")),
        "padding": arg(args, kwargs, 3, "padding"),
    }
    layer = Layer(name, {k: v for k, v in settings.items() if v is not None}, origin)
    stride = spatial(settings["strides"], count, 1)
    return windowed(run, layer, found, [d.size for d in kernel.dims[:count]], stride, kernel.dims[-1])


def pool(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.nn.max_pool(x, ksize, strides, padding)`."""
    found = array(arg(args, kwargs, 0, "value", "input"))
    origin = run.origin("operation", f"`{name}`", *args)
    if found is None or found.dims is None or len(found.dims) < 3:
        return Array(None, origin, "tensor")
    count = len(found.dims) - 2
    padding = arg(args, kwargs, 3, "padding")
    layer = Layer(name, {"padding": padding} if padding is not None else {}, origin)
    window = spatial(_inner(arg(args, kwargs, 1, "ksize")), count, 2)
    stride = spatial(_inner(arg(args, kwargs, 2, "strides")), count, 2)
    return windowed(run, layer, found, window, stride, found.dims[-1])


def _inner(value: Value | None) -> Value | None:
    """`[1, 2, 2, 1]` as `[2, 2]`."""
    return Seq(value.items[1:-1]) if isinstance(value, Seq) and len(value.items) > 3 else value

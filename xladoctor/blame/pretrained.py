"""The models of `keras.applications`: what they take, and how many channels they end with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.arguments import Args, Kwargs, arg, is_none, shape_of
from xladoctor.blame.values import Array, Const, Dim, Model, Value, text

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_CHANNELS = {
    "VGG": 512, "ResNet": 2048, "MobileNetV2": 1280, "MobileNet": 1024, "InceptionV3": 2048, "InceptionResNet": 1536,
    "Xception": 2048, "DenseNet121": 1024, "DenseNet169": 1664, "DenseNet201": 1920, "NASNetMobile": 1056,
    "NASNetLarge": 4032, "EfficientNetV2B0": 1280, "EfficientNetV2B1": 1280, "EfficientNetV2S": 1280,
    "EfficientNetB0": 1280, "EfficientNetB1": 1280, "EfficientNetB2": 1408, "EfficientNetB3": 1536,
    "EfficientNetB4": 1792, "EfficientNetB5": 2048,
}  # fmt: skip
"""By the beginning of the name; the first that fits."""
_STRIDE = 32


def pretrained(run: Follower, cls: str, args: Args, kwargs: Kwargs) -> Value:
    """`keras.applications.VGG16(include_top=False, input_shape=..., pooling=...)`."""
    made = Model(run.origin("layer", cls))
    channels = next((n for name, n in _CHANNELS.items() if cls.startswith(name)), None)
    top, shape = kwargs.get("include_top") or (args[0] if args else None), kwargs.get("input_shape")
    whole = not (isinstance(top, Const) and top.value is False)
    given = arg(args, kwargs, -1, "input_tensor")
    origin = run.origin("input", "input_shape", shape)
    inner = shape_of(shape, origin)[0] if not is_none(shape) else None
    default = [*(Dim(n if whole else None, origin) for n in (224, 224)), Dim(3, origin)]
    known = Array((Dim(batch=True), *(inner or default)), origin, "symbolic")
    made.inputs = given if isinstance(given, Array) else known
    batch, here = Dim(batch=True), made.origin
    if whole:
        made.outputs = Array((batch, Dim(1000, here)), here, "symbolic") if "classes" not in kwargs else None
    elif text(kwargs.get("pooling")) in ("avg", "max"):
        made.outputs = Array((batch, Dim(channels, here)), here, "symbolic")
    else:
        sizes = [d.size for d in (inner or ())[:2]]
        exact = [None if n is None or n % _STRIDE else n // _STRIDE for n in sizes]
        made.outputs = Array(
            (batch, *(Dim(n, here) for n in exact or (None, None)), Dim(channels, here)), here, "symbolic"
        )
    run.made.append(made)
    return made

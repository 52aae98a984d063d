"""Pipelines that begin with numbers, files or other pipelines, and what is read from files: only the shapes that the
calls name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xladoctor.blame import data
from xladoctor.blame.arguments import Args, Kwargs, arg
from xladoctor.blame.values import Array, Const, Dataset, Dim, Map, Seq, Value, array, dim, number

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

Act = Callable[["Follower", str, Args, Kwargs], Value]

_CHANNELS = {"grayscale": 1, "rgb": 3, "rgba": 4}
_BATCH = 32


def scalars(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`Dataset.range(n)`, `TFRecordDataset(files)`, `Dataset.list_files(pattern)`: an element is one number or text."""
    origin = run.origin("stage", name)
    element = Array([], origin, "tensor")
    element.integer = name == "range"
    given = number(args[0]) if name == "range" and len(args) == 1 else None
    return Dataset(element, origin, dim(args[0], origin) if given is not None else None)


def mixed(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`Dataset.sample_from_datasets([a, b])`: elements as those of the first."""
    given = arg(args, kwargs, 1 if name.startswith("choose") else 0, "datasets")
    first = given.items[0] if isinstance(given, Seq) and given.items else None
    return Dataset(first.element if isinstance(first, Dataset) else Value(), run.origin("stage", name))


def image_folder(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`keras.utils.image_dataset_from_directory(folder, image_size=(h, w), ...)`: batches of images, and labels."""
    origin = run.origin("stage", name)
    size = kwargs.get("image_size")
    sides = [dim(item, origin) for item in size.items] if isinstance(size, Seq) else [Dim(256, origin)] * 2
    if len(sides) != 2:
        run.refuse()
    mode = kwargs.get("color_mode")
    channels = _CHANNELS.get(str(mode.value)) if isinstance(mode, Const) else 3 if mode is None else None
    batch = kwargs.get("batch_size")
    alone = isinstance(batch, Const) and batch.value is None
    asked = dim(batch, origin) if batch is not None and not alone else Dim(_BATCH, origin)
    rows = [] if alone else [Dim(None, asked.origin, batch=True)]
    images = Array([*rows, *sides, Dim(channels, origin)], origin, "tensor")
    made = Dataset(_with_labels(images, rows, kwargs.get("label_mode"), run), origin)
    made.batch, made.size = (None, None) if alone else (origin, asked.size)
    return made


def _with_labels(images: Array, rows: list[Dim], mode: Value | None, run: Follower) -> Value:
    said = "int" if mode is None else mode.value if isinstance(mode, Const) else ""
    if said is None:
        return images
    origin = run.origin("stage", "the labels of a folder")
    last = {"int": [], "binary": [Dim(1, origin)], "categorical": [Dim(None, origin)]}.get(str(said))
    labels = Array(None if last is None else [*rows, *last], origin, "tensor")
    labels.integer = said == "int"
    return Seq([images, labels], images.origin)


def decoded(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.io.decode_jpeg(contents, channels=3)`: an image of any size; 0 channels are as many as it has."""
    origin = run.origin("read", name, *args)
    if name == "decode_raw":
        return Array([Dim(None, origin)], origin, "tensor")
    channels = number(arg(args, kwargs, 1, "channels"))
    return Array([Dim(None, origin), Dim(None, origin), Dim(channels or None, origin)], origin, "tensor")


def parsed(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.io.parse_single_example(text, {"x": FixedLenFeature(shape, dtype)})`; `parse_example` parses a batch."""
    features = arg(args, kwargs, 1, "features")
    origin = run.origin("read", name)
    if not isinstance(features, Map):
        return Value(origin)
    texts = array(args[0]) if args else None
    rows = list(texts.dims or ()) if name == "parse_example" and texts is not None else []
    items: dict[str, Value] = {}
    for key, feature in features.items.items():
        found = feature if isinstance(feature, Array) and feature.dims is not None else None
        items[key] = Array(None if found is None else [*rows, *(found.dims or ())], feature.origin or origin, "tensor")
    return Map(items, origin)


def feature(run: Follower, name: str, args: Args, kwargs: Kwargs) -> Value:
    """`tf.io.FixedLenFeature(shape, dtype)`."""
    given = arg(args, kwargs, 0, "shape")
    origin = run.origin("input", name, given)
    if isinstance(given, Seq):
        return Array([dim(item, origin) for item in given.items], origin, "tensor")
    size = number(given)
    return Array(None if size is None else [Dim(size, origin)], origin, "tensor")


STARTS: dict[str, Act] = {
    "from_tensor_slices": data.from_slices, "from_tensors": data.from_slices, "from_generator": data.from_generator,
    "zip": data.zipped, "range": scalars, "list_files": scalars, "TFRecordDataset": scalars,
    "TextLineDataset": scalars, "sample_from_datasets": mixed, "choose_from_datasets": mixed,
}  # fmt: skip
"""Of `tf.data`, by the last part of the name."""

READS: dict[str, Act] = {
    "image_dataset_from_directory": image_folder, "timeseries_dataset_from_array": data.timeseries,
    "decode_jpeg": decoded, "decode_png": decoded, "decode_bmp": decoded, "decode_raw": decoded,
    "parse_single_example": parsed, "parse_example": parsed, "FixedLenFeature": feature,
}  # fmt: skip
"""Of Keras' utilities and of `tf.io`."""

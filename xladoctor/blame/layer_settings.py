"""What a Keras layer was built with, as the rooms for its kinds ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.blame.algebra import conflict
from xladoctor.blame.values import Array, Const, Dim, Layer, Origin, Value, dim, text

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def called(layer: Layer) -> str:
    """The layer in words."""
    return layer.origin.text if layer.origin is not None and layer.origin.text else layer.cls


def columns(run: Follower, layer: Layer, found: Array, axis: int) -> None:
    """Note the columns of a layer's first input; those of a later one must be the same."""
    here = (found.dims or ())[axis] if found.dims else Dim()
    if layer.columns is None:
        layer.columns = here if here.size is not None else None
    elif conflict(layer.columns, here):
        run.clash("columns", called(layer), [found, layer], [axis, None], [here, layer.columns])


def setting(layer: Layer, name: str) -> Value | None:
    """An argument of its constructor."""
    return layer.settings.get(name)


def units(layer: Layer, name: str = "units") -> Dim:
    """The axis that it makes."""
    return dim(setting(layer, name), layer.origin)


def is_true(value: Value | None) -> bool:
    """Whether an argument is True."""
    return isinstance(value, Const) and value.value is True


def is_first(layer: Layer) -> bool:
    """Whether its channels come first."""
    return text(setting(layer, "data_format")) == "channels_first"


def line_of(layer: Layer) -> tuple[str, int]:
    """The file and line that build it."""
    return (layer.origin.file, layer.origin.line) if layer.origin is not None else ("", 0)


def through(origin: Origin | None, old: Dim) -> Origin | None:
    """The line of a layer, with where the old size came from."""
    if origin is None or old.origin is None:
        return origin
    return Origin("layer", origin.file, origin.line, origin.text, (old.origin, *origin.parents))

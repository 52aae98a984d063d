"""Element types of tensors: how they are spelled, how many bytes a value takes, and bytes in words."""

from __future__ import annotations

_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "float32": 4, "int32": 4,
    "uint32": 4, "float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
# TensorFlow's C++ prints the names of C++ types.
_SPELLED = {"float": "float32", "double": "float64", "half": "float16"}
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def spelled(name: str) -> str:
    """A type as Python spells it: `float` and `DT_FLOAT` are float32."""
    bare = name.removeprefix("DT_").lower()
    return _SPELLED.get(bare, bare)


def bytes_of(name: str) -> int | None:
    """How many bytes a value takes; None if the type is unknown."""
    return _BYTES.get(spelled(name))


def width(name: str) -> int:
    """The same for comparisons: 0 if the type is unknown."""
    return _BYTES.get(spelled(name), 0)


def family(name: str) -> str | None:
    """bool, int, float or complex; None if the type is unknown."""
    plain = spelled(name)
    if plain not in _BYTES:
        return None
    return "bool" if plain == "bool" else next(kind for kind in ("complex", "float", "int") if kind in plain)


def byte_words(count: int) -> str:
    """A number of bytes in the largest binary unit that leaves at least one: `37.3 TiB`."""
    if count >= 1 << 70:
        return "more than 1024 EiB"
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.3g} {_UNITS[unit]}" if value < 1000 else f"{value:.0f} {_UNITS[unit]}"

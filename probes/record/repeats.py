"""Whether a training is one that the program did before: from the same line, of a like model, with the same settings.

Names do not count, since Keras numbers its layers through a process; values do not count either, only their shapes. Nor
does a float of a setting (a rate, a scale), unless it is 0: the graph is the same but for a constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

_DEPTH = 8
_PARTS = 5000


class Trainings:
    """The trainings that have ended, and when the last of each kind began."""

    def __init__(self) -> None:
        self._began: dict[Any, float] = {}

    def ended(self, key: Any, began: float) -> None:
        """A training has ended."""
        if key is not None:
            self._began[key] = began

    def apart(self, key: Any, began: float) -> float | None:
        """Seconds from the training before that is like this one; None where it is the first."""
        return began - self._began[key] if key in self._began else None


def likeness(model: Any, call: Mapping[str, Any] | None) -> Any:
    """What tells a `fit` from others; None where that is not known."""
    if call is None or call["method"] != "fit" or not call.get("where"):
        return None
    settings = [getattr(model, name, None) for name in ("optimizer", "loss", "jit_compile", "run_eagerly")]
    given = [call["where"], [call["rows_in"], call["batch_size"]], type(model).__qualname__]
    left = [_PARTS]
    try:
        parts = (*given, *settings, *model._flatten_layers(include_self=False))
        made_of = tuple(_like(part, left) for part in parts)
        hash(made_of)
    except Exception:  # the program's own `get_config` may be anything
        return None
    return made_of if left[0] > 0 else None


def _like(value: Any, left: list[int], depth: int = 0) -> Any:
    """A value without its name, as something that can be compared."""
    left[0] -= 1
    if left[0] <= 0 or depth > _DEPTH:
        return "..."
    if isinstance(value, float):
        return ("float", value == 0)
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return value
    if isinstance(value, Mapping):
        own = {str(k): v for k, v in value.items() if k != "name"}
        return tuple((k, _like(own[k], left, depth + 1)) for k in sorted(own))
    if isinstance(value, list) and all(type(v) is float for v in value):
        return ("floats", len(value))  # weights, or a filter
    if isinstance(value, (list, tuple)):
        return tuple(_like(v, left, depth + 1) for v in value)
    if isinstance(value, FunctionType):
        held = [cell.cell_contents for cell in value.__closure__ or () if _is_full(cell)]
        return (value.__module__, value.__qualname__, value.__code__.co_firstlineno, _like(held, left, depth + 1))
    if hasattr(value, "get_config"):
        return (type(value).__qualname__, _like(value.get_config(), left, depth + 1))
    return (type(value).__qualname__, str(getattr(value, "shape", None)), str(getattr(value, "dtype", None)))


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False

"""A subject of the user's own: `module:callable`, imported in the worker, built at a batch size, called in three ways.

`callable(batch_size)` returns `(function, arguments)`; anything else means that it made the call itself. The module is
found from the user's working directory, as `python -m` would find it.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..protocol.answers import Captured, Description
from ..protocol.requests import Capture, DescribeCallable, ListRead, ListWritten, OfSubject
from . import reads, written
from .errors import GraphRoomError

CONFIG = "ptycho.params"
"""The module whose `cfg` holds the settings that a subject is built under."""


class NoSubject(GraphRoomError):
    """The callable cannot be had, or cannot be called so."""


@dataclasses.dataclass(frozen=True)
class Built:
    """What a callable gave: a function with its arguments; or, if `function` is None, what its own call returned."""

    function: Callable[..., Any] | None
    arguments: tuple[Any, ...]
    result: Any
    seconds: float


class BuildFailed(Exception):
    """The callable itself raised: where it makes the call, that is the failure that is looked for."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def describe(request: DescribeCallable) -> Description:
    """What a callable can be varied in.

    `by_row` is the callable's own attribute of this name, if it has one: True says that each row of the arguments gives
    one row of the result, False that it does not.
    """
    found = imported(request.subject)
    by_row = getattr(found, "by_row", None)
    return Description(
        parameters=tuple(parameters(found)),
        config=tuple(sorted(map(str, _config() or ()))),
        by_row=None if by_row is None else bool(by_row),
        file=inspect.getsourcefile(inspect.unwrap(found)) if inspect.isroutine(inspect.unwrap(found)) else None,
    )


def parameters(found: Callable[..., Any]) -> list[str]:
    """The names of its parameters after the batch size."""
    try:
        known = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):
        return []
    return [p.name for p in known[1:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def imported(name: str) -> Callable[..., Any]:
    """The callable; raises NoSubject and says what is missing."""
    module_name, _, path = name.partition(":")
    here = _here()
    # Once the program is imported, it may have written them.
    written.note(_config())
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise NoSubject(f"cannot import {module_name} from {here}: {error}") from error
    except Exception as error:
        raise NoSubject(f"{module_name} failed when it was imported: {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise NoSubject(f"{module_name} has no {path}")
        found = getattr(found, part)
    if not callable(found):
        raise NoSubject(f"{name} is {type(found).__name__}, and cannot be called")
    return found  # type: ignore[no-any-return]


def build(request: OfSubject[Any]) -> Built:
    """Set the configuration, and call the callable with the batch size; raises BuildFailed with its exception.

    `again` does so twice and takes the second: what the program writes while it is built holds by then.
    """
    if request.again:
        with contextlib.suppress(BuildFailed):
            build(dataclasses.replace(request, again=False))
    # First of all: an import may build what the settings decide.
    configure(request.config or {})
    found = imported(request.subject)
    given = {name: value(text) for name, text in (request.arguments or {}).items()}
    known = parameters(found)
    for name in given:
        if name not in known:
            raise NoSubject(f"{request.subject} has no parameter {name!r}; it has {', '.join(known) or 'none'}")
    if request.batch is None:
        raise NoSubject("a callable needs a batch size")
    start = time.perf_counter()
    try:
        made = found(request.batch, **given)
    except Exception as error:
        raise BuildFailed(error) from error
    seconds = time.perf_counter() - start
    if isinstance(made, tuple) and len(made) == 2 and callable(made[0]) and isinstance(made[1], tuple | list):
        return Built(made[0], tuple(_as_dtype(a, request.dtype) for a in made[1]), None, seconds)
    if request.dtype:
        raise NoSubject(f"{request.subject} makes its call itself: the type of its arguments cannot be varied")
    return Built(None, (), made, seconds)


def configure(wanted: Mapping[str, str]) -> None:
    """Set `params.cfg[key]` for each; a key that is not there is refused, since it would change nothing."""
    if not wanted:
        return
    config = _config()
    if config is None:
        raise NoSubject(f"{_why_no_config()}, so cfg:{next(iter(wanted))} cannot be varied")
    for key, text in wanted.items():
        if key not in config:
            raise NoSubject(f"{CONFIG}.cfg has no key {key!r}")
        config[key] = value(text)


def value(text: str) -> Any:
    """A value of the command line as Python writes it; true, false and none in any case; else the text itself."""
    words = {"true": True, "false": False, "none": None, "on": True, "off": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def settings_written(request: ListWritten) -> dict[str, str]:
    """`written.written`, once the callable was built."""
    with contextlib.suppress(BuildFailed):
        build(request)
    return written.written(_config())


def settings_read(request: ListRead) -> list[str] | None:
    """The keys of the settings that the callable asks for while it is built and traced; None: not known."""
    from . import traced

    with contextlib.suppress(BuildFailed):
        built = build(request)
        if built.function is not None:
            # Where it fails while it is traced, what it asked for until then decides.
            with contextlib.suppress(Exception):
                traced.concrete(built.function, traced.as_tensors(built.arguments))
    return reads.read()


def _here() -> str:
    """The folder from which the user's modules are found."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    return here


def _config() -> Any:
    _here()
    reads.watch(CONFIG, "cfg")
    try:
        return getattr(importlib.import_module(CONFIG), "cfg", None)
    except Exception:
        return None


def _why_no_config() -> str:
    here = _here()
    try:
        importlib.import_module(CONFIG)
    except Exception as error:
        return f"{CONFIG} cannot be imported from {here} ({type(error).__name__}: {error})"
    return f"{CONFIG} has no cfg here"


def _as_dtype(argument: Any, dtype: str | None) -> Any:
    """The floating arrays of a nest in another precision; complex ones follow."""
    if dtype is None:
        return argument
    import tensorflow as tf

    try:
        wanted = tf.as_dtype(dtype)
    except TypeError as error:
        raise NoSubject(f"dtype={dtype}: TensorFlow has no such type") from error
    if not wanted.is_floating:
        raise NoSubject(f"dtype={dtype}: only floating types can be varied")
    matching = tf.complex128 if wanted == tf.float64 else tf.complex64

    def cast(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype"):
            return leaf
        tensor = tf.convert_to_tensor(leaf)
        if tensor.dtype.is_floating:
            return tf.cast(tensor, wanted)
        return tf.cast(tensor, matching) if tensor.dtype.is_complex else tensor

    return tf.nest.map_structure(cast, argument)


def _concrete(function: Callable[..., Any], arguments: tuple[Any, ...], way: str, batch: int) -> Any:
    """The trace at this size; with open rows where it fails when it is traced: then an op fails that is run."""
    from . import traced

    try:
        return traced.concrete(function, arguments, way)
    except Exception as error:
        try:
            return traced.concrete(function, traced.opened(arguments, batch), way)
        except Exception:
            raise NoSubject(f"it fails when it is traced: {type(error).__name__}: {error}") from error


def capture(request: Capture) -> Captured:
    """Write a capsule of the callable at its batch size, with its values, into a folder."""
    from ..record import capsule
    from . import traced

    built = build(request)
    if built.function is None:
        raise NoSubject(f"{request.subject} makes its call itself: there is no function whose graph could be kept")
    arguments = traced.as_tensors(built.arguments)
    # Traced for XLA, gradients of branches and loops are built otherwise, and only so can XLA compile them.
    assert request.batch is not None
    concrete = _concrete(built.function, arguments, request.way, request.batch)
    folder = Path(request.folder)
    written = capsule.write_capsule(
        folder, concrete, graph_uid="g0", graphs={}, python_name=getattr(built.function, "__name__", None)
    )
    recipe = {
        "data": "exact",
        "variables": "exact",
        "rows": request.batch,
        "batch_size": request.batch,
        "note": f"built by {request.subject}",
    }
    capsule.write_values(folder, concrete, data=traced.leaves(arguments), recipe=recipe)
    return Captured(capsule=str(folder), xla=bool(written["xla"]))

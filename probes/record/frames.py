"""Whose frame is it: the user's, the framework's or ours?"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import sysconfig
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, TypeVar, cast

_PROBES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_ABOVE = os.path.dirname(_PROBES)
# The probes and the doctor, by which a block is recorded: beside them in a checkout, around them in a wheel.
_DOCTOR = _ABOVE if os.path.basename(_PROBES) == "_probes" else os.path.join(_ABOVE, "xladoctor")
_OURS = (_PROBES + os.sep, _DOCTOR + os.sep)
_STDLIB = tuple(
    {os.path.realpath(p) + os.sep for k in ("stdlib", "platstdlib") if (p := sysconfig.get_paths().get(k))}
    | {p + os.sep for k in ("stdlib", "platstdlib") if (p := sysconfig.get_paths().get(k))}
)
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_cache: dict[str, bool] = {}
HIDDEN = "<xladoctor>"

F = TypeVar("F", bound=Callable[..., Any])


def hidden(function: F) -> F:
    """Give a wrapper a file name that no tool takes for the user's: its frames stand in TensorFlow's op stacks."""
    cast(Any, function).__code__ = cast(Any, function).__code__.replace(co_filename=HIDDEN)
    return function


def hide(error: BaseException) -> None:
    """Take the frames of our wrappers off the outer end of the traceback of `error`; then it may be raised again.

    What a bare `raise` raises again gets no new entry for its own frame: since Python 3.11 nothing is left of the
    wrapper. Before, Python puts the traceback back that it had, and pytest goes by `__tracebackhide__`.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == HIDDEN:
        trace = trace.tb_next
    BaseException.with_traceback(error, trace)


def wraps(original: Callable[..., Any]) -> Callable[[F], F]:
    """`functools.wraps` for wrappers of ours: hidden, and with the signature itself.

    Keras 2 asks `inspect.getfullargspec`, which does not follow `__wrapped__`: it would think that a wrapper takes
    any keyword, and pass `training=` to a layer that knows none.
    """

    def apply(wrapper: F) -> F:
        named = cast(F, functools.wraps(original)(hidden(wrapper)))
        with contextlib.suppress(TypeError, ValueError):
            cast(Any, named).__signature__ = inspect.signature(original)
        return named

    return apply


def followed(original: F, then: Callable[[tuple[Any, ...], dict[str, Any], Any], object]) -> F:
    """A wrapper that calls `then(args, kwargs, result)` after `original`, and leaves no frame in what that raises."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            hide(error)
            raise
        then(args, kwargs, result)
        return result

    return cast(F, wraps(original)(watched))


class Probe:
    """What a wrapper calls in the place of a function; a pickle of it is the function.

    dill and cloudpickle write a function that its module does not offer by name (a closure, one of `__main__`) with all
    that it holds: what a user saves under probes must hold nothing of ours, and load without them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function would return."""
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial, (self.function,)


def stand_in(probe: Probe) -> Callable[..., Any]:
    """A function that looks like the one that `probe` watches and calls `probe`: no name of ours in its globals."""
    everything = BaseException  # a name in the globals might be the user's

    def watched(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return probe(*args, **kwargs)
        except everything as error:
            trace = error.__traceback__
            if trace is not None:
                everything.with_traceback(error, trace.tb_next)
            raise

    names = getattr(probe.function, "__globals__", None)
    bare = FunctionType(watched.__code__, {} if names is None else names, closure=watched.__closure__)
    return wraps(probe.function)(bare)


def is_user_file(path: str) -> bool:
    """True for a file that is neither Python's, a library's, nor ours.

    AutoGraph runs a rewritten copy of user code from a temporary `__autograph_generated_file*.py`: not a user's file
    (the original appears nowhere on the stack; its name is recovered by `code_location`).
    """
    known = _cache.get(path)
    if known is None:
        known = not (
            path.startswith(("<", *_OURS))
            or any(part in path for part in _LIBRARIES)
            or path.startswith(_STDLIB)
            or "__autograph_generated_file" in path
            or path.endswith((".pxi", ".pyx"))  # Cython names its sources without their folder
        )
        _cache[path] = known
    return known


def frame_dict(frame: FrameType) -> dict[str, Any]:
    """`{file, line, function}` of a live frame."""
    code = frame.f_code
    return {"file": code.co_filename, "line": frame.f_lineno, "function": _name(code)}


def _name(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def user_frames(skip: int = 1, limit: int = 8, within: int = 200) -> list[dict[str, Any]]:
    """The user's frames on this thread's stack, innermost first."""
    found: list[dict[str, Any]] = []
    frame: FrameType | None = sys._getframe(skip)
    for _ in range(within):
        if frame is None or len(found) >= limit:
            break
        if is_user_file(frame.f_code.co_filename):
            found.append(frame_dict(frame))
        frame = frame.f_back
    return found


def caller(skip: int = 1, not_in: tuple[str, ...] = ()) -> dict[str, Any] | None:
    """The innermost frame that is not ours and whose file is not in `not_in`; user code preferred.

    A setting is read through accessors (`os.environ.get`, `params.get`): the reader is whoever called those.
    """
    frame: FrameType | None = sys._getframe(skip)
    first: FrameType | None = None
    for _ in range(200):
        if frame is None:
            break
        name = frame.f_code.co_filename
        if not name.startswith((*_OURS, "<")) and name not in not_in:
            if is_user_file(name):
                return frame_dict(frame)
            if first is None and not name.startswith(_STDLIB):
                first = frame
        frame = frame.f_back
    return frame_dict(first) if first is not None else None


def direct_caller() -> dict[str, Any] | None:
    """The innermost frame that is not ours, if it is the user's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((*_OURS, "<")):
        frame = frame.f_back
    return frame_dict(frame) if frame is not None and is_user_file(frame.f_code.co_filename) else None


def is_within(name: str, files: tuple[str, ...]) -> bool:
    """Whether a function of this name, in a file that ends so, is being run on this thread."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(200):
        if frame is None:
            break
        code = frame.f_code
        if code.co_name == name and code.co_filename.replace("\\", "/").endswith(files):
            return True
        frame = frame.f_back
    return False


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The traceback with the frames of our wrappers taken out: what the user would see without the doctor."""
    kept: list[TracebackType] = []
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name != HIDDEN and not name.startswith(_OURS):
            kept.append(trace)
        trace = trace.tb_next
    rebuilt: TracebackType | None = None
    for item in reversed(kept):
        rebuilt = TracebackType(rebuilt, item.tb_frame, item.tb_lasti, item.tb_lineno)
    return rebuilt

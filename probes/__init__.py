"""What runs in the target's interpreter: recorders, and the graph room that serves workers.

The package is loaded by file location, as `_xladoctor_probes` inside a target and as `probes` in the project's own
tests; it needs the standard library and, once the target itself has imported it, the target's TensorFlow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from . import schema

_T = TypeVar("_T")


def install(run_dir: str | os.PathLike[str] | None = None) -> bool:
    """Start recording in this process; True if it runs now.

    Never raises. `run_dir` defaults to the variable `XLADOCTOR_RUN_DIR`; without either, or with `XLADOCTOR_PROBES=0`,
    nothing happens.
    """
    folder = run_dir or os.environ.get(schema.ENV_RUN_DIR)
    if not folder or os.environ.get(schema.ENV_PROBES) == "0":
        return False
    try:
        from .record import recorder

        return recorder.start(Path(folder))
    except Exception:  # a probe must never stop its host
        return False


def record_block(run_dir: str | os.PathLike[str], choice: Mapping[str, Any]) -> bool:
    """Record a block of this program; True if it is recorded now. `choice`: the fields of `recorder.Choice`.

    Never raises. False where something records already.
    """
    try:
        from .record import recorder

        return not recorder.records() and recorder.start(Path(run_dir), recorder.Choice(**choice), block=True)
    except Exception:
        end_block()
        return False


def records() -> bool:
    """Whether something records in this process. Loads nothing."""
    recorder = sys.modules.get(f"{__name__}.record.recorder")
    return recorder is not None and bool(recorder.records())


def end_block(error: BaseException | None = None, failed: bool = False) -> list[str]:
    """End the recording of the block, which `error` left, or (`failed`) the last failure that was recorded. Returns the
    names of hooks that stay. Never raises.
    """
    try:
        from .record import recorder

        return recorder.end_block(error, failed)
    except Exception:
        return []


def enter_call(method: str, model: Any, given: Mapping[str, Any]) -> None:
    """A call of Keras is under way, with these arguments, that began before the block did. Never raises."""
    try:
        from .record import recorder

        recorder.enter_call(method, model, given)
    except Exception:
        return


def place(contract: str, /, **axes: str) -> Callable[[_T], _T]:
    """A decorator: the function is watched as a place with this contract. The identity where nothing records.

    Never raises. `axes` bind names of the contract to values of the program (`P="mypkg.params:cfg[padded]"`). The
    target reaches it through `sys.modules` (docs/places.md), so that it needs nothing of the doctor installed.
    """

    def decorated(function: _T) -> _T:
        try:
            from .record import recorder

            watched: _T = recorder.watch(function, contract, axes)
            return watched
        except Exception:
            return function

    return decorated

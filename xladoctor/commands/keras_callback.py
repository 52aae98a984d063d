"""The watch as a callback of Keras: one recording for each call of `fit`, `evaluate` or `predict`.

Keras tells its callbacks when a call begins and ends, and nothing when it fails. So the end of a failed call is the end
of the list of callbacks that Keras makes for it: nothing else holds that list.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from xladoctor.commands.watch import Recorded, WatchOptions
from xladoctor.errors import XladoctorError

_PACKAGES = ("keras", "tf_keras")
_METHODS = {"train": "fit", "test": "evaluate", "predict": "predict"}
_DEEP = 40


def base_class() -> type:
    """Keras' class of callbacks. Keras is the program's: nothing is imported.

    Raises:
        XladoctorError: the program has not imported Keras.
    """
    for name in _PACKAGES:
        found = getattr(getattr(sys.modules.get(name), "callbacks", None), "Callback", None)
        if isinstance(found, type):
            return found
    raise XladoctorError("Keras is not imported", hint="Import TensorFlow and Keras before you make a KerasCallback.")


class Phases:
    """The recordings of the calls that a callback was given to, the newest last."""

    def __init__(self, options: WatchOptions) -> None:
        self._options = options
        self._open: tuple[str, Recorded] | None = None
        self.recordings: list[Recorded] = []

    def begin(self, phase: str, model: Any) -> None:
        """A call of Keras begins. One inside of another (the validation of a `fit`) belongs to that."""
        callbacks, call = _around(_METHODS[phase], model)
        if self._open is not None:
            if self._open[1].is_open and self._open[0] == "train" and phase != "train" and self._within(callbacks):
                return
            self.fail()
        recorded = Recorded(self._options)
        with suppress(XladoctorError):
            recorded.begin()
        if not recorded.is_open:
            return
        self.recordings.append(recorded)
        self._open = (phase, recorded)
        if call is not None:
            recorded.entered(_METHODS[phase], model, dict(call.f_locals))
        if callbacks is not None:
            self._list = weakref.ref(callbacks)
            weakref.finalize(callbacks, _ended_without_end, weakref.ref(self), recorded)

    def _within(self, callbacks: Any) -> bool:
        return callbacks is not None and self._list() is callbacks

    def end(self, phase: str) -> None:
        """The call ended well."""
        if self._open is not None and self._open[0] == phase:
            recorded, self._open = self._open[1], None
            recorded.leave(None)

    def fail(self) -> None:
        """The call that is open did not end well, since nobody said so."""
        if self._open is not None:
            recorded, self._open = self._open[1], None
            recorded.fail()


def callback(
    options: WatchOptions,
    view: Callable[[Recorded, bool, float | None], Any],
    in_words: Callable[[Callable[[], Any]], str],
) -> Any:
    """An object of Keras' own class of callbacks; `view(recorded, replay, check_budget)` makes a diagnosis, and
    `in_words` a text of what gives one.
    """
    phases = Phases(options)

    def diagnosis(self: Any, *, replay: bool = True, check_budget: float | None = None) -> Any:
        phases.fail()
        if not phases.recordings:
            raise XladoctorError("nothing was recorded: no Keras call had this callback, or another watch is open")
        return view(phases.recordings[-1], replay, check_budget)

    def report(self: Any, *, replay: bool = True, check_budget: float | None = None) -> str:
        return in_words(lambda: diagnosis(self, replay=replay, check_budget=check_budget))

    run_dir = property(lambda self: _newest(phases))
    members: dict[str, Any] = {"diagnosis": diagnosis, "report": report, "run_dir": run_dir}
    for phase in _METHODS:
        members[f"on_{phase}_begin"] = _begins(phases, phase)
        members[f"on_{phase}_end"] = _ends(phases, phase)
    return type("KerasCallback", (base_class(),), members)()


def _begins(phases: Phases, phase: str) -> Callable[..., None]:
    def begins(self: Any, logs: Any = None) -> None:
        with suppress(Exception):
            phases.begin(phase, self.model)

    return begins


def _ends(phases: Phases, phase: str) -> Callable[..., None]:
    def ends(self: Any, logs: Any = None) -> None:
        with suppress(Exception):
            phases.end(phase)

    return ends


def _newest(phases: Phases) -> Any:
    return phases.recordings[-1].run_dir if phases.recordings else None


def _ended_without_end(owner: weakref.ref[Phases], recorded: Recorded) -> None:
    phases = owner()
    if phases is not None:
        if phases._open is not None and phases._open[1] is recorded:
            phases.fail()
    else:
        recorded.fail()


def _around(method: str, model: Any) -> tuple[Any, FrameType | None]:
    """(the list of callbacks that calls us, the frame of the call of Keras), as far as they are found."""
    callbacks: Any = None
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_DEEP):
        if frame is None:
            break
        own = frame.f_locals.get("self")
        if callbacks is None and own is not None and type(own).__name__ == "CallbackList":
            callbacks = own
        if own is model and frame.f_code.co_name == method and "x" in frame.f_locals:
            return callbacks, frame
        frame = frame.f_back
    return callbacks, None

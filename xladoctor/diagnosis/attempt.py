"""Parts of a diagnosis that look into sources and recordings of any kind: what one stumbles over costs what it would
have added, and the diagnosis says so.

With XLADOCTOR_STRICT=1, as the tests run, it is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from xladoctor.errors import strict

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.recording.run import Recording

P = ParamSpec("P")
T = TypeVar("T")


class Attempts:
    """Parts of one diagnosis; `notes` say which of them failed."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def each(self, part: Callable[P, Iterable[T]], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """What a part yields, up to where it fails."""
        found: list[T] = []
        try:
            found.extend(part(*args, **kwargs))
        except Exception as error:
            self._failed(part, error)
        return found

    def of(self, part: Callable[P, T], otherwise: T, *args: P.args, **kwargs: P.kwargs) -> T:
        """What a part gives; if it fails, what there is without it."""
        try:
            return part(*args, **kwargs)
        except Exception as error:
            self._failed(part, error)
            return otherwise

    def _failed(self, part: Callable[..., Any], error: Exception) -> None:
        if strict():
            raise error
        name = getattr(part, "__name__", "a check").removeprefix("with_").strip("_").replace("_", " ")
        self.notes.append(
            f"A part of the diagnosis was left out: {name} failed ({type(error).__name__}), a bug of the doctor."
        )


def attempted(
    step: Callable[[Diagnosis, Recording], Diagnosis], diagnosis: Diagnosis, recording: Recording
) -> Diagnosis:
    """What the step makes of the diagnosis, or, if it fails, the diagnosis with a note that says so."""
    attempts = Attempts()
    found = attempts.of(step, diagnosis, diagnosis, recording)
    return replace(found, notes=(*found.notes, *attempts.notes)) if attempts.notes else found

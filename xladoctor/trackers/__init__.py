"""Places where runs are kept and compared, to which `--export` logs a diagnosis. A new one is a file here.

The file has the name that `--export` calls it by, and a constant `TRACKER`; nothing else lists it. It is loaded only
where it is asked for, and its library only in the process that logs (`_process.py`). See CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.folder import modules

if TYPE_CHECKING:
    from xladoctor.trackers._parcel import Parcel


@dataclass(frozen=True)
class Tracker:
    """One tracker.

    Attributes:
        library: what is imported to reach it; the user installs it.
        log: logs a parcel to what stands behind the colon (empty: where the user's environment says), and returns
            where it went, for a person. Whatever it raises becomes a warning and changes nothing else. It never asks.
        wrong: what is wrong with what stands behind the colon, said before anything runs; None: nothing.
        environment: variables for the process that logs, where the user has set none: so that the library sends
            nothing that nobody asked for, and gives up soon.
    """

    library: str
    log: Callable[[Parcel, str], str]
    wrong: Callable[[str], str | None] = lambda where: None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Destination:
    """A tracker by its name, and what stood behind the colon."""

    name: str
    where: str = ""


def names() -> list[str]:
    """What `--export` knows. Loads nothing."""
    return modules(__path__)


def tracker(name: str) -> Tracker:
    """A tracker by its name."""
    found = import_module(f"{__name__}.{name}").TRACKER
    assert isinstance(found, Tracker)
    return found


def destinations(words: Sequence[str]) -> tuple[Destination, ...]:
    """What the words of `--export` mean, each once. All that can be known without the library is checked.

    Raises:
        XladoctorError: a word is no tracker, what stands behind its colon cannot be meant, or its library is missing.
    """
    return tuple(dict.fromkeys(_destination(word) for word in words))


def _destination(word: str) -> Destination:
    name, colon, where = word.partition(":")
    if name not in names():
        near = did_you_mean(name, names())
        raise XladoctorError(f"--export {name}: no such tracker", hint=near or f"Known: {', '.join(names())}.")
    found = tracker(name)
    wrong = f"nothing stands behind the colon of {word}" if colon and not where else found.wrong(where)
    if wrong:
        raise XladoctorError(f"--export {name}: {wrong}")
    if not _is_installed(found.library):
        raise XladoctorError(
            f"--export {name} needs the library {found.library}, which xladoctor's Python does not have",
            hint=f"To install it: {_python()} -m pip install {found.library}",
        )
    return Destination(name, where)


def _is_installed(library: str) -> bool:
    """Whether it can be imported. A folder of that name, as wandb makes one for its runs, is no library."""
    try:
        spec = find_spec(library)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None


def _python() -> str:
    import shlex
    import sys

    return shlex.quote(sys.executable or "python")

"""Environment variables that a library asked for while it was imported, and that the program sets afterwards.

`if "KERAS_HOME" in os.environ:` at the top level of a module is run once. A value that is written later is not looked
at, unless something else asks for the variable again, which is recorded too.
"""

from __future__ import annotations

import _collections_abc
import os
from types import FrameType
from typing import Any

from .frames import is_user_file

_ABC_FILE = _collections_abc.Mapping.get.__code__.co_filename
_OS_FILE = os.getenv.__code__.co_filename
_SHORT = {"TF": "tensorflow", "TF2": "tensorflow"}
"""What the variables of a library begin with, where it is not the library's name."""
_MAX = 500


class ImportReads:
    """The variables that were asked for at the top level of a library's module, with place and value."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[str, str, int, str | None]] = {}
        self.late: set[str] = set()
        """Variables that the program wrote after that: whoever asks now may see the new value."""

    def asked(self, key: str, value: str | None, frame: FrameType) -> None:
        """Note an access from `frame`, if it is of a library that names the variable after itself."""
        asking = _asking(frame)
        if asking is None or asking.f_code.co_name != "<module>" or len(self._asked) >= _MAX:
            return
        module = str(asking.f_globals.get("__name__"))
        if _is_of(key, module.partition(".")[0]) and not is_user_file(asking.f_code.co_filename):
            self._asked.setdefault(key, (module, asking.f_code.co_filename, asking.f_lineno, value))

    def written(self, key: str, value: str | None, frame: FrameType) -> dict[str, Any] | None:
        """Who had asked for a variable that the program now gives another value; None where nobody had."""
        known = self._asked.get(key)
        writing = _asking(frame)
        if known is None or writing is None or not is_user_file(writing.f_code.co_filename):
            return None
        self.late.add(key)
        module, file, line, before = known
        return {"module": module, "file": file, "line": line, "set": before is not None, "same": before == value}


def is_question(frame: FrameType) -> bool:
    """Whether `frame` asks if a variable is set (`in os.environ`)."""
    return frame.f_code.co_filename == _ABC_FILE and frame.f_code.co_name == "__contains__"


def _asking(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code.co_filename in (_ABC_FILE, _OS_FILE):
        frame = frame.f_back
    return frame


def _is_of(key: str, package: str) -> bool:
    first = key.partition("_")[0]
    return first.lower() == package.lower() or _SHORT.get(first) == package

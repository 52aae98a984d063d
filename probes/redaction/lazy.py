"""Patterns that are compiled when they are first needed: every Python process of the target loads them all."""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """A regular expression, with the methods of a compiled one."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source, self._flags)
        # From now on they are found without this method.
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that costs nothing until it is used."""
    return cast("re.Pattern[str]", _Pattern(source, flags))

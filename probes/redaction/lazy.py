"""Patterns that are compiled when they are first needed: every Python process of the target loads them all."""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """A regular expression, with the methods of a compiled one."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source)
        # From now on they are found without this method.
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


_METHODS = ("search", "match", "fullmatch", "finditer", "findall")


def pattern(source: str) -> re.Pattern[str]:
    """A pattern that costs nothing until it is used."""
    return cast("re.Pattern[str]", _Pattern(source))

"""The XLA flags that a log shows to be set: a command line, an `export`, a printed environment, an assignment.

The messages that refuse a flag (`Unknown flags in XLA_FLAGS: ...`) are not meant: they have a rule of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SET = re.compile(
    rb"(?<!in )\b(TF_XLA_FLAGS|XLA_FLAGS)\\?['\"]?\]?[ \t]{0,4}[=:,][ \t]{0,4}\\?['\"]?"
    rb"((?:--[A-Za-z0-9_]{1,80}(?:=[^\s'\"\\,;)}]{0,300})?[ \t,]{0,3}){1,20})"
)


def flags_set(chunk: bytes) -> Iterator[tuple[str, str, int]]:
    """Each variable that the text sets, its value, and at which byte it stands."""
    if b"XLA_FLAGS" in chunk:
        for found in _SET.finditer(chunk):
            yield found[1].decode(), found[2].decode("utf-8", "replace").strip(" \t,"), found.start()

"""Secrets in the environment never reach a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema import REDACTED, SECRET_NAME, SECRET_VALUE

_NAME = re.compile(SECRET_NAME)
_VALUE = re.compile(SECRET_VALUE)


def value(name: str, text: str) -> str:
    """`text` of the variable `name`, or what may be shown of it."""
    return REDACTED if _NAME.search(name) else in_text(text)


def words(command: Sequence[str]) -> list[str]:
    """A command line as it may be shown: `--token V`, `--token=V` and `API_KEY=V` without the V."""
    shown: list[str] = []
    secret_follows = False
    for word in command:
        name, equals, _ = word.partition("=")
        option = name.startswith("-")
        hidden = bool(_NAME.search(name.lstrip("-").replace("-", "_"))) and (option or name.isidentifier())
        if secret_follows and not option:
            shown.append(REDACTED)
        elif hidden and equals:
            shown.append(f"{name}={REDACTED}")
        else:
            shown.append(in_text(word))
        secret_follows = hidden and option and not equals
    return shown


def in_text(text: str) -> str:
    """`text` with credentials inside it replaced."""
    return _VALUE.sub(lambda m: f"{m['url'] or ''}{REDACTED}{'@' if m['url'] else ''}", text)

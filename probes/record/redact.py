"""Secrets in the environment never reach a file."""

from __future__ import annotations

import re

from ..schema import REDACTED, SECRET_NAME, SECRET_VALUE

_NAME = re.compile(SECRET_NAME)
_VALUE = re.compile(SECRET_VALUE)


def value(name: str, text: str) -> str:
    """`text` of the variable `name`, or what may be shown of it."""
    return REDACTED if _NAME.search(name) else in_text(text)


def in_text(text: str) -> str:
    """`text` with credentials inside it replaced."""
    return _VALUE.sub(lambda m: f"{m['url'] or ''}{REDACTED}{'@' if m['url'] else ''}", text)

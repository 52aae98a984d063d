"""The environment as it may be shown or written: secrets taken out, by the same rules as in the probes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xladoctor.evidence.schema import schema

_NAME = re.compile(schema.SECRET_NAME)
_VALUE = re.compile(schema.SECRET_VALUE)


def redacted(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy of the environment that may be written."""
    return {name: redacted_value(name, text) for name, text in sorted(environment.items())}


def redacted_value(name: str, text: str) -> str:
    """The value of one variable, or what may be shown of it."""
    return str(schema.REDACTED) if _NAME.search(name) else redacted_text(text)


def redacted_text(text: str) -> str:
    """A text with credentials inside it replaced."""
    replaced: str = _VALUE.sub(lambda m: f"{m['url'] or ''}{schema.REDACTED}{'@' if m['url'] else ''}", text)
    return replaced

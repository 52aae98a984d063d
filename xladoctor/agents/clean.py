"""Foreign text as an agent may get it: bounded, without secrets, and with nothing in it that a person would not see."""

from __future__ import annotations

import re
import unicodedata

from xladoctor import secrets
from xladoctor.report import text

# Drawn as nothing, or part of a character before: they can carry a message that only a machine reads.
_HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_AHEAD = 4
"""How many times more characters are cleaned than are kept: cleaning makes texts longer and shorter."""


def one_line(value: object, limit: int) -> str:
    """At most `limit` characters on one line."""
    return text.clip(_visible(text.line(_known(value, limit))), limit)


def lines(value: object, limit: int) -> str:
    """At most `limit` characters, with the line breaks kept."""
    return text.clip(_visible(text.lines(_known(value, limit))), limit)


def _known(value: object, limit: int) -> str:
    return secrets.of_text(str(value)[: _AHEAD * limit])


def _visible(value: str) -> str:
    return "".join(_shown(character) for character in _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", value))


def _shown(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in _CATEGORIES:
        return character
    return f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"

"""The line with which an exception begins: its name, with or without a module, and its message."""

from __future__ import annotations

import re

from xladoctor.patterns import pattern

_EXCEPTION = pattern(r"^\s*(?:\|\s*)?((?:[A-Za-z_]\w{0,80}\.){0,12})([A-Za-z_]\w{0,80})(?::(?:\s|$)(.*))?$", re.DOTALL)
_SUFFIX = pattern(
    r"(?:Error|Exception|Exit|Interrupt|Warning|Iteration|Timeout|Abort(?:ed)?|Cancelled|Group|Empty|Full)$"
)
NAMED_ABOVE = pattern(r"^\s*([A-Z][A-Za-z_]{2,80}) {2,}Traceback \(most recent call last\)")
HEADER_IN_GROUP = pattern(r"^\s*\| [A-Za-z_.]{1,200}(?:Error|Exception|Group)\b")


def exception_name(text: str, *, certain: bool) -> tuple[str, str] | None:
    """Class (without module) and rest of an exception's first line. `certain`: it stands below frames."""
    found = _EXCEPTION.match(text)
    if not found:
        return None
    module, name, rest = found[1], found[2], found[3]
    if _SUFFIX.search(name) or (
        certain and (module or (rest is not None and name[0].isupper()) or name.isidentifier())
    ):
        return name, rest or ""
    return None

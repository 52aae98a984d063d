"""`--batch-sizes 1,4,15:17,32`: which sizes are asked for. A range a:b includes both ends."""

from __future__ import annotations

import re

from xladoctor.errors import XladoctorError

_PART = re.compile(r"(\d+)(?::(\d+))?\Z")
_MOST = 1_000_000


def parse(text: str) -> tuple[int, ...]:
    """The sizes, ascending, each once.

    Raises:
        XladoctorError: a part is neither a number nor a range, or a size is below 1.
    """
    found: set[int] = set()
    for part in (p.strip() for p in text.split(",")):
        match = _PART.match(part)
        if not match:
            raise XladoctorError(
                f"--batch-sizes {text}: {part!r} is no number of rows",
                hint="Numbers and ranges, both ends included, with commas between them: 1,4,15:17,32",
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first < 1:
            raise XladoctorError(f"--batch-sizes {text}: a batch has at least one row")
        if last < first:
            raise XladoctorError(f"--batch-sizes {text}: {part} ends before it begins", hint=f"Try {last}:{first}")
        if last > _MOST:
            raise XladoctorError(f"--batch-sizes {text}: at most {_MOST} rows")
        found.update(range(first, last + 1))
    return tuple(sorted(found))

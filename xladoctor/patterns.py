"""Regular expressions that are compiled when they are first needed: most logs need few, and all of them take as long
as to read 1 MB. They are those of the recorders (`probes/redaction/lazy.py`), loaded from their file.
"""

from __future__ import annotations

from collections.abc import Callable
from re import Pattern
from typing import cast

from xladoctor.paths import load_probes

pattern = cast("Callable[..., Pattern[str]]", load_probes("redaction/lazy").pattern)
"""`pattern(source, flags)`: as `re.compile`, of text."""

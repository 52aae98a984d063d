"""A full disk: its words, which also stand in what looks like a lack of memory (RESOURCE_EXHAUSTED)."""

from __future__ import annotations

from xladoctor.rules.matching import pattern

FULL = (
    r"No space left on device|\bENOSPC\b|\[Errno 28\]|errno ?= ?28\b|[Dd]isk quota exceeded|\[Errno 122\]|\bEDQUOT\b|"
    r"[Nn]ot enough (?:free )?(?:disk )?space on|[Nn]o space left on (?:the )?disk|[Dd]isk (?:is )?full|"
    r"insufficient disk space"
)
_PARTS = ("space", "ENOSPC", "rrno", "quota", "EDQUOT", "isk ")


def is_disk_full(text: str) -> bool:
    """Whether a message is about a full disk or a quota. Cheap if none of the words occurs."""
    return any(part in text for part in _PARTS) and pattern(FULL).search(text) is not None

"""The columns of a table of pandas that name its rows: whether two tables have the same ones, and in which order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

MAX_ROWS = 20_000
MAX_KEYS = 6
_LEAST = 4


def orders_of(table: Any) -> dict[str, list[str]]:
    """{column: [digest of its values, digest of their order]} of columns that have another value in each row."""
    if not _LEAST <= len(table) <= MAX_ROWS:
        return {}
    index = table.index
    columns = [(index.name, index)] if isinstance(index.name, str) else []
    if hasattr(table, "columns"):
        columns += [(c, table[c]) for c in table.columns[: 4 * MAX_KEYS] if isinstance(c, str) and _names(table[c])]
    found = {}
    for name, values in columns[:MAX_KEYS]:
        if values.is_unique:
            texts = [repr(v) for v in values.tolist()]
            found[str(name)] = [_digest(sorted(texts)), _digest(texts)]
    return found


def rising_of(table: Any, keys: Iterable[str]) -> list[str]:
    """Those of these columns whose values rise from row to row."""
    index = table.index
    return [k for k in keys if (index if index.name == k else table[k]).is_monotonic_increasing]


def _names(column: Any) -> bool:
    """Whether a column is of texts or whole numbers."""
    return getattr(getattr(column, "dtype", None), "kind", "O") in "OUSTiu"


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]

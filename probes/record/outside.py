"""Values that the target knows by name: what `ptycho.params:get_padded_size()` says right now.

The grammar is `module:attribute()` or `module:mapping[key]`; nothing is evaluated as code.
"""

from __future__ import annotations

import re
import sys
from typing import Any

_CALL = re.compile(r"^(?P<module>[\w.]+):(?P<attribute>[\w.]+)\(\)$")
_ITEM = re.compile(r"^(?P<module>[\w.]+):(?P<attribute>[\w.]+)\[(?P<key>\w+)\]$")


def lookup(name: str, where: str) -> dict[str, Any] | None:
    """`{name, value, source}`, or None where the module, name or key is not there (yet) or holds no number."""
    match = _CALL.match(where) or _ITEM.match(where)
    if match is None:
        return None
    module = sys.modules.get(match["module"])
    target = getattr(module, match["attribute"], None)
    key = match.groupdict().get("key")
    try:
        value = dict.get(target, key) if key is not None else target()  # type: ignore[misc,arg-type]
    except Exception:
        return None
    if value is None or isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    source = f"params.{match['attribute']}['{key}']" if key is not None else f"{match['attribute']}()"
    return {"name": name, "value": int(value), "source": source}

"""Values that the target knows by name: what `ptycho.params:get_padded_size()` says right now.

The grammar is `module:attribute()`, `module:mapping[key]` or `module:attribute`, where an attribute may be a dotted
path; nothing is evaluated as code.
"""

from __future__ import annotations

import operator
import re
import sys
from typing import Any

_CALL = re.compile(r"^(?P<module>[\w.]+):(?P<attribute>[\w.]+)\(\)$")
_ITEM = re.compile(r"^(?P<module>[\w.]+):(?P<attribute>[\w.]+)\[(?P<key>\w+)\]$")
_READ = re.compile(r"^(?P<module>[\w.]+):(?P<attribute>[\w.]+)$")


def lookup(name: str, where: str) -> dict[str, Any] | None:
    """`{name, value, source}`, or None where the module, name or key is not there (yet) or holds no number."""
    called = _CALL.match(where)
    match = called or _ITEM.match(where) or _READ.match(where)
    if match is None:
        return None
    attribute, key = match["attribute"], match.groupdict().get("key")
    try:
        target = operator.attrgetter(attribute)(sys.modules[match["module"]])
        value = _item(target, key) if key is not None else target() if called else target
        # A tensor or a variable has __index__ too, and would run an op to tell.
        if isinstance(value, bool) or not (isinstance(value, int) or type(value).__module__ == "numpy"):
            return None
        number = operator.index(value)
    except Exception:
        return None
    source = f"{attribute}()"
    if not called:
        module = match["module"].rpartition(".")[2]
        source = f"{module}.{attribute}" + (f"['{key}']" if key is not None else "")
    return {"name": name, "value": number, "source": source}


def _item(mapping: Any, key: str) -> Any:
    # Past any subclass: our own look must not be taken for a read by the program.
    return dict.get(mapping, key) if isinstance(mapping, dict) else mapping[key]

"""The inputs of an op that failed in plain Python code: by the names that stand in its expression.

The recording has the shape and type of each tensor in the frame that failed, and the source says which of them the
expression takes. Only where it takes nothing else (no other value, no result of another call) is all of it recorded.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from typing import Any

from xladoctor.diagnosis.facts import Step

_OP = re.compile(r"\[Op:(\w{1,80})\]")
_LARGEST = 1 << 20


def question(step: Step) -> dict[str, Any] | None:
    """What to ask a worker about an op that was refused when it ran, or None where not all of it is recorded."""
    failure = step.failure or {}
    op = _OP.search(str(failure.get("message", "")))
    frame = next((f for f in reversed(failure.get("frames") or ()) if f.get("user")), None)
    if op is None or op[1].startswith("__") or frame is None:
        return None
    tensors = {t["name"]: t for t in frame.get("tensors") or ()}
    found = list(_operands(str(frame.get("file")), int(frame.get("line") or 0)))
    if len(found) != 1 or not found[0] or not tensors.keys() >= set(found[0]):
        return None  # several expressions: which of them failed is not recorded
    known = [tensors[name] for name in found[0]]
    if any(t.get("shape") is None or None in t["shape"] for t in known):
        return None
    inputs = [{"shape": t["shape"], "dtype": t["dtype"], "value": None} for t in known]
    return {"type": op[1], "attributes": {}, "inputs": inputs, "eager": True}


def _operands(file: str, line: int) -> Iterator[list[str]]:
    """The names in each expression of a line that can make an op; an empty list for one that takes more than names."""
    text = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(text) if len(text) < _LARGEST else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if getattr(node, "lineno", None) != line:
            continue
        if isinstance(node, ast.BinOp):
            yield _names([node.left, node.right])
        elif isinstance(node, ast.Call):
            yield _names([*node.args, *(k.value for k in node.keywords)])


def _names(given: list[ast.expr]) -> list[str]:
    flat = [e for one in given for e in (one.elts if isinstance(one, (ast.List, ast.Tuple)) else [one])]
    return [e.id for e in flat if isinstance(e, ast.Name)] if all(isinstance(e, ast.Name) for e in flat) else []

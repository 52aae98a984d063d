"""The default of a class, read where the object of the run has another value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import around, last_name, walk
from xladoctor.sources.slips.slip import Slip

_FALLS_BACK = ast.BoolOp | ast.IfExp | ast.Compare | ast.arguments
_ASKS = frozenset({"add_argument", "get", "getattr", "option", "setdefault", "pop"})


def faults(view: View) -> Iterator[Slip]:
    """`Settings.width` and `Settings().width`, where the settings of the run have another width."""
    for node in walk(view.tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)):
            continue
        owner = node.value.func if isinstance(node.value, ast.Call) and not _given(node.value) else node.value
        default = _default(view, owner.id, node.attr) if isinstance(owner, ast.Name) else None
        if default is None or not isinstance(owner, ast.Name) or _falls_back(view, node, owner.id):
            continue
        held = {
            h.value
            for v in (view, *view.files.values())
            for name, h in v.objects()
            if (name, h.of, h.kind) == (node.attr, owner.id, "number")
        }
        if held and default not in held:
            value = f"{next(iter(held)):g}" if len(held) == 1 else "others"
            yield Slip(
                "class-default",
                node.lineno,
                f"`{ast.unparse(node)}` is the default of the class, {default:g}, and the run has {value}",
                f"The objects of `{owner.id}` that this run made have another `{node.attr}` than the class, and this "
                "line asks the class. What was set has no effect here, and parts of the program use two values.",
            )


def _given(call: ast.Call) -> bool:
    return bool(call.args or call.keywords)


def _default(view: View, owner: str, field: str) -> float | None:
    """The number that a field of a class of the program begins with."""
    for one in (view, *view.files.values()):
        for item in (i for defined in one.classes.get(owner, ()) for i in defined.body):
            named = isinstance(item, ast.AnnAssign) and last_name(item.target) == field
            value = item.value if named and isinstance(item, ast.AnnAssign) else None
            if isinstance(value, ast.Constant) and type(value.value) in (int, float):
                return float(value.value)  # type: ignore[arg-type]
    return None


def _falls_back(view: View, node: ast.AST, owner: str) -> bool:
    """Whether it is a default of something else, is compared, or stands in the class itself."""
    return any(
        isinstance(above, _FALLS_BACK)
        or (isinstance(above, ast.ClassDef) and above.name == owner)
        or (isinstance(above, ast.Call) and last_name(above.func) in _ASKS)
        for above in around(node, view.above)
    )

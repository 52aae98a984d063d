"""A method that asks a store of settings again, after the program put the value of another object in its place.

The object itself keeps the value that it was made by: two objects of the run have different ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.slips.slip import FUNCTIONS, Slip

_PUTS = frozenset({"put", "set", "set_param", "set_value", "setting", "update"})
_OWN = frozenset({"__init__", "__post_init__"})


def faults(view: View) -> Iterator[Slip]:
    """All classes of a file."""
    for owner in nodes_of(view.tree, ast.ClassDef):
        methods = [f for f in owner.body if isinstance(f, ast.FunctionDef)]
        kept = dict(p for f in methods if f.name in _OWN for p in _kept(f))
        for method in (m for m in methods if m.name not in _OWN):
            for call in nodes_of(method, ast.Call):
                text = ast.unparse(call)
                if text not in kept or _reads(methods, kept[text]):
                    continue
                key = str(getattr(call.args[0], "value", ""))
                if _differs(view, owner.name, kept[text]) and _put_between(view, owner.name, method.name, key):
                    yield Slip(
                        "setting-of-another",
                        call.lineno,
                        f"`{method.name}` reads {key!r} again, after it was set for another `{owner.name}`",
                        f"`{owner.name}` keeps the value that it was made by as `self.{kept[text]}`. The program puts "
                        f"another {key!r} in between to make a second `{owner.name}`, and calls `{method.name}` after "
                        "that, so that the first one is treated by the value of the second.",
                    )


def _kept(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """(what is read, attribute) of `self.dose = settings.get("dose")`."""
    for assign in (s for s in function.body if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)):
        target, value = assign.targets[0], assign.value
        one = len(value.args) == 1 and isinstance(getattr(value.args[0], "value", None), str)  # type: ignore[attr-defined]
        if one and isinstance(target, ast.Attribute) and last_name(target.value) == "self":
            yield ast.unparse(value), target.attr


def _reads(methods: list[ast.FunctionDef], field: str) -> bool:
    """Whether a later method reads the value that was kept: then the author knows both."""
    return any(n.attr == field for m in methods if m.name not in _OWN for n in nodes_of(m, ast.Attribute))


def _differs(view: View, owner: str, field: str) -> bool:
    """Whether objects of the class held different numbers."""
    held = {h.value for v in view.every() for name, h in v.objects() if name == field and h.of == owner}
    return len(held - {None}) > 1


def _put_between(view: View, owner: str, method: str, key: str) -> bool:
    """Whether a function makes an object, puts another value under the key, and makes a second; and the method is
    called nowhere before that.
    """
    for v in view.every():
        for scope in (v.tree, *(f for f in nodes_of(v.tree, ast.FunctionDef))):
            if scope is v.tree and any(isinstance(s, FUNCTIONS) and s.name == "main" for s in v.tree.body):
                continue
            calls = sorted((c for c in nodes_of(scope, ast.Call) if v.scope(c) is scope), key=lambda c: c.lineno)
            made = [c for c in calls if last_name(c.func) == owner]
            puts = [c.lineno for c in calls if last_name(c.func) in _PUTS and len(c.args) > 1
                    and getattr(c.args[0], "value", None) == key]  # fmt: skip
            early = [c for c in calls if last_name(c.func) == method and puts and c.lineno < puts[0]]
            if len(puts) != 1 or early or not any(c.lineno > puts[0] for c in made):
                continue
            if any(_used_after(v, scope, c, puts[0], method) for c in made if c.lineno < puts[0]):
                return True
    return False


def _used_after(view: View, scope: ast.AST, made: ast.Call, line: int, method: str) -> bool:
    """Whether the method is called of an object, or the object is handed on, after a line."""
    statement = view.statement(made)
    targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is made else []
    for name in (t.id for t in targets if isinstance(t, ast.Name)):
        for load in (n for n in view.loads(scope, name) if n.lineno > line):
            above = view.above.get(load)
            if isinstance(above, ast.Attribute) and above.attr == method:
                return True
            if isinstance(above, ast.Call) and load in above.args and last_name(above.func) not in ("len", "print"):
                return True
    return False

"""Arrays of one file under numbered names, `frame_2` and `frame_10`, that are read in the order of these as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip

_KEYS = frozenset({"files", "keys"})
_OPENS = frozenset({"File", "load", "open", "open_group"})
_BY_NAME = frozenset({"create_dataset", "create_group", "require_dataset", "require_group"})
_BY_NUMBER = re.compile(r"\bint\(|natsort|re\.(?:search|match|findall|split)|zfill")
_NO_ORDER = frozenset({"max", "mean", "median", "min", "set", "std", "sum", "update", "var"})


def faults(view: View) -> Iterator[Slip]:
    """`sorted` of the names in a file to which the program wrote more than ten, by numbers without a width."""
    written: dict[str, int] | None = None
    for call in view.calls("sorted"):
        if len(call.args) != 1 or call.keywords or not _of_a_file(view, call.args[0]):
            continue
        written = {p: n for v in view.every() for p, n in _written(v)} if written is None else written
        begin = _beginning(call.args[0])
        prefix = begin if begin in written else None
        if begin is None and len(written) == 1:
            prefix = next(iter(written))
        if prefix is not None and _read_in_turn(view, call):
            yield Slip(
                "sorted-as-text",
                call.lineno,
                f"`{ast.unparse(call)[:60]}` sorts names with numbers as text",
                f"The program writes more than ten arrays under `{prefix}` and a number without a width (line "
                f"{written[prefix]} of the file that does). As text, `{prefix}10` comes before `{prefix}2`, so what "
                "is read in this order is not in the order in which it was written, and rows beside it belong to "
                "others.",
            )


def _of_a_file(view: View, node: ast.expr) -> bool:
    """`f.files`, `f.keys()`, an open file, or a part of these by their names."""
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        one = node.generators[0]
        plain = len(node.generators) == 1 and ast.unparse(node.elt) == ast.unparse(one.target)
        return plain and _of_a_file(view, one.iter)
    if isinstance(node, ast.Call) and last_name(node.func) == "list" and len(node.args) == 1:
        return _of_a_file(view, node.args[0])
    keys = node.func if isinstance(node, ast.Call) and not node.args else node
    holder = keys.value if isinstance(keys, ast.Attribute) and keys.attr in _KEYS else node
    return isinstance(holder, ast.Name) and _opened(view, holder)


def _opened(view: View, name: ast.Name) -> bool:
    """Whether a name is a file, by the `with` or the assignment above it."""
    scope = view.scope(name)
    pairs = [(i.optional_vars, i.context_expr) for w in nodes_of(scope, ast.With) for i in w.items]
    pairs += [(t, a.value) for a in nodes_of(scope, ast.Assign) for t in a.targets]
    made = [value for target, value in pairs if isinstance(target, ast.Name) and target.id == name.id]
    return bool(made) and all(isinstance(m, ast.Call) and last_name(m.func) in _OPENS for m in made)


def _beginning(node: ast.expr) -> str | None:
    """What the names that are taken begin with; None of all names, and "" where they are chosen in another way."""
    tests = [t for g in getattr(node, "generators", ()) for t in g.ifs]
    starts = [c for t in tests for c in nodes_of(t, ast.Call) if last_name(c.func) == "startswith" and c.args]
    first = starts[0].args[0] if len(starts) == 1 == len(tests) else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return "" if tests else None


def _written(view: View) -> Iterator[tuple[str, int]]:
    """(beginning, line) of the names under which a loop writes more than ten arrays."""
    for node in walk(view.tree):
        keys: list[ast.expr] = []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        elif isinstance(node, ast.Call) and last_name(node.func) in _BY_NAME:
            keys = node.args[:1]
        elif isinstance(node, ast.DictComp):
            keys = [node.key]
        for prefix, number in (found for key in keys if (found := _numbered(key)) is not None):
            if prefix and _many(view, number):
                yield prefix, number.lineno


def _numbered(key: ast.expr) -> tuple[str, ast.Name] | None:
    """(beginning, number) of `f"frame_{i}"`, `"frame_%d" % i`, `"frame_{}".format(i)`, `"frame_" + str(i)`."""
    if isinstance(key, ast.JoinedStr) and len(key.values) == 2:
        text, part = key.values
        if isinstance(text, ast.Constant) and isinstance(part, ast.FormattedValue) and part.format_spec is None:
            return (str(text.value), part.value) if isinstance(part.value, ast.Name) else None
    if isinstance(key, ast.BinOp) and isinstance(key.left, ast.Constant):
        text_of, right = str(key.left.value), key.right
        if isinstance(key.op, ast.Mod) and text_of.endswith(("%d", "%i", "%s")) and isinstance(right, ast.Name):
            return text_of[:-2], right
        if isinstance(key.op, ast.Add) and isinstance(right, ast.Call) and last_name(right.func) == "str":
            number = right.args[0] if right.args else None
            return (text_of, number) if isinstance(number, ast.Name) else None
    if isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute) and key.func.attr == "format":
        text_of, number = str(getattr(key.func.value, "value", "")), key.args[0] if len(key.args) == 1 else None
        if re.search(r"\{0?\}$", text_of) and isinstance(number, ast.Name):
            return text_of.rpartition("{")[0], number
    return None


def _many(view: View, number: ast.Name) -> bool:
    """Whether a number counts from 0 or 1 to 10 or more in the loop around it."""
    for node in walk(view.scope(number)):
        if not isinstance(node, ast.For | ast.comprehension) or not isinstance(node.iter, ast.Call):
            continue
        name, args = last_name(node.iter.func), node.iter.args
        target = node.target.elts[0] if isinstance(node.target, ast.Tuple) and name == "enumerate" else node.target
        if last_name(target) != number.id or node.iter.keywords or not 1 <= len(args) <= 2:
            continue
        start = args[0] if name == "range" and len(args) == 2 else args[1] if len(args) == 2 else None
        if start is not None and view.number(start) not in (0, 1):
            continue
        shape = view.shape(args[0]) if name == "enumerate" else None
        many = shape[0] if shape else view.number(args[-1]) if name == "range" else None
        if many is not None and many > 10:
            return True
    return False


def _read_in_turn(view: View, call: ast.Call) -> bool:
    """Whether arrays are taken by these names one after the other, and kept in this order."""
    scope, statement = view.scope(call), view.statement(call)
    names = {t.id for t in getattr(statement, "targets", ()) if isinstance(t, ast.Name)}
    if _BY_NUMBER.search(ast.unparse(scope) if isinstance(scope, FUNCTIONS) else ast.unparse(statement or call)):
        return False
    for node in walk(scope):
        loop = node.generators[0] if isinstance(node, ast.ListComp) and len(node.generators) == 1 else node
        if not isinstance(loop, ast.For | ast.comprehension):
            continue
        if loop.iter is not call and not (isinstance(loop.iter, ast.Name) and loop.iter.id in names):
            continue
        body: ast.AST = node.elt if isinstance(node, ast.ListComp) else loop
        taken = any(
            isinstance(n.ctx, ast.Load) and last_name(n.slice) == last_name(loop.target) != ""
            for n in nodes_of(body, ast.Subscript)
        )
        kept = isinstance(node, ast.ListComp) or any(last_name(c.func) == "append" for c in nodes_of(body, ast.Call))
        around = view.statement(node)
        calls = {last_name(c.func) for c in nodes_of(around or node, ast.Call)}
        keyed = any(
            isinstance(n.ctx, ast.Store) and last_name(n.slice) == last_name(loop.target)
            for n in nodes_of(body, ast.Subscript)
        )
        if taken and kept and not keyed and not calls & _NO_ORDER:
            return True
    return False

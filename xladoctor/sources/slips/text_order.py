"""Names with numbers in them, sorted as text: `frame_10` comes before `frame_2`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, within_body

_LISTS = frozenset({"glob", "iglob", "listdir", "iterdir", "rglob", "scandir"})
_READS_NAME = re.compile(r"\.stem\b|basename|re\.(?:search|match|findall|split)|\bint\(|\.parts\b|splitext|\.name\b")
_LOADS = frozenset(
    {
        "load",
        "imread",
        "read_text",
        "read_bytes",
        "open",
        "read_csv",
        "loadtxt",
        "genfromtxt",
        "load_img",
        "read_file",
        "fromfile",
        "decode_png",
        "decode_jpeg",
        "File",
    }
)


def faults(view: View) -> Iterator[Slip]:
    """`sorted` of such names, that decides in which order arrays are read or put together."""
    for call in view.calls("sorted", "sort"):
        if call.keywords or (last_name(call.func) == "sorted" and len(call.args) != 1):
            continue
        if _sorted_as_text(view, call) and not _reads_names(view, call):
            what = ast.unparse(call)[:60]
            yield Slip(
                "sorted-as-text",
                call.lineno,
                f"`{what}` sorts names with numbers as text",
                "As text, a name that ends in 10 comes before one that ends in 2. So what is read in this order is not "
                "in the order of the numbers, and rows beside it, in the order of the numbers, belong to others.",
            )


def _reads_names(view: View, call: ast.Call) -> bool:
    """Whether the program uses the names of the files: it reads their numbers, or looks something up by them. A list
    of them that is only counted or printed pairs nothing.
    """
    text = _around(view, call)
    if not _READS_NAME.search(text):
        return False
    others = [name for name, value in _given_back(view, call) if _READS_NAME.search(ast.unparse(value))]
    inside = [t for t in text.splitlines() if _READS_NAME.search(t) and not t.lstrip().startswith("return ")]
    return bool(inside) or not others or any(_is_looked_at(view, name) for name in others)


def _given_back(view: View, call: ast.Call) -> Iterator[tuple[ast.Name, ast.expr]]:
    """(name, value) of what callers call the parts of what a function gives back that are made of the files."""
    scope, statement = view.scope(call), view.statement(call)
    names = {t.id for t in getattr(statement, "targets", ()) if isinstance(t, ast.Name)}
    for node in walk(scope) if isinstance(scope, ast.FunctionDef) else ():
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for used in view.calls(getattr(scope, "name", "")):
            for target in getattr(view.statement(used), "targets", ()):
                stored = target.elts if isinstance(target, ast.Tuple) else [target]
                for name, value in zip(stored, parts, strict=False):
                    of_files = any(isinstance(n, ast.Name) and n.id in names for n in walk(value))
                    if isinstance(name, ast.Name) and of_files and len(stored) == len(parts):
                        yield name, value


def _is_looked_at(view: View, name: ast.Name) -> bool:
    """Whether anything but its length or a line of print reads a name."""
    own = view.scope(name)
    for node in view.loads(own, name.id):
        inner = view.scope(node)
        if inner is not own and name.id in _names_stored(inner):
            continue  # another one of the same name
        around = view.above.get(node)
        while isinstance(around, ast.FormattedValue | ast.JoinedStr):
            around = view.above.get(around)
        if not (isinstance(around, ast.Call) and last_name(around.func) in ("len", "print")):
            return True
    return False


def _names_stored(scope: ast.AST) -> set[str]:
    return {n.id for n in within_body(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _sorted_as_text(view: View, call: ast.Call) -> bool:
    statement = view.statement(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if last_name(call.func) == "sort" and isinstance(call.func, ast.Attribute):
        targets = [call.func.value]
    held = [view.held(_stored(view, t)) for t in targets if isinstance(t, ast.Name)]
    if any(h is not None for h in held):
        return any(h is not None and h.by_text for h in held) and _orders(view, call, targets)
    if any(h is not None and h.by_text for h in (view.held(n) for n, _ in _given_back(view, call))):
        return _orders(view, call, targets)
    lists = [n for n in nodes_of(call, ast.Call) if last_name(n.func) in _LISTS]
    seen = any(_is_listed(lists, kind) for kind in view.listed(call))
    return bool(lists) and (seen or _writes_unpadded(view)) and _orders(view, call, targets)


def _is_listed(lists: list[ast.Call], kind: str) -> bool:
    """Whether files of such names are among those that are listed, as far as a pattern is written."""
    written = [str(n.value) for c in lists for n in nodes_of(c, ast.Constant) if "*" in str(n.value)]
    return all(fnmatch(kind.replace("#", "1"), pattern.rpartition("/")[2]) for pattern in written)


def _stored(view: View, target: ast.Name) -> ast.AST:
    return target


def _orders(view: View, call: ast.Call, targets: list[ast.expr]) -> bool:
    """Whether files are read, or arrays picked, in this order."""
    text = _around(view, call)
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    if any(re.search(rf"\b{n}\(", text) for n in _LOADS):
        return True
    return any(
        re.search(rf"\[\[?{re.escape(n)}\]|\bfor \w+ in {re.escape(n)}\b", text) and "enumerate" not in text
        for n in names
    )


def _around(view: View, call: ast.Call) -> str:
    """The statement, and those of its scope that use the names that it gives."""
    statement, scope = view.statement(call), view.scope(call)
    if statement is None:
        return ""
    targets = getattr(statement, "targets", [])
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    fields = {t.attr for t in targets if isinstance(t, ast.Attribute)}
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        names.append(call.func.value.id)
    lines = {id(statement): ast.unparse(statement)}
    for node in walk(view.tree) if fields else ():
        user = view.statement(node) if isinstance(node, ast.Attribute) and node.attr in fields else None
        if user is not None:
            lines[id(user)] = ast.unparse(user)
    for name in names:
        for node in view.loads(scope, name):
            user = view.statement(node)
            if user is not None:
                lines[id(user)] = ast.unparse(user)
    return "\n".join(lines.values())


def _writes_unpadded(view: View) -> bool:
    """Whether the program itself names files by a number without a width, and more than ten of them."""
    return any(_many(view, name) for node in walk(view.tree) for name in _numbers_in(node))


def _numbers_in(node: ast.AST) -> Iterator[ast.Name]:
    """The names whose numbers a text gets before the ending of a file: f"{i}.npy", "%d.npy" % i, "{}.npy".format(i)."""
    if isinstance(node, ast.JoinedStr):
        for part, after in zip(node.values, node.values[1:], strict=False):
            ending = isinstance(after, ast.Constant) and str(after.value).startswith(".")
            if ending and isinstance(part, ast.FormattedValue) and part.format_spec is None:
                yield from (n for n in (part.value,) if isinstance(n, ast.Name))
    elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and isinstance(node.op, ast.Mod):
        if re.search(r"%[dis]\.\w", str(node.left.value)):
            yield from nodes_of(node.right, ast.Name)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        form = str(getattr(node.func.value, "value", ""))
        if re.search(r"\{\w*\}\.\w", form):
            yield from nodes_of(node, ast.Name)


def _many(view: View, name: ast.Name) -> bool:
    for node in walk(view.tree):
        if isinstance(node, ast.For | ast.comprehension) and name.id in {last_name(n) for n in walk(node.target)}:
            counts = [
                view.number(c.args[-1] if len(c.args) < 3 else c.args[1])
                for c in nodes_of(node.iter, ast.Call)
                if last_name(c.func) == "range" and c.args
            ]
            sizes = [
                view.shape(c.args[0])
                for c in nodes_of(node.iter, ast.Call)
                if last_name(c.func) == "enumerate" and c.args
            ]
            if any(c is not None and c > 10 for c in counts) or any(s and s[0] > 10 for s in sizes):
                return True
    return False

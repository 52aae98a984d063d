"""Texts that a program takes for true or false by `bool`, which asks whether they are empty."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, names_in, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns

_FALSE = re.compile(r"(?:^|[=:,;\s\"'])(?:no|false|off|0|n|f)(?=$|[,;\s\"'])", re.I | re.M)
_PARSERS = frozenset({"ConfigParser", "RawConfigParser", "SafeConfigParser"})
_READERS = frozenset({"DictReader", "reader", "input", "readline", "readlines", "splitlines"})
_TEXT = frozenset({"casefold", "group", "lower", "partition", "read_text", "rstrip", "split", "strip", "upper"})
_GUARDS = frozenset({"getboolean", "literal_eval", "strtobool"})


def truth_of_text(tree: ast.Module) -> Iterator[Slip]:
    """`bool(section["smooth"])`, and `type(default)(raw)` where one of the defaults is True or False."""
    parsers = {dotted(t) for t, v, _ in assigns(tree) if isinstance(v, ast.Call) and last_name(v.func) in _PARSERS}
    false = any(_FALSE.search(n.value) for n in nodes_of(tree, ast.Constant) if isinstance(n.value, str))
    switches = any(
        isinstance(v, ast.Constant) and isinstance(v.value, bool)
        for n in walk(tree)
        for v in (
            n.values if isinstance(n, ast.Dict) else [n.value] if isinstance(n, ast.AnnAssign) and n.value else []
        )
    )
    seen: set[int] = set()
    for scope in (n for n in walk(tree) if isinstance(n, (*FUNCTIONS, ast.Module))):
        nodes = list(walk(scope))
        texts = _texts(nodes, parsers)
        for node in nodes:
            if not (isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords):
                continue
            kind, given = node.func, node.args[0]
            of_type = isinstance(kind, ast.Call) and last_name(kind.func) == "type" and len(kind.args) == 1
            by_name = isinstance(kind, ast.Name) and kind.id == "bool"
            if not (of_type or by_name) or not _is_text(given, texts, parsers):
                continue
            said = false or bool(names_in(given) & texts and of_type)
            if said and node.lineno not in seen and (by_name or (switches and not _guarded(nodes))):
                seen.add(node.lineno)
                yield Slip(
                    "text-for-true",
                    node.lineno,
                    f"`{ast.unparse(node)}` is True for every text that is not empty",
                    "The value is read as text. `bool` asks whether a text is empty: `no`, `false` and `0` are True.",
                )


def _texts(nodes: list[ast.AST], parsers: set[str | None]) -> set[str]:
    """The names that hold texts: parts of lines, values of a section of a parser."""
    found: set[str] = set()
    for node in (*nodes, *nodes):  # a loop may stand before the line that made its table
        pairs = []
        if isinstance(node, ast.Assign):
            pairs = [(t, node.value) for t in node.targets]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            items = isinstance(value, ast.Call) and last_name(value.func) == "items"
            inner = (
                value.func.value
                if items and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
                else value
            )
            if _is_text(inner, found, parsers):
                names = [target] if not isinstance(target, ast.Tuple) else target.elts[-1:] if items else target.elts
                found |= {n.id for n in names if isinstance(n, ast.Name)}
    return found


def _is_text(value: ast.expr, texts: set[str], parsers: set[str | None]) -> bool:
    """Whether an expression is text, or gives texts."""
    if isinstance(value, ast.Name):
        return value.id in texts
    if isinstance(value, ast.Subscript):
        return dotted(value.value) in (parsers - {None}) | {"sys.argv", "os.environ"} or _is_text(
            value.value, texts, parsers
        )
    if isinstance(value, ast.Call):
        name = last_name(value.func)
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        of_parser = owner is not None and dotted(owner) in parsers and name in ("get", "items")
        return (
            of_parser
            or name in _READERS | _TEXT
            or (owner is not None and name == "get" and _is_text(owner, texts, parsers))
        )
    return False


def _guarded(nodes: list[ast.AST]) -> bool:
    """Whether a function treats switches in another way."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _GUARDS:
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "isinstance" and "bool" in ast.unparse(node):
            return True
        if isinstance(node, ast.Compare) and any(last_name(c) == "bool" for c in node.comparators):
            return True
    return False

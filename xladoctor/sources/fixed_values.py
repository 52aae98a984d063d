"""Which values are the same each time that a function runs, as far as the source says."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import around, defaults, last_name, names_in, nodes_of, parameters, parents_of, walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_DEPTH = 8
_PLAIN = frozenset(
    {
        "abs", "array", "as_tensor", "asarray", "cast", "constant", "convert_to_tensor", "create_seed", "hash", "int",
        "int32", "int64", "key", "list", "reshape", "stack", "stateless_fold_in", "stateless_split", "tuple", "uint32",
        "uint64", "fold_in", "split", "unstack",
    }
)  # fmt: skip
"""Calls that give the same of the same arguments."""
_TYPES = frozenset({"int32", "int64", "uint32", "uint64", "float32", "float64"})
_MAPS = frozenset({"map", "flat_map", "interleave", "vectorized_map", "map_fn"})
Given = tuple[ast.expr, "Frame"] | None


@dataclass(frozen=True)
class Frame:
    """A function with what its parameters are given, and where; None for what differs each time that it runs."""

    function: ast.AST
    given: Mapping[str, Given]


class Values:
    """The names and attributes of a file, asked whether they are the same in each run of a function."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.above = parents_of(tree)
        self._named: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        self._fields: dict[str, list[ast.expr | None]] = defaultdict(list)
        self._stores: dict[ast.AST, dict[str, list[ast.expr | None]]] = {}
        for node in walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._named[node.name].append(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self._fields[node.attr].append(self._field(node))
            elif isinstance(node, ast.AnnAssign) and isinstance(self.above.get(node), ast.ClassDef):
                self._fields[last_name(node.target)].append(node.value or ast.Constant(0))
        self._mapped = {last_name(c.args[0]) for c in nodes_of(tree, ast.Call) if _is_map(c)}

    def scope(self, node: ast.AST) -> ast.AST:
        """The innermost function around a node, or the module."""
        return next(self.enclosing(node), self.tree)

    def enclosing(self, node: ast.AST) -> Iterator[ast.AST]:
        """The functions around a node, from the inside outwards."""
        return (n for n in around(node, self.above) if isinstance(n, _FUNCTIONS))

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node stands in."""
        return next((n for n in around(node, self.above) if isinstance(n, ast.stmt)), None)

    def owner(self, function: ast.AST) -> ast.ClassDef | None:
        """The class of a method, or of the method around a function."""
        return next((n for n in around(function, self.above) if isinstance(n, ast.ClassDef)), None)

    def is_mapped(self, function: ast.AST) -> bool:
        """Whether a function runs for each element of a dataset."""
        above = self.above.get(function)
        return getattr(function, "name", "") in self._mapped or (isinstance(above, ast.Call) and _is_map(above))

    def functions(self, name: ast.expr) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The only function of a name; of an object whose class is made here, its `__call__`."""
        if isinstance(name, ast.Name) and name.id == "self":
            return self._method(self.owner(name), "__call__")
        found = self._named.get(last_name(name), [])
        if isinstance(name, ast.Attribute) and last_name(name.value) == "self":
            own = self._method(self.owner(name), name.attr)
            return own or (found if len(found) == 1 else [])
        return found if len(found) == 1 else []

    def called(self, call: ast.Call) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The function of the file that a call runs."""
        return self.functions(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else []

    def default(self, function: ast.AST, name: str) -> Given:
        """The default of a parameter, which is the same each time."""
        value = defaults(function).get(name)
        return (value, Frame(self.tree, {})) if value is not None else None

    def same(self, node: ast.expr, frame: Frame, depth: int = _DEPTH) -> bool:
        """Whether an expression has one value in all runs of a function."""
        if not depth:
            return False
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return self._same_name(node, frame, depth - 1)
        if isinstance(node, ast.Attribute):
            return self._same_field(node, frame, depth - 1)
        if isinstance(node, ast.Call):
            parts = [*node.args, *(k.value for k in node.keywords)]
            if last_name(node.func) not in _PLAIN and not last_name(node.func).startswith("stateless_"):
                return False
            return bool(parts) and all(self.same(p, frame, depth - 1) for p in parts)
        if isinstance(node, ast.Tuple | ast.List):
            return all(self.same(p, frame, depth - 1) for p in node.elts)
        if isinstance(node, ast.BinOp):
            return self.same(node.left, frame, depth - 1) and self.same(node.right, frame, depth - 1)
        if isinstance(node, ast.Subscript):
            return self.same(node.value, frame, depth - 1) and self.same(node.slice, frame, depth - 1)
        return isinstance(node, ast.UnaryOp | ast.Starred | ast.Slice) and all(
            self.same(p, frame, depth - 1) for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr)
        )

    def roots(self, node: ast.expr, function: ast.AST) -> set[str]:
        """The names that an expression is made of, also through the assignments of its function."""
        found, todo = set[str](), sorted(names_in(node))
        stores = self._of(function)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += [n for value in stores.get(name, ()) if value is not None for n in names_in(value)]
        return found

    def _same_name(self, node: ast.Name, frame: Frame, depth: int) -> bool:
        stores = self._of(frame.function)
        if node.id in stores:
            own = stores[node.id]
            return len(own) == 1 and own[0] is not None and self.same(own[0], frame, depth)
        if node.id in frame.given:
            handed = frame.given[node.id]
            return handed is not None and self.same(handed[0], handed[1], depth)
        if node.id in parameters(frame.function):
            return not self.is_mapped(frame.function) and not _changes_by_itself(node.id)
        for outer in (*self.enclosing(frame.function), self.tree):
            stores = self._of(outer)
            if node.id in stores:
                own = stores[node.id]
                return len(own) == 1 and own[0] is not None and self.same(own[0], Frame(outer, {}), depth)
            if node.id in parameters(outer):
                return not self.is_mapped(outer)
        return False

    def _same_field(self, node: ast.Attribute, frame: Frame, depth: int) -> bool:
        """An attribute that each object is given once, as it is made; a setting of another module."""
        made = self._fields.get(node.attr, [])
        if node.attr in _TYPES:
            return True
        if (
            not made
            and isinstance(node.value, ast.Attribute | ast.Name)
            and last_name(node.value) not in ("self", "cls")
        ):
            known = node.attr in ("seed", "base_seed", "random_seed") and self.same(node.value, frame, depth)
            return known or (
                isinstance(node.value, ast.Name) and node.attr.isupper() and node.value.id not in frame.given
            )
        if not made:
            return isinstance(node.value, ast.Name) and node.attr.isupper() and node.value.id not in frame.given
        return last_name(node.value) in ("self", "cls") and all(v is not None and self._settled(v, depth) for v in made)

    def _settled(self, value: ast.expr, depth: int) -> bool:
        """Whether what `__init__` writes to an attribute is a plain value of a parameter or of the source."""
        scope = self.scope(value) if value in self.above else self.tree
        if isinstance(value, ast.Name) and value.id in parameters(scope):
            return not _changes_by_itself(value.id)
        return self.same(value, Frame(scope, {}), depth)

    def _field(self, node: ast.Attribute) -> ast.expr | None:
        """What an assignment in `__init__` gives to an attribute; None for any other change of it."""
        statement = self.above.get(node)
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or last_name(node.value) != "self":
            return None
        return statement.value if getattr(self.scope(node), "name", "") == "__init__" else None

    def _method(self, owner: ast.ClassDef | None, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        own = owner.body if owner is not None else []
        return [f for f in own if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) and f.name == name]

    def _of(self, scope: ast.AST) -> dict[str, list[ast.expr | None]]:
        """{name: its values} of a scope itself; None for a value that is not written, or that a loop gives."""
        if scope not in self._stores:
            found: dict[str, list[ast.expr | None]] = defaultdict(list)
            for node in walk(scope):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and self.scope(node) is scope:
                    found[node.id].append(self._value(node, scope))
            self._stores[scope] = found
        return self._stores[scope]

    def _value(self, node: ast.Name, scope: ast.AST) -> ast.expr | None:
        inner: ast.AST = node
        above = self.above.get(node)
        while isinstance(above, ast.Tuple | ast.List | ast.Starred):
            inner, above = above, self.above.get(above)
        plain = isinstance(above, ast.Assign | ast.AnnAssign) and inner is not above.value
        looped = any(isinstance(n, _LOOPS) for n in around(node, self.above) if self.scope(n) is scope)
        return above.value if plain and not looped and isinstance(above, ast.Assign | ast.AnnAssign) else None


def _changes_by_itself(name: str) -> bool:
    """Whether a name is that of a generator of random numbers, whose state changes."""
    return any(word in name.lower() for word in ("gen", "rng", "random", "counter", "step", "var", "state"))


def _is_map(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MAPS and bool(call.args)

"""What the names of a program held in a run, joined with its source: sizes, types and numbers of expressions."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xladoctor.sources.arithmetic import reckoned
from xladoctor.sources.backward import Backward, Made
from xladoctor.sources.names import (
    around,
    defaults,
    dotted,
    last_name,
    nodes_of,
    operands,
    parents_of,
    statements,
    walk,
)

_DEPTH = 4
_SAME_TYPE = frozenset(
    {
        "reshape",
        "squeeze",
        "copy",
        "transpose",
        "ravel",
        "flatten",
        "asarray",
        "abs",
        "concatenate",
        "stack",
        "roll",
        "flip",
        "pad",
        "expand_dims",
    }
)


_SAME_SIZES = frozenset(
    {"array", "asarray", "astype", "cast", "constant", "convert_to_tensor", "copy", "float32", "numpy"}
)
_MAKES = frozenset({"zeros", "ones", "empty", "random", "standard_normal", "full"})
_MODULES = frozenset({"np", "tf", "numpy", "tensorflow"})


@dataclass(frozen=True)
class Held:
    """What a name held at the end of the run, or when its function called Keras."""

    kind: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    value: float | None = None
    least: float | None = None
    most: float | None = None
    rest: int = 0
    index: str = ""
    fraction: bool = False
    padded: bool = False
    grouped: bool = False
    by_text: bool = False
    unlike_rows: bool = False
    """Of numbers in rows: successive rows are no more alike than any."""
    by_frequency: bool = False
    """Of class numbers: each class has no more rows than that before it."""
    rising: Sequence[str] = ()
    """Of a table, those of the `keys` whose values rise from row to row."""
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of a table, the columns with another value in each row: the digest of these values, and that of their order."""
    of: str = ""
    """Of what `name.attribute` holds, the class of the object; of an object, its own."""


class View:
    """A file of a program, with what its names held: {(function, name): what}."""

    def __init__(
        self,
        file: str,
        tree: ast.Module,
        back: Backward,
        held: Mapping[tuple[str, str], Held],
        files: Mapping[str, View] | None = None,
    ) -> None:
        self.file, self.tree, self.back = file, tree, back
        self._held = held
        self.files = {} if files is None else files
        """The views of all files of the program, by their names."""
        self.above = parents_of(tree)
        self._stored: dict[int, dict[str, list[int]]] = {}
        self._calls: dict[str, list[ast.Call]] = defaultdict(list)
        self.classes: dict[str, list[ast.ClassDef]] = {}
        """Those that the file defines, by name."""
        for node in walk(tree):
            if isinstance(node, ast.Call):
                self._calls[last_name(node.func)].append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, []).append(node)

    def of(self, made: Made) -> View:
        """The view of the file in which something was made."""
        return self.files.get(made.file, self)

    def every(self) -> list[View]:
        """The views of all files of the program: this one, where no others are known."""
        return list(self.files.values()) or [self]

    def results(self, call: ast.Call) -> list[tuple[View, ast.expr]]:
        """What the functions of the program that a call may run return, each with the view of its file."""
        own = self.back.functions.get(last_name(call.func), ())
        return [(self.files.get(file, self), v) for file, function in own for v in returned(function)]

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """The calls of functions and methods of these names, in the order of their lines."""
        found = [call for name in names for call in self._calls.get(name, ())]
        yield from sorted(found, key=lambda c: (c.lineno, c.col_offset))

    def calls_of(self, name: str) -> list[ast.Name]:
        """Where a function is named, as in `map(name)`."""
        return self.loads(self.tree, name)

    def scope(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        functions = (n for n in around(node, self.above) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
        return next(functions, self.tree)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node stands in."""
        return next((n for n in (node, *around(node, self.above)) if isinstance(n, ast.stmt)), None)

    def loads(self, scope: ast.AST, name: str) -> list[ast.Name]:
        """Where a name is read in a scope."""
        return [n for n in nodes_of(scope, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]

    def made(self, value: ast.expr) -> Iterator[Made]:
        """What made a value, nearest first."""
        return self.back.steps(self.file, value)

    def held(self, node: ast.AST, depth: int = _DEPTH) -> Held | None:
        """What a name held where it is read: nothing where it gets another value later. Of a parameter, what the name
        that it was given held. Also of `name.attribute`.
        """
        path = dotted(node)
        if path is None or depth < 0:
            return None
        root = next(nodes_of(node, ast.Name))
        return self._held_under(root, path.partition(".")[2], depth)

    def _held_under(self, node: ast.Name, path: str, depth: int) -> Held | None:
        """What a name held, or what was under `path` in it."""
        scope = self.scope(node)
        function = getattr(scope, "name", "<module>")
        stores = self._stores(scope).get(node.id, [])
        if any(line >= node.lineno for line in stores) and not isinstance(node.ctx, ast.Store):
            return None
        name = f"{node.id}.{path}" if path else node.id
        found = self._held.get((function, name))
        if found is not None or scope is self.tree:
            return found
        given = self.back.given(scope, node.id)
        if given:
            known = [self.of(made)._held_of(made.value, path, depth - 1) for made in given]
            return known[0] if all(k is not None and k == known[0] for k in known) else None
        whole = self._stores(self.tree).get(node.id, [])
        return self._held.get(("<module>", name)) if not stores and len(whole) == 1 else None

    def _held_of(self, value: ast.expr, path: str, depth: int) -> Held | None:
        """What was under `path` in the value of an expression of names."""
        return self.held(ast.Attribute(value, path) if path else value, depth)

    def listed(self, call: ast.Call) -> list[str]:
        """The names, with # for numbers, of files that a line lists and whose numbers are not in the order of text."""
        lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
        keys = (name.partition(" ") for (_, name), held in self._held.items() if held.by_text and name[:1] == "@")
        return [kind for line, _, kind in keys if int(line[1:]) in lines]

    def holdings(self) -> Iterator[Held]:
        """What the names of this file held."""
        yield from self._held.values()

    def tables(self, function: str) -> dict[str, Held]:
        """The tables that the names of a function held."""
        return {name: h for (f, name), h in self._held.items() if f == function and h.keys}

    def objects(self) -> Iterator[tuple[str, Held]]:
        """(attribute, what it held) of all objects of the program's own classes that a name of this file held."""
        yield from ((name.rpartition(".")[2], h) for (_, name), h in self._held.items() if h.of and "." in name)

    def _stores(self, scope: ast.AST) -> dict[str, list[int]]:
        """The lines at which names get values in a scope; a statement's own end is where it gives them."""
        if id(scope) not in self._stored:
            found: dict[str, list[int]] = defaultdict(list)
            for node in statements(scope):
                simple = not hasattr(node, "body")
                for inner in walk(node) if simple else walk(getattr(node, "target", ast.Pass())):
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                        found[inner.id].append((node.end_lineno or node.lineno) if simple else node.lineno)
            self._stored[id(scope)] = found
        return self._stored[id(scope)]

    def shape(self, node: ast.expr, depth: int = _DEPTH) -> tuple[int, ...] | None:
        """The sizes of an array that a name held."""
        found = self.held(node)
        if found is not None:
            return found.shape if found.kind in ("array", "tensor", "table", "texts") else None
        if not depth:
            return None
        if isinstance(node, ast.Call):
            of = subject_of(node) if last_name(node.func) in _SAME_SIZES else None
            return self.shape(of, depth - 1) if of is not None else self._made_shape(node, depth)
        if isinstance(node, ast.Name):
            return self._agreed([self.of(m).shape(m.value, depth - 1) for m in self.back.values(self.file, node)])
        if isinstance(node, ast.Attribute):
            made = self.back.attributes(node.attr)
            sizes = self.shape(node.value, depth - 1) if node.attr == "T" else None
            return sizes[::-1] if sizes else self._agreed([self.of(m).shape(m.value, depth - 1) for m in made])
        return None

    def _made_shape(self, node: ast.Call, depth: int) -> tuple[int, ...] | None:
        """Of a new array whose sizes are written, and of what a function of the program returns."""
        name = last_name(node.func)
        if name in self.back.functions:
            return self._agreed([view.shape(v, depth - 1) for view, v in self.results(node)])
        given = next((k.value for k in node.keywords if k.arg in ("size", "shape")), None)
        if given is None and name in _MAKES and node.args:
            given = node.args[0]
        parts = given.elts if isinstance(given, ast.Tuple | ast.List) else [given] if given is not None else []
        sizes = [self.number(p, depth - 1) for p in parts]
        return tuple(n for n in sizes if n is not None) if sizes and None not in sizes else None

    def _agreed(self, sizes: list[tuple[int, ...] | None]) -> tuple[int, ...] | None:
        return sizes[0] if sizes and all(s == sizes[0] for s in sizes) else None

    def number(self, node: ast.expr, depth: int = _DEPTH) -> int | None:
        """The whole number that an expression is."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand, depth)
            return None if inner is None else -inner
        if not depth:
            return None
        if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
            sizes = self.shape(node.args[0])
            return sizes[0] if sizes else self._length(node.args[0])
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            sizes, at = self.shape(node.value.value), self.number(node.slice, depth - 1)
            return sizes[at] if sizes and at is not None and -len(sizes) <= at < len(sizes) else None
        if isinstance(node, ast.BinOp):
            left, right = self.number(node.left, depth - 1), self.number(node.right, depth - 1)
            made = reckoned(left, node.op, right) if left is not None and right is not None else None
            return made if isinstance(made, int) else None
        found = self.held(node)
        if found is not None and found.kind == "number" and found.value is not None and found.value == int(found.value):
            return int(found.value)
        default = self._default(node)
        if default is not None:
            return self.number(default, depth - 1)
        if isinstance(node, ast.Attribute) and node.attr == "size":
            sizes = self.shape(node.value)
            return sizes[0] if sizes and len(sizes) == 1 else None
        return self._written(node, depth)

    def _default(self, node: ast.expr) -> ast.expr | None:
        """That of a parameter which no call gives."""
        if not isinstance(node, ast.Name):
            return None
        scope = self.scope(node)
        if node.id in self._stores(scope) or self.back.given(scope, node.id):
            return None
        return defaults(scope).get(node.id)

    def _length(self, node: ast.expr) -> int | None:
        """Of an object whose class of the program has `def __len__(self): return len(self.rows)`."""
        held = self.held(node)
        if held is None or held.kind != "object":
            return None
        for view in (self, *self.files.values()):
            for owner in (n for n in nodes_of(view.tree, ast.ClassDef) if n.name == held.of):
                lengths = [f for f in owner.body if isinstance(f, ast.FunctionDef) and f.name == "__len__"]
                for value in (v for f in lengths for v in returned(f)):
                    inner = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else None
                    rows = self._under(node, inner) if inner is not None else None
                    return rows.shape[0] if rows is not None and rows.shape else None
        return None

    def _under(self, node: ast.expr, own: ast.expr) -> Held | None:
        """What `self.rows` is of an object that a name held."""
        if not (isinstance(own, ast.Attribute) and last_name(own.value) == "self"):
            return None
        root, path = next(nodes_of(node, ast.Name)), (dotted(node) or "").partition(".")[2]
        return self._held_under(root, f"{path}.{own.attr}" if path else own.attr, _DEPTH)

    def _written(self, node: ast.expr, depth: int) -> int | None:
        """Of a name or an attribute that one place of the program gives a number to."""
        if isinstance(node, ast.Attribute):
            values = {ast.unparse(v): v for v in self.back.fields(node.attr)}
        elif isinstance(node, ast.Name):
            values = {ast.unparse(m.value): m.value for m in self.back.named(self.file, node)}
        else:
            return None
        return self.number(next(iter(values.values())), depth - 1) if len(values) == 1 else None

    def dtype(self, node: ast.expr, depth: int = _DEPTH) -> str:
        """The type of the numbers of an array; nothing where it is not known."""
        found = self.held(node)
        if found is not None:
            return found.dtype
        if not depth:
            return ""
        if isinstance(node, ast.Subscript):
            return self.dtype(node.value, depth - 1)
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return self.dtype(node.value, depth - 1)
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name == "astype" and node.args:
                return _type_of(node.args[0])
            of = subject_of(node) if name in _SAME_TYPE else None
            return self.dtype(of, depth - 1) if of is not None else ""
        if isinstance(node, ast.Name):
            types = {self.dtype(m.value, depth - 1) for m in self.back.named(self.file, node)}
            return types.pop() if len(types) == 1 else ""
        return ""


def returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """What a function returns."""
    return [s.value for s in statements(function) if isinstance(s, ast.Return) and s.value is not None]


def subject_of(call: ast.Call) -> ast.expr | None:
    """The array that a function or a method is called on."""
    return operands(call, _MODULES)[0]


def _type_of(node: ast.expr) -> str:
    text = node.value if isinstance(node, ast.Constant) else last_name(node)
    return {"int": "int64", "float": "float64"}.get(str(text), str(text))

"""A program read from the top down, as it runs: loops once, branches apart, functions where they are called.

What is not understood is not known, and what is not known is in no fault.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.sources.names import defaults, last_name, nodes_of
from xladoctor.sources.order import scope_at
from xladoctor.sources.rows import checks, expressions, tables
from xladoctor.sources.rows.modules import Modules
from xladoctor.sources.rows.values import (
    Array,
    Call,
    Calls,
    Items,
    Named,
    Names,
    RowFault,
    RowSet,
    Step,
    Table,
    chunk_of,
)

_DEPTH = 5
_MOST = 8000
"""Statements, and expressions, that are read."""
_MOST_VALUES = 200_000
_MODEL = frozenset({"compile", "evaluate", "fit", "predict", "summary", "trainable_variables", "trainable_weights"})
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def row_faults(trees: Mapping[str, ast.Module], calls: Mapping[str, Calls] | None = None) -> list[RowFault]:
    """The faults of a program of these files, each run from its first line on: first those that no other imports."""
    reader = Reader(trees, calls or {})
    with contextlib.suppress(_Enough, _Returned, RecursionError):
        for file in sorted(trees, key=reader.modules.is_imported):
            reader.module(file)
        reader.rest()
    checks.at_the_end(reader)
    found: dict[tuple[str, str, int], RowFault] = {}
    for fault in reader.faults:
        name = getattr(scope_at(trees[fault.file], fault.line), "name", "<module>")
        found.setdefault((fault.kind, fault.file, fault.line), replace(fault, function=name))
    return sorted(found.values(), key=lambda f: (f.file, f.line))


class _Enough(Exception):
    """So much has been read."""


class _Returned(Exception):
    """A function has come to its `return`."""


class Reader:
    """What the names of a program hold, and what was found so far."""

    def __init__(self, trees: Mapping[str, ast.Module], calls: Mapping[str, Calls]) -> None:
        self.modules = Modules(trees)
        self._calls = calls
        self.file = ""
        """That which is being read."""
        self.models = {
            last_name(n.value) for tree in trees.values() for n in nodes_of(tree, ast.Attribute) if n.attr in _MODEL
        } - {""}  # fmt: skip
        self.faults: list[RowFault] = []
        self.trained: list[tuple[Array, str]] = []
        self.used: list[tuple[Array, tuple[str, int], str, str]] = []
        self.lines: dict[int, tuple[str, int]] = {}
        """Where an order was made, by the id of its rows."""
        self.under_tape = 0
        self.statement: ast.stmt | None = None
        self.after: Sequence[ast.stmt] = ()
        """What stands behind the statement, in its block."""
        self.kept: list[Array] = []
        """Arrays that others know by their id."""
        self.orders: dict[tuple[Any, ...], RowSet] = {}
        """Orders that tables were put into, by their rows and keys: the same ones are one."""
        self._inside: list[str] = []
        self._slices: dict[tuple[int, str], RowSet] = {}
        self._steps = self._values = 0
        self._read: set[int] = set()
        self._results: list[list[Any]] = []
        self._yields: list[list[Any]] = []
        self.left: list[RowFault | None] = []
        """Of the functions that are being read: the rows that the loop of a generator leaves out."""

    @property
    def names(self) -> Names:
        """What the module that is being read holds."""
        return self.modules.names[self.file]

    @property
    def functions(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that this module has, by the names that it has for them."""
        return self.modules.functions[self.file]

    @property
    def calls(self) -> Calls:
        """What was recorded of calls in this file."""
        return self._calls.get(self.file, Calls())

    def module(self, file: str) -> None:
        """Read a file, unless it was."""
        if file in self.modules.names:
            return
        before, self.file = self.file, file
        self.modules.names[file], self.modules.functions[file] = {}, {}
        try:
            self.body(self.modules.trees[file].body, self.names)
        finally:
            self.file = before

    @property
    def function(self) -> str:
        """The function that is being read."""
        return self._inside[-1] if self._inside else "<module>"

    def fault(
        self,
        kind: str,
        node: ast.AST,
        names: Sequence[str] = (),
        numbers: Sequence[int] = (),
        place: tuple[str, int] = ("", 0),
    ) -> None:
        """Note one."""
        file, line = place if place[1] else (self.file, getattr(node, "lineno", 0))
        self.faults.append(RowFault(kind, line, self.function, tuple(names), tuple(numbers), file))

    def functions_of(self, name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that a name may stand for: that of the module, or else methods of this name."""
        own = self.functions.get(name)
        return [own] if own is not None else self.modules.methods.get(name, [])

    def rest(self) -> None:
        """Read the functions that nothing has called."""
        for file in self.modules.trees:
            self.file = file
            for function in list(self.functions.values()):
                if id(function) not in self._read:
                    self.call(function, (), {}, self.names)

    # -- statements -------------------------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt], names: Names) -> None:
        """Read statements one after the other."""
        for i, statement in enumerate(statements):
            self.after = statements[i + 1 :]
            self._steps += 1
            if self._steps > _MOST:
                raise _Enough
            self.statement = None if hasattr(statement, "body") else statement
            self._statement(statement, names)

    def _statement(self, node: ast.stmt, names: Names) -> None:
        if isinstance(node, ast.Assign):
            value = self.value(node.value, names)
            for target in node.targets:
                self.assign(target, value, names, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, names), names, node)
        elif isinstance(node, ast.AugAssign):
            operation = ast.BinOp(left=_loaded(node.target), op=node.op, right=node.value)
            value = self.value(ast.fix_missing_locations(ast.copy_location(operation, node)), names)
            self.assign(node.target, value, names, node)
        elif isinstance(node, ast.Expr):
            self.value(node.value, names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.functions[node.name] = node
            names.pop(node.name, None)
        elif isinstance(node, ast.Return):
            value = self.value(node.value, names) if node.value is not None else None
            if self._results:
                self._results[-1].append(value)
                raise _Returned
        else:
            self._compound(node, names)

    def _compound(self, node: ast.stmt, names: Names) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.modules.bind(self, node)
        elif isinstance(node, ast.For | ast.AsyncFor):
            checks.loop(self, node, names)
            over = self.value(node.iter, names)
            checks.generated(self, over, node.body)
            self.assign(node.target, self.item(over, node.iter), names, node)
            self.body(node.body, names)
        elif isinstance(node, ast.While):
            self._stepped(node, names)
            self.body(node.body, names)
        elif isinstance(node, ast.With | ast.AsyncWith):
            tape = any(
                isinstance(i.context_expr, ast.Call) and last_name(i.context_expr.func) == "GradientTape"
                for i in node.items
            )
            self.under_tape += tape
            try:
                self.body(node.body, names)
            finally:
                self.under_tape -= tape
        elif isinstance(node, ast.Try):
            self.body([*node.body, *node.orelse, *node.finalbody], names)
        elif isinstance(node, ast.If):
            self._branches(node, names)
        elif isinstance(node, ast.ClassDef):
            names[node.name] = self._class(node, names)

    def _class(self, node: ast.ClassDef, names: Names) -> Named:
        """What a class has, and what it has from those of the program above it."""
        above = [b for base in node.bases if isinstance(b := self.value(base, names), Named) and b.kind == "class"]
        inner: Names = {k: v for b in reversed(above) for k, v in b.values.items()}
        self.body([s for s in node.body if isinstance(s, ast.Assign | ast.AnnAssign)], inner)
        methods = {k: v for b in reversed(above) for k, v in b.methods.items()}
        methods |= {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
        own = (s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name))
        return Named(inner, methods, "class", tuple(dict.fromkeys((*(f for b in above for f in b.fields), *own))))

    def _branches(self, node: ast.If, names: Names) -> None:
        """A name that the two ways leave with different values is not known after them."""
        if isinstance(node.test, ast.Compare) and "__main__" in ast.unparse(node.test):
            self.body(node.body, names)
            return
        self.value(node.test, names)
        ways = []
        for statements in (node.body, node.orelse):
            here = dict(names)
            try:
                self.body(statements, here)
            except _Returned:
                continue
            ways.append(here)
        if not ways:
            raise _Returned
        for name in {n for way in ways for n in way}:
            values = [way.get(name) for way in ways]
            names[name] = values[0] if all(v is values[0] or v == values[0] for v in values) else None

    def _stepped(self, node: ast.While, names: Names) -> None:
        """What the body of a loop counts up."""
        for inner in nodes_of(node, ast.AugAssign):
            if isinstance(inner.target, ast.Name):
                names[inner.target.id] = Step()

    def assign(self, target: ast.AST, value: Any, names: Names, node: ast.AST) -> None:
        """Give a target its value."""
        if isinstance(target, ast.Name):
            if isinstance(value, Array) and not value.name:
                value = replace(value, name=target.id)
                self.renamed(value)
            names[target.id] = value
            if isinstance(node, ast.Assign) and isinstance(value, int):
                names[f"={target.id}"] = node.value  # how the number came about
        elif isinstance(target, ast.Tuple | ast.List):
            values = self._unpacked(value, len(target.elts))
            for one, item in zip(target.elts, values, strict=True):
                self.assign(one, item, names, node)
        elif isinstance(target, ast.Attribute):
            held = self.value(target.value, names)
            if isinstance(held, Named):
                held.values[target.attr] = value
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._put(target, value, names)

    def renamed(self, value: Array) -> None:
        """The sets of an array that gets a name are called by it."""
        for rows in (value.rows, value.picks):
            if rows is not None and not rows.text:
                rows.text = value.name

    def _unpacked(self, value: Any, count: int) -> list[Any]:
        if isinstance(value, Items) and value.block is None and len(value.values) == count:
            return value.values
        if isinstance(value, Call) and count == 2:
            rows = RowSet()
            return [Array(rows), Array(rows)]
        return [None] * count

    def _put(self, target: ast.Subscript, value: Any, names: Names) -> None:
        """`out[order] = p` has the rows where they were before; `inverse[order] = arange(n)` is the way back."""
        assert isinstance(target.value, ast.Name)
        held, at = names.get(target.value.id), self.value(target.slice, names)
        if isinstance(held, Table):
            names[target.value.id] = tables.with_column(self, held, at, value, target)
        if not isinstance(held, Array):
            return
        if isinstance(at, Array) and at.of is not None:
            back = isinstance(value, Array) and value.of is not None and value.order
            placed = replace(held, rows=at.of, zeros=False)
            names[target.value.id] = replace(placed, of=at.picks, picks=at.of, order=True) if back else placed
        elif isinstance(value, Array) and value.predicted:
            names[target.value.id] = replace(held, predicted=True, zeros=False, padded=value.padded, rows=value.rows)

    # -- expressions ------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr | None, names: Names) -> Any:
        """What an expression gives: a number, a text, an `Array`, `Items`, a `Step`; None where it is not known."""
        self._values += 1
        if self._values > _MOST_VALUES:
            raise _Enough
        return None if node is None else expressions.value(self, node, names)

    def item(self, value: Any, node: ast.expr) -> Any:
        """What a loop takes from a value."""
        if isinstance(node, ast.Call) and last_name(node.func) in ("range", "trange"):
            return Step(value.count if isinstance(value, Array) else None)
        if isinstance(value, Items) and value.block is not None:
            block = value.block
            return chunk_of(block) if isinstance(block, Array) and block.chunk else block
        return None

    def slice_of(self, array: Array, node: ast.Slice) -> RowSet | None:
        """The rows of a slice: the same for all arrays of the same rows."""
        if array.rows is None:
            return None
        key = (id(array.rows.root()), ast.dump(node))
        if key not in self._slices:
            # Positions in the first rows are positions in all.
            self._slices[key] = RowSet(source=array.rows if node.lower is not None else None)
            self._slices[key].cut = (array.rows, ast.dump(node))
        return self._slices[key]

    def call(self, function: Function, given: Sequence[Any], named: Names, names: Names) -> Any:
        """What a function of the program gives, read with these arguments."""
        if len(self._inside) >= _DEPTH:
            return None
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        before, self.file = self.file, self.modules.file_of(function, self.file)
        try:
            return self._called(function, parameters, given, named, names)
        finally:
            self.file = before

    def _called(
        self, function: Function, parameters: list[str], given: Sequence[Any], named: Names, names: Names
    ) -> Any:
        inner = dict(names if isinstance(function, ast.Lambda) else self.names)
        inner |= dict.fromkeys((*parameters, *(a.arg for a in function.args.kwonlyargs)))
        inner |= {name: self.value(default, self.names) for name, default in defaults(function).items()}
        inner |= dict(zip(parameters, given, strict=False)) | {k: v for k, v in named.items() if k}
        if isinstance(function, ast.Lambda):
            return self.value(function.body, inner)
        self._inside.append(function.name)
        self._read.add(id(function))
        self._results.append([])
        self._yields.append([])
        self.left.append(None)
        try:
            self.body(function.body, inner)
        except _Returned:
            pass
        finally:
            results, yields, left = self._results.pop(), self._yields.pop(), self.left.pop()
            self._inside.pop()
        if yields:
            return Items(block=yields[0] if len(yields) == 1 else None, left=left)
        return results[0] if len(results) == 1 else None

    def yielded(self, value: Any) -> None:
        """Note what a generator gives."""
        if self._yields:
            self._yields[-1].append(value)


def _loaded(target: ast.expr) -> ast.expr:
    found = ast.parse(ast.unparse(target), mode="eval").body
    return found

"""A program read from the top down, as it runs: loops once, branches apart, functions where they are called.

What is not understood is not known, and what is not known is in no fault.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xladoctor.sources.names import defaults, last_name, nodes_of
from xladoctor.sources.order import scope_at
from xladoctor.sources.rows import checks, expressions
from xladoctor.sources.rows.values import Array, Call, Calls, Items, Named, Names, RowFault, RowSet, Step, chunk_of

_DEPTH = 5
_MOST = 4000
"""Statements, and expressions, that are read."""
_MOST_VALUES = 200_000
_MODEL = frozenset({"compile", "evaluate", "fit", "predict", "summary", "trainable_variables", "trainable_weights"})
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def row_faults(tree: ast.Module, calls: Calls | None = None) -> list[RowFault]:
    """The faults of a program that is run from its first line on."""
    reader = Reader(tree, calls or Calls())
    with contextlib.suppress(_Enough, _Returned, RecursionError):
        reader.body(tree.body, reader.names)
        reader.rest()
    checks.at_the_end(reader)
    found: dict[tuple[str, int], RowFault] = {}
    for fault in reader.faults:
        name = getattr(scope_at(tree, fault.line), "name", "<module>")
        found.setdefault((fault.kind, fault.line), replace(fault, function=name))
    return sorted(found.values(), key=lambda f: f.line)


class _Enough(Exception):
    """So much has been read."""


class _Returned(Exception):
    """A function has come to its `return`."""


class Reader:
    """What the names of a program hold, and what was found so far."""

    def __init__(self, tree: ast.Module, calls: Calls) -> None:
        self.calls = calls
        self.names: Names = {}
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.models = {
            last_name(n.value) for n in nodes_of(tree, ast.Attribute) if n.attr in _MODEL
        } - {""}  # fmt: skip
        self.faults: list[RowFault] = []
        self.trained: list[tuple[Array, int, str]] = []
        self.used: list[tuple[Array, int, str, str]] = []
        self.lines: dict[int, int] = {}
        """Where an order was made, by the id of its rows."""
        self.under_tape = 0
        self.statement: ast.stmt | None = None
        self.after: Sequence[ast.stmt] = ()
        """What stands behind the statement, in its block."""
        self.kept: list[Array] = []
        """Arrays that others know by their id."""
        self._inside: list[str] = []
        self._slices: dict[tuple[int, str], RowSet] = {}
        self._steps = self._values = 0
        self._read: set[str] = set()
        self._results: list[list[Any]] = []

    @property
    def function(self) -> str:
        """The function that is being read."""
        return self._inside[-1] if self._inside else "<module>"

    def fault(
        self, kind: str, node: ast.AST, names: Sequence[str] = (), numbers: Sequence[int] = (), line: int = 0
    ) -> None:
        """Note one."""
        line = line or getattr(node, "lineno", 0)
        self.faults.append(RowFault(kind, line, self.function, tuple(names), tuple(numbers)))

    def rest(self) -> None:
        """Read the functions that nothing has called."""
        for function in list(self.functions.values()):
            if function.name not in self._read:
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
        if isinstance(node, ast.For | ast.AsyncFor):
            checks.loop(self, node, names)
            self.assign(node.target, self.item(self.value(node.iter, names), node.iter), names, node)
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
            inner: Names = {}
            self.body([s for s in node.body if isinstance(s, ast.Assign | ast.AnnAssign)], inner)
            methods = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
            names[node.name] = Named(inner, methods)

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
            return chunk_of(value.block) if value.block.chunk else value.block
        return None

    def slice_of(self, array: Array, node: ast.Slice) -> RowSet | None:
        """The rows of a slice: the same for all arrays of the same rows."""
        if array.rows is None:
            return None
        key = (id(array.rows.root()), ast.dump(node))
        if key not in self._slices:
            # Positions in the first rows are positions in all.
            self._slices[key] = RowSet(source=array.rows if node.lower is not None else None)
        return self._slices[key]

    def call(self, function: Function, given: Sequence[Any], named: Names, names: Names) -> Any:
        """What a function of the program gives, read with these arguments."""
        if len(self._inside) >= _DEPTH:
            return None
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        inner = dict(names if isinstance(function, ast.Lambda) else self.names)
        inner |= dict.fromkeys((*parameters, *(a.arg for a in function.args.kwonlyargs)))
        inner |= {name: self.value(default, self.names) for name, default in defaults(function).items()}
        inner |= dict(zip(parameters, given, strict=False)) | {k: v for k, v in named.items() if k}
        if isinstance(function, ast.Lambda):
            return self.value(function.body, inner)
        self._inside.append(function.name)
        self._read.add(function.name)
        self._results.append([])
        try:
            self.body(function.body, inner)
        except _Returned:
            pass
        finally:
            results = self._results.pop()
            self._inside.pop()
        return results[0] if len(results) == 1 else None


def _loaded(target: ast.expr) -> ast.expr:
    found = ast.parse(ast.unparse(target), mode="eval").body
    return found

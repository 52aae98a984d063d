"""Schedules of a learning rate, computed as the source has them: what they give for some steps.

A small part of Python: arithmetic, conditions, the functions of `_CALLS`, and attributes with the numbers that the run
recorded. Anything else has no value, and nothing is said of it.
"""

from __future__ import annotations

import ast
import copy
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from xladoctor.sources.arithmetic import OPERATORS
from xladoctor.sources.names import dotted, last_name, nodes_of, walk
from xladoctor.sources.order import scope_at

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    **OPERATORS, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}  # fmt: skip
_CALLS: dict[str, Callable[..., Any]] = {
    "float": float, "int": int, "max": max, "min": min, "abs": abs, "maximum": max, "minimum": min, "exp": math.exp,
    "cos": math.cos, "sin": math.sin, "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "floor": math.floor,
    "ceil": math.ceil, "log": math.log, "where": lambda c, a, b: a if c else b, "floordiv": operator.floordiv,
    "multiply": operator.mul, "divide": operator.truediv, "add": operator.add, "subtract": operator.sub,
}  # fmt: skip
_SAME = frozenset({"constant", "convert_to_tensor", "identity", "float32", "float64", "squeeze"})
_WHOLE = ("int", "long")
_MOST = 400
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)


class Unknown(Exception):
    """The value is not known."""


def method_of(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """The `__call__` of a class of this name."""
    for node in nodes_of(tree, ast.ClassDef):
        if node.name == name:
            return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__call__"), None)
    return None


def rates(function: ast.FunctionDef, numbers: Mapping[str, float], steps: list[int]) -> list[float] | None:
    """What a schedule gives for each of these steps; None where that is not known. `numbers` are its attributes."""
    arguments = [a.arg for a in function.args.args]
    if len(arguments) != 2:
        return None
    found = []
    for step in steps:
        reader = _Reader({arguments[1]: step, **{f"{arguments[0]}.{k}": v for k, v in numbers.items()}})
        try:
            value = reader.run(function.body)
        except (Unknown, ArithmeticError, TypeError, ValueError):
            return None
        if not isinstance(value, int | float):
            return None
        found.append(float(value))
    return found


def built_in(kind: str, numbers: Mapping[str, float], step: float) -> float | None:
    """What a schedule of Keras gives for a step; None of those that begin again, and of others."""
    first, length = numbers.get("initial_learning_rate"), numbers.get("decay_steps")
    if kind == "PiecewiseConstantDecay":
        ends = [v for k, v in numbers.items() if k.startswith("boundaries.")]
        return numbers.get(f"values.{sum(step > end for end in ends)}")
    if first is None or not length or numbers.get("cycle") or "warmup_target" in numbers:
        return None
    part = min(step / length, 1.0)
    if kind == "CosineDecay":
        alpha = numbers.get("alpha", 0.0)
        return first * ((1 - alpha) * 0.5 * (1 + math.cos(math.pi * part)) + alpha)
    if kind == "PolynomialDecay":
        last = numbers.get("end_learning_rate", 0.0)
        return (first - last) * math.pow(1 - part, numbers.get("power", 1.0)) + last
    if kind == "ExponentialDecay" and 0 < numbers.get("decay_rate", 0.0) < 1:
        return first * math.pow(numbers["decay_rate"], step / length)
    return None


def end_of(numbers: Mapping[str, float]) -> float | None:
    """The step from which on a schedule of Keras stays where it is."""
    ends = [v for k, v in numbers.items() if k.startswith("boundaries.") or k == "decay_steps"]
    return max(ends, default=None)


def divided(function: ast.FunctionDef) -> ast.FunctionDef:
    """The same function with / for each //, and without casts to whole numbers."""
    made: ast.FunctionDef = _Divided().visit(copy.deepcopy(function))
    return made


class _Divided(ast.NodeTransformer):
    def visit_FloorDiv(self, node: ast.FloorDiv) -> ast.Div:
        return ast.Div()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if last_name(node.func) in ("int", "floor", "floordiv") and len(node.args) == 2:
            return ast.BinOp(node.args[0], ast.Div(), node.args[1])
        return node.args[0] if last_name(node.func) in ("int", "floor") and len(node.args) == 1 else node


def division(function: ast.FunctionDef) -> int | None:
    """The line of the first whole-number division, or cast to whole numbers, of a function."""
    lines = [
        n.lineno
        for n in walk(function)
        if (isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv))
        or (isinstance(n, ast.Call) and last_name(n.func) in ("floordiv", "floor", "int"))
    ]
    return min(lines, default=None)


_RATE = re.compile(r"\b(?:lr|learning_rate|rate|alpha|eta|schedule)\b|warm_?up|anneal|decay", re.IGNORECASE)


def rate_lines(tree: ast.Module) -> list[int]:
    """The lines of whole-number divisions of which a rate is made: by what the line or its function is named."""
    found = []
    for node in nodes_of(tree, ast.stmt):
        if isinstance(node, _BLOCKS):
            continue
        if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv) for n in walk(node)):
            scope = getattr(scope_at(tree, node.lineno), "name", "")
            if _RATE.search(ast.unparse(node)) or _RATE.search(scope):
                found.append(node.lineno)
    return sorted(found)


def idle_losses(tree: ast.Module) -> list[int]:
    """The lines on which a loss of a `compile` is given the weight 0."""
    return [
        k.value.lineno
        for n in nodes_of(tree, ast.Call)
        if last_name(n.func) == "compile"
        for k in n.keywords
        if k.arg == "loss_weights" and any(isinstance(c, ast.Constant) and c.value == 0 for c in walk(k.value))
    ]


class _Reader:
    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self._left = _MOST

    def run(self, body: list[ast.stmt]) -> Any:
        """What the statements return; None where none of them does."""
        for statement in body:
            if isinstance(statement, ast.Return):
                return self.value(statement.value)
            if isinstance(statement, ast.If):
                found = self.run(statement.body if self.value(statement.test) else statement.orelse)
                if found is not None:
                    return found
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self.values[dotted(statement.targets[0]) or ""] = self.value(statement.value)
            elif isinstance(statement, ast.AugAssign):
                name = dotted(statement.target) or ""
                self.values[name] = self._of(statement.op, self._named(name), self.value(statement.value))
            elif isinstance(statement, ast.With):
                found = self.run(statement.body)
                if found is not None:
                    return found
            elif not isinstance(statement, ast.Expr | ast.Pass):
                raise Unknown
        return None

    def value(self, node: ast.expr | None) -> Any:
        """The value of an expression."""
        self._left -= 1
        if self._left < 0 or node is None:
            raise Unknown
        name = dotted(node)
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, int | float):
                raise Unknown
            return node.value
        if name is not None:
            if name in ("math.pi", "np.pi", "numpy.pi"):
                return math.pi
            return self._named(name)
        if isinstance(node, ast.BinOp):
            return self._of(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._of(node.op, self.value(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._of(node.ops[0], self.value(node.left), self.value(node.comparators[0]))
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.value(node.test) else node.orelse)
        if isinstance(node, ast.Call):
            return self._called(node)
        raise Unknown

    def _named(self, name: str) -> Any:
        if name not in self.values:
            raise Unknown
        return self.values[name]

    def _of(self, op: ast.AST, *values: Any) -> Any:
        if isinstance(op, ast.Pow):
            return math.pow(*values)
        if type(op) not in _OPERATORS:
            raise Unknown
        return _OPERATORS[type(op)](*values)

    def _called(self, node: ast.Call) -> Any:
        name = last_name(node.func)
        if name == "cast" and len(node.args) + len(node.keywords) == 2:
            value = self.value(node.args[0])
            kind = ast.unparse(node.args[1] if len(node.args) > 1 else node.keywords[0].value)
            return int(value) if any(w in kind for w in _WHOLE) and "point" not in kind else float(value)
        values = [self.value(a) for a in node.args]
        if name in _SAME and values:
            return values[0]
        if name in ("pow", "power") and len(values) == 2:
            return math.pow(*values)
        if name not in _CALLS or node.keywords:
            raise Unknown
        return _CALLS[name](*values)

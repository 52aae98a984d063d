"""Follows the code from an entry through its calls: statements, frames, and what is remembered.

A function is followed once for each distinct set of abstract arguments. Both branches of an `if` are followed, loop
bodies twice. Nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from xladoctor.lint import evaluate, parameters
from xladoctor.lint.frames import Closure, Entry, Event, Frame, Instance
from xladoctor.lint.project import Class, Function, Module, Project
from xladoctor.lint.results import element
from xladoctor.lint.values import STATIC, UNKNOWN, Content, Value, merge
from xladoctor.sources.names import dotted

_DEEPEST = 24
_STEPS = 400_000


class TooLong(Exception):
    """An entry whose code branches out too far; what was seen until then counts."""


class Interpreter:
    """One for a project; `see` gets every event, with the frame in which it happens."""

    def __init__(self, project: Project, see: Callable[[Event], None]) -> None:
        self.project = project
        self.see = see
        self._steps = 0
        self._done: dict[object, Value] = {}
        self._values: dict[tuple[Module, str], Value] = {}
        self._attributes: dict[tuple[Class, str], Value] = {}
        self._open: list[Function] = []

    def run(self, entry: Entry) -> bool:
        """Follow an entry; False if its code was too much to follow to the end."""
        self._steps = 0
        self._open.clear()
        outer = self._outer_frame(entry.function, entry)
        try:
            self._body(entry.function, parameters.of_entry(entry.function), entry, (), outer)
        except (TooLong, RecursionError):
            return False
        return True

    def step(self) -> None:
        """One more expression."""
        self._steps += 1
        if self._steps > _STEPS:
            raise TooLong

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        return evaluate.expression(self, node, frame)

    # Calls ---------------------------------------------------------------------------------------------------------

    def enter(
        self, closure: Closure, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call, frame: Frame
    ) -> Value:
        """Follow a call of a function of the project, unless it is open already or was followed with the like."""
        function = closure.function
        if function in self._open or len(self._open) >= _DEEPEST:
            return UNKNOWN
        key = (function, closure.frame, frame.entry.jit, args, tuple(sorted(kwargs.items(), key=lambda kv: kv[0])))
        try:
            if key in self._done:
                return self._done[key]
        except TypeError:  # something unhashable among the targets
            return UNKNOWN
        here = frame.at(node)
        names = parameters.bound(self, function, args, kwargs, closure.frame)
        inner = Frame(
            function, function.module, frame.entry, (*frame.chain, f"{function.name} ({here})"), closure.frame
        )
        inner.guarded = frame.guarded
        inner.names = names
        self._open.append(function)
        try:
            made = self._statements_of(function, inner)
        finally:
            self._open.pop()
        self._done[key] = made
        return made

    def _body(
        self, function: Function, names: dict[str, Value], entry: Entry, chain: tuple[str, ...], outer: Frame | None
    ) -> Value:
        frame = Frame(function, function.module, entry, chain, outer, names)
        self._open.append(function)
        return self._statements_of(function, frame)

    def _statements_of(self, function: Function, frame: Frame) -> Value:
        if isinstance(function.node, ast.Lambda):
            return self.evaluate(function.node.body, frame)
        self.block(function.node.body, frame)
        values = frame.returned
        made = values[0] if values else STATIC
        for value in values[1:]:
            made = merge(made, value)
        return made

    def _outer_frame(self, function: Function, entry: Entry) -> Frame | None:
        """The frames of the functions around an entry, with what their own statements bind."""
        inside = function.inside
        if inside is None:
            return None
        quiet = Entry(inside, "", entry.where)
        frame = Frame(inside, inside.module, quiet, (), self._outer_frame(inside, entry))
        frame.names = parameters.of_entry(inside)
        see, self.see = self.see, lambda event: None
        self._open.append(inside)
        try:
            if not isinstance(inside.node, ast.Lambda):
                self.block(inside.node.body, frame)
        finally:
            self.see = see
            self._open.pop()
        return frame

    # Values outside of functions -------------------------------------------------------------------------------------

    def module_frame(self, module: Module) -> Frame:
        """A frame for code at the top level of a module."""
        nobody = Function(ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None)), "", module)
        return Frame(None, module, Entry(nobody, "", ""))

    def module_value(self, module: Module, name: str) -> Value:
        """What a name at the top level of a module holds."""
        key = (module, name)
        if key not in self._values:
            self._values[key] = UNKNOWN  # while it is being found
            self._values[key] = self._quietly(module.values[name], self.module_frame(module))
        return self._values[key]

    def self_attribute(self, cls: Class, name: str) -> Value:
        """What methods of a class assign to `self.name`: a variable, a layer, a function, a number."""
        key = (cls, name)
        if key not in self._attributes:
            self._attributes[key] = UNKNOWN
            self._attributes[key] = self._assigned(cls, name)
        return self._attributes[key]

    def _assigned(self, cls: Class, name: str) -> Value:
        found: list[Value] = []
        for owner in (cls, *(base for base in self.project.bases(cls) if isinstance(base, Class))):
            for value, method in owner.attributes.get(name, ()):
                if isinstance(value, ast.Call) and dotted(value.func) in _WEIGHTS:
                    return Value(Content.ARGUMENT, True, f"the variable self.{name}")
                frame = self.module_frame(method.module)
                frame.names = {"self": Value(Content.STATIC, False, target=Instance(cls))}
                frame.function = method
                found.append(self._quietly(value, frame))
            if found:
                break
        made = next((value for value in found if value.target is not None), None)
        if made is None and len(found) == 1:
            made = found[0]
        if made is None:
            return UNKNOWN
        # A number that one method sets, another may change.
        return made if made.target is not None or made.tensor else replace(made, size=None, items=None)

    def _quietly(self, node: ast.expr, frame: Frame) -> Value:
        see, self.see = self.see, lambda event: None
        try:
            return self.evaluate(node, frame)
        finally:
            self.see = see

    # Statements ----------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> bool:
        """Follow statements; True if they certainly leave the block (return, raise, break, continue)."""
        return any(self._statement(statement, frame) for statement in statements)

    def _statement(self, node: ast.stmt, frame: Frame) -> bool:
        if isinstance(node, ast.Assign):
            value = self.evaluate(node.value, frame)
            for target in node.targets:
                self.bind(target, value, frame)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.bind(node.target, self.evaluate(node.value, frame), frame)
        elif isinstance(node, ast.AugAssign):
            sum_ = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
            self.bind(node.target, self.evaluate(sum_, frame), frame)
        elif isinstance(node, ast.Return):
            frame.returned.append(self.evaluate(node.value, frame) if node.value else STATIC)
            return True
        elif isinstance(node, ast.Expr):
            self.evaluate(node.value, frame)
        elif isinstance(node, ast.If):
            return self._if(node, frame)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._for(node, frame)
        elif isinstance(node, ast.While):
            test = self.evaluate(node.test, frame)
            self._loop(node.body, frame, f"the loop of {frame.at(node)}" if test.tensor else "")
            self.block(node.orelse, frame)
        elif isinstance(node, ast.With | ast.AsyncWith):
            return self._with(node, frame)
        elif isinstance(node, ast.Try):
            left = self.block(node.body, frame)
            for handler in node.handlers:
                self.block(handler.body, frame)
            self.block(node.orelse, frame)
            return self.block(node.finalbody, frame) or (left and not node.handlers)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = frame.module.by_node.get(node)
            made = Value(Content.STATIC, False, target=Closure(function, frame)) if function else UNKNOWN
            frame.names[node.name] = made
        elif isinstance(node, ast.Raise | ast.Break | ast.Continue):
            return True
        elif isinstance(node, ast.Match):
            self.evaluate(node.subject, frame)
            for case in node.cases:
                self.block(case.body, frame)
        return False

    def bind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """What an assignment does."""
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            for number, part in enumerate(target.elts):
                self.bind(part, element(value, number), frame)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, element(value, None), frame)
        elif isinstance(target, ast.Subscript):
            self.evaluate(target.value, frame)

    def _if(self, node: ast.If, frame: Frame) -> bool:
        test = self.evaluate(node.test, frame)
        if parameters.is_eager_test(node.test):
            return self.block(node.orelse, frame)
        if parameters.is_graph_test(node.test):
            return self.block(node.body, frame)
        before = dict(frame.names)
        returns = len(frame.returned)
        guarded, frame.guarded = frame.guarded, frame.guarded or parameters.is_first_time_test(node.test)
        left_one = self.block(node.body, frame)
        frame.guarded = guarded
        one, frame.names = frame.names, before.copy()
        middle = len(frame.returned)
        left_other = self.block(node.orelse, frame)
        other = frame.names
        if left_one and left_other and len(frame.returned) == returns + 2 == middle + 1:
            last = evaluate.choose(self, node, frame, "the result", test, *frame.returned[returns:])
            frame.returned[returns:] = [last]
        frame.names = other if left_one else one if left_other else self._merged(node, test, frame, before, one, other)
        return left_one and left_other

    def _merged(
        self, node: ast.If, test: Value, frame: Frame, before: dict[str, Value], one: dict[str, Value],
        other: dict[str, Value],
    ) -> dict[str, Value]:  # fmt: skip
        merged = {}
        for name, value in {**other, **one}.items():
            a, b = one.get(name, value), other.get(name, value)
            changed = a != before.get(name) or b != before.get(name)
            merged[name] = evaluate.choose(self, node, frame, name, test, a, b) if a != b and changed else a
        return merged

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        over = self.evaluate(node.iter, frame)
        why = f"the loop of {frame.at(node)}" if over.tensor else ""
        item = element(over, None)
        if why:
            item = replace(item, content=Content.RUNTIME, tensor=True, origin=f"the loop variable of {frame.at(node)}")
        self.bind(node.target, item, frame)
        self._loop(node.body, frame, why)
        self.block(node.orelse, frame)

    def _loop(self, body: Sequence[ast.stmt], frame: Frame, why: str) -> None:
        """A loop body, twice. In a loop of the graph (`why`) what it carries is known at run time only."""
        before = dict(frame.names)
        for name in parameters.assigned_in(body) if why else ():
            value = frame.names.get(name)
            if value is not None and value.target is None:
                frame.names[name] = replace(
                    value, content=Content.RUNTIME, tensor=True, origin=why, size=None, items=None, rounded=None
                )
        for _ in range(2):
            self.block(body, frame)
            frame.names = {
                name: merge(value, before[name]) if name in before else value for name, value in frame.names.items()
            }

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
        for item in node.items:
            name = frame.module.full(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else None
            if name == "tensorflow.init_scope":
                return False  # outside of every graph
            value = self.evaluate(item.context_expr, frame)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, replace(value, items=None), frame)
        return self.block(node.body, frame)


_WEIGHTS = ("self.add_weight", "self.add_variable", "tf.Variable", "tf.compat.v1.get_variable", "tf.get_variable")


def _loaded(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    return node

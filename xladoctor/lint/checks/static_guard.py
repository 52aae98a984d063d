"""XD808: a check that runs only where the batch size is known while tracing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Function, Module, Project
from xladoctor.sources.names import dotted, nodes_of, walk


def find(project: Project) -> Iterator[Hazard]:
    """`if x.shape[0] is not None: assert ...`, with nothing that checks where it is None.

    A warning where the rows of two tensors are compared, a note where a size is compared with a number.
    """
    for module in project.modules:
        if module.mentions and "is not None" in module.source.text and "shape" in module.source.text:
            for function in module.by_node.values():
                if not isinstance(function.node, ast.Lambda):
                    yield from _of_function(module, function)


def _of_function(module: Module, function: Function) -> Iterator[Hazard]:
    assert not isinstance(function.node, ast.Lambda)
    body = function.node.body
    aliases = _aliases(body)
    in_graph = _checks_in_the_graph(function.node)
    for node in _statements(body):
        if not isinstance(node, ast.If) or node.orelse or not _only_checks(node.body):
            continue
        known = _known(node.test, aliases)
        if known is not None and not in_graph:
            pairs = len(_sizes(node, aliases)) > 1
            message = (
                f"This check runs only where {known} is known while tracing. With a batch of None (Keras, an input "
                f"signature) the graph does not contain it, and nothing is checked."
            )
            leads_to = "wrong-pairing" if pairs else "contract-violation"
            yield Hazard("XD808", module, node, message, leads_to, "warning" if pairs else "note", function.name)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, name, []))


def _aliases(body: list[ast.stmt]) -> dict[str, str]:
    """Names that hold a static batch size: `rows = x.shape[0]`."""
    found: dict[str, str] = {}
    for node in _statements(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _batch_of(node.value)
            if text is not None:
                found[node.targets[0].id] = text
            else:
                found.pop(node.targets[0].id, None)
    return found


def _batch_of(node: ast.expr) -> str | None:
    """`x.shape[0]`, `x.get_shape()[0]`, `x.shape.as_list()[0]`, `tf.compat.dimension_value(x.shape[0])`."""
    if isinstance(node, ast.Call) and node.args and (dotted(node.func) or "").endswith("dimension_value"):
        return _batch_of(node.args[0])
    if isinstance(node, ast.Attribute) and node.attr == "value":
        return _batch_of(node.value)
    if not isinstance(node, ast.Subscript) or not (isinstance(node.slice, ast.Constant) and node.slice.value == 0):
        return None
    holder = node.value
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute) and holder.func.attr == "as_list":
        holder = holder.func.value
    if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Attribute) and holder.func.attr == "get_shape":
        return f"{ast.unparse(holder.func.value)}.shape[0]"
    if isinstance(holder, ast.Attribute) and holder.attr == "shape":
        return f"{ast.unparse(holder.value)}.shape[0]"
    return None


def _known(test: ast.expr, aliases: dict[str, str]) -> str | None:
    """The batch size that a test asks to be known, if it asks for one."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return next((found for value in test.values if (found := _known(value, aliases))), None)
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.IsNot)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    ):
        name = test.left.id if isinstance(test.left, ast.Name) else ""
        return aliases.get(name) or _batch_of(test.left)
    return None


def _sizes(node: ast.If, aliases: dict[str, str]) -> set[str]:
    """The batch sizes that are compared: with two, rows of one tensor are paired with those of another."""
    found: set[str] = set()
    for child in walk(node):
        if isinstance(child, ast.Name) and child.id in aliases:
            found.add(aliases[child.id])
        elif isinstance(child, ast.expr) and (text := _batch_of(child)) is not None:
            found.add(text)
    return found


def _checks_in_the_graph(function: ast.AST) -> bool:
    """Whether the function also checks at run time: `tf.debugging.assert_equal(tf.shape(a)[0], ...)`."""
    names = [dotted(node.func) or "" for node in nodes_of(function, ast.Call)]
    return any(".assert_" in name or name.endswith(("ensure_shape", ".Assert")) for name in names)


def _only_checks(body: list[ast.stmt]) -> bool:
    """Whether statements do nothing but check."""
    return bool(body) and all(_is_check(node) for node in body)


def _is_check(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assert | ast.Raise):
        return True
    if isinstance(node, ast.If):
        return not node.orelse and _only_checks(node.body)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return (dotted(node.value.func) or "").rpartition(".")[2].startswith(("assert_", "Assert"))
    return False

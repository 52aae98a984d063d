"""XD812: a setting that changes how every graph of the process is compiled or optimised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Function, Module, Project
from xladoctor.sources.names import dotted, walk

_CALLS = {
    "tensorflow.config.optimizer.set_jit": ("auto-clustering, for the whole process", "flag-ineffective"),
    "tensorflow.config.optimizer.set_experimental_options": (
        "the graph optimizer, for the whole process",
        "flag-ineffective",
    ),
    "tensorflow.config.experimental.enable_op_determinism": (
        "determinism, for the whole process: ops without a deterministic version then fail",
        "determinism-unsupported",
    ),
    "tensorflow.config.run_functions_eagerly": (
        "every tf.function, which then runs eagerly and without XLA",
        "parity-divergence",
    ),
}
_KEYWORDS = {
    "tensorflow.OptimizerOptions": ("global_jit_level",),
    "tensorflow.ConfigProto": (),
    "tensorflow.GraphOptions": ("rewrite_options",),
}


def find(project: Project) -> Iterator[Hazard]:
    """`set_jit`, `ConfigProto` options, determinism, eager functions."""
    for module in project.modules:
        if not module.mentions:
            continue
        for call, inside in module.calls:
            yield from _call(module, call, inside)
        yield from _assigned(module)


def _call(module: Module, call: ast.Call, inside: Function | None) -> Iterator[Hazard]:
    name = module.full(call.func) or ""
    where = inside.name if inside is not None else None
    if name in _CALLS and not _is_false(call):
        what, leads_to = _CALLS[name]
        message = f"{dotted(call.func)} governs {what}; it does not govern jit_compile=True."
        yield Hazard("XD812", module, call, message, leads_to, "note", where)
    for keyword in call.keywords:
        if keyword.arg in _KEYWORDS.get(name, ()):
            message = f"{keyword.arg} affects every graph of the session, but not jit_compile=True."
            yield Hazard("XD812", module, call, message, "flag-ineffective", "note", where)


def _is_false(call: ast.Call) -> bool:
    """`set_jit(False)` and the like put back what was the default."""
    return bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value is False


def _assigned(module: Module) -> Iterator[Hazard]:
    """`config.graph_options.optimizer_options.global_jit_level = ...`, also by way of a name for a part of it."""
    if "graph_options" not in module.source.text:
        return
    parts_of_it: set[str] = set()
    for node in sorted(walk(module.source.tree), key=lambda node: getattr(node, "lineno", 0)):
        if not isinstance(node, ast.Assign):
            continue
        for target, value in _pairs(node):
            if isinstance(target, ast.Name) and _within(value):
                parts_of_it.add(target.id)
            name = dotted(target) or ""
            head, _, last = name.rpartition(".")
            if head and (_within(target) or head.partition(".")[0] in parts_of_it) and last != "graph_options":
                what = "auto-clustering" if last == "global_jit_level" else "the graph optimizer"
                message = f"{last} governs {what} in every graph of the session; it does not govern jit_compile=True."
                yield Hazard("XD812", module, node, message, "flag-ineffective", "note")


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        return list(zip(target.elts, node.value.elts, strict=False))
    return [(target, node.value)]


def _within(node: ast.expr) -> bool:
    return "graph_options" in (dotted(node) or "").split(".")

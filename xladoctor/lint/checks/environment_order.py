"""XD801: an environment variable of TensorFlow's is set after TensorFlow was imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.environment_fix import fix_of
from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Module, Project
from xladoctor.sources.names import children, dotted, imported, nodes_of, walk

AT_IMPORT = ("KERAS_BACKEND", "TF_ENABLE_ONEDNN_OPTS")
"""Read by the import."""
LOGGING = ("TF_CPP_MIN_LOG_LEVEL",)
LATER = {
    "TF_XLA_FLAGS": "when devices are made or listed",
    "XLA_FLAGS": "at the first compilation",
    "CUDA_VISIBLE_DEVICES": "when devices are made or listed",
    "TF_FORCE_GPU_ALLOW_GROWTH": "when devices are made or listed",
    "TF_GPU_ALLOCATOR": "when devices are made or listed",
}
"""Read once, later (docs/facts.md)."""
_ROOTS = ("tensorflow", "keras", "tf_keras", "tensorflow_probability", "tensorflow_addons")
# Functions with these set the environment for a process that they start, or load modules anew.
_CHILDREN = ("importlib.reload", "subprocess", "multiprocessing", "os.exec", "os.spawn", "os.fork")


def find(project: Project) -> Iterator[Hazard]:
    """Writes to `os.environ` below the import in the same module, at its top level or in its functions."""
    for module in project.modules:
        if "environ" in module.source.text or "putenv" in module.source.text:
            yield from _of_module(project, module)


def _of_module(project: Project, module: Module) -> Iterator[Hazard]:
    brought: tuple[int, str] | None = None
    ran: int | None = None
    for node in _top_level(module.source.tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            by = _brings_tensorflow(project, module, node)
            if by is not None and brought is None:
                brought = (node.lineno, by)
        elif brought is not None:
            for variable, place in _writes(node):
                yield from _hazard(project, module, place, variable, brought, ran)
            if ran is None and _may_run_ops(project, module, node):
                ran = node.lineno
    if brought is not None:
        for function in module.by_node.values():
            if function.inside is None and not isinstance(function.node, ast.Lambda):
                if _starts_children(function.node):
                    continue
                for statement in function.node.body:
                    for variable, place in _writes(statement):
                        yield from _hazard(project, module, place, variable, brought, ran, function.name)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _top_level([n for n in children(node) if isinstance(n, ast.stmt)])
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def _brings_tensorflow(project: Project, module: Module, node: ast.Import | ast.ImportFrom) -> str | None:
    """The name of what is imported, if TensorFlow is or comes with it."""
    for full in imported(node, module.package).values():
        root = full.partition(".")[0]
        if root in _ROOTS:
            # A module of Keras itself is a part of the import, not below it.
            return root if module.name.partition(".")[0] != root else None
        if _imports_it(project, module, full, set()):
            return full
    return None


def _imports_it(project: Project, near: Module, full: str, seen: set[Module]) -> bool:
    """Whether importing a module of the project imports TensorFlow, at any distance."""
    other = _of_project(project, near, full)
    if other is None or other in seen or other is near:
        return False
    seen.add(other)
    for node in _top_level(other.source.tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in imported(node, other.package).values():
                if name.partition(".")[0] in _ROOTS or _imports_it(project, other, name, seen):
                    return True
    return False


def _of_project(project: Project, near: Module, full: str) -> Module | None:
    head = full
    while head:
        other = project.module(head, near)
        if other is not None:
            return other
        head = head.rpartition(".")[0]
    return None


def _writes(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Variables that a statement sets, with the place."""
    for node in walk(statement):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and _is_environ(target.value):
                    yield from _named(target.slice, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if (_is_environ(node.func.value) and node.func.attr == "setdefault" and node.args) or (
                dotted(node.func) == "os.putenv" and node.args
            ):
                yield from _named(node.args[0], node)
            elif _is_environ(node.func.value) and node.func.attr == "update":
                keys = [k for a in node.args if isinstance(a, ast.Dict) for k in a.keys if k is not None]
                for key in keys:
                    yield from _named(key, node)
                for keyword in node.keywords:
                    yield keyword.arg or "", node


def _is_environ(node: ast.expr) -> bool:
    return (dotted(node) or "").rpartition(".")[2] == "environ"


def _named(key: ast.expr, node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield key.value, node


def _may_run_ops(project: Project, module: Module, node: ast.stmt) -> bool:
    """Whether a statement calls TensorFlow or Keras, or a function of the project, at the top level."""
    for child in nodes_of(node, ast.Call):
        name = module.full(child.func)
        if name is not None and name.partition(".")[0] in _ROOTS:
            return True
        written = dotted(child.func)
        if written and not isinstance(project.resolve(written, module), str | None):
            return True
    return False


def _starts_children(node: ast.AST) -> bool:
    """Whether a function starts other processes, for which it may set the environment."""
    named = (dotted(child.func) or "" for child in nodes_of(node, ast.Call))
    return any(name.startswith(_CHILDREN) or "Process" in name or "Popen" in name for name in named)


def _hazard(
    project: Project,
    module: Module,
    node: ast.AST,
    variable: str,
    brought: tuple[int, str],
    ran: int | None,
    function: str | None = None,
) -> Iterator[Hazard]:
    line, by = brought
    after = f"{variable} is set after {by} is imported ({module.source.place(line)})"
    if variable in AT_IMPORT:
        message = f"{after}, which has read it by then: it has no effect."
        yield Hazard("XD801", module, node, message, "setting-too-late", "warning", function)
    elif variable in LOGGING:
        message = f"{after}: the import has already printed its log by then."
        fix = fix_of(project, module, node, variable, line)
        yield Hazard("XD801", module, node, message, "setting-too-late", "note", function, fix=fix)
    elif variable in LATER:
        if ran is not None:
            called = f"{after} and after {module.source.place(ran)} called it."
            message = f"{called} It is read once, {LATER[variable]}; later it has no effect."
            yield Hazard("XD801", module, node, message, "setting-too-late", "warning", function)
        else:
            message = f"{after}. It is read once, {LATER[variable]}: it works only if nothing does that before."
            fix = fix_of(project, module, node, variable, line)
            yield Hazard("XD801", module, node, message, "setting-too-late", "note", function, fix=fix)

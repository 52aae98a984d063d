"""XD802: a configuration that can still change is read while modules are imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Function, Module, Project
from xladoctor.sources.names import children, dotted, walk, within

_LIKE_CONFIG = re.compile(r"(?i)(^|_)(cfg|conf|config|configuration|params|parameters|settings|options|hparams)$")
_WRITES = ("update", "setdefault", "pop", "clear")
_READS = ("get", "__getitem__")
_FAR = 4
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Place = tuple[Module, str]


def find(project: Project) -> Iterator[Hazard]:
    """Reads of such dicts, also by way of functions, at the top level of modules and classes and in defaults."""
    configs = _Configs(project)
    if not configs.written:
        return
    for module in project.modules:
        if module.source.map:
            continue  # nobody imports a notebook: its cells run when they are run
        for node, how in _at_import(module.source.tree.body):
            for child in within(node, _LATER):
                read = configs.read_by(module, child)
                if read is not None:
                    message = f"{read} is read {how}: this value is kept, and later changes have no effect."
                    yield Hazard("XD802", module, child, message, "baked-in-setting")


class _Configs:
    """The dicts of a project that hold configuration and are written while it runs, and the functions that read
    them.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    @cached_property
    def written(self) -> set[Place]:
        """Dicts at the top level of a module, with a name that says so, which some function or other module writes."""
        dicts = {
            (module, name)
            for module in self.project.modules
            for name, value in module.values.items()
            if _LIKE_CONFIG.search(name) and _is_dict(value)
        }
        if not dicts:
            return set()
        found: set[Place] = set()
        texts = {name for _, name in dicts}
        for module in self.project.modules:
            if not any(name in module.source.text for name in texts):
                continue
            for target, inside in _written(module):
                place = self._place(module, target)
                if place in dicts and (inside or place[0] is not module):
                    found.add(place)
        return found

    @cached_property
    def readers(self) -> dict[Function, str]:
        """Functions that read such a dict, at some distance, and which."""
        found: dict[Function, str] = {}
        for _ in range(_FAR):
            before = len(found)
            for module in self.project.modules:
                for function in module.by_node.values():
                    if function not in found and not self._sets(function) and (read := self._read_in(function, found)):
                        found[function] = read
            if len(found) == before:
                break
        return found

    def _read_in(self, function: Function, known: dict[Function, str]) -> str | None:
        for node in walk(function.node):
            read = self._direct(function.module, node)
            if read is not None:
                return read
            if isinstance(node, ast.Call):
                called = self._called(function.module, node)
                if called in known and called is not function:
                    return known[called]
        return None

    def _sets(self, function: Function) -> bool:
        """Whether a function is there to write such a dict: it does, and gives nothing back that could be kept."""
        gives = any(isinstance(n, ast.Return | ast.Yield) and n.value is not None for n in walk(function.node))
        return not gives and any(
            self._place(function.module, target) in self.written for target in _written_in(function.node)
        )

    def read_by(self, module: Module, node: ast.AST) -> str | None:
        """The config that an expression reads, in words."""
        direct = self._direct(module, node)
        if direct is not None:
            return direct
        called = self._called(module, node) if isinstance(node, ast.Call) else None
        if called is not None and called in self.readers:
            return f"{self.readers[called]} (by {called.name})"
        return None

    def _called(self, module: Module, node: ast.Call) -> Function | None:
        name = dotted(node.func)
        found = self.project.resolve(name, module) if name else None
        return found if isinstance(found, Function) else None

    def _direct(self, module: Module, node: ast.AST) -> str | None:
        holder: ast.expr | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            holder = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READS:
            holder = node.func.value
        place = self._place(module, holder) if holder is not None else None
        return f"{place[0].name}.{place[1]}" if place in self.written and place is not None else None

    def _place(self, module: Module, node: ast.expr) -> Place | None:
        name = dotted(node)
        if name is None:
            return None
        head, _, last = name.rpartition(".")
        if not head:
            if last in module.values and last not in module.names:
                return module, last
            head, _, last = module.names.get(last, "").rpartition(".")
            holder = self.project.module(head, module) if head else None
        else:
            found = self.project.resolve(head, module)
            holder = found if isinstance(found, Module) else None
        return (holder, last) if holder is not None and last in holder.values else None


def _is_dict(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return (dotted(node.func) or "").rpartition(".")[2] in (
            "dict",
            "copy",
            "deepcopy",
            "OrderedDict",
            "defaultdict",
        )
    return isinstance(node, ast.Dict)


def _written(module: Module) -> Iterator[tuple[ast.expr, bool]]:
    """Dicts that a module writes to, and whether a function does."""
    outer = [function.node for function in module.by_node.values() if function.inside is None]
    for body, inside in [(module.source.tree, False), *((node, True) for node in outer)]:
        yield from ((target, inside) for target in _targets(walk(body) if inside else within(body, _LATER)))


def _written_in(node: ast.AST) -> Iterator[ast.expr]:
    return _targets(walk(node))


def _targets(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The dicts to which these nodes write."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITES:
            yield node.func.value


def _at_import(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str]]:
    """What is evaluated when the module is imported."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            where = "in a constructor's default" if node.name == "__init__" else "in a default"
            yield from ((default, where) for default in defaults)
            yield from ((decorator, "in a decorator") for decorator in node.decorator_list)
        elif isinstance(node, ast.ClassDef):
            yield from _at_import(node.body)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For):
            if not (isinstance(node, ast.If) and "__main__" in ast.dump(node.test)):
                yield from _at_import([n for n in children(node) if isinstance(n, ast.stmt)])
        else:
            yield node, "while the module is imported"

"""The linted files as one project: modules, functions and classes, and what a name in one of them means."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from xladoctor.sources.names import canonical, children, dotted, imported
from xladoctor.sources.source import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FAR = 8


@dataclass(eq=False)
class Function:
    """A function, method or lambda; `inside` is the function that it is defined in."""

    node: FunctionNode
    name: str
    module: Module
    inside: Function | None = None
    owner: Class | None = None

    @property
    def line(self) -> int:
        """The line of its name."""
        return self.node.lineno

    def __repr__(self) -> str:
        return f"{self.module.name}:{self.name}"


@dataclass(eq=False)
class Class:
    """A class with its methods, and what they assign to `self.<name>`."""

    node: ast.ClassDef
    name: str
    module: Module
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, list[tuple[ast.expr, Function]]] = field(default_factory=dict)


@dataclass(eq=False)
class Module:
    """One source.

    `names` is what imports bind, `functions` and `classes` are its top level, `by_node` holds every function and
    lambda, and `calls` every call with the function that it stands in.
    """

    name: str
    source: Source
    names: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    by_node: dict[ast.AST, Function] = field(default_factory=dict)
    calls: list[tuple[ast.Call, Function | None]] = field(default_factory=list)

    @property
    def package(self) -> str:
        """What relative imports start from."""
        is_package = Path(self.source.path).name == "__init__.py"
        return self.name if is_package else self.name.rpartition(".")[0]

    def full(self, node: ast.AST) -> str | None:
        """The canonical full name of `tf.math.reduce_max` and the like; None for what no import or definition binds."""
        name = dotted(node)
        if name is None:
            return None
        first, _, rest = name.partition(".")
        if first in self.names:
            return canonical(f"{self.names[first]}.{rest}" if rest else self.names[first])
        return None

    @cached_property
    def mentions(self) -> bool:
        """Whether TensorFlow or Keras is named anywhere in it; code of PyTorch may name them without using them."""
        named = "tensorflow" in self.source.text or "keras" in self.source.text
        roots = {full.partition(".")[0] for full in self.names.values()}
        return named and not ("torch" in roots and not roots & {"tensorflow", "keras", "tf_keras"})


Symbol = Function | Class | Module | str


class Project:
    """All modules, and name resolution across them."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.modules = [_index(source) for source in sources]
        self._named: dict[str, list[Module]] = {}
        for module in self.modules:
            self._named.setdefault(module.name, []).append(module)

    def module(self, name: str, near: Module) -> Module | None:
        """The module of that name; where several files have it, the one that lies nearest to `near`."""
        found = self._named.get(name, ())
        if len(found) < 2:
            return found[0] if found else None
        here = Path(near.source.path).parent
        return min(found, key=lambda m: len(set(here.parts) ^ set(Path(m.source.path).parent.parts)))

    def resolve(self, name: str, module: Module, far: int = _FAR) -> Symbol | None:
        """What a dotted name means at the top level of a module.

        Of the project: a Function, Class or Module. Of elsewhere: its canonical name. None for a local value.
        """
        first, _, rest = name.partition(".")
        if first in module.functions and not rest:
            return module.functions[first]
        if first in module.classes:
            return self._member(module.classes[first], rest)
        if first in module.names:
            target = module.names[first]
            return self._full(f"{target}.{rest}" if rest else target, module, far)
        if first in module.values and not rest and far:
            value = dotted(module.values[first])
            if value and value.partition(".")[0] != first:
                return self.resolve(value, module, far - 1)
        return None

    def _full(self, name: str, near: Module, far: int) -> Symbol | None:
        head, tail = name, ""
        while head:
            if (found := self.module(head, near)) is not None and (found is not near or not tail):
                if not tail:
                    return found
                return self.resolve(tail, found, far - 1) if far else None
            head, _, last = head.rpartition(".")
            tail = f"{last}.{tail}" if tail else last
        return canonical(name)

    def _member(self, cls: Class, rest: str) -> Symbol | None:
        if not rest:
            return cls
        return self.method(cls, rest) if "." not in rest else None

    def bases(self, cls: Class, far: int = _FAR) -> Iterator[Class | str]:
        """The classes that it inherits from, nearest first; those of elsewhere by their canonical names."""
        for base in cls.node.bases:
            name = dotted(base)
            found = self.resolve(name, cls.module) if name else None
            if isinstance(found, str):
                yield found
            elif isinstance(found, Class) and found is not cls and far:
                yield found
                yield from self.bases(found, far - 1)

    def method(self, cls: Class, name: str) -> Function | None:
        """The method that an instance has, its own or inherited within the project."""
        if name in cls.methods:
            return cls.methods[name]
        inherited = (b.methods[name] for b in self.bases(cls) if isinstance(b, Class) and name in b.methods)
        return next(inherited, None)

    def is_keras(self, cls: Class) -> bool:
        """Whether it is a Keras layer or model."""
        return any(
            base.startswith("keras.") and ".callbacks." not in base and base.rpartition(".")[2].endswith(_LAYERS)
            for base in (b if isinstance(b, str) else canonical(f"{b.module.name}.{b.name}") for b in self.bases(cls))
        )


_LAYERS = ("Layer", "Model", "Sequential", "Functional", "Cell")


def _index(source: Source) -> Module:
    module = Module(_module_name(source.path), source)
    _Indexer(module).visit(source.tree.body, None, None, "")
    return module


def _module_name(path: str) -> str:
    file = Path(path)
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.absolute().parent
    while (folder / "__init__.py").exists() and folder.name:
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts)) or file.absolute().parent.name


class _Indexer:
    """One walk over a tree that collects what all checks need."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def visit(self, body: Sequence[ast.AST], inside: Function | None, owner: Class | None, prefix: str) -> None:
        todo: list[ast.AST] = list(reversed(body))
        while todo:
            node = todo.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._function(node, inside, owner, prefix)
                todo += node.decorator_list
                todo += _defaults(node.args)
            elif isinstance(node, ast.Lambda):
                made = Function(node, f"{prefix}<lambda>", self.module, inside, owner)
                self.module.by_node[node] = made
                self.visit([node.body], made, owner, f"{prefix}<lambda>.")
                todo += _defaults(node.args)
            elif isinstance(node, ast.ClassDef):
                made_class = Class(node, f"{prefix}{node.name}", self.module)
                if inside is None:
                    self.module.classes.setdefault(made_class.name, made_class)
                self.visit(node.body, inside, made_class, f"{made_class.name}.")
                todo += [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
            else:
                self._other(node, inside, owner)
                todo += reversed(children(node))

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, inside: Function | None, owner: Class | None, prefix: str
    ) -> None:
        made = Function(node, f"{prefix}{node.name}", self.module, inside, owner)
        self.module.by_node[node] = made
        if owner is not None and prefix == f"{owner.name}.":
            owner.methods.setdefault(node.name, made)
        elif inside is None:
            self.module.functions[node.name] = made
        self.visit(node.body, made, owner, f"{made.name}.")

    def _other(self, node: ast.AST, inside: Function | None, owner: Class | None) -> None:
        if isinstance(node, ast.Call):
            self.module.calls.append((node, inside))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for local, full in imported(node, self.module.package).items():
                if inside is None or local not in self.module.names:
                    self.module.names[local] = full
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assigned(target, node.value, inside, owner)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assigned(node.target, node.value, inside, owner)

    def _assigned(self, target: ast.expr, value: ast.expr, inside: Function | None, owner: Class | None) -> None:
        if inside is None and owner is None:
            if isinstance(target, ast.Name):
                self.module.values[target.id] = value
        elif inside is not None and owner is not None and isinstance(target, ast.Attribute):
            of_self = isinstance(target.value, ast.Name) and target.value.id == "self"
            owner.attributes.setdefault(target.attr, []).extend([(value, inside)] if of_self else [])


def _defaults(arguments: ast.arguments) -> list[ast.AST]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]

"""Where source code puts a function under XLA by name, and which functions that compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.lint.frames import Entry
from xladoctor.lint.project import Class, Function, Module, Project
from xladoctor.sources.names import dotted, walk

KEYWORDS = ("jit_compile", "experimental_compile")
_FUNCTION = ("tensorflow.function", "tensorflow.def_function.function")
_PARTIAL = ("functools.partial",)
_COMPILE = ("tensorflow.xla.experimental.compile", "tensorflow.xla.experimental.jit_scope")
_STEPS = ("train_step", "test_step", "predict_step", "call")


@dataclass(frozen=True)
class Site:
    """One place in the source that asks for XLA. `switch` is what decides, None where it is plainly True."""

    module: Module
    node: ast.Call
    inside: Function | None
    words: str
    switch: str | None
    keras: bool
    option: ast.AST
    """Where the option itself stands."""

    @property
    def hands_on(self) -> bool:
        """Whether the option only goes on to a function of which nothing is known."""
        last = (dotted(self.node.func) or "").rpartition(".")[2]
        return self.keras and last not in ("compile", "function")

    @property
    def where(self) -> str:
        """File and line."""
        return self.module.source.at(self.node.lineno)


def sites(project: Project) -> list[Site]:
    """Every `jit_compile=` that is not plainly off, and TensorFlow's own functions for it."""
    return [site for module in project.modules if module.mentions for site in _of_module(module)]


def _of_module(module: Module) -> Iterator[Site]:
    for call, inside in module.calls:
        name = module.full(call.func) or ""
        if name in _COMPILE:
            yield Site(module, call, inside, f"tf.xla.experimental.{name.rpartition('.')[2]}", None, False, call)
        for keyword in call.keywords:
            if keyword.arg not in KEYWORDS:
                continue
            switch = _switch(keyword.value)
            if switch is False:
                continue
            text = ast.unparse(keyword.value)
            # Keras' compile, a call through super() and whatever hands the option on.
            keras = name not in (*_FUNCTION, *_PARTIAL) and not name.startswith("tensorflow.")
            yield Site(module, call, inside, f"{keyword.arg}={text}", None if switch else text, keras, keyword)


def _switch(node: ast.expr) -> bool | None:
    """True or False where it is written so; None where it is decided elsewhere. "auto" and None decide nothing."""
    if isinstance(node, ast.Constant):
        return node.value is True
    return None


def entries(project: Project, found: list[Site], assume: bool) -> list[Entry]:
    """The functions that these sites compile; with `assume`, those too that Keras and tf.function may compile."""
    made: dict[Function, Entry] = {}
    by_call: dict[tuple[Module, ast.Call], Site] = {(site.module, site.node): site for site in found}
    for module in project.modules:
        if module.mentions:
            for function, site in _decorated(project, module, by_call):
                made.setdefault(function, Entry(function, site.words, site.where))
    for site in found:
        for function in _given(project, site):
            made.setdefault(function, Entry(function, site.words, site.where))
    compiles = [site for site in found if site.keras and isinstance(site.node.func, ast.Attribute)
                and site.node.func.attr == "compile"]  # fmt: skip
    for site in compiles:
        for function in _keras(project, site):
            made.setdefault(function, Entry(function, f"Keras compile({site.words})", site.where))
    if assume:
        for function, why in _assumed(project):
            where = function.module.source.at(function.line)
            made.setdefault(function, Entry(function, why, where))
    return list(made.values())


def _decorated(
    project: Project, module: Module, sites: dict[tuple[Module, ast.Call], Site]
) -> Iterator[tuple[Function, Site]]:
    for node, function in module.by_node.items():
        for decorator in getattr(node, "decorator_list", ()):
            site = _of_decorator(project, module, decorator, sites)
            if site is not None:
                yield function, site


def _of_decorator(
    project: Project, module: Module, decorator: ast.expr, sites: dict[tuple[Module, ast.Call], Site], far: int = 4
) -> Site | None:
    """`@tf.function(jit_compile=True)`, or a name that stands for it or for its partial."""
    if isinstance(decorator, ast.Call):
        site = sites.get((module, decorator))
        if site is not None and not (site.keras and module.full(decorator.func) is None):
            return site
        return _of_decorator(project, module, decorator.func, sites, far)
    name = dotted(decorator)
    if name is None or not far:
        return None
    if name in module.values:
        return _of_decorator(project, module, module.values[name], sites, far - 1)
    head, _, last = module.names.get(name, "").rpartition(".")
    other = project.module(head, module) if head else None
    if other is not None and last in other.values:
        return _of_decorator(project, other, other.values[last], sites, far - 1)
    return None


def _given(project: Project, site: Site) -> Iterator[Function]:
    """`tf.function(f, jit_compile=True)`, `tf.function(jit_compile=True)(f)`, `tf.xla.experimental.compile(f)`."""
    if site.keras:
        return
    outer = [call for call, _ in site.module.calls if call.func is site.node]
    for argument in [*site.node.args[:1], *(a for call in outer for a in call.args[:1]),
                     *(k.value for k in site.node.keywords if k.arg in ("func", "computation"))]:  # fmt: skip
        function = _function(project, site.module, argument, site.inside)
        if function is not None:
            yield function


def _function(project: Project, module: Module, node: ast.expr, inside: Function | None) -> Function | None:
    if isinstance(node, ast.Lambda):
        return module.by_node.get(node)
    if isinstance(node, ast.Call) and (module.full(node.func) or "").endswith("partial") and node.args:
        return _function(project, module, node.args[0], inside)
    name = dotted(node)
    if name is None:
        return None
    if name.startswith("self.") and inside is not None and inside.owner is not None:
        return project.method(inside.owner, name.partition(".")[2])
    scope = inside
    while scope is not None:
        for function in module.by_node.values():
            if function.inside is scope and getattr(function.node, "name", None) == name:
                return function
        scope = scope.inside
    found = project.resolve(name, module)
    return found if isinstance(found, Function) else None


def _keras(project: Project, site: Site) -> Iterator[Function]:
    """What Keras compiles for a model: the steps and calls of its class, else of the layers that the module can see."""
    receiver = site.node.func.value if isinstance(site.node.func, ast.Attribute) else site.node
    cls = _class_of(project, site, receiver)
    classes = [cls] if cls is not None else _visible(project, site.module)
    for each in classes:
        for name in _STEPS:
            method = each.methods.get(name)
            if method is not None:
                yield method


def _class_of(project: Project, site: Site, receiver: ast.expr) -> Class | None:
    name = dotted(receiver)
    if name in ("self", "super") and site.inside is not None:
        return site.inside.owner
    made = receiver if isinstance(receiver, ast.Call) else None
    if name is not None:
        body = site.inside.node if site.inside is not None else site.module.source.tree
        for node in walk(body):
            is_call = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if isinstance(node, ast.Assign) and is_call and any(dotted(target) == name for target in node.targets):
                made = node.value if isinstance(node.value, ast.Call) else made
    written = dotted(made.func) if made is not None else None
    found = project.resolve(written, site.module) if written else None
    return found if isinstance(found, Class) and project.is_keras(found) else None


def _visible(project: Project, module: Module) -> list[Class]:
    """The Keras classes of a module and of what it imports, at any distance."""
    seen: dict[Module, None] = {}
    todo = [module]
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen[here] = None
        for target in here.names.values():
            head = target
            while head:
                other = project.module(head, here)
                if other is not None:
                    todo.append(other)
                    break
                head = head.rpartition(".")[0]
    return [cls for here in seen for cls in here.classes.values() if project.is_keras(cls)]


def _assumed(project: Project) -> Iterator[tuple[Function, str]]:
    for module in project.modules:
        if not module.mentions:
            continue
        for cls in module.classes.values():
            if project.is_keras(cls):
                for name in _STEPS:
                    if name in cls.methods:
                        yield cls.methods[name], "Keras compiles it where jit_compile resolves to True"
        for node, function in module.by_node.items():
            for decorator in getattr(node, "decorator_list", ()):
                plain = decorator.func if isinstance(decorator, ast.Call) else decorator
                if module.full(plain) in _FUNCTION:
                    yield function, "tf.function, assumed to be compiled"

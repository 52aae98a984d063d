"""`python -m benchmarks._op_makers`: which public functions and classes of TensorFlow and Keras make which op.

Read from the sources of the installed packages, without running them: a function makes the ops of the generated
functions (`gen_*_ops.py`) that it calls, and what the functions that it calls make; a class makes what its methods do.
Only ops without a kernel for XLA are kept, and of each function those that are the nearest to it.
Writes `xladoctor/blame/data/op_makers.json`.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from xladoctor.rules.registry import kernels
from xladoctor.sources.names import canonical, dotted, imported

OUTPUT = Path(__file__).parents[1] / "xladoctor/blame/data/op_makers.json"
_OP = re.compile(r'_apply_op_helper\(\s*"(\w+)"')
_EXPORTS = frozenset({"tf_export", "keras_export", "estimator_export"})
_LEFT_OUT = (
    "tests",
    "_test",
    "testing",
    "saved_model",
    "distribute/",
    "tpu",
    "feature_column",
    "/data/",
    "lite/",
    "/eager/",
)
_LAZY = "keras.src.utils.module_utils.tensorflow"
_FURTHEST = 7
_MOST_OPS = 20
_MOST_MAKERS = 40

Key = tuple[str, str]
"""A module, and the name of a function, a class or a method (`Class.method`) in it."""


class Sources:
    """The definitions of some packages, what each refers to, and the names that they are exported under."""

    def __init__(self) -> None:
        self.ops: dict[Key, str] = {}
        self.calls: dict[Key, set[str]] = {}
        self.public: dict[Key, set[str]] = defaultdict(set)
        self.imports: dict[str, dict[str, str]] = {}
        self.classes: dict[Key, list[str]] = {}
        self.exported: dict[str, Key] = {}
        self._all_of: dict[str, list[str]] = {}
        self._after: dict[Key, tuple[Key, ...]] = {}

    def read(self, package: str) -> None:
        """All modules of an installed package."""
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.origin is not None
        root = Path(spec.origin).parent
        part = {"tensorflow": "python", "keras": "src"}[package]
        for file in sorted((root / part).rglob("*.py")):
            name = file.relative_to(root.parent).with_suffix("").as_posix()
            if not any(word in f"/{name}/" for word in _LEFT_OUT):
                self._module(name.replace("/", ".").removesuffix(".__init__"), file.read_text(encoding="utf-8"))

    def _module(self, module: str, text: str) -> None:
        tree = ast.parse(text)
        names: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names |= imported(node, module.rpartition(".")[0])
                if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                    self._all_of.setdefault(module, []).append(str(node.module))
        self.imports[module] = names
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self._function((module, node.name), node, text)
            elif isinstance(node, ast.ClassDef):
                key = (module, node.name)
                self._export(key, node)
                self.classes[key] = [name for base in node.bases if (name := dotted(base))]
                self.calls[key] = {f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)}
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        self._function((module, f"{node.name}.{method.name}"), method, "")
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                # `name = tf_export("some.name")(function)`
                made = node.value.func
                given = node.value.args[0] if node.value.args else None
                if isinstance(made, ast.Call) and isinstance(given, ast.Name) and _is_export(made):
                    self._names((module, given.id), made)

    def _function(self, key: Key, node: ast.FunctionDef, text: str) -> None:
        self._export(key, node)
        if ".gen_" in key[0] and (found := _OP.search(ast.get_source_segment(text, node) or "")):
            self.ops[key] = found[1]
            return
        own = key[1].rpartition(".")[0]
        calls = set()
        for statement in node.body:
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                for used in (call.func, *call.args, *(k.value for k in call.keywords)):
                    name = dotted(used)
                    if name is not None:
                        calls.add(name.replace("self.", f"{own}.", 1) if own else name)
        self.calls[key] = calls

    def _export(self, key: Key, node: ast.FunctionDef | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _is_export(decorator):
                self._names(key, decorator)

    def _names(self, key: Key, call: ast.Call) -> None:
        v1 = [n for k in call.keywords if k.arg == "v1" for n in ast.walk(k.value)]
        for node in [n for a in call.args for n in ast.walk(a)] + v1:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.startswith("raw_ops"):
                package = "keras" if key[0].startswith("keras") else "tensorflow"
                name = node.value if node.value.startswith("keras.") else f"{package}.{node.value}"
                self.public[key].add(name)
                self.exported.setdefault(name, key)

    def resolved(self, module: str, name: str) -> Key | None:
        """What a name in a module is, as far as it is one of these definitions."""
        first, _, rest = name.partition(".")
        if (module, name) in self.calls or (module, name) in self.ops:
            return (module, name)
        for other in self._all_of.get(module, ()):
            if (other, name) in self.ops:
                return (other, name)
        full = self.imports.get(module, {}).get(first)
        full = ".".join(p for p in (full, rest) if p).replace(_LAZY, "tensorflow", 1) if full else None
        if full in self.exported:
            return self.exported[full]
        if full is None:
            return self._inherited(module, name)
        home, _, last = full.rpartition(".")
        for key in ((home, last), (home.rpartition(".")[0], f"{home.rpartition('.')[2]}.{last}")):
            if key in self.calls or key in self.ops:
                return key
        again = self.imports.get(home, {}).get(last)
        return self.resolved(home, last) if again is not None and again != full else None

    def _inherited(self, module: str, name: str) -> Key | None:
        own, _, method = name.rpartition(".")
        for base in self.classes.get((module, own), ()) if method else ():
            key = self.resolved(module, base)
            if key is not None and key != (module, own) and key in self.classes:
                return self.resolved(key[0], f"{key[1]}.{method}")
        return None

    def after(self, key: Key) -> tuple[Key, ...]:
        """What a definition calls; of a class, its methods and those that it inherits."""
        if key not in self._after:
            names = {*self.calls.get(key, ()), *self.classes.get(key, ())}
            found = {k for name in names if (k := self.resolved(key[0], name)) is not None}
            self._after[key] = tuple(sorted(found - {key}))
        return self._after[key]

    def made(self, start: Key) -> dict[str, int]:
        """The ops without a kernel for XLA that a definition makes, the nearest first, with the number of calls."""
        found: dict[str, int] = {}
        seen, here = {start}, [start]
        for far in range(_FURTHEST):
            for op in {self.ops[key] for key in here if key in self.ops}:
                known = kernels(op)
                if known is not None and not known.xla:
                    found.setdefault(op, far)
            if len(found) >= _MOST_OPS:
                break
            here = [k for k in dict.fromkeys(k for key in here for k in self.after(key)) if k not in seen]
            seen.update(here)
        return found


def _is_export(call: ast.Call) -> bool:
    return (dotted(call.func) or "").rpartition(".")[2] in _EXPORTS


def makers(sources: Sources) -> dict[str, list[str]]:
    """{op: public names that make it, the nearest first}."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for key, names in sources.public.items():
        for op, far in sources.made(key).items():
            found[op] += [(far, name) for name in _shown(names)]
    return {
        op: list(dict.fromkeys(name for _, name in sorted(set(some))))[:_MOST_MAKERS]
        for op, some in sorted(found.items())
    }


def _shown(names: set[str]) -> Iterator[str]:
    for name in names:
        plain = canonical(name.replace("keras._legacy.", "keras."))
        if "experimental_" not in plain and "__" not in plain:
            yield plain


def main() -> None:
    """Read the installed packages, and write the table."""
    sources = Sources()
    for package in ("tensorflow", "keras"):
        sources.read(package)
    table = makers(sources)
    data = {
        "about": "The public functions and classes that make an op for which XLA has no kernel, the nearest first. "
        "Written by `python -m benchmarks._op_makers`.",
        "versions": {name: version(name) for name in ("tensorflow", "keras")},
        "makers": {op: " ".join(names) for op, names in table.items()},
    }
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

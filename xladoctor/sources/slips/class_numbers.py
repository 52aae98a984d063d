"""Classes that are numbered in the order of their names as text, where the program takes the number for something else:
a place in its own list of the names, or the number within the name (`grade_10` comes before `grade_2`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, positional, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns, scopes

_FOLDERS = frozenset(
    {"image_dataset_from_directory", "text_dataset_from_directory", "audio_dataset_from_directory",
     "flow_from_directory"}
)  # fmt: skip
_SAID = frozenset({"class_names", "classes", "categories", "levels", "ordered"})
_LOOKED_UP = frozenset(
    {"class_indices", "class_names", "classes_", "categories", "inverse_transform", "cat_categories"}
)
_MAKES = frozenset({"makedirs", "mkdir"})
_PLAIN = frozenset({"array", "asarray", "astype", "int", "numpy", "ravel", "flatten", "convert_to_tensor", "item"})
_DEPTH = 8
_MOST = 1000
Trees = Mapping[str, ast.Module]


@dataclass(frozen=True)
class _Coder:
    """What numbers classes by their names as text; `of` is what has the names, nothing of folders."""

    file: str
    line: int
    of: ast.expr | None


@dataclass(frozen=True)
class _Names:
    """Names of classes in the order of the program, which is not that of text."""

    name: str
    first: int | None = None
    """Where they are numbered, the first number."""
    example: str = ""
    in_folders: bool = False
    """They are written where folders are made."""


def class_numbers(trees: Trees) -> Iterator[tuple[str, Slip]]:
    """(file, slip) of each line that takes the number of a class for another one."""
    coders = [c for file, tree in trees.items() for c in _coders(file, tree)]
    used = {n.attr for tree in trees.values() for n in nodes_of(tree, ast.Attribute)}
    if not coders or used & _LOOKED_UP or any(_says_order(tree) for tree in trees.values()):
        return
    numbers = _Numbers(trees)
    for names in _lists(trees, numbers):
        own = [c for c in coders if _is_of(c, names, trees)]
        for file, line, how in _uses(trees, names) if own and not _numbered_by_list(trees, names.name) else ():
            yield file, _slip(line, how, names, own[0])


def _slip(line: int, how: str, names: _Names, coder: _Coder) -> Slip:
    return Slip(
        "class-number-by-text",
        line,
        f"The number of a class is taken for {how}, and counts in the order of text",
        f"{Path(coder.file).name}:{coder.line} numbers the classes by their names, sorted as text"
        f"{f' ({names.example})' if names.example else ''}. Here the number is taken for {how}, whose order is another "
        "one: most classes are taken for others.",
    )


def _says_order(tree: ast.Module) -> bool:
    """Whether a call gets the order of the classes, or numbers are given a fixed width."""
    for call in nodes_of(tree, ast.Call):
        name = last_name(call.func)
        coder = name in _FOLDERS or name in ("Categorical", "CategoricalDtype", "OrdinalEncoder", "set_categories")
        own = keyword(call, "labels")
        if name == "zfill" or (coder and any(k.arg in _SAID for k in call.keywords)):
            return True
        if name in _FOLDERS and own is not None and not isinstance(own, ast.Constant):
            return True
        if name in ("CategoricalDtype", "set_categories", "reorder_categories"):
            return True
    return False


def _coders(file: str, tree: ast.Module) -> Iterator[_Coder]:
    kept = {last_name(t): v for t, v, _ in assigns(tree) if isinstance(v, ast.Call)}
    for call in nodes_of(tree, ast.Call):
        name, args = last_name(call.func), call.args
        maker = call.func.value if isinstance(call.func, ast.Attribute) else None
        maker = kept.get(last_name(maker), maker) if maker is not None else None
        sort = keyword(call, "sort")
        encodes = name == "fit_transform" and isinstance(maker, ast.Call) and not maker.keywords
        if encodes and isinstance(maker, ast.Call):
            encodes = last_name(maker.func) in ("LabelEncoder", "OrdinalEncoder")
        numbers = name == "unique" and keyword(call, "return_inverse") is not None
        sorts = name == "factorize" and sort is not None and ast.unparse(sort) == "True"
        if name in _FOLDERS:
            yield _Coder(file, call.lineno, None)
        elif args and (encodes or numbers or sorts):
            yield _Coder(file, call.lineno, args[0])
    for codes in nodes_of(tree, ast.Attribute):
        if codes.attr != "codes":
            continue
        of = codes.value.value if isinstance(codes.value, ast.Attribute) and codes.value.attr == "cat" else codes.value
        if isinstance(of, ast.Call) and last_name(of.func) == "Categorical" and len(of.args) == 1:
            yield _Coder(file, codes.lineno, of.args[0])
        elif isinstance(of, ast.Call) and last_name(of.func) == "astype" and "category" in ast.unparse(of):
            yield _Coder(file, codes.lineno, getattr(of.func, "value", of))


class _Numbers:
    """Whole numbers that names of the program stand for, where each has one."""

    def __init__(self, trees: Trees) -> None:
        self._made: dict[str, list[ast.expr]] = {}
        for tree in trees.values():
            for target, value, _ in assigns(tree):
                pairs = [(target, value)]
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    pairs = list(zip(target.elts, value.elts, strict=False))
                for one, of in pairs:
                    self._made.setdefault(last_name(one), []).append(of)

    def value(self, node: ast.expr, depth: int = 4) -> int | None:
        """What an expression is, if it is a whole number."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int) and not isinstance(node.value, bool) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and depth:
            left, right = self.value(node.left, depth - 1), self.value(node.right, depth - 1)
            if left is None or right is None:
                return None
            return left + right if isinstance(node.op, ast.Add) else left - right
        made = self._made.get(last_name(node), [])
        return self.value(made[0], depth - 1) if len(made) == 1 and depth else None

    def listed(self, node: ast.expr) -> list[int]:
        """The numbers that a loop goes through: of a `range`, or of a list that is written."""
        if isinstance(node, ast.Call) and last_name(node.func) == "range" and node.args:
            ends = [self.value(a) for a in node.args]
            known = [e for e in ends if e is not None]
            whole = len(known) == len(ends) and (len(known) < 3 or known[2] != 0)
            counted = range(*known) if whole else range(0)
            return list(counted) if len(counted) <= _MOST else []
        made = self._made.get(last_name(node), [node])
        items = made[0].elts if len(made) == 1 and isinstance(made[0], ast.List | ast.Tuple) else []
        found = [n for n in (self.value(i) for i in items) if n is not None]
        return found if len(found) == len(items) else []


def _lists(trees: Trees, numbers: _Numbers) -> Iterator[_Names]:
    """Lists of names as they are written, and names that are made of numbers without a width."""
    for tree in trees.values():
        for target, value, _ in assigns(tree):
            if not isinstance(target, ast.Name):
                continue
            items = value.elts if isinstance(value, ast.List | ast.Tuple) else []
            texts = [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]
            if len(texts) == len(items) > 1 and texts != sorted(texts) and len(set(texts)) == len(texts):
                yield _Names(target.id, None, ", ".join(sorted(texts)[:3]))
            elif isinstance(value, ast.ListComp) and len(value.generators) == 1:
                yield from _numbered(target.id, value.elt, value.generators[0], numbers)
        for scope in scopes(tree):
            if any(last_name(c.func) in _MAKES for c in nodes_of(scope, ast.Call)) and isinstance(scope, FUNCTIONS):
                for loop in nodes_of(scope, ast.For):
                    for node in (n for s in loop.body for n in walk(s)):
                        yield from (replace(n, in_folders=True) for n in _numbered("", node, loop, numbers))


def _numbered(name: str, node: ast.AST, loop: ast.For | ast.comprehension, numbers: _Numbers) -> Iterator[_Names]:
    """`f"grade_{k}"` and `str(k)` of numbers without a fixed width, where text has another order than they have."""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    last: ast.expr | None = None
    if 0 < len(parts) < 3 and isinstance(parts[-1], ast.FormattedValue) and parts[-1].format_spec is None:
        last = parts[-1].value
    elif isinstance(node, ast.Call) and last_name(node.func) == "str" and len(node.args) == 1:
        last = node.args[0]
    if not isinstance(last, ast.Name) or last.id != last_name(loop.target):
        return
    prefix = str(getattr(parts[0], "value", "")) if len(parts) == 2 else ""
    found = numbers.listed(loop.iter)
    texts = [f"{prefix}{n}" for n in found]
    if texts != sorted(texts):
        own = name or last_name(loop.iter)
        yield _Names(own, found[0], ", ".join(sorted(texts)[:3]))


def _is_of(coder: _Coder, names: _Names, trees: Trees) -> bool:
    """Whether the names are those that are numbered: folders are made of them, or the texts are drawn from them."""
    if coder.of is None:
        return names.in_folders or any(_makes_folders(tree, names.name) for tree in trees.values())
    keys = {n.value for n in nodes_of(coder.of, ast.Constant) if isinstance(n.value, str)} - {"category"}
    columns = {n.attr for n in nodes_of(coder.of, ast.Attribute)}
    wanted = names_in(coder.of) | keys | columns
    for tree in trees.values():
        for target, value, _ in assigns(tree):
            made = {last_name(target)} | {str(n.value) for n in nodes_of(target, ast.Constant)}
            drawn = isinstance(value, ast.Call | ast.Subscript) and names.name in names_in(value)
            if drawn and made & wanted and not any(isinstance(n, ast.Dict) for n in walk(value)):
                return True
        for table in nodes_of(tree, ast.Dict):
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in wanted and names.name in names_in(value):
                    return True
    return names.name in wanted


def _makes_folders(tree: ast.Module, name: str) -> bool:
    loops = (n for n in nodes_of(tree, ast.For) if name in names_in(n.iter))
    return any(last_name(c.func) in _MAKES for loop in loops for s in loop.body for c in nodes_of(s, ast.Call))


def _uses(trees: Trees, names: _Names) -> Iterator[tuple[str, int, str]]:
    """(file, line, what for) of numbers of classes that a model gave: `NAMES[k]`, `k + 1`."""
    given = _parameters_of_classes(trees)
    for file, tree in trees.items():
        for scope in scopes(tree):
            own = _of_classes(scope) | given.get(getattr(scope, "name", ""), set())
            for node in walk(scope):
                how = _how(node, names, own)
                if how:
                    yield file, getattr(node, "lineno", 0), how
                    return


def _how(node: ast.AST, names: _Names, own: set[str]) -> str:
    """What the number of a class is taken for."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and names.first and _is_class(node.left, own):
        return "the number within its name" if ast.unparse(node.right) == str(names.first) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult) and names.first == 0:
        return "the number within its name" if _is_class(node.left, own) else ""
    place = f"a place in `{names.name}`"
    if not names.name:
        return ""
    if isinstance(node, ast.Subscript):
        array = node.value
        if isinstance(array, ast.Call) and last_name(array.func) in ("array", "asarray") and array.args:
            array = array.args[0]
        return place if last_name(array) == names.name and _is_class(node.slice, own) else ""
    if isinstance(node, ast.Call) and last_name(node.func) == "classification_report":
        given = keyword(node, "target_names")
        return place if given is not None and last_name(given) == names.name else ""
    return ""


def _is_class(node: ast.expr, known: set[str]) -> bool:
    """Whether an expression is the number of the class that a model chose."""
    for _ in range(_DEPTH):
        if not (isinstance(node, ast.Call) and last_name(node.func) in _PLAIN | {"argmax"}):
            break
        if last_name(node.func) == "argmax":
            return _is_of_rows(node)
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        node = node.args[0] if node.args and (own is None or last_name(own) in ("np", "tf", "numpy")) else own or node
    return isinstance(node, ast.Name) and node.id in known


def _is_of_rows(call: ast.Call) -> bool:
    """Whether an `argmax` is of a prediction or along an axis, and not the best epoch of a history."""
    method = isinstance(call.func, ast.Attribute) and last_name(call.func.value) not in ("np", "tf", "numpy", "ops")
    axes = [*call.args[0 if method else 1 :], *(k.value for k in call.keywords if k.arg == "axis")]
    return bool(axes) or any(last_name(c.func) == "predict" for c in nodes_of(call, ast.Call))


def _numbered_by_list(trees: Trees, name: str) -> bool:
    """Whether the program numbers the classes by their place in the list, too."""
    for tree in trees.values():
        for call in nodes_of(tree, ast.Call):
            if (
                isinstance(call.func, ast.Attribute)
                and call.func.attr == "index"
                and last_name(call.func.value) == name
            ):
                return True
        for table in nodes_of(tree, ast.DictComp):
            if any(name in names_in(g.iter) for g in table.generators):
                return True
        for call in nodes_of(tree, ast.Call):
            if last_name(call.func) == "dict" and name in names_in(call):
                return True
    return False


def _of_classes(scope: ast.AST) -> set[str]:
    """The names that get the classes that a model chose, and what goes through them."""
    found = {last_name(t) for t, v, _ in assigns(scope) if _is_class(v, set())}
    for loop in nodes_of(scope, ast.For):
        if isinstance(loop.target, ast.Name) and _is_class(loop.iter, found):
            found.add(loop.target.id)
    for part in nodes_of(scope, ast.comprehension):
        if isinstance(part.target, ast.Name) and _is_class(part.iter, found):
            found.add(part.target.id)
    return found - {""}


def _parameters_of_classes(trees: Trees) -> dict[str, set[str]]:
    """{function: its parameters that are given such numbers}."""
    functions = {f.name: f for tree in trees.values() for f in nodes_of(tree, ast.FunctionDef)}
    found: dict[str, set[str]] = {}
    for tree in trees.values():
        for scope in scopes(tree):
            own = _of_classes(scope)
            for call in nodes_of(scope, ast.Call):
                function = functions.get(last_name(call.func))
                pairs = zip(positional(function), call.args, strict=False) if function is not None else ()
                for parameter, value in pairs:
                    if _is_class(value, own):
                        found.setdefault(last_name(call.func), set()).add(parameter)
    return found

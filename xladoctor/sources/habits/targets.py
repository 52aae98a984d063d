"""Features that know the target: a rolling mean that includes it, a mean of it for each group; and dense targets that
stay where their images were turned.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import Fault, View
from xladoctor.sources.names import last_name, walk

_ROLLS = ("rolling", "expanding", "ewm")
_TURNS = re.compile(
    r"\b(?:flip_left_right|flip_up_down|random_flip_\w+|stateless_random_flip_\w+|rot90|random_crop|central_crop|fliplr|"
    r"flipud|np\.flip|tf\.reverse|np\.roll|tf\.roll|roll|flip|rotate|RandomFlip|RandomRotation|RandomZoom|RandomTranslation|"
    r"random_rotation|random_shift|zoom|translate|transpose)\(|\[[^\[\]]*::-1[^\[\]]*\]"
)
_DENSE = re.compile(
    r"mask|seg|heat|depth|flow|density|annot|boundar|label_?map|target_im|keypoint|landmark|box|truth_im", re.IGNORECASE
)


def faults(view: View) -> Iterator[Fault]:
    """All of a file."""
    for call in view.calls(*_ROLLS, "transform"):
        yield from _rolled(view, call)
    for node in walk(view.tree):
        if isinstance(node, ast.FunctionDef):
            yield from _turned(view, node)
    yield from _doubled(view)


def _rolled(view: View, call: ast.Call) -> Iterator[Fault]:
    statement = view.statement(call)
    if not isinstance(statement, ast.Assign) or ".shift(" in (text := ast.unparse(statement.value)):
        return
    grouped = last_name(call.func) == "transform"
    if grouped and (
        "groupby" not in text or not any(f"'{w}'" in text for w in ("mean", "median", "sum", "std", "max"))
    ):
        return
    column = _column(call)
    target = statement.targets[0]
    if column is None or not isinstance(target, ast.Subscript | ast.Name):
        return
    feature = str(getattr(target.slice, "value", "")) if isinstance(target, ast.Subscript) else target.id
    if (
        not feature
        or feature == column
        or not _is_target(view, column, feature)
        or not _is_feature(view, feature, statement)
    ):
        return
    how = "the mean of each group of it" if grouped else f"`{last_name(call.func)}` of it up to the same row"
    yield Fault(
        "feature-of-target",
        statement.lineno,
        f"The feature `{feature}` is made of the target `{column}` of the same row",
        f"`{column}` is the target, and `{feature}` is {how}. When the model is used, the target of the row is not "
        "known. `.shift(1)` before the window leaves the row out.",
    )


def _column(call: ast.Call) -> str | None:
    """The column that is rolled, or whose groups are."""
    here: ast.AST = call.func
    while isinstance(here, ast.Attribute | ast.Call | ast.Subscript):
        if isinstance(here, ast.Subscript):
            return str(here.slice.value) if isinstance(here.slice, ast.Constant) else None
        if isinstance(here, ast.Attribute) and isinstance(here.value, ast.Name):
            return None if here.attr in (*_ROLLS, "transform", "groupby") else here.attr
        here = here.func if isinstance(here, ast.Call) else here.value
    return None


def _is_target(view: View, column: str, feature: str) -> bool:
    """Whether the labels of a `fit` are the column itself, of the same row."""
    for call in view.calls("fit"):
        labels = next((k.value for k in call.keywords if k.arg == "y"), call.args[1] if len(call.args) > 1 else None)
        if labels is None:
            continue
        values = [labels, *(m.value for m in view.made(labels))]
        for value in values:
            if (
                _names_column(value, column)
                and "shift(" not in ast.unparse(value)
                and not _names_column(value, feature)
            ):
                return True
    return False


def _names_column(value: ast.AST, column: str) -> bool:
    """Whether an expression takes this column alone."""
    for node in walk(value):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == column:
            return True
        if isinstance(node, ast.Attribute) and node.attr == column and isinstance(node.value, ast.Name):
            return True
    return False


def _is_feature(view: View, feature: str, made: ast.stmt) -> bool:
    """Whether the column is used again, by its name or in a list of names; or what is dropped is not it."""
    for node in walk(view.tree):
        if isinstance(node, ast.Constant) and node.value == feature and view.statement(node) is not made:
            return True
        if isinstance(node, ast.Name) and node.id == feature and isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "drop" and feature not in ast.unparse(node):
            return True
    return False


def _turned(view: View, function: ast.FunctionDef) -> Iterator[Fault]:
    """A function of (image, mask) that turns or moves the image alone."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    returns = [n.value for n in walk(function) if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple)]
    if len(names) < 2 or not returns or len(returns[0].elts) < 2:
        return
    image, dense = names[:2]
    if not (_DENSE.search(dense) or (_is_dense(view) and len(view.calls_of(function.name)) > 0)):
        return
    turned = {n: _turns(function, n) for n in (image, dense)}
    first, second = (_root(e) for e in returns[0].elts[:2])
    if (
        turned[image] is not None
        and turned[dense] is None
        and dense in second
        and not _TURNS.search(ast.unparse(returns[0].elts[1]))
    ) and (image in first or not first & {dense}):
        yield _left(turned[image] or function.lineno, image, dense)


def _turns(function: ast.FunctionDef, name: str) -> int | None:
    """The line that turns or moves what a name holds."""
    for node in walk(function):
        if (
            isinstance(node, ast.Assign | ast.Return)
            and node.value is not None
            and _TURNS.search(ast.unparse(node.value))
        ):
            value = (
                node.value.elts[0] if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) else node.value
            )
            if name in {n.id for n in walk(value) if isinstance(n, ast.Name)} and _TURNS.search(ast.unparse(value)):
                return node.lineno
    return None


def _root(node: ast.expr) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def _is_dense(view: View) -> bool:
    """Whether images and targets of one size are cut into a dataset together."""
    for call in view.calls("from_tensor_slices"):
        parts = call.args[0].elts if call.args and isinstance(call.args[0], ast.Tuple) else []
        sizes = [view.shape(p) for p in parts[:2]]
        if len(sizes) == 2 and all(s is not None and len(s) > 2 for s in sizes):
            return bool(sizes[0] and sizes[1] and sizes[0][1:3] == sizes[1][1:3] and min(sizes[0][1:3]) > 3)
    return False


def _doubled(view: View) -> Iterator[Fault]:
    """`concatenate([x, x[:, :, ::-1]])` and `concatenate([mask, mask])`."""
    joins = [c for c in view.calls("concatenate", "concat") if c.args and isinstance(c.args[0], ast.List | ast.Tuple)]
    turned = [c for c in joins if len(_parts(c)) > 1 and any(_TURNS.search(ast.unparse(e)) for e in _parts(c))]
    plain = [c for c in joins if len(_parts(c)) > 1 and len({ast.unparse(e) for e in _parts(c)}) == 1]
    for one in turned:
        for other in plain:
            first, second = (view.shape(_parts(c)[0]) for c in (one, other))
            same = first and second and len(second) > 2 and first[1:3] == second[1:3]
            if view.scope(one) is view.scope(other) and same:
                yield _left(one.lineno, ast.unparse(_parts(one)[0]), ast.unparse(_parts(other)[0]))


def _parts(call: ast.Call) -> list[ast.expr]:
    given = call.args[0]
    return list(given.elts) if isinstance(given, ast.List | ast.Tuple) else []


def _left(line: int, image: str, dense: str) -> Fault:
    return Fault(
        "target-left-behind",
        line,
        f"`{image}` is turned or moved, and `{dense}`, which has a value for each place, is not",
        f"`{dense}` has a value for each place of `{image}`. After the change of `{image}` alone, each place of it "
        f"has the value of another one. Make the same change, with the same draw, of `{dense}`.",
    )

"""Features that know the target: a rolling mean that includes it, a mean of it for each group; and dense targets that
stay where their images were turned.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View, returned
from xladoctor.sources.names import last_name, names_in, nodes_of, positional, walk
from xladoctor.sources.slips.slip import Slip

_FILTERS = frozenset(
    {
        "convolve",
        "correlate",
        "cumsum",
        "uniform_filter1d",
        "gaussian_filter1d",
        "gaussian_filter",
        "savgol_filter",
        "medfilt",
        "lfilter",
    }
)
_ARRAYS = frozenset({"array", "asarray", "stack", "astype", "float32"})
_ROLLS = ("rolling", "expanding", "ewm")
_TURNS = re.compile(
    r"\b(?:flip_left_right|flip_up_down|random_flip_\w+|stateless_random_flip_\w+|rot90|random_crop|central_crop|fliplr|"
    r"flipud|np\.flip|tf\.reverse|np\.roll|tf\.roll|roll|flip|rotate|RandomFlip|RandomRotation|RandomZoom|RandomTranslation|"
    r"random_rotation|random_shift|zoom|translate|transpose)\(|\[[^\[\]]*::-1[^\[\]]*\]"
)
_DRAWN = re.compile(r"random_(?:flip\w*|crop|rotation|shift|shear|zoom)$")
_DENSE = re.compile(
    r"mask|seg|heat|depth|flow|density|annot|boundar|label_?map|target_im|keypoint|landmark|box|truth_im", re.IGNORECASE
)


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls(*_ROLLS, "transform"):
        yield from _rolled(view, call)
    yield from _smoothed(view)
    for node in walk(view.tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _turned(view, node)
    yield from _doubled(view)


def _rolled(view: View, call: ast.Call) -> Iterator[Slip]:
    statement = view.statement(call)
    if not isinstance(statement, ast.Assign) or ".shift(" in (text := ast.unparse(statement.value)):
        return
    grouped = last_name(call.func) == "transform"
    if grouped and (
        "groupby" not in text
        or (not any(f"'{w}'" in text for w in ("mean", "median", "sum", "std", "max")) and ".rolling(" not in text)
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
    yield Slip(
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
        # What makes a table makes all of its columns: only what makes a plain name is the labels themselves.
        steps = (
            m for m in view.made(labels) if not isinstance(getattr(m.statement, "targets", [None])[0], ast.Subscript)
        )
        values = [labels, *(m.value for m in steps)]
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
        if isinstance(node, ast.Subscript) and _key(node.slice) == column:
            return True
        if isinstance(node, ast.Attribute) and node.attr == column and isinstance(node.value, ast.Name):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "pop" and column in _texts(node):
            return True
    return False


def _key(node: ast.expr) -> object:
    """`"load"` of `t["load"]`, `t[["load"]]`, `t.loc[rows, "load"]`."""
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        node = node.elts[1]
    if isinstance(node, ast.List) and len(node.elts) == 1:
        node = node.elts[0]
    return node.value if isinstance(node, ast.Constant) else None


def _texts(call: ast.Call) -> list[object]:
    return [a.value for a in call.args if isinstance(a, ast.Constant)]


def _is_feature(view: View, feature: str, made: ast.stmt) -> bool:
    """Whether the column is used again, by its name or in a list of names; or others are dropped, and it is not."""
    if any(_texts(call) and feature not in _texts(call) for call in view.calls("pop")):
        return True
    if _whole_table(view, made):
        return True
    for node in walk(view.tree):
        if isinstance(node, ast.Constant) and node.value == feature and view.statement(node) is not made:
            return True
        if isinstance(node, ast.Name) and node.id == feature and isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "drop" and feature not in ast.unparse(node):
            return True
    return False


def _whole_table(view: View, made: ast.stmt) -> bool:
    """Whether a function makes the column in a table of its own, and gives all of that back."""
    target = made.targets[0] if isinstance(made, ast.Assign) else None
    scope = view.scope(made)
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or scope is view.tree:
        return False
    table = target.value.id
    new = any(
        isinstance(m.value, ast.Call) and last_name(m.value.func) == "DataFrame"
        for m in view.back.named(view.file, target.value)
    )
    returns = returned(scope) if isinstance(scope, ast.FunctionDef) else []
    return new and any(table in names_in(v) and not any(isinstance(n, ast.Subscript) for n in walk(v)) for v in returns)


def _smoothed(view: View) -> Iterator[Slip]:
    """Features that are a running mean of the very array that a `fit` gets as its labels."""
    for call in view.calls("fit"):
        if len(call.args) < 2:
            continue
        data, labels = call.args[:2]
        sources = names_in(labels)
        for name in nodes_of(labels, ast.Name):
            plain = (m.value for m in view.back.values(view.file, name) if isinstance(m.value, ast.Call))
            sources |= {n for v in plain if last_name(v.func) in _ARRAYS for n in names_in(v)}
        listed = [a for a in view.calls("append") if isinstance(a.func, ast.Attribute) and a.args]
        listed = [a for a in listed if last_name(a.func.value) in sources]  # type: ignore[attr-defined]
        for made in view.made(data):
            found = next((n for n in walk(made.value) if _runs(n, sources) or _up_to(n, listed)), None)
            whole = made.file == view.file and not re.search(r"shift\(|roll\(|:-1\]", ast.unparse(made.value))
            if found is not None and whole:
                yield Slip(
                    "feature-of-target",
                    made.line,
                    "A feature is a running mean of the target that has the same row in it",
                    f"`{ast.unparse(found)[:60]}` includes the target of the row that is to be predicted. When the "
                    "model "
                    "is used, that is not known: end the window one row before.",
                )
                return


def _runs(node: ast.AST, names: set[str]) -> bool:
    """`convolve(y, ..., "same")`, `cumsum(y)` and filters of one of these arrays."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in _FILTERS:
        return False
    own = node.func.value if isinstance(node.func, ast.Attribute) else None
    of = [*node.args[:1], *([own] if own is not None else [])]
    modes = ast.unparse(node)
    centred = last_name(node.func) not in ("convolve", "correlate") or "same" in modes
    return centred and any(isinstance(a, ast.Name) and a.id in names for a in of)


def _up_to(node: ast.AST, listed: list[ast.Call]) -> bool:
    """`y[i - k : i + 1]` in a mean, where `y[i]` is what the labels get."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice) or node.slice.upper is None:
        return False
    for call in listed:
        label = call.args[0]
        if isinstance(label, ast.Subscript) and ast.unparse(label.value) == ast.unparse(node.value):
            return ast.unparse(node.slice.upper) == f"{ast.unparse(label.slice)} + 1"
    return False


def _turned(view: View, function: ast.FunctionDef | ast.Lambda) -> Iterator[Slip]:
    """A function of (image, mask) that turns or moves the image alone."""
    names = positional(function)
    given = [function.body] if isinstance(function, ast.Lambda) else [n.value for n in nodes_of(function, ast.Return)]
    returns = [v.elts for v in given if isinstance(v, ast.Tuple)]
    taken = [n.targets[0] for n in nodes_of(function, ast.Assign) if last_name(n.value) in names]
    pairs = [[e.id for e in t.elts if isinstance(e, ast.Name)] for t in taken if isinstance(t, ast.Tuple)]
    names = next((p for p in pairs if len(p) == 2), names)  # `image, mask = pair`
    if len(names) < 2 or not returns or len(returns[0]) < 2:
        return
    image, dense = names[:2]
    named = isinstance(function, ast.Lambda) or len(view.calls_of(function.name)) > 0
    if not (_DENSE.search(dense) or (named and _is_dense(view))):
        return
    one, other = (_also(function, n) for n in (image, dense))
    turned = _turns(function, one, returns[0][0])
    first, second = (names_in(e) for e in returns[0][:2])
    still = _turns(function, other, returns[0][1]) is None and bool(second & other)
    if turned is not None and still and first & one:
        yield _left(turned, image, dense)
    seeded = _seeded_apart(view, function, image, dense)
    if seeded is not None:
        yield Slip(
            "target-left-behind",
            seeded.lineno,
            f"`{image}` and `{dense}` are turned by two seeds",
            f"`{last_name(seeded.func)}` draws by its seed, and gets another one for `{dense}`: one of both may be "
            "turned and the other not, and then each place has the value of another one. Give both the same seed.",
        )
    drawn = [_draw(function, n) for n in (one, other)]
    if drawn[0] is not None and drawn[1] is not None and drawn[0] is not drawn[1]:
        yield Slip(
            "target-left-behind",
            max(d.lineno for d in drawn if d is not None),
            f"`{image}` and `{dense}` are turned by two draws",
            f"Each call of `{last_name(drawn[0].func)}` draws for itself: one of both may be turned and the other not, "
            "and then each place has the value of another one. Change both by one draw.",
        )


def _seeded_apart(view: View, function: ast.FunctionDef | ast.Lambda, image: str, dense: str) -> ast.Call | None:
    """The second of two calls of one function of the program that turns by a seed: with another seed than the first."""
    calls: dict[str, list[ast.Call]] = {}
    for call in (n for n in nodes_of(function, ast.Call) if len(n.args) == 2 and not n.keywords):
        if isinstance(call.args[0], ast.Name) and call.args[0].id in (image, dense):
            calls.setdefault(last_name(call.func), []).append(call)
    for name, found in calls.items():
        own = [f for _, f in view.back.functions.get(name, ())]
        turns = any(_TURNS.search(ast.unparse(f)) and re.search(r"stateless|seed", ast.unparse(f)) for f in own)
        apart = len(found) == 2 and len({last_name(c.args[0]) for c in found}) == 2
        if turns and apart and ast.unparse(found[0].args[1]) != ast.unparse(found[1].args[1]):
            return max(found, key=lambda c: c.lineno)
    return None


def _draw(function: ast.AST, names: set[str]) -> ast.Call | None:
    """A random change of a place that is made of one of the names, without a seed that both could have."""
    for call in (n for n in nodes_of(function, ast.Call) if n.args):
        named = last_name(call.func)
        alone = isinstance(call.args[0], ast.Name) and call.args[0].id in names
        if alone and _DRAWN.match(named) and not any(k.arg == "seed" for k in call.keywords):
            return call
    return None


def _also(function: ast.AST, name: str) -> set[str]:
    """A name, and others that are given what it holds."""
    names = {name}
    for node in nodes_of(function, ast.Assign):
        if names & names_in(node.value):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _turns(function: ast.AST, names: set[str], result: ast.expr) -> int | None:
    """The line that turns or moves what one of the names holds."""
    for value in (*(n.value for n in nodes_of(function, ast.Assign)), result):
        if names & names_in(value) and _TURNS.search(ast.unparse(value)):
            return value.lineno
    return None


def _is_dense(view: View) -> bool:
    """Whether images and targets of one size are cut into a dataset together."""
    for call in view.calls("from_tensor_slices"):
        parts = call.args[0].elts if call.args and isinstance(call.args[0], ast.Tuple) else []
        sizes = [view.shape(p) for p in parts[:2]]
        if len(sizes) == 2 and all(s is not None and len(s) > 2 for s in sizes):
            return bool(sizes[0] and sizes[1] and sizes[0][1:3] == sizes[1][1:3] and min(sizes[0][1:3]) > 3)
    return False


def _doubled(view: View) -> Iterator[Slip]:
    """`concatenate([x, x[:, :, ::-1]])` and `concatenate([mask, mask])`."""
    joins = [c for c in view.calls("concatenate", "concat") if c.args and isinstance(c.args[0], ast.List | ast.Tuple)]
    turned = [c for c in joins if len(_parts(c)) > 1 and any(_turning(view, e) for e in _parts(c))]
    plain = [c for c in joins if len(_parts(c)) > 1 and len({ast.unparse(e) for e in _parts(c)}) == 1]
    along = {ast.unparse(_parts(c)[0]) for c in turned}
    for one in turned:
        for other in (c for c in plain if ast.unparse(_parts(c)[0]) not in along):
            first, second = (view.shape(_parts(c)[0]) for c in (one, other))
            same = first and second and len(second) > 2 and first[1:3] == second[1:3]
            if view.scope(one) is view.scope(other) and same:
                yield _left(one.lineno, ast.unparse(_parts(one)[0]), ast.unparse(_parts(other)[0]))


def _turning(view: View, value: ast.expr) -> bool:
    """Whether an expression turns or moves an array, or calls a function of the program that does."""
    own = [f for n in nodes_of(value, ast.Call) for _, f in view.back.functions.get(last_name(n.func), ())]
    texts = [ast.unparse(value), *(ast.unparse(v) for f in own for v in returned(f))]
    return any(_TURNS.search(t) for t in texts)


def _parts(call: ast.Call) -> list[ast.expr]:
    given = call.args[0]
    return list(given.elts) if isinstance(given, ast.List | ast.Tuple) else []


def _left(line: int, image: str, dense: str) -> Slip:
    return Slip(
        "target-left-behind",
        line,
        f"`{image}` is turned or moved, and `{dense}`, which has a value for each place, is not",
        f"`{dense}` has a value for each place of `{image}`. After the change of `{image}` alone, each place of it "
        f"has the value of another one. Make the same change, with the same draw, of `{dense}`.",
    )

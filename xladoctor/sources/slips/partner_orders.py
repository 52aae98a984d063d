"""Rows whose partners are arranged in another way: copies one after the other beside copies in turn, a part by place
beside a part that was drawn, values from before a sort, listings without an order, codes made apart.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, walk
from xladoctor.sources.predictions import inner, words_of
from xladoctor.sources.sizes import size
from xladoctor.sources.slips.slip import Slip

_DEPTH = 8
_JOINS = frozenset({"concat", "concatenate", "vstack"})
_LISTS = frozenset({"glob", "iglob", "iterdir", "listdir", "rglob", "scandir"})
_UNORDERED = frozenset({"as_completed", "imap_unordered"})
_REORDERS = frozenset({"sort_values", "sort_index", "sample"})
_DROPS = frozenset({"dropna", "drop_duplicates", "query"})
_ENCODERS = frozenset({"LabelEncoder", "OneHotEncoder", "OrdinalEncoder", "CountVectorizer", "TfidfVectorizer"})
_SIDES = re.compile(
    r"(?:^|(?<=[_\W]))(?:x_?|y_?|df_?)?(train(?:ing)?|tr|fit|test|te|val(?:id(?:ation)?)?|va|new)(?=[_\W]|$)", re.I
)


@dataclass(frozen=True)
class Copies:
    """k copies of each row: all rows again and again (`blocks`), or each row several times (`turns`)."""

    how: str
    times: str
    line: int


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for one, other in _partners(view):
        yield from _copies(view, one, other)
        yield from _by_place(view, one, other)
        yield from _listed(view, one, other)
        yield from _before_a_sort(view, one, other)
    yield from _as_they_end(view)
    yield from _coded_apart(view)


def _partners(view: View) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Rows, and what belongs to them: labels, weights, the parts of a dataset."""
    for call in view.calls("fit", "evaluate", "train_on_batch"):
        given = [*call.args[:2], *(k.value for k in call.keywords if k.arg in ("y", "sample_weight"))]
        rows = keyword(call, "x")
        given = [rows, *given] if rows is not None else given
        yield from ((given[0], other) for other in given[1:])
    for call in view.calls("from_tensor_slices", "zip", "train_test_split"):
        parts = call.args
        if last_name(call.func) == "from_tensor_slices":
            parts = list(call.args[0].elts) if call.args and isinstance(call.args[0], ast.Tuple | ast.List) else []
        yield from ((parts[0], other) for other in parts[1:])


def _followed(view: View, node: ast.expr, depth: int) -> tuple[View, ast.expr] | None:
    """What made a value, whose rows it has in the same order."""
    if not depth:
        return None
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        if len(made) == 1:
            return view.of(made[0]), made[0].value
        made = [] if made else view.back.named(view.file, node)
        values = view.back.part_of(made[0].value, made[0].part) if len(made) == 1 else []
        return (view.of(values[0]), values[0].value) if len(values) == 1 else None
    if isinstance(node, ast.Subscript):
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        whole = isinstance(first, ast.Slice) and first.lower is first.upper is first.step is None
        return (view, node.value) if whole or ast.unparse(first) == "..." else None
    if isinstance(node, ast.BinOp):
        return view, node.left
    of = inner(node)
    return (view, of) if of is not None and last_name(getattr(node, "func", node)) != "reshape" else None


def _copies(view: View, one: ast.expr, other: ast.expr) -> Iterator[Slip]:
    first, second = _arrangement(view, one, _DEPTH), _arrangement(view, other, _DEPTH)
    if first and second and first.how != second.how and first.times == second.times and first.times != "1":
        words = {"blocks": "all rows, and then all of them again", "turns": "each row several times in turn"}
        yield Slip(
            "copies-in-two-orders",
            second.line,
            f"`{ast.unparse(other)[:40]}` has its copies in another order than `{ast.unparse(one)[:40]}`",
            f"There are {first.times} copies of each row. `{ast.unparse(one)[:40]}` has {words[first.how]} (line "
            f"{first.line}), `{ast.unparse(other)[:40]}` has {words[second.how]}. So most rows meet what belongs to "
            "another one. `repeat` belongs to copies in turn; `tile` and `concatenate` give all of them again.",
        )


def _arrangement(view: View, node: ast.expr, depth: int) -> Copies | None:
    if isinstance(node, ast.Call):
        name, args = last_name(node.func), node.args
        axis = keyword(node, "axis")
        if name in _JOINS and args and (axis is None or ast.unparse(axis) == "0"):
            return _joined(view, node, args[0])
        if name == "repeat" and len(args) >= 2 and (axis is None or ast.unparse(axis) == "0"):
            return Copies("turns", str(size(view, args[1])), node.lineno)
        if name == "tile" and len(args) == 2:
            times = args[1].elts[0] if isinstance(args[1], ast.Tuple | ast.List) and args[1].elts else args[1]
            rest = args[1].elts[1:] if isinstance(args[1], ast.Tuple | ast.List) else []
            if all(ast.unparse(r) == "1" for r in rest):
                return Copies("blocks", str(size(view, times)), node.lineno)
    followed = _followed(view, node, depth)
    return _arrangement(*followed, depth - 1) if followed is not None else None


def _joined(view: View, call: ast.Call, given: ast.expr) -> Copies | None:
    """A list of versions of one array, each made of it."""
    if isinstance(given, ast.Name):
        made = view.back.values(view.file, given)
        given = made[0].value if len(made) == 1 else given
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Mult) and isinstance(given.left, ast.List):
        single = len(given.left.elts) == 1
        return Copies("blocks", str(size(view, given.right)), call.lineno) if single else None
    if isinstance(given, ast.ListComp) and len(given.generators) == 1:
        over = given.generators[0].iter
        counted = isinstance(over, ast.Call) and last_name(over.func) == "range" and len(over.args) == 1
        free = names_in(given.elt) - names_in(given.generators[0].target)
        named = {n for n in free if n not in ("np", "tf", "rng", "self") and n not in view.back.functions}
        return (
            Copies("blocks", str(size(view, over.args[0])), call.lineno)
            if (counted and isinstance(over, ast.Call) and named)
            else None
        )
    items = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    bare = {i.id for i in items if isinstance(i, ast.Name)}
    for name in bare:
        if len(items) > 1 and all(_of_all_rows(view, item, name) for item in items):
            return Copies("blocks", str(len(items)), call.lineno)
    return None


def _of_all_rows(view: View, item: ast.expr, name: str) -> bool:
    """Whether an expression is an array itself, or is made of it row by row, as far as it looks."""
    if isinstance(item, ast.Name):
        if item.id == name:
            return True
        made = view.back.values(view.file, item)
        return len(made) == 1 and not isinstance(made[0].value, ast.Name) and _of_all_rows(view, made[0].value, name)
    if isinstance(item, ast.Subscript):
        first = item.slice.elts[0] if isinstance(item.slice, ast.Tuple) else item.slice
        return (
            isinstance(first, ast.Slice) and first.lower is first.upper is None and _of_all_rows(view, item.value, name)
        )
    if isinstance(item, ast.BinOp):
        return _of_all_rows(view, item.left, name) or _of_all_rows(view, item.right, name)
    if isinstance(item, ast.Call):
        own = item.func.value if isinstance(item.func, ast.Attribute) else None
        of = [*item.args[:1], *([own] if own is not None else [])]
        return any(_of_all_rows(view, a, name) for a in of if not isinstance(a, ast.Attribute))
    return False


def _by_place(view: View, one: ast.expr, other: ast.expr) -> Iterator[Slip]:
    """Rows of `train_test_split`, or of a mixed order, beside the first rows of an array that was not mixed."""
    drawn = _drawn(view, one)
    taken = _prefix(view, other)
    if drawn is None or taken is None or _drawn(view, other) is not None:
        return
    name, line = taken
    if name in drawn:
        return
    yield Slip(
        "drawn-apart",
        line,
        f"`{ast.unparse(other)[:40]}` is taken by place, and `{ast.unparse(one)[:40]}` was drawn",
        f"`{ast.unparse(one)[:40]}` has rows from all places in a mixed order, and `{name}` was not mixed. So each row "
        "meets what belongs to another one. Give the draw both.",
    )


def _drawn(view: View, node: ast.expr) -> set[str] | None:
    """The names that a `train_test_split` deals out together, one part of which a name is."""
    made = view.back.named(view.file, node) if isinstance(node, ast.Name) else []
    call = made[0].value if len(made) == 1 else None
    if not isinstance(call, ast.Call) or last_name(call.func) != "train_test_split" or not made[0].part:
        return None
    shuffle = keyword(call, "shuffle")
    if shuffle is not None and ast.unparse(shuffle) != "True":
        return None
    return {n for a in call.args for n in names_in(a)}


def _prefix(view: View, node: ast.expr) -> tuple[str, int] | None:
    """(array, line) of `w[:n]` and `w[n:]`, also by a name."""
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        if len(made) != 1 and (pair := view.back.named(view.file, node)) and len(pair) == 1:
            value = pair[0].value
            return _prefix(view, value) if isinstance(value, ast.Subscript) else None
        return _prefix(view, made[0].value) if len(made) == 1 and not isinstance(made[0].value, ast.Name) else None
    cut = node.slice if isinstance(node, ast.Subscript) else None
    one_side = isinstance(cut, ast.Slice) and (cut.lower is None) != (cut.upper is None) and cut.step is None
    if one_side and isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id, node.lineno
    return None


def _listed(view: View, one: ast.expr, other: ast.expr) -> Iterator[Slip]:
    """Two listings of folders of which one at least was not sorted."""
    found = [_listing(view, e, 4) for e in (one, other)]
    if found[0] is None or found[1] is None or all(found) or ast.unparse(one) == ast.unparse(other):
        return
    line = next(n.lineno for n, by in zip((one, other), found, strict=True) if not by)
    yield Slip(
        "listed-as-found",
        line,
        "Files of two folders are paired as the folders list them",
        f"`{ast.unparse(one)[:40]}` and `{ast.unparse(other)[:40]}` come from listings that nobody sorted. A folder "
        "lists its files in any order, which differs from disk to disk: the n-th of one belongs to another file than "
        "the n-th of the other. `sorted(...)` gives both one order.",
    )


def _listing(view: View, node: ast.expr, depth: int) -> bool | None:
    """Whether a listing of a folder is sorted; None of anything else."""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in _LISTS:
            return False
        if name in ("sorted", "natsorted", "sort"):
            below = _listing(view, node.args[0], depth - 1) if node.args and depth else None
            return True if below is not None else None
        return (
            _listing(view, node.args[0], depth - 1)
            if name in ("list", "array", "map") and node.args and depth
            else None
        )
    if isinstance(node, ast.ListComp) and depth:
        return _listing(view, node.generators[0].iter, depth - 1)
    if isinstance(node, ast.Name) and depth:
        made = view.back.named(view.file, node)
        if any(isinstance(m.value, ast.Call) and last_name(m.value.func) == "sort" for m in made):
            return True
        return _listing(view, made[0].value, depth - 1) if len(made) == 1 else None
    return None


def _before_a_sort(view: View, one: ast.expr, other: ast.expr) -> Iterator[Slip]:
    """Labels that were taken out of a table before it was sorted, beside rows that were taken afterwards; and both cut
    to the same number after one of two tables lost rows.
    """
    rows, labels = _table(view, one, _DEPTH), _table(view, other, _DEPTH)
    if rows is None or labels is None or rows[0] != labels[0] or rows[1] == labels[1]:
        return
    early, late = sorted((rows[1], labels[1]))
    scope = view.scope(one)
    for node in (n for n in walk(scope) if isinstance(n, ast.Assign | ast.Expr) and early < n.lineno <= late):
        call = node.value if isinstance(node.value, ast.Call) else None
        if call is None or last_name(call.func) not in _REORDERS or not isinstance(call.func, ast.Attribute):
            continue
        inplace = isinstance(node, ast.Expr) and keyword(call, "inplace") is not None
        same = isinstance(node, ast.Assign) and [last_name(t) for t in node.targets] == [rows[0]]
        root = next((n.id for n in nodes_of(call.func, ast.Name)), "")
        if root == rows[0] and (same or inplace):
            yield Slip(
                "taken-before-sort",
                labels[1] if labels[1] < rows[1] else rows[1],
                f"Rows and labels were taken from `{rows[0]}` before and after it was put in another order",
                f"Line {node.lineno} calls `{last_name(call.func)}`. What was taken out as an array before "
                f"(line {early}) stays in the old order, and what is taken afterwards (line {late}) has the new one.",
            )
            return


def _table(view: View, node: ast.expr, depth: int) -> tuple[str, int] | None:
    """(table, line) where an array was taken out of a table: `table["y"].values`, `table[cols].to_numpy()`."""
    if isinstance(node, ast.Call | ast.Attribute):
        taken = node.func if isinstance(node, ast.Call) else node
        if (
            isinstance(taken, ast.Attribute)
            and taken.attr in ("to_numpy", "values")
            and isinstance(taken.value, ast.Subscript)
        ):
            return (taken.value.value.id, node.lineno) if isinstance(taken.value.value, ast.Name) else None
    if isinstance(node, ast.Name) and depth:
        made = view.back.values(view.file, node)
        one = len(made) == 1 and made[0].file == view.file
        return _table(view, made[0].value, depth - 1) if one else None
    of = inner(node) if not isinstance(node, ast.Subscript) else None
    return _table(view, of, depth - 1) if of is not None and depth else None


def _as_they_end(view: View) -> Iterator[Slip]:
    """`np.stack([f.result() for f in as_completed(jobs)])`."""
    for node in (n for n in walk(view.tree) if isinstance(n, ast.ListComp | ast.For)):
        over = node.generators[0].iter if isinstance(node, ast.ListComp) else node.iter
        target = node.generators[0].target if isinstance(node, ast.ListComp) else node.target
        if not isinstance(over, ast.Call) or last_name(over.func) not in _UNORDERED or not isinstance(target, ast.Name):
            continue
        body = [node.elt] if isinstance(node, ast.ListComp) else list(node.body)
        keyed = any(isinstance(n, ast.Subscript | ast.Tuple) for part in body for n in walk(part))
        kept = isinstance(node, ast.ListComp) or any(
            isinstance(n, ast.Call) and last_name(n.func) == "append" for part in body for n in walk(part)
        )
        above = view.above.get(node)
        arrays = isinstance(above, ast.Call) and last_name(above.func) in ("stack", "array", "concatenate", "vstack")
        if kept and not keyed and (arrays or isinstance(above, ast.Assign) or isinstance(node, ast.For)):
            yield Slip(
                "as-they-end",
                getattr(node, "lineno", 0),
                f"Results are kept in the order in which the tasks end (`{last_name(over.func)}`)",
                "Which task ends first differs from run to run. What belongs to the tasks is in the order in which "
                "they were given, and each result meets that of another one. `map` keeps the order.",
            )


def _coded_apart(view: View) -> Iterator[Slip]:
    """`pd.get_dummies(train)` and `pd.get_dummies(test)`: the same code for two sides, by the values of each."""
    words = words_of(view)
    if words & {"reindex", "align", "Categorical", "CategoricalDtype", "reindex_like", "set_categories"}:
        return
    seen: dict[str, tuple[str, int]] = {}
    for call in view.calls("get_dummies", "factorize", "fit_transform", "unique"):
        name = last_name(call.func)
        maker = call.func.value if isinstance(call.func, ast.Attribute) else None
        new = isinstance(maker, ast.Call) and last_name(maker.func) in _ENCODERS
        inverse = keyword(call, "return_inverse") is not None
        if (name == "fit_transform" and not new) or (name == "unique" and not inverse) or not call.args:
            continue
        text = ast.unparse(call)
        plain = _SIDES.sub("SIDE", text)
        before = seen.setdefault(plain, (text, call.lineno))
        if plain != text and before[0] != text:
            yield Slip(
                "coded-apart",
                call.lineno,
                f"`{text[:60]}` numbers the values of its own side",
                f"Line {before[1]} does the same with the other side (`{before[0][:60]}`). A value that only one of "
                "them has moves all others on: the same number, or column, is another value. Make the codes once, and "
                "apply them to both.",
            )

"""Arrays that are divided, normalised or pooled along the other axis: by the sums of rows, but column by column."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.counted import models, predicted
from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, nodes_of, operands, walk
from xladoctor.sources.slips.slip import Slip

_REDUCES = frozenset({"max", "mean", "min", "norm", "reduce_max", "reduce_mean", "reduce_sum", "sum"})
_GUARDS = frozenset({"clip", "clip_by_value", "maximum"})
_DIVIDES = frozenset({"divide", "divide_no_nan", "true_divide"})
_NORMS = frozenset({"norm"})
_POOLS = frozenset({"avg_pool", "avg_pool1d", "conv1d", "max_pool", "max_pool1d", "pool"})
_MODULES = frozenset({"K", "jnp", "linalg", "math", "np", "numpy", "nn", "ops", "special", "tf"})
_MATRIX = re.compile(r"(?<!\w)(?:as|b)?mat(?:rix)?\(|sparse|csr_|coo_|csc_")
"""What keeps two axes in a sum. A `confusion_matrix(…)` is an array as others are."""
_BOTH_WAYS = ("None", "newaxis", "outer")
_DEPTH, _FAR = 4, 40


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    known: set[str] | None = None
    for node in walk(view.tree):
        parts = _quotient(node)
        if parts is not None:
            found = _by_rows(view, *parts) or _apart(view, node, *parts)
            if found is None and _softmax_over_rows(view, *parts):
                known = models(view) if known is None else known
                found = _over_rows(view, parts[0]) if predicted(view, parts[0], known) else None
            if found is not None:
                yield Slip(found[0], getattr(node, "lineno", 0), found[1], found[2])
        elif isinstance(node, ast.Call) and last_name(node.func) in _POOLS:
            yield from _pooled(view, node)


def _quotient(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What is divided, or reduced by, what."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Sub):
        return node.left, node.right
    if isinstance(node, ast.Call) and last_name(node.func) in _DIVIDES and len(node.args) > 1:
        return node.args[0], node.args[1]
    return None


def _reduction(view: View, node: ast.expr, depth: int = _DEPTH) -> tuple[ast.expr, str, bool, str] | None:
    """(array, axis, whether the axis is kept, name) of `x.sum(axis=1)`, also with a guard against 0 around it."""
    if not depth:
        return None
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        same = len(made) == 1 and made[0].file == view.file and made[0].part is None
        return _reduction(view, made[0].value, depth - 1) if same else None
    if isinstance(node, ast.Attribute):
        kept = view.back.attributes(node.attr)
        return _reduction(view.of(kept[0]), kept[0].value, depth - 1) if len(kept) == 1 and not kept[0].part else None
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        return _reduction(view, node.left, depth - 1)
    if not isinstance(node, ast.Call):
        return None
    name = last_name(node.func)
    of, rest = operands(node, _MODULES)
    if name in _GUARDS and of is not None:
        return _reduction(view, of, depth - 1)
    if name not in _REDUCES or of is None:
        return None
    axis = keyword(node, "axis") or (rest[0] if rest and name not in _NORMS else None)
    keeps = any(k.arg == "keepdims" and getattr(k.value, "value", True) for k in node.keywords)
    return of, "" if axis is None else ast.unparse(axis), keeps, name


def _by_rows(view: View, left: ast.expr, right: ast.expr) -> tuple[str, str, str] | None:
    """`a / a.sum(axis=1)` of a square: broadcasting lines the sums of the rows up with the columns."""
    found = _reduction(view, right)
    if found is None or found[1] not in ("1", "-1") or found[2]:
        return None
    held = view.held(left)
    sizes = view.shape(left) if isinstance(left, ast.Name | ast.Attribute) else None
    square = sizes is not None and len(sizes) == 2 and sizes[0] == sizes[1] > 1
    # What an object keeps was made of an array that has another name where it is used.
    kept = isinstance(right, ast.Attribute) and square
    if not kept and ast.unparse(found[0]) != ast.unparse(left):
        return None
    if (held is not None and held.kind == "table") or not (square or (sizes is None and found[1] == "1")):
        return None
    here = ast.unparse(view.statement(left) or left)
    if any(word in here for word in _BOTH_WAYS) or _is_of_columns(view, left):
        return None
    made = " ".join(ast.unparse(m.value) for m, _ in zip(view.made(left), range(_FAR), strict=False))
    if _MATRIX.search(made):
        return None
    one = ast.unparse(left)[:40]
    return (
        "divided-across",
        f"`{one}` is divided, or reduced, by the {found[3]} of each row, but column by column",
        f"Without `keepdims`, the {found[3]} over axis 1 has a number for each row, and broadcasting lines it up with "
        "the columns. The array is square, so there is no error. Its rows do not have the same sum afterwards.",
    )


def _is_of_columns(view: View, left: ast.expr) -> bool:
    """Whether columns are meant to add up to 1: the function says so, or a product takes a matrix transposed."""
    scope = view.scope(left)
    said = ast.get_docstring(scope) if isinstance(scope, ast.FunctionDef) else None
    products = [c for v in view.every() for c in v.calls("matvec", "matmul")]
    return "column" in (said or "").lower() or any(k.arg == "transpose_a" for c in products for k in c.keywords)


def _softmax_over_rows(view: View, left: ast.expr, right: ast.expr) -> bool:
    """`e / e.sum(axis=0)`, where `e` is an `exp` of (rows, columns)."""
    found = _reduction(view, right)
    if found is None or found[1] != "0" or found[3] not in ("sum", "reduce_sum"):
        return False
    if ast.unparse(found[0]) != ast.unparse(left):
        return False
    values = [left, *(m.value for m, _ in zip(view.made(left), range(_DEPTH), strict=False))]
    calls = [c for v in values for c in nodes_of(v, ast.Call) if last_name(c.func) == "exp" and c.args]
    sizes = [view.shape(n) for c in calls for n in nodes_of(c.args[0], ast.Name)]
    return any(s is not None and len(s) == 2 and s[0] > s[1] > 1 for s in sizes)


def _over_rows(view: View, left: ast.expr) -> tuple[str, str, str]:
    one = ast.unparse(left)[:40]
    return (
        "softmax-over-rows",
        f"The softmax of `{one}` goes over the rows, and not over the classes",
        "A model gives (rows, classes). Divided by their sum over axis 0, the numbers of each class add up to 1 over "
        "all rows, and each row depends on the others. The probabilities of a row need the last axis, with `keepdims`.",
    )


def _apart(view: View, node: ast.AST, left: ast.expr, right: ast.expr) -> tuple[str, str, str] | None:
    """`v / norm(v, axis=0)`, and then `v @ v.T`: the products are cosines if each row has the length 1."""
    found = _reduction(view, right)
    if found is None or found[1] != "0" or found[3] not in _NORMS or ast.unparse(found[0]) != ast.unparse(left):
        return None
    statement = view.statement(node)
    targets = {last_name(t) for t in getattr(statement, "targets", [])} - {""}
    if not targets or not any(_with_itself(n, targets) for n in walk(view.tree)):
        return None
    return (
        "norms-of-columns",
        f"`{ast.unparse(left)[:40]}` is divided by the norms of its columns, and its rows are multiplied",
        "With axis 0, `norm` has one number for each column, over all rows. The products of the rows with each other "
        "are no cosines: each row keeps its own length. Its norm needs the last axis, with `keepdims`.",
    )


def _with_itself(node: ast.AST, names: set[str]) -> bool:
    """`v @ v.T` and `tf.matmul(v, v, transpose_b=True)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        turned = isinstance(node.right, ast.Attribute) and node.right.attr == "T"
        return turned and {last_name(node.left), last_name(getattr(node.right, "value", node))} <= names
    if isinstance(node, ast.Call) and last_name(node.func) == "matmul" and len(node.args) > 1:
        turned = any(k.arg == "transpose_b" for k in node.keywords)
        return turned and {last_name(a) for a in node.args[:2]} <= names
    return False


def _pooled(view: View, call: ast.Call) -> Iterator[Slip]:
    """`avg_pool1d(h[tf.newaxis], ...)[0]` of rows that have nothing to do with those beside them."""
    of = _as_one(_plain(view, call.args[0])) if call.args else None
    if of is None or not _taken_back(view, call):
        return
    for array in _arrays(view, of):
        held = view.held(array)
        if held is not None and len(held.shape) >= 2 and held.dtype.startswith("float"):
            if held.unlike_rows:
                yield Slip(
                    "pooled-over-rows",
                    call.lineno,
                    f"`{last_name(call.func)}` goes over the rows of the batch",
                    f"A new first axis makes one item of the batch, and its rows become the steps of that item: each "
                    f"row is mixed with those before and after it. Successive rows of `{ast.unparse(array)[:40]}` have "
                    "nothing in common in this run. The axis to be pooled comes after the rows: `h[..., tf.newaxis]`.",
                )
            return


def _as_one(node: ast.expr) -> ast.expr | None:
    """What gets a new first axis."""
    if isinstance(node, ast.Subscript):
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        return node.value if last_name(first) == "newaxis" or getattr(first, "value", 0) is None else None
    if isinstance(node, ast.Call) and last_name(node.func) == "expand_dims" and node.args:
        axis = keyword(node, "axis") or (node.args[1] if len(node.args) > 1 else None)
        return node.args[0] if axis is not None and ast.unparse(axis) == "0" else None
    return None


def _plain(view: View, node: ast.expr) -> ast.expr:
    """What a name was given, where that is one expression of the same function."""
    made = view.back.values(view.file, node) if isinstance(node, ast.Name) else []
    return made[0].value if len(made) == 1 and made[0].file == view.file and made[0].part is None else node


def _taken_back(view: View, call: ast.Call) -> bool:
    """`[0]` or a `squeeze` of what a call gives, at once or of the name that gets it."""
    above = view.above.get(call)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
        name, scope = above.targets[0].id, view.scope(call)
        uses = [view.above.get(n) for n in view.loads(scope, name) if n.lineno > call.lineno]
        return any(isinstance(u, ast.Subscript) and ast.unparse(u.slice) == "0" for u in uses)
    if isinstance(above, ast.Subscript):
        return ast.unparse(above.slice) == "0"
    return isinstance(above, ast.Call) and last_name(above.func) == "squeeze"


def _arrays(view: View, node: ast.expr) -> Iterator[ast.expr]:
    """The names that an expression is made of, nearest first."""
    yield from nodes_of(node, ast.Name)
    for made, _ in zip(view.made(node), range(40), strict=False):
        yield from nodes_of(made.value, ast.Name)

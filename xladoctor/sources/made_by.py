"""The line that made the rows of a Keras call what they are: the nearest one before it that calls something fitting."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass

from xladoctor.sources.backward import Backward, Made
from xladoctor.sources.names import last_name, nodes_of, statements, walk

_ARGUMENTS = ("x", "y", "validation_data", "class_weight", "sample_weight")
_FOLLOWED = 4
_METHODS = ("fit", "evaluate", "predict")
_END = 1 << 30
_NO_OBJECTS = frozenset({"np", "numpy", "tf", "tensorflow", "keras", "math", "pd", *dir(builtins)})
_KEEP = ("model", "net", "clf", "history", "auto")


@dataclass(frozen=True)
class Maker:
    """Which statement is looked for: one that calls one of these names.

    `of_arrays`: a call of the program's own function counts where such a call is within it, and it was given an array.
    `loops`: the loop that fills an array, `shifts`: a slice that leaves out the first or the last rows, count too; and
    of `needs` one must stand in the text, and of `without` none.
    """

    names: frozenset[str]
    of_arrays: bool
    loops: bool = False
    shifts: bool = False
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


STATISTIC = Maker(
    frozenset({"adapt", "amax", "amin", "average", "fit_transform", "max", "mean", "median", "min", "minmax_scale",
               "moments", "nanmean", "nanstd", "normalize", "ptp", "reduce_max", "reduce_mean", "reduce_min",
               "reduce_std", "scale", "std", "var", "zscore", "fit"}),
    of_arrays=True,
)  # fmt: skip
"""A statistic, or a scaling by one."""
WHOLE_SPREAD = Maker(
    frozenset({"std", "nanstd", "reduce_std"}), of_arrays=False, without=("axis", "std(0", "std(1", "std((", ",0)")
)
"""A deviation of all numbers."""
DEALT = Maker(
    frozenset({"choice", "permutation", "permuted", "sample", "shuffle", "train_test_split", "split", "random_split"}),
    of_arrays=False,
)
"""A random order, or a split."""
REORDERED = Maker(
    frozenset({"argsort", "choice", "gather", "merge", "permutation", "permuted", "sample", "shuffle", "sort", "sorted",
               "sort_values", "take"}),
    of_arrays=True,
)  # fmt: skip
"""What puts rows into another order."""
NUMBERED = Maker(
    frozenset({"LabelEncoder", "enumerate", "StringLookup", "factorize", "fit_transform", "get_dummies", "glob",
               "iterdir", "listdir", "scandir", "set", "unique"}),
    of_arrays=True,
)  # fmt: skip
"""What gives classes their numbers."""
DRAWN_AGAIN = Maker(
    frozenset({"choice", "fit_resample", "repeat", "resample", "sample"}),
    True,
    needs=("replace=True", "sample(", "repeat("),
)
"""Rows that are drawn, some of them more than once."""
COUNTED = Maker(
    frozenset({"Counter", "bincount", "enumerate", "items", "len", "mean", "sum", "unique", "value_counts", "zip"}),
    of_arrays=False,
)
"""Classes that are counted."""


def line_of_rows(
    back: Backward, file: str, line: int | None, what: str, maker: Maker, step: tuple[str, int] | None = None
) -> tuple[str, int] | None:
    """(file, line) of that statement; None where no statement before the call is so. `what` is an argument of a call
    of Keras at the line, or a name, as it is at the line or at the end of the file. `step`: the argument of a call of
    this function of the program, by its place.
    """
    if back.tree(file) is None:
        return None
    named = line is None or what not in _ARGUMENTS
    value: ast.expr | None = ast.Name(what, ast.Load(), lineno=line or _END)
    if not named:
        value = (_given(back, file, line or 0, *step) if step else None) or _argument(back, file, line or 0, what)
    if value is None:
        return None
    if not named and _fits(back, value, maker):
        return file, value.lineno
    last = None
    for made in back.steps(file, value):
        last = last or (made.file, made.line)
        if maker.loops and _fills(made):
            return made.file, _loop_around(back, made)
        if _fits(back, made.value, maker):
            return _of_keys(back, made, maker) or (made.file, made.line)
    return last if named else None


def _of_keys(back: Backward, made: Made, maker: Maker) -> tuple[str, int] | None:
    """Where the keys come from, if groups are dealt out by keys, `rng.permutation(np.unique(keys))`, or numbered."""
    calls = list(nodes_of(made.value, ast.Call))
    keys: list[ast.expr] = [c.args[0] for c in calls if last_name(c.func) in ("unique", "set") and c.args]
    if maker is NUMBERED:
        keys = [c.args[0] for c in calls if last_name(c.func) == "enumerate" and c.args]
    keys += [k.value for c in calls for k in c.keywords if k.arg == "groups"]
    here, found = (made.file, keys[0] if keys else None), None
    for _ in range(_FOLLOWED):
        if not isinstance(here[1], ast.Name):
            break
        before = back.named(here[0], here[1])
        if len(before) != 1:
            break
        found, here = (before[0].file, before[0].line), (before[0].file, before[0].value)
    return found


def _given(back: Backward, file: str, line: int, function: str, place: int) -> ast.expr | None:
    """What a call of a function of the program is given at a place; `step(*batch)` has the batch at each. Without the
    name of a function, of what is no function: a model.
    """
    call = back.call_at(file, line, function) if function else _call_of_object(back, file, line)
    given = [*call.args, *(k.value for k in call.keywords)] if call is not None else []
    spread = next((a.value for a in given if isinstance(a, ast.Starred)), None)
    return spread or (given[place] if 0 <= place < len(given) else None)


def _call_of_object(back: Backward, file: str, line: int) -> ast.Call | None:
    """The call at a line of what is neither a function of the program, nor one of a module or of Python."""
    calls = (n for n in nodes_of(back.tree(file) or ast.Module([], []), ast.Call) if n.args)
    for call in (c for c in calls if c.lineno <= line <= (c.end_lineno or c.lineno)):
        root = next((n.id for n in nodes_of(call.func, ast.Name)), "")
        if root and root not in _NO_OBJECTS and last_name(call.func) not in (*back.functions, *_METHODS):
            return call
    return None


def _argument(back: Backward, file: str, line: int, argument: str) -> ast.expr | None:
    for method in _METHODS:
        call = back.call_at(file, line, method)
        if call is None:
            continue
        named = {k.arg: k.value for k in call.keywords}
        if argument == "validation_data":
            value = named.get("validation_data")
            return value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
        if argument in ("class_weight", "sample_weight"):
            return named.get(argument)
        place = 1 if argument == "y" and (len(call.args) > 1 or "y" in named) else 0
        return named.get("xy"[place]) or (call.args[place] if place < len(call.args) else None)
    loops = (n for n in walk(back.tree(file) or ast.Module([], [])) if isinstance(n, ast.For | ast.comprehension))
    return next((n.iter for n in loops if n.iter.lineno <= line <= (n.iter.end_lineno or 0)), None)


def _fits(back: Backward, value: ast.expr, maker: Maker) -> bool:
    for node in walk(value):
        if maker.shifts and isinstance(node, ast.Slice) and _moves(node):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "c_" and "c_" in maker.names:
            return True
        if not isinstance(node, ast.Call):
            continue
        name = last_name(node.func)
        if name in maker.names and _wanted(node, maker):
            return True
        given = [a for a in (*node.args, *(k.value for k in node.keywords)) if _is_array(a)]
        own = back.functions.get(name, ()) if maker.of_arrays and given and name not in _METHODS else ()
        if any(_within(function, maker) for _, function in own):
            return True
    return False


def _within(function: ast.AST, maker: Maker) -> bool:
    return any(last_name(n.func) in maker.names and last_name(n.func) != "fit" for n in nodes_of(function, ast.Call))


def _wanted(call: ast.Call, maker: Maker) -> bool:
    text = ast.unparse(call).replace(" ", "")
    if maker.needs and not any(n in text for n in maker.needs):
        return False
    if any(w in text for w in maker.without):
        return False
    # The `fit` of a scaler, and not that of a model.
    held = ast.unparse(call.func.value).lower() if isinstance(call.func, ast.Attribute) else ""
    return last_name(call.func) != "fit" or not any(held.startswith(k) for k in _KEEP)


def _is_array(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Subscript | ast.Starred | ast.Attribute)


def _moves(part: ast.Slice) -> bool:
    """`[1:]`, `[lags - 1 :]`, `[:-1]`: all rows but a few at one end."""
    first = isinstance(part.lower, ast.Constant | ast.Name | ast.BinOp) and part.upper is None
    last = isinstance(part.upper, ast.UnaryOp)
    return (first or last) and part.step is None


def _fills(made: Made) -> bool:
    statement = made.statement
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Subscript) for t in targets)


def _loop_around(back: Backward, made: Made) -> int:
    loops = [
        n.lineno
        for n in walk(back.tree(made.file) or ast.Module([], []))
        if isinstance(n, ast.For | ast.While) and n.lineno <= made.line <= (n.end_lineno or n.lineno)
    ]
    return max(loops, default=made.line)


def line_of_second_draw(back: Backward) -> tuple[str, int] | None:
    """The second of two lines of one function that draw an order, where one function has two: each is of its own."""
    found = []
    for file, tree in back.trees.items():
        for scope in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
            calls = [n for s in statements(scope) if not hasattr(s, "body") for n in nodes_of(s, ast.Call)]
            lines = sorted({c.lineno for c in calls if last_name(c.func) in ("shuffle", "permutation", "permuted")})
            found += [(file, lines[1])] if len(lines) > 1 else []
    return found[0] if len(found) == 1 else None


def line_of_layer(back: Backward, name: str) -> tuple[str, int] | None:
    """The one line that makes layers of a class; of several the one that gives them an axis."""
    calls = list(back.calls_of(name)) if name else []
    lines = {(file, call.lineno) for file, call in calls}
    by_axis = {(file, call.lineno) for file, call in calls if any(k.arg == "axis" for k in call.keywords)}
    return next((next(iter(found)) for found in (lines, by_axis) if len(found) == 1), None)


def line_of_last_layer(back: Backward, name: str, units: int | None, activation: str) -> tuple[str, int] | None:
    """The line that makes the last layer of a model: of those of its class with its activation the one that says how
    many units it has, or the last one.
    """
    calls = [(file, call) for file, call in back.calls_of(name) if activation in ast.unparse(call)]
    sized = [(f, c) for f, c in calls if c.args and isinstance(c.args[0], ast.Constant) and c.args[0].value == units]
    found = max(sized or calls, key=lambda one: one[1].lineno, default=None)
    return (found[0], found[1].lineno) if found is not None else None

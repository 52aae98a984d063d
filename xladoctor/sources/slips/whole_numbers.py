"""Fractions that are put into whole numbers, and small unsigned numbers that are subtracted: by the types that arrays
had in the run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, walk
from xladoctor.sources.slips.slip import Slip

_GIVES_FRACTIONS = frozenset(
    {
        "mean",
        "std",
        "average",
        "normal",
        "uniform",
        "random",
        "sqrt",
        "exp",
        "log",
        "log1p",
        "predict",
        "sin",
        "cos",
        "tanh",
        "softmax",
        "sigmoid",
        "linspace",
        "var",
        "norm",
        "median",
    }
)
_WHOLE = frozenset(
    {
        "int",
        "round",
        "floor",
        "ceil",
        "rint",
        "trunc",
        "argmax",
        "argsort",
        "len",
        "int64",
        "int32",
        "searchsorted",
        "digitize",
        "astype",
    }
)
_UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})
_MEANT = frozenset({"maximum", "minimum", "where", "mod", "bitwise_xor"})


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for node in walk(view.tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            yield from _stored(view, node, node.targets[0].value, node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            yield from _below(view, node)
    for call in view.calls("astype"):
        yield from _cast(view, call)


def _stored(view: View, node: ast.Assign, into: ast.expr, value: ast.expr) -> Iterator[Slip]:
    """`whole[i] = a / b`."""
    if not isinstance(into, ast.Name) or not _fractional(view, value):
        return
    held = view.held(into)
    dtype = held.dtype if held is not None else _made_as(view, into)
    if dtype.startswith(("int", "uint")):
        yield Slip(
            "fractions-cut-off",
            node.lineno,
            f"`{into.id}` is an array of {dtype}, and gets fractions: they are cut off",
            f"An array keeps its type when its elements are set. `{into.id}` was made as {dtype}, so that what stands "
            f"behind the point of `{ast.unparse(value)[:60]}` is lost. Make it as floats: `np.zeros(shape)`.",
        )


def _made_as(view: View, name: ast.Name) -> str:
    """The type that a name was made with, where it is written: `zeros(n, dtype=int)`, `zeros_like(whole)`."""
    types = set()
    for made in view.back.named(view.file, name):
        value = made.value
        if not isinstance(value, ast.Call) or not isinstance(made.statement, ast.Assign | ast.AnnAssign):
            continue
        if last_name(value.func) in (
            "zeros",
            "ones",
            "empty",
            "full",
            "zeros_like",
            "empty_like",
            "ones_like",
            "full_like",
        ):
            named = keyword(value, "dtype")
            spelled = (
                [named]
                if named is not None
                else value.args[1:2]
                if last_name(value.func) in ("zeros", "empty", "ones")
                else []
            )
            words = [ast.unparse(s).strip("'\"").rpartition(".")[2] for s in spelled]
            like = last_name(value.func).endswith("_like") and not words and value.args
            types.add(view.dtype(value.args[0]) if like else words[0] if words else "float64")
    found = types.pop() if len(types) == 1 else ""
    return "int64" if found == "int" else found


def _fractional(view: View, value: ast.expr) -> bool:
    """Whether an expression gives fractions, by what is outermost in it."""
    if isinstance(value, ast.BinOp):
        if isinstance(value.op, ast.Div):
            return True
        if isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
            return _fractional(view, value.left) or _fractional(view, value.right)
        return False
    if isinstance(value, ast.Constant):
        return isinstance(value.value, float) and value.value != int(value.value)
    if isinstance(value, ast.Subscript):
        return _fractional(view, value.value)
    if isinstance(value, ast.Call):
        name = last_name(value.func)
        return name in _GIVES_FRACTIONS and name not in _WHOLE
    held = view.held(value)
    return held is not None and held.fraction


def _below(view: View, node: ast.BinOp) -> Iterator[Slip]:
    """`a - b` of unsigned arrays."""
    types = [view.dtype(side) for side in (node.left, node.right)]
    statement = view.statement(node)
    if types[0] not in _UNSIGNED or types[1] not in (types[0],) or statement is None:
        return
    inside = list(walk(statement))
    if any(isinstance(n, ast.Call) and last_name(n.func) in _MEANT for n in inside):
        return
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod | ast.BitAnd | ast.BitXor) for n in inside):
        return
    one = ast.unparse(node.left)[:60]
    yield Slip(
        "wraps-below",
        node.lineno,
        f"`{one}` is of {types[0]}, and a subtraction of it wraps around",
        f"Both operands are of {types[0]}, which has no numbers below 0: those wrap around to its largest ones. A "
        "later cast, or `abs`, does not correct that.",
    )


def _cast(view: View, call: ast.Call) -> Iterator[Slip]:
    """`x.astype(int)` of numbers between -1 and 1, `x.astype(uint8)` of numbers that it has not."""
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    held = view.held(of) if of is not None else None
    if held is None or held.least is None or held.most is None or not call.args or held.kind != "array":
        return
    word = ast.unparse(call.args[0]).strip("'\"").rpartition(".")[2]
    name = ast.unparse(of)[:40] if of is not None else ""
    statement = view.statement(call)
    rebound = isinstance(statement, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id == name for t in statement.targets
    )
    if rebound or not word.startswith(("int", "uint")):
        return
    if held.fraction and held.least > -1 and held.most < 1:
        yield Slip(
            "fractions-cut-off",
            call.lineno,
            f"`{name}` is between -1 and 1, and a cast to {word} makes each number 0",
            f"`astype` cuts off what stands behind the point. The numbers of `{name}` are between {held.least:.3g} and "
            f"{held.most:.3g}, so that nothing of them is left.",
        )
    elif word == "uint8" and (held.most >= 256 or held.least <= -1):
        yield Slip(
            "wraps-below",
            call.lineno,
            f"`{name}` has numbers that {word} has not, and a cast wraps them around",
            f"The numbers of `{name}` go from {held.least:.6g} to {held.most:.6g}; {word} has those from 0 to 255. "
            "Clip or scale them first.",
        )

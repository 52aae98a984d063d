"""Fractions that are put into whole numbers, and small unsigned numbers that are subtracted: by the types that arrays
had in the run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import Held, View
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
_RANGES = {f"int{n}": (-(2.0 ** (n - 1)), 2.0 ** (n - 1) - 1) for n in (8, 16, 32)}
_RANGES |= {f"uint{n}": (0.0, 2.0**n - 1) for n in (8, 16)}
"""Of `uint32`, the last bits are often wanted: of seeds, and of hashes."""
_BITS = re.compile(r"hash|seed|crc|checksum|bits|digest|random_state", re.IGNORECASE)
_BYTES = frozenset({1 << 8, 1 << 16, 1 << 32, (1 << 8) - 1, (1 << 16) - 1, (1 << 32) - 1})
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
    held = view.held(of) or _items_of(view, of) if of is not None else None
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
        return
    least, most = _RANGES.get(word, (held.least, held.most))
    if (held.most >= most + 1 or held.least <= least - 1) and not _bits_meant(view, call, held, word):
        yield Slip(
            "cast-wraps",
            call.lineno,
            f"`{name}` has numbers that {word} has not, and a cast wraps them around",
            f"The numbers of `{name}` go from {held.least:.6g} to {held.most:.6g}; {word} has those from {least:.0f} "
            f"to {most:.0f}. Take a wider type, or clip or scale them first.",
        )


def _items_of(view: View, node: ast.expr) -> Held | None:
    """Of a name that goes through all items of an array, in `for` or a comprehension, what the array held."""
    if not isinstance(node, ast.Name):
        return None
    scope = view.scope(node)
    loops = [n for n in walk(scope) if isinstance(n, ast.For | ast.comprehension)]
    found = [n for n in loops if node.id in {t.id for t in walk(n.target) if isinstance(t, ast.Name)}]
    stores = [n for n in walk(scope) if isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)]
    if len(found) != 1 or len(stores) != 1 or getattr(found[0], "ifs", None):
        return None
    target, over = found[0].target, found[0].iter
    counted = isinstance(over, ast.Call) and last_name(over.func) == "enumerate" and len(over.args) == 1
    if counted and isinstance(over, ast.Call) and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target, over = target.elts[1], over.args[0]
    held = view.held(over) if target is stores[0] else None
    return held if held is not None and len(held.shape) > 1 and not _set_in_place(scope, node.id) else None


def _set_in_place(scope: ast.AST, name: str) -> bool:
    """Whether items of an array are set, as `row[row > 99] = 99`."""
    set_items = (n for n in walk(scope) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store))
    return any(last_name(n.value) == name for n in set_items)


def _bits_meant(view: View, call: ast.Call, held: Held, word: str) -> bool:
    """Whether the bits are wanted, and not the number: those of a signed type of the same width, of a hash or a seed,
    or the last ones, where `>> 16`, `& 255` or `// 256` beside the cast takes others.
    """
    same_width = held.dtype.lstrip("uint") == word.lstrip("uint") and word not in ("uint8", "int8")
    statement = view.statement(call)
    if same_width or (statement is not None and _BITS.search(ast.unparse(statement))):
        return True
    for node in (n for n in walk(view.scope(call)) if isinstance(n, ast.BinOp)):
        taken = isinstance(node.op, ast.BitAnd | ast.FloorDiv | ast.Mod) and isinstance(node.right, ast.Constant)
        if isinstance(node.op, ast.RShift) or (taken and node.right.value in _BYTES):  # type: ignore[attr-defined]
            return True
    return False

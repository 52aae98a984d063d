"""A number with a fraction where a whole one is wanted, as an index or a size: the line that makes it one."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator

from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.backward import Backward, Made
from xladoctor.sources.files import Files
from xladoctor.sources.names import children, dotted, last_name, nodes_of, walk

_SAYS = re.compile(
    r"float\d*'? object cannot be interpreted as an integer|slice indices must be integers"
    r"|only integers, slices|arrays used as indices must be of integer|indices must be integers or slices, not"
    r"|by non-int of type '[\w.]*float|expected int(?:32|64).{0,40}type 'float'"
    r"|expects? int\b.{0,60}(?:got|not) \d{1,9}\.\d"
    r"|Value for attr 'T(?:indices|shape|params)' of (?:float|double)|Dimension value must be integer",
    re.IGNORECASE,
)
_ROUNDS = frozenset({"around", "rint", "floor", "ceil", "trunc", "fix", "round_"})
_ROOTS = frozenset({"sqrt", "mean", "linspace", "median", "log2"})
_ARRAYS = frozenset({"zeros", "ones", "empty"})
_WHOLE = frozenset(
    {"int", "len", "range", "argsort", "argmax", "argmin", "argwhere", "nonzero", "where", "searchsorted", "unique",
     "integers", "randint", "permutation", "arange", "size", "shape", "flatnonzero"}
)  # fmt: skip
_INT = re.compile(r"\bu?int\d{0,2}\b|\bintp\b")
_LIBRARIES = frozenset({"np", "numpy", "tf", "tensorflow", "jnp", "math"})
_MOST, _FIRST = 80, 3


def of_fractions(crash: Crash, files: Files, names: list[str]) -> Iterator[Candidate]:
    """The nearest lines that make such a number; `names` are the files of the program."""
    source = files.source(crash.at.file) if crash.at is not None and _SAYS.search(crash.message) else None
    if source is None or crash.at is None:
        return
    back = Backward(files.trees(names))
    line, whole = crash.at.line, {n for n, t in crash.at.dtypes.items() if _INT.fullmatch(t)}
    here = [n for n in nodes_of(source.tree, ast.stmt) if n.lineno <= line <= (n.end_lineno or n.lineno)]
    if not here or crash.at.file not in back.trees:
        return
    starts = [n for n in _wanted(here[-1]) if not (isinstance(n, ast.Name) and n.id in whole)]
    made = list(_makers(back, crash.at.file, starts, whole))
    for i, (file, at, said) in enumerate(made[:_FIRST]):
        yield Candidate(file, at, 8.6 - i, said, None, "other", True)
    for file, tree in back.trees.items():
        for node in walk(tree):
            if _tries_float_first(node):
                reason = "It tries `float` before `int`: every whole number becomes one of floating point."
                yield Candidate(file, getattr(node, "lineno", 0), 8.6, reason, None, "other", True)
            elif (
                not made and isinstance(node, ast.Call) and last_name(node.func) in _ROUNDS and not _is_cast(node, tree)
            ):
                yield Candidate(file, node.lineno, 7.4, _fraction(node), None, "other", True)


def _tries_float_first(node: ast.AST) -> bool:
    """`for kind in (float, int): try: return kind(text)`, or two attempts in this order."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
        kinds = [last_name(e) for e in node.iter.elts]
        return "float" in kinds and "int" in kinds and kinds.index("float") < kinds.index("int")
    if isinstance(node, ast.Try):
        first, later = ([last_name(c.func) for s in part for c in nodes_of(s, ast.Call)] for part in
                        (node.body, [s for h in node.handlers for s in h.body]))  # fmt: skip
        return "float" in first and "int" in later and "int" not in first
    return False


def _is_cast(call: ast.Call, tree: ast.Module) -> bool:
    """Whether what a call gives is made a whole number in the same statement."""
    return any(
        _is_whole(outer) and any(n is call for n in walk(outer))
        for outer in nodes_of(tree, ast.Call)
        if outer is not call
    )


def _float_asked(node: ast.AST) -> str:
    """The floating type that a cast asks for: `places.astype(np.float32)`."""
    is_cast = isinstance(node, ast.Call) and last_name(node.func) in ("astype", "cast")
    given = node.args[-1] if isinstance(node, ast.Call) and is_cast and node.args else None
    word = str(given.value) if isinstance(given, ast.Constant) else last_name(given) if given is not None else ""
    return word if word.startswith(("float", "double")) else ""


def _wanted(statement: ast.AST) -> Iterator[ast.expr]:
    """The names that an index, a slice or an argument of a call is made of."""
    for node in walk(statement):
        parts = [node.slice] if isinstance(node, ast.Subscript) else node.args if isinstance(node, ast.Call) else []
        for part in parts:
            yield from (n for n in walk(part) if isinstance(n, ast.Name | ast.Attribute | ast.BinOp | ast.Call))


def _makers(back: Backward, file: str, starts: list[ast.expr], whole: set[str]) -> Iterator[tuple[str, int, str]]:
    """(file, line, why) of what makes a fraction on the way back from these expressions, nearest first."""
    todo = deque((file, start) for start in starts)
    seen: set[int] = set()
    lines: set[tuple[str, int]] = set()
    while todo and len(seen) < _MOST:
        here, start = todo.popleft()
        for node in _uncast(start):
            if id(node) in seen:
                continue
            seen.add(id(node))
            said, at = _fraction(node), (here, getattr(node, "lineno", 0))
            if said and at not in lines:
                lines.add(at)
                yield *at, said
            if said:
                break
            todo += [(m.file, m.value) for m in _made(back, here, node, whole if here == file else set())]


def _made(back: Backward, file: str, node: ast.AST, whole: set[str]) -> list[Made]:
    if isinstance(node, ast.Name) and node.id not in whole:
        return back.named(file, node)
    if isinstance(node, ast.Attribute):
        return back.attributes(node.attr)
    return back.results(node) if isinstance(node, ast.Call) else []


def _uncast(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it is made of, without what is made a whole number or is only an index."""
    todo = [node]
    while todo:
        here = todo.pop(0)
        if isinstance(here, ast.Call) and _is_whole(here):
            continue
        yield here
        if isinstance(here, ast.Subscript):
            todo.append(here.value)
        elif not (isinstance(here, ast.BinOp) and isinstance(here.op, ast.FloorDiv) and _is_of_numbers(here)):
            todo += children(here)


def _is_of_numbers(node: ast.BinOp) -> bool:
    return not any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in walk(node))


def _is_whole(call: ast.Call) -> bool:
    name, head = last_name(call.func), (dotted(call.func) or "").partition(".")[0]
    if name in _WHOLE or (name == "round" and head == "round" and len(call.args) == 1):
        return True
    if head == "math" and name in ("floor", "ceil", "trunc", "gcd", "prod"):
        return True
    given = [*call.args[-1:], *(k.value for k in call.keywords if k.arg == "dtype")]
    return any(_INT.search(ast.unparse(a)) for a in given if isinstance(a, ast.Name | ast.Attribute | ast.Constant))


def _fraction(node: ast.AST) -> str:
    """Why an expression is no whole number; nothing where it may be one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return "A division with `/` gives a number with a fraction, also where nothing is left over."
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    head = (dotted(node.func) or "").partition(".")[0] if isinstance(node, ast.Call) else ""
    if name in _ROUNDS or (name == "round" and head in _LIBRARIES):
        return f"`{name}` rounds, and gives a number of floating point all the same; nothing casts it to `int`."
    if name in _ROOTS and head in _LIBRARIES:
        return f"`{name}` gives a number of floating point, and nothing casts it to `int`."
    kind = _float_asked(node)
    if kind:
        return f"It makes {kind} of what it is given, and nothing casts that back to `int`."
    is_plain = isinstance(node, ast.Call) and len(node.args) == 1 and not any(k.arg == "dtype" for k in node.keywords)
    if is_plain and name in _ARRAYS and head in _LIBRARIES:
        return f"`{name}` makes floating-point numbers unless a type is named."
    return ""

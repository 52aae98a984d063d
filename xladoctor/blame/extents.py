"""A canvas that is worked out from the places of its patches, and that leaves out a part of the last patch: half of it,
all but one element, or where the places begin.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, names_in, nodes_of, text_key, walk

_FAILS = OF_VALUES | {"broadcast-mismatch", "concat-pack-mismatch", "reshape-mismatch", "contract-violation", "not-xla"}
_LARGEST = frozenset({"max", "amax", "reduce_max", "nanmax"})
_SMALLEST = frozenset({"min", "amin", "reduce_min"})
_SPAN = "ptp"
_STEPS = re.compile(
    r"(?:^|_)(?:step|stride|hop|spacing|pitch|overlap|jitter|shift|margin|border)s?(?:_|$)", re.IGNORECASE
)
_MOST_SIZES = 8


def of_extents(crash: Crash, files: Files, names: Iterable[str]) -> Iterator[Candidate]:
    """The lines that add less than a patch to the largest place, in programs that cut patches, `row:row + size`."""
    if crash.slug not in _FAILS:
        return
    trees = files.trees(names)
    nodes = [n for tree in trees.values() for n in walk(tree)]
    sizes = {_called(size) for n in nodes for size in _sizes(n)} - {""}
    if not (_cuts(crash, trees) or crash.slug in OF_VALUES) or not 0 < len(sizes) <= _MOST_SIZES:
        return
    given = [ast.unparse(a) for tree in trees.values() for c in nodes_of(tree, ast.Call) for a in c.args]
    for file, tree in trees.items():
        begins = _begins_at_zero(tree)
        inner = {id(n.left) for n in walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)}
        for node in walk(tree):
            if isinstance(node, ast.Call):
                yield from _turned(file, node, given)
            if id(node) in inner:
                continue
            found = _too_little(node, sizes) or _only_span(node, sizes, begins)
            if found is not None:
                yield Candidate(file, getattr(node, "lineno", 0), *found, None, "other", True)


def _cuts(crash: Crash, trees: Mapping[str, ast.Module]) -> bool:
    """Whether one of the last calls cuts a patch, or puts one down."""
    lines = {(f.file, f.line) for f in crash.frames[-2:]}
    return any(
        (file, n.lower.lineno) in lines for file, tree in trees.items() for n in nodes_of(tree, ast.Slice)
        if n.lower is not None and _length(n) is not None
    )  # fmt: skip


def _sizes(node: ast.AST) -> Iterator[ast.expr]:
    """The sizes of patches: `size` of `row:row + size`, and of `rows[:, None] + arange(size)`."""
    length = _length(node) if isinstance(node, ast.Slice) else None
    if length is not None:
        yield length
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for call in (n for side in (node.left, node.right) for n in nodes_of(side, ast.Call)):
            if last_name(call.func) in ("arange", "range") and len(call.args) == 1:
                yield call.args[0]


def _length(part: ast.Slice) -> ast.expr | None:
    """`size` of `start:start + size`."""
    upper = part.upper
    if part.lower is None or not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add):
        return None
    return upper.right if ast.unparse(upper.left) == ast.unparse(part.lower) else None


def _called(size: ast.expr) -> str:
    """What a size is called: `patch`, `self.patch`, `cfg["patch"]`, `get("patch")`."""
    if isinstance(size, ast.Call) and len(size.args) == 1 and isinstance(size.args[0], ast.Constant):
        return str(size.args[0].value)
    return last_name(size) or text_key(size) or ""


def _too_little(node: ast.AST, sizes: set[str]) -> tuple[float, str] | None:
    """`places.max(axis=0) + 1`, `+ patch // 2`, `+ step`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    terms = _terms(node)
    largest = next((t for t in terms if _of(t, _LARGEST)), None)
    rest = [t for t in terms if t is not largest]
    if largest is None or any(_called(t) in sizes for t in rest):
        return None
    added = " + ".join(ast.unparse(t) for t in rest)[:40]
    half = any(isinstance(t, ast.BinOp) and isinstance(t.op, ast.FloorDiv | ast.Div) for t in rest)
    one = all(isinstance(t, ast.Constant) and t.value in (0, 1, 2) for t in rest)
    if half or one or any(_STEPS.search(_called(t)) for t in rest):
        return 8.6, f"It adds `{added}` to the largest place, and a patch reaches further: `{min(sizes)}`."
    return None


def _only_span(node: ast.AST, sizes: set[str], begins: set[str]) -> tuple[float, str] | None:
    """`np.ptp(places, axis=0)` beside a whole patch, of places that nothing shifts to begin at 0."""
    if not isinstance(node, ast.Assign | ast.Return | ast.AugAssign) or node.value is None:
        return None
    calls = [n for n in nodes_of(node.value, ast.Call) if last_name(n.func) == _SPAN]
    places = {name for call in calls for name in names_in(call)} - {"np", "numpy", "tf"}
    whole = any(_called(n) in sizes for n in walk(node.value) if isinstance(n, ast.expr))
    if not calls or not whole or places & begins:
        return None
    return 7.8, "It takes how far the places are apart, and nothing here shifts them to begin at 0."


def _turned(file: str, call: ast.Call, given: Sequence[str]) -> Iterator[Candidate]:
    """`grid(cfg.shape[::-1])`, where other calls are given `cfg.shape` as it is."""
    for part in call.args:
        key = part.slice if isinstance(part, ast.Subscript) else None
        turns = isinstance(key, ast.Slice) and key.step is not None and ast.unparse(key.step) == "-1"
        whole = ast.unparse(part.value) if isinstance(part, ast.Subscript) else ""
        if turns and whole in given and re.search(r"shape|size|canvas", whole):
            reason = f"It gives `{ast.unparse(part)}`, and other lines give `{whole}` as it is."
            yield Candidate(file, part.lineno, 8.8, reason, None, "other", True)


def _begins_at_zero(tree: ast.Module) -> set[str]:
    """The names from which their smallest is taken off: `places - places.min(axis=0)`."""
    found: set[str] = set()
    for node in walk(tree):
        right = node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
        if right is not None and isinstance(getattr(node, "op", None), ast.Sub) and _of(right, _SMALLEST):
            found |= names_in(node)
    return found


def _of(node: ast.expr, functions: frozenset[str]) -> bool:
    """Whether an expression is one of these calls, also cast to whole numbers or indexed."""
    return any(last_name(c.func) in functions for c in nodes_of(node, ast.Call))


def _terms(node: ast.expr) -> list[ast.expr]:
    """What a sum adds up."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_terms(node.left), *_terms(node.right)]
    return [node]

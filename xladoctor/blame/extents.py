"""A canvas that is worked out from the places of its patches, and that leaves out a part of the last patch: half of it,
all but one element, or where the places begin.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from xladoctor.blame.canvas import patch_length
from xladoctor.blame.crash import Crash
from xladoctor.blame.documented_parts import side_of
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import called, last_name, names_in, nodes_of, summands, walk
from xladoctor.sources.order import scope_at

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
    sizes = {called(size) for n in nodes for size in _sizes(n)} - {""}
    if not (_cuts(crash, trees) or crash.slug in OF_VALUES) or not 0 < len(sizes) <= _MOST_SIZES:
        return
    named = {called(n) for n in nodes if isinstance(n, ast.Name | ast.Attribute | ast.Call)}
    play = {name for name in named if _PLAY.search(name)} | {"random" for n in nodes if _is_moved(n)}
    given = [ast.unparse(a) for tree in trees.values() for c in nodes_of(tree, ast.Call) for a in c.args]
    for file, tree in trees.items():
        begins = _begins_at_zero(tree)
        inner = {id(n.left) for n in walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)}
        for node in walk(tree):
            if isinstance(node, ast.Call):
                yield from _turned(file, node, given)
            elif isinstance(node, ast.FunctionDef):
                yield from _across_first(file, node)
            if id(node) in inner:
                continue
            found = (
                _too_little(node, sizes, tree)
                or _centred(node)
                or _only_span(node, sizes, begins)
                or _without_play(node, sizes, play)
            )
            if found is not None:
                yield Candidate(file, getattr(node, "lineno", 0), *found, None, "other", True)


def _cuts(crash: Crash, trees: Mapping[str, ast.Module]) -> bool:
    """Whether the functions of the last two calls cut patches, or put them down."""
    scopes = [scope_at(trees[f.file], f.line) for f in crash.frames[-2:] if f.file in trees]
    return any(patch_length(n) is not None for scope in scopes for n in nodes_of(scope, ast.Slice))


def _sizes(node: ast.AST) -> Iterator[ast.expr]:
    """The sizes of patches: `size` of `row:row + size`, and of `rows[:, None] + arange(size)`."""
    length = patch_length(node) if isinstance(node, ast.Slice) else None
    if length is not None:
        yield length
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for call in (n for side in (node.left, node.right) for n in nodes_of(side, ast.Call)):
            if last_name(call.func) in ("arange", "range") and len(call.args) == 1:
                yield call.args[0]


def _too_little(node: ast.AST, sizes: set[str], tree: ast.Module) -> tuple[float, str] | None:
    """`places.max(axis=0) + 1`, `+ patch // 2`, `+ step`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    terms = summands(node)
    largest = next((t for t in terms if _of(t, _LARGEST)), None)
    rest = [t for t in terms if t is not largest]
    if largest is None or any(called(t) in sizes for t in rest):
        return None
    added = " + ".join(ast.unparse(t) for t in rest)[:40]
    half = any(isinstance(t, ast.BinOp) and isinstance(t.op, ast.FloorDiv | ast.Div) for t in rest)
    one = all(isinstance(t, ast.Constant) and t.value in (0, 1, 2) for t in rest)
    short = half or one or any(_STEPS.search(called(t)) for t in rest)
    if short and not _INNER.search(getattr(scope_at(tree, node.lineno), "name", "")):
        return 8.6, f"It adds `{added}` to the largest place, and a patch reaches further: `{min(sizes)}`."
    return None


_INNER = re.compile(r"inner|inside|interior|crop|roi|region|core|centre|center")
"""Functions that take the middle of a canvas on purpose, by their names."""
_PLACES = re.compile(r"pos|point|corner|offset|coord|spiral|place|spot|scan|(?:^|_)(?:xy|yx)(?:_|$)", re.I)


def _centred(node: ast.AST) -> tuple[float, str] | None:
    """`points - points.mean(axis=0)`: places whose mean is 0."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub) or not _PLACES.search(called(node.left)):
        return None
    own = ast.unparse(node.left)
    means = [c for c in nodes_of(node.right, ast.Call) if last_name(c.func) in ("mean", "reduce_mean", "average")]
    if any(own in ast.unparse(c) for c in means):
        return 8.4, f"It moves the mean of `{own}` to 0: about half of the places are below it, where no patch begins."
    return None


def _only_span(node: ast.AST, sizes: set[str], begins: set[str]) -> tuple[float, str] | None:
    """`np.ptp(places, axis=0)` beside a whole patch, of places that nothing shifts to begin at 0."""
    if not isinstance(node, ast.Assign | ast.Return | ast.AugAssign) or node.value is None:
        return None
    calls = [n for n in nodes_of(node.value, ast.Call) if last_name(n.func) == _SPAN]
    places = {name for call in calls for name in names_in(call)} - {"np", "numpy", "tf"}
    whole = any(called(n) in sizes for n in walk(node.value) if isinstance(n, ast.expr))
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


def _across_first(file: str, function: ast.FunctionDef) -> Iterator[Candidate]:
    """`def canvas_shape(): return extent(nx), extent(ny)`: shapes of arrays have the rows first."""
    if not re.search(r"shape|canvas", function.name):
        return
    for node in nodes_of(function, ast.Return):
        pair = node.value.elts if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2 else []
        sides = [{side_of(called(n)) for n in walk(e) if isinstance(n, ast.expr)} - {""} for e in pair]
        if sides == [{"columns"}, {"rows"}]:
            reason = f"It gives the extent across first, as `{ast.unparse(node)[:60]}`: an array has the rows first."
            yield Candidate(file, node.lineno, 8.6, reason, None, "other", True)


_PLAY = re.compile(r"(?:^|_)(?:jitter|wobble|play|noise|scatter)", re.IGNORECASE)
_DRAWS = frozenset({"integers", "randint", "uniform", "normal"})


def _is_moved(node: ast.AST) -> bool:
    """Whether a draw is added to something: `step * places + rng.integers(-1, 2, size=...)`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and any(
        isinstance(t, ast.Call) and last_name(t.func) in _DRAWS for t in summands(node)
    )  # fmt: skip


def _without_play(node: ast.AST, sizes: set[str], play: set[str]) -> tuple[float, str] | None:
    """`size + step * (side - 1)`, where the places are moved about by `jitter`, and nothing is added for it."""
    if not play or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    terms = summands(node)
    named = {called(n) for t in terms for n in walk(t) if isinstance(n, ast.expr)}
    steps = any(
        isinstance(t, ast.BinOp) and isinstance(t.op, ast.Mult) and any(
            isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) and ast.unparse(n.right) == "1" for n in walk(t))
        for t in terms
    )  # fmt: skip
    if steps and len(terms) == 2 and named & sizes and not named & play:
        return 8.4, f"It leaves no room for what the places are moved about by ({min(play)})."
    return None


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

"""Windows that are cut after several recordings were joined: some of them begin in one recording and end in the next.

A list with a part for each trial or patient is joined along its first axis, and what cuts windows gets the whole.
Chunks of one recording, such as the files of its days, belong together and are left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.sources.backward import Backward
from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, operands, walk, within
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, LOOPS, Slip, scopes

_DEPTH = 7
_JOINS = frozenset({"concatenate", "concat", "vstack", "row_stack"})
_CUTS = frozenset(
    {"sliding_window_view", "timeseries_dataset_from_array", "TimeseriesGenerator", "frame", "as_strided"}
)
_SAME = frozenset({"array", "asarray", "astype", "ascontiguousarray", "copy", "float32", "nan_to_num", "to_numpy"})
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "pd"})
_APART = re.compile(
    r"(?:^|[^a-z])(?:trials?|patients?|subjects?|sessions?|recordings?|participants?|speakers?|animals?|mice|engines?|"
    r"machines?|vehicles?|devices?|trips?|tracks?|trajector(?:y|ies)|episodes?|walks?|songs?|persons?|people|users?|"
    r"customers?|flights?|batter(?:y|ies)|stocks?|tickers?|stations?|wells?|runs?|rides?|drives?|pumps?)(?![a-z])",
    re.IGNORECASE,
)
"""What has recordings of its own, in the names of the parts."""
_WINDOW = re.compile(
    r"win|lag|hop|look_?back|horizon|context|history|seq|span|length|width|past|segment", re.IGNORECASE
)
_BATCH = re.compile(r"batch|chunk|bs$|block|shard|page", re.IGNORECASE)
_KEPT_APART = re.compile(r"border|bound|cross|gap|pad|nan|offsets|edges|starts_of|same_", re.IGNORECASE)
"""What names say where the borders of recordings are known, or filled."""


def window_borders(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """Each line that joins recordings of which windows are cut then."""
    back = Backward(trees)
    seen: set[tuple[str, int]] = set()
    for file, tree in trees.items():
        for scope in scopes(tree):
            found = [
                (where, join, parts, cut)
                for array, cut in _windows(scope)
                for where, join in _joins(back, file, array, _DEPTH)
                if (parts := _parts(trees[where], join)) and not _is_known(back, scope, trees[where], join)
            ]
            # Labels are joined and cut as the signals are: one line tells of both.
            for where, join, parts, cut in sorted(found, key=lambda f: (f[0], f[1].lineno))[:1]:
                if (where, join.lineno) not in seen:
                    seen.add((where, join.lineno))
                    yield where, _slip(join, parts, cut)


def _slip(join: ast.Call, parts: str, cut: ast.expr) -> Slip:
    return Slip(
        "windows-over-borders",
        join.lineno,
        f"Windows are cut after {parts} were joined: some go from one to the next",
        f"`{ast.unparse(join)[:60]}` joins the {parts}, and `{ast.unparse(cut)[:50]}` (line {cut.lineno}) takes "
        f"windows of the whole. At each border, windows begin in one of the {parts} and end in another. Cut windows of "
        "each one, and join these.",
    )


def _windows(scope: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(array, what cuts windows of it) in a function or the module."""
    own = [n for s in getattr(scope, "body", ()) if not isinstance(s, (*FUNCTIONS, ast.ClassDef)) for n in within(s)]
    for node in own:
        if isinstance(node, ast.Call) and last_name(node.func) in _CUTS and node.args:
            yield node.args[0], node
        elif isinstance(node, ast.Call) and last_name(node.func) == "window" and keyword(node, "shift") is not None:
            sources = [c for c in nodes_of(node.func, ast.Call) if last_name(c.func) == "from_tensor_slices"]
            yield from ((c.args[0], node) for c in sources if c.args)
        elif isinstance(node, (*LOOPS, *COMPREHENSIONS)) and not isinstance(node, ast.While):
            yield from _slices(scope, node)


def _slices(scope: ast.AST, loop: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`x[s : s + size]` for each `s` of a loop, where the names speak of windows."""
    starts = names_in(loop.target) if isinstance(loop, ast.For) else _targets(loop)
    over = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter  # type: ignore[attr-defined]
    for node in nodes_of(loop, ast.Subscript):
        part = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        size = _size(part, starts)
        if size is None or not isinstance(node.ctx, ast.Load):
            continue
        names = f"{ast.unparse(size)} {getattr(scope, 'name', '')}"
        steps = over.args[2:3] if isinstance(over, ast.Call) else []
        alone = any(ast.unparse(s) == ast.unparse(size) for s in steps)
        if _WINDOW.search(names) and not _BATCH.search(ast.unparse(size)) and not alone:
            yield node.value, node


def _targets(loop: ast.AST) -> set[str]:
    return {n for g in getattr(loop, "generators", ()) for n in names_in(g.target)}


def _size(part: ast.expr, starts: set[str]) -> ast.expr | None:
    """The length of `s : s + size` and of `s - size : s`."""
    if not isinstance(part, ast.Slice) or part.lower is None or part.upper is None:
        return None
    for start, end in ((part.lower, part.upper), (part.upper, part.lower)):
        if not isinstance(start, ast.Name) or start.id not in starts or not isinstance(end, ast.BinOp):
            continue
        if ast.unparse(end.left) == start.id and isinstance(end.op, ast.Add | ast.Sub):
            return end.right
    return None


def _joins(back: Backward, file: str, node: ast.expr, depth: int) -> Iterator[tuple[str, ast.Call]]:
    """The calls that joined parts to an array, as it is: parts that a mask takes of it are not followed."""
    if not depth:
        return
    if isinstance(node, ast.Name):
        scope_values = back.named(file, node)
        for made in scope_values:
            if made.value is node:
                continue
            if isinstance(made.statement, ast.Expr) and last_name(getattr(made.value, "func", made.value)) == "extend":
                yield made.file, made.value  # type: ignore[misc]
                continue
            if made.part is None:
                yield from _joins(back, made.file, made.value, depth - 1)
            for inner in back.part_of(made.value, made.part):
                yield from _joins(back, inner.file, inner.value, depth - 1)
    elif isinstance(node, ast.Attribute) and node.attr in ("values", "T"):
        yield from _joins(back, file, node.value, depth)
    elif isinstance(node, ast.Attribute):
        for made in back.attributes(node.attr):
            yield from _joins(back, made.file, made.value, depth - 1)
    elif isinstance(node, ast.Subscript) and not _selects(node.slice):
        yield from _joins(back, file, node.value, depth)
    elif isinstance(node, ast.BinOp):
        yield from _joins(back, file, node.left, depth)
    elif isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in _JOINS and node.args and _is_first_axis(node):
            yield file, node
        elif name in _SAME:
            of = operands(node, _MODULES)[0]
            if of is not None:
                yield from _joins(back, file, of, depth - 1)
        else:
            for made in back.results(node):
                yield from _joins(back, made.file, made.value, depth - 1)


def _selects(part: ast.expr) -> bool:
    """Whether it takes some rows of an array, by a mask or by numbers."""
    if isinstance(part, ast.Name):
        return not part.id.isupper()
    return isinstance(part, ast.Compare | ast.Call | ast.BinOp | ast.UnaryOp | ast.Attribute)


def _is_first_axis(join: ast.Call) -> bool:
    axis = keyword(join, "axis") or (join.args[1] if len(join.args) > 1 else None)
    return axis is None or ast.unparse(axis) == "0"


def _parts(tree: ast.Module, join: ast.Call) -> str:
    """What the joined list has a part of for each: `trials`, `patients`; nothing where that is not said."""
    listed = join.args[0]
    if last_name(join.func) == "extend":
        loops = [n for n in nodes_of(tree, ast.For) if any(c is join for c in walk(n))]
        found = _APART.search(ast.unparse(loops[-1].iter)) if loops else None
        return re.sub(r"^[^A-Za-z]", "", found.group(0)) if found else ""
    texts = [listed] if not isinstance(listed, ast.Name) else []
    names = names_in(listed)
    for _ in range(2):
        for node in walk(tree):
            if isinstance(node, ast.Assign) and names & {last_name(t) for t in node.targets}:
                texts.append(node.value)
            elif isinstance(node, ast.For) and names & _filled(node):
                texts.append(node.iter)
        names |= {n for t in texts if isinstance(t, ast.ListComp) for n in names_in(t.generators[0].iter)}
    if isinstance(listed, ast.List | ast.Tuple) or any("split" in ast.unparse(t) for t in texts):
        return ""
    lists = [t for t in texts if isinstance(t, ast.ListComp | ast.GeneratorExp)]
    over = [ast.unparse(t.generators[0].iter) for t in lists] + [ast.unparse(t) for t in texts if t not in lists]
    words = [m.group(0) for text in (ast.unparse(listed), *over) for m in _APART.finditer(text)]
    return re.sub(r"^[^A-Za-z]", "", words[0]) if words else ""


def _filled(loop: ast.For) -> set[str]:
    """The lists that a loop adds a part to in each round."""
    calls = [c for s in loop.body for c in nodes_of(s, ast.Call) if isinstance(c.func, ast.Attribute)]
    return {last_name(c.func.value) for c in calls if c.func.attr in ("append", "extend")} - {""}  # type: ignore[attr-defined]


def _is_known(back: Backward, cutting: ast.AST, tree: ast.Module, join: ast.Call) -> bool:
    """Whether the borders are known where windows are cut or parts are joined, or the parts are windows already."""
    around = [s for s in scopes(tree) if isinstance(s, FUNCTIONS) and any(n is join for n in walk(s))]
    inner = [n for s in around for n in walk(s)]
    called = {last_name(n.func) for n in inner if isinstance(n, ast.Call)}
    parts = [f for n in nodes_of(join.args[0], ast.Call) for _, f in back.functions.get(last_name(n.func), ())]
    if any(True for f in parts for _ in _windows(f)):
        return True
    nodes = [*inner, *(walk(cutting) if isinstance(cutting, FUNCTIONS) else ())]
    words = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.arg for n in nodes if isinstance(n, ast.arg)} | called
    return any(_KEPT_APART.search(w) for w in words) or any(_compares(n) for n in nodes)


def _compares(node: ast.AST) -> bool:
    """`groups[s] == groups[s + size - 1]`, `len(set(groups[s:e])) == 1`."""
    if not isinstance(node, ast.Compare):
        return False
    owners = [last_name(n.value) for n in nodes_of(node, ast.Subscript)]
    unique = any(last_name(c.func) in ("set", "unique", "nunique", "all") for c in nodes_of(node, ast.Call))
    return len(owners) > len(set(owners)) or (bool(owners) and unique)

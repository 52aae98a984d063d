"""Failures that no size explains: an operation that was selected by a word, a type that an operand was recorded with, a
tensor that was kept beyond the function that was traced.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.features import by_line
from xladoctor.blame.options import Alternatives, alternatives, selects
from xladoctor.blame.options import said as word_of
from xladoctor.blame.suspicion import Candidate
from xladoctor.lint.ops import GROWS
from xladoctor.model.element_types import spelled
from xladoctor.sources.files import Files
from xladoctor.sources.names import argument, keyword, last_name, nodes_of, walk

Trees = Mapping[str, ast.Module]
_OF_OPS = frozenset(
    {"unsupported-op", "dynamic-dimension-unsupported", "data-dependent-size", "host-op-in-jit",
     "compile-time-constant", "tensorlist-dynamic", "resource-device"}
)  # fmt: skip
_OF_SIZES_AT_RUN_TIME = frozenset({"dynamic-dimension-unsupported", "data-dependent-size", "compile-time-constant"})
_OUT_OF_SCOPE = re.compile(r"out of scope|symbolic ?tensor|FuncGraph|graph tensor|inaccessible", re.IGNORECASE)
_NO_SIZE = re.compile(r"None values not supported|partially known TensorShape|NoneType|found None")
_BY_COMPILER = "tf2xla conversion failed"
_STRANGE = re.compile(r"object|str|bytes|void|datetime")


def of_unsized(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    trees = files.trees(f for f, _ in hops)
    found = [*_of_recorded_types(crash, files, trees)]
    if crash.slug in _OF_SIZES_AT_RUN_TIME:
        found += _of_data(trees)
    if crash.slug in _OF_SIZES_AT_RUN_TIME or _NO_SIZE.search(crash.message[:2000]):
        found += _of_values(trees)
    if _BY_COMPILER in crash.message:
        found += _of_arrays(trees)
    if crash.slug in _OF_OPS:
        found += [*_selecting(crash, trees, found), *_named_as(crash, trees)]
    if crash.slug == "tensor-out-of-scope" or _OUT_OF_SCOPE.search(crash.message[:2000]):
        found += _of_kept(trees)
    yield from (one for one in found if (one.file, one.line) in hops)


# -- what was selected ------------------------------------------------------------------------------------------------


def _selecting(crash: Crash, trees: Trees, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """The lines with the words that selected what failed."""
    bad = {(c.file, c.line) for c in found} | ({(crash.at.file, crash.at.line)} if crash.at is not None else set())
    known = alternatives(trees.values())
    words = {word for file, tree in trees.items() for word in _selected(tree, {n for f, n in bad if f == file}, known)}
    for file, tree in trees.items():
        for node in walk(tree):
            for _, _, value in selects(node, known):
                if word_of(value) in words and not _keeps_function(node):
                    reason = f"{word_of(value)!r} selects what failed; there are others."
                    yield Candidate(file, value.lineno, 7.6, reason, None, "other", True)


_SHORTEST = 5


def _named_as(crash: Crash, trees: Trees) -> Iterator[Candidate]:
    """The words of a program that the operation has in its name, and the calls of that name: `"bicubic"` for
    ResizeBicubic, `segment_mean(...)` for SegmentMean.
    """
    name, raised = re.sub(r"V\d$", "", crash.op).lower(), {(f.file, f.line) for f in crash.frames[-1:]}
    for file, tree in trees.items() if len(name) >= _SHORTEST else ():
        for node in walk(tree):
            word = str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            called = last_name(node.func).replace("_", "").lower() if isinstance(node, ast.Call) else ""
            asks = len(word) >= _SHORTEST and word.lower() != name and word.lower() in name
            if asks and isinstance(node, ast.Constant):
                yield Candidate(file, node.lineno, 7.7, f"{word!r} asks for {crash.op}.", None, "other", True)
            elif called == name and isinstance(node, ast.Call) and (file, node.lineno) not in raised:
                yield Candidate(file, node.lineno, 7.0, f"It is the call of {crash.op}.", None, "other", True)


def _selected(tree: ast.AST, lines: set[int], known: Alternatives) -> Iterator[str]:
    """The words of what some lines stand in: entries of tables of functions, functions that are kept by a name."""
    for node in walk(tree) if lines else ():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                word = word_of(key) if isinstance(key, ast.Constant) else None
                if word in known and _holds(value, lines):
                    yield str(word)
        elif isinstance(node, ast.FunctionDef) and _holds(node, lines):
            words = [node.name, *(n.value for d in node.decorator_list for n in nodes_of(d, ast.Constant))]
            yield from (word for word in words if isinstance(word, str) and word in known)


def _holds(node: ast.expr | ast.stmt, lines: set[int]) -> bool:
    return any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines)


def _keeps_function(node: ast.AST) -> bool:
    """Whether a call is the decorator that gives a function its word."""
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _of_data(trees: Trees) -> Iterator[Candidate]:
    """The calls whose number of rows depends on the data."""
    for file, tree in trees.items():
        for node in walk(tree):
            masks = isinstance(node, ast.Call) and (
                last_name(node.func) in GROWS or (last_name(node.func) in ("where", "nonzero") and len(node.args) == 1)
            )
            if masks and isinstance(node, ast.Call):
                reason = "How many rows it gives depends on the values: a compiler cannot know it."
                yield Candidate(file, node.lineno, 7.0, reason, None, "other", True)


def _of_values(trees: Trees) -> Iterator[Candidate]:
    """`2 * tf.cast(tf.reduce_max(x), tf.int32)`, `tf.reduce_max(ids) + 1`: sizes that are worked out from values."""
    for file, tree in trees.items():
        for node in walk(tree):
            value = node.value if isinstance(node, ast.Assign | ast.Return) else None
            inside = list(walk(value)) if value is not None else []
            calls = {last_name(n.func) for n in inside if isinstance(n, ast.Call)}
            whole = "cast" in calls and any(_is_whole(n) for n in inside)
            counts = any(isinstance(n, ast.BinOp) and _is_whole(n.right) for n in inside)
            if calls & {"reduce_max", "reduce_min", "reduce_sum"} and (whole or counts) and value is not None:
                reason = "It works out a number from the values of a tensor: as a size it is not known before the run."
                yield Candidate(file, value.lineno, 7.4, reason, None, "other", True)


def _is_whole(node: ast.AST) -> bool:
    return last_name(node) in ("int32", "int64") or (isinstance(node, ast.Constant) and type(node.value) is int)


def _of_arrays(trees: Trees) -> Iterator[Candidate]:
    """The arrays that grow as they are written, of which a compiler does not know the length."""
    for file, tree in trees.items():
        for node in walk(tree):
            grows = keyword(node, "dynamic_size") if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and isinstance(grows, ast.Constant) and grows.value is True:
                reason = "It grows as it is written: a compiler needs to know how long it is."
                yield Candidate(file, node.lineno, 7.6, reason, None, "other", True)


# -- types that were recorded -----------------------------------------------------------------------------------------


def _of_recorded_types(crash: Crash, files: Files, trees: Trees) -> Iterator[Candidate]:
    """Where the operand of a strange type was made, in the calls of the traceback and in what they call."""
    wanted = _strange(crash)
    handed: list[tuple[str, str]] = []
    for frame in reversed(crash.frames) if wanted else ():
        nodes = _at(trees, frame.file, frame.line)
        # A parameter: what the call is given may have been made in the call itself.
        yield from _returned([v for function, name in handed for v in _given(nodes, function, name, trees)], trees)
        names = {ast.unparse(n) for n in nodes if isinstance(n, ast.Name | ast.Attribute)}
        names = {name for name in names if frame.dtypes.get(name) in wanted}
        handed = []
        for name in sorted(names):
            lines = files.assigned(frame.file, frame.function.rpartition(".")[2], name)
            handed += [(frame.function.rpartition(".")[2], name)] if not lines else []
            for line in (n for n in lines if n < frame.line):
                reason = f"`{name}`, which it makes, has the type {frame.dtypes[name]}."
                yield Candidate(frame.file, line, 6.4, reason, None, "other", True)
                yield from _returned(list(_values(_at(trees, frame.file, line), name)), trees)
        if not handed:
            return


def _values(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.AST]:
    """What a line assigns to a name."""
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Tuple) or not isinstance(node.value, ast.Tuple):
                yield node.value
                continue
            yield from (v for t, v in zip(target.elts, node.value.elts, strict=False) if ast.unparse(t) == name)


def _given(nodes: Sequence[ast.AST], function: str, name: str, trees: Trees) -> Iterator[ast.AST]:
    """What calls of a function give one of its parameters."""
    named = [n for tree in trees.values() for n in nodes_of(tree, ast.FunctionDef) if n.name == function]
    calls = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == function]
    found = (argument(call, one, name) for call in calls for one in named)
    yield from (value for value in found if value is not None)


def _returned(values: Sequence[ast.AST], trees: Trees) -> Iterator[Candidate]:
    """The results of the program's functions that some expressions call."""
    names = {last_name(n.func) for value in values for n in nodes_of(value, ast.Call)}
    for file, tree in trees.items():
        for function in nodes_of(tree, ast.FunctionDef):
            if function.name in names:
                for node in nodes_of(function, ast.Return):
                    if node.value is not None and not _is_typed(node.value):
                        reason = "It makes the operand, and names no type."
                        yield Candidate(file, node.lineno, 7.0, reason, None, "other", True)


def _is_typed(node: ast.AST) -> bool:
    """Whether an expression asks for a type."""
    words = [n for n in nodes_of(node, ast.keyword) if n.arg == "dtype"]
    calls = [n for n in nodes_of(node, ast.Call) if last_name(n.func) in ("astype", "cast")]
    return bool(words or calls)


def _at(trees: Trees, file: str, line: int) -> list[ast.AST]:
    """The nodes that begin on a line."""
    return by_line(trees[file], {line}).get(line, []) if file in trees else []


def _strange(crash: Crash) -> set[str]:
    """The types that cannot be computed with, or that are the stranger of the two in the message."""
    kinds = {kind for frame in crash.frames for kind in frame.dtypes.values()}
    named = {kind for kind in kinds if re.search(rf"(?<!must be a )\b{re.escape(kind)}\b", crash.message[:4000])}
    no_numbers = {kind for kind in named if _STRANGE.match(kind)}
    if no_numbers or crash.slug != "dtype-mismatch" or crash.at is None:
        return no_numbers
    wide = {kind for kind in named if spelled(kind) in ("float64", "complex128")}
    half = {kind for kind in named if spelled(kind) in ("float16", "bfloat16")}
    return wide or ({"float32"} if half else set())


# -- tensors that were kept -------------------------------------------------------------------------------------------

_ADDS = frozenset({"append", "add", "extend", "insert", "appendleft", "setdefault", "put"})
_TRACES = frozenset({"function", "call", "train_step", "test_step", "scan", "while_loop", "map_fn", "cond", "jit"})


def _of_kept(trees: Trees) -> Iterator[Candidate]:
    """The lines of functions that keep a value beyond their call, and the calls of such where a function is traced."""
    keeping: dict[str, list[Line]] = {}
    functions = [(file, n) for file, tree in trees.items() for n in nodes_of(tree, ast.FunctionDef)]
    for file, function in functions:
        if not function.name.startswith("__") or function.name == "__call__":
            keeping.setdefault(function.name, []).extend((file, line) for line in _keeping(function))
    for lines in keeping.values():
        for file, line in lines:
            reason = "It keeps a value that is only valid while its function is traced."
            yield Candidate(file, line, 7.0, reason, None, "other", True)
    for file, function in functions:
        if not _is_traced(function):
            continue
        for node in walk(function):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and call.args and keeping.get(last_name(call.func)):
                reason = f"`{last_name(call.func)}` keeps what it is given, which is only valid while this is traced."
                yield Candidate(file, call.lineno, 7.6, reason, None, "other", True)


def _keeping(function: ast.FunctionDef) -> Iterator[int]:
    own = {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    shared = {name for n in walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    for node in nodes_of(function, ast.stmt):
        targets = node.targets if isinstance(node, ast.Assign) else []
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and last_name(call.func) in _ADDS:
            targets = [call.func.value] if call.args else []
        for target in targets:
            first = ast.unparse(target).partition(".")[0].partition("[")[0]
            beyond = isinstance(target, ast.Attribute | ast.Subscript) or isinstance(call, ast.Call) or first in shared
            if beyond and (first not in own or first in shared):
                yield node.lineno


def _is_traced(function: ast.FunctionDef) -> bool:
    """Whether TensorFlow may trace a function: it is decorated for it, or Keras calls it."""
    names = {last_name(d.func if isinstance(d, ast.Call) else d) for d in function.decorator_list}
    return bool(names & _TRACES) or function.name in _TRACES

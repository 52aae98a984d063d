"""Mistakes that the source shows by itself, where the failure is of their kind: windows that run over the end, tables
one row too small, elements of different lengths in one batch, batches joined along another axis than their rows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from xladoctor.blame import elements
from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.elements import Found
from xladoctor.blame.indices import OF_VALUES, indexed_lists, numbered_from_one
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, children, last_name, names_in, nodes_of, walk

_JOINS = frozenset({"concat-pack-mismatch", "slice-out-of-bounds", "broadcast-mismatch"})
_COUNTS = frozenset({"len", "max", "amax", "reduce_max", "nunique"})
_DIFFERENT = re.compile(
    r"batch tensors with different shapes|to the batch: number of elements does not match|same shape in .{0,40}batch",
    re.IGNORECASE,
)
_BOUND = re.compile(r"(\d{1,9}) (?:is not in|which is outside the valid range of) \[0, (\d{1,9})\)")
_PAST = re.compile(r"index (\d{1,9}) is out of bounds for axis \d{1,3} with size (\d{1,9})")
_NO_BOUND = re.compile(r"`labels` out of bound")


def of_habits(hops: Mapping[Line, int], crash: Crash, files: Files, inputs: frozenset[Sizes]) -> Iterator[Candidate]:
    """The lines among those that the failure depends on; `inputs` are the shapes that models are built for."""
    finders: list[Callable[[ast.AST], Found | None]] = []
    if crash.slug in _JOINS:
        finders.append(_joined)
    if crash.slug == "concat-pack-mismatch":  # elsewhere pieces may well have another size at the end
        finders += [partial(_overrun, starts=_starts(hops, files)), partial(_short, sums=_sums(hops, files))]
    if crash.slug in OF_VALUES:
        finders += [_uneven, _present]
    if is_one_past(crash):
        finders.append(_count)
    if _DIFFERENT.search(crash.message):
        finders += [_batch, _pad]
    if _TWICE.search(crash.message):
        finders.append(_loader)
    if _ranks_more(crash):
        finders.append(partial(_mapped, lines={f.line for f in crash.frames}))
    if crash.slug == "keras-input-mismatch":
        finders.append(_for_all)
    if crash.slug in ("broadcast-mismatch", "keras-input-mismatch"):
        finders.append(_rows_second)
    finders += elements.finders(crash, files, inputs)
    for file, tree in files.trees(f for f, _ in hops if finders).items():
        right = _right_counts(tree) if is_one_past(crash) else frozenset()
        for node in walk(tree):
            for find in finders:
                found = find(node)
                if found is not None and (file, found[0]) in hops and found[0] not in right:
                    yield Candidate(file, found[0], found[1], found[2], None, found[3], strong=True)


def _right_counts(tree: ast.Module) -> frozenset[int]:
    """The lines that count a list which another line numbers from 1, and which is indexed by such a number as it is:
    then not the count is wrong.
    """
    nodes = list(walk(tree))
    lists = numbered_from_one(nodes) & indexed_lists(nodes)
    calls = (n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == "len" and n.args)
    return frozenset(call.lineno for call in calls if ast.unparse(call.args[0]) in lists)


def is_one_past(crash: Crash) -> bool:
    """Whether an index is exactly as large as what it is an index of, or the message gives no number."""
    if crash.slug not in OF_VALUES:
        return False
    said = _BOUND.search(crash.message) or _PAST.search(crash.message)
    return said[1] == said[2] if said is not None else _NO_BOUND.search(crash.message) is not None


_RANKS = re.compile(r"rank (?:at most )?(\d) but is rank (\d)|min_ndim=(\d), found ndim=(\d)")


def _ranks_more(crash: Crash) -> bool:
    """Whether an operand has one axis more than is wanted."""
    said = _RANKS.search(crash.message)
    return said is not None and said[1] is not None and int(said[2]) == int(said[1]) + 1


def _mapped(node: ast.AST, lines: set[int]) -> Found | None:
    """`.batch(n).map(f)` in the traceback, where `f` gets one axis more than it takes: it is made for elements."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "map" or node.lineno not in lines:
        return None
    before = [last_name(n.func) for n in nodes_of(node.func, ast.Call)]
    if "batch" not in before or "unbatch" in before[: before.index("batch")]:
        return None
    return node.lineno, 8.2, "It maps whole batches: what is mapped takes elements with one axis fewer.", "other"


_TWICE = re.compile(r"found shape=\(None, None, ")


def _loader(node: ast.AST) -> Found | None:
    """`image_dataset_from_directory(...)` makes batches by itself, and what comes after it makes batches of them."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or not re.search("_dataset_from_(directory|array)", name):
        return None
    size = next((k.value for k in node.keywords if k.arg == "batch_size"), None)
    if isinstance(size, ast.Constant) and size.value is None:
        return None
    return node.lineno, 7.8, "It gives batches already, and another stage makes batches of these.", "other"


_ROWS = re.compile(r"^(?:b|n|bs)$|batch|rows|size|shape|count|num|len", re.IGNORECASE)


def _rows_second(node: ast.AST) -> Found | None:
    """`reshape(x, (members, -1, n, n))`: the rows of a batch are not in front any more."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "reshape":
        return None
    shape = next((a.elts for a in node.args if isinstance(a, ast.Tuple | ast.List)), [])
    first = last_name(shape[0]) if len(shape) > 2 else ""
    second = shape[1].operand if len(shape) > 2 and isinstance(shape[1], ast.UnaryOp) else None
    if not first or _ROWS.search(first) or not isinstance(second, ast.Constant) or second.value != 1:
        return None
    return node.lineno, 6.8, f"It puts `{first}` before the rows: those of a batch come first.", "transpose"


def _for_all(node: ast.AST) -> Found | None:
    """`project = Dense(n)` before `[project(b) for b in branches]`: one layer for values of several widths."""
    made = assigned_once(node) if isinstance(node, ast.FunctionDef) else {}
    for inner in walk(node) if made else ():
        called = inner.elt if isinstance(inner, ast.ListComp | ast.GeneratorExp) else None
        name = called.func.id if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) else ""
        layer = made.get(name)
        if isinstance(layer, ast.Call) and last_name(layer.func)[:1].isupper():
            return layer.lineno, 7.4, "It makes one layer, which is called with each of several values.", "other"
    return None


def _count(node: ast.AST) -> Found | None:
    """`size = len(table)`, `self.classes = max(ids)`: a number that an index may reach."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.Return):
        return None
    value = node.value
    while isinstance(value, ast.Call) and last_name(value.func) in ("int", "round") and value.args:
        value = value.args[0]
    if not isinstance(value, ast.Call) or last_name(value.func) not in _COUNTS:
        return None
    return node.lineno, 7.5, "It counts as many as there are: an index that starts at 1 needs one more.", "constant"


def _present(node: ast.AST) -> Found | None:
    """`np.unique(y).size`, `len(set(labels))`: a class that does not occur is not counted."""
    counted: ast.expr | None = None
    if isinstance(node, ast.Attribute) and node.attr == "size":
        counted = node.value
    elif isinstance(node, ast.Call) and last_name(node.func) == "len" and node.args:
        counted = node.args[0]
    if not isinstance(counted, ast.Call) or last_name(counted.func) not in ("unique", "set"):
        return None
    return counted.lineno, 7.2, "It counts the values that occur: the largest of them may be larger.", "constant"


def _batch(node: ast.AST) -> Found | None:
    """`.batch(n)` of elements whose lengths differ."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "batch":
        reason = "It batches elements of different shapes: padded_batch, or a fixed length before, makes them alike."
        return node.lineno, 5.8, reason, "other"  # what cuts or pads before it comes first
    return None


def _pad(node: ast.AST) -> Found | None:
    """`tf.pad(x, ...)` before a batch: what is longer than the length that is wanted stays longer."""
    if isinstance(node, ast.Call) and last_name(node.func) == "pad":
        reason = "It fills up what is too short: what is longer than that stays longer, and is not cut."
        return node.lineno, 8.5, reason, "slice"
    return None


def _starts(hops: Mapping[Line, int], files: Files) -> dict[str, ast.Call]:
    """The functions that give where windows start, with the range that does it."""
    trees = files.trees(f for f, _ in hops).values()
    functions = (n for tree in trees for n in nodes_of(tree, ast.FunctionDef))
    returns = ((f.name, n.value) for f in functions for n in nodes_of(f, ast.Return))
    return {name: value for name, value in returns if isinstance(value, ast.Call) and _bound(value) is not None}


def _overrun(node: ast.AST, starts: Mapping[str, ast.Call]) -> Found | None:
    """`for start in range(0, total, hop)` around `signal[start : start + size]`: the last windows are shorter.

    `starts` are the functions that give such a range.
    """
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        target, over = node.target.id, node.iter
        inside: list[ast.AST] = list(node.body)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp) and isinstance(node.generators[0].target, ast.Name):
        target, over, inside = node.generators[0].target.id, node.generators[0].iter, [node.elt]
    else:
        return None
    if isinstance(over, ast.Call):
        over = starts.get(last_name(over.func), over)
    stop = _bound(over)
    if stop is None or _is_named_less(stop):
        return None
    windows = [n for part in inside for n in walk(part) if _is_window(n, target)]
    if _subtracts(stop):
        windows = [n for n in windows if _reaches_beyond(n, target, stop)]
    if windows:
        reason = "It starts windows up to the very end: the last ones are shorter than the others."
        return stop.lineno, 8.0, reason, "slice"
    return None


def _sums(hops: Mapping[Line, int], files: Files) -> list[frozenset[str]]:
    """What is added up of three or more names in one expression: `past + gap + ahead`."""
    nodes = [n for tree in files.trees(f for f, _ in hops).values() for n in walk(tree)]
    rounds = {name for n in nodes if isinstance(n, ast.For | ast.comprehension) for name in names_in(n.target)}
    found = (_terms(n, ast.Add) - rounds for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add))
    return [names for names in found if len(names) > 2]


def _terms(node: ast.expr, kind: type[ast.operator]) -> frozenset[str]:
    """The names that a chain of additions, or of subtractions after its first part, has as terms."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, kind):
        return frozenset({last_name(node)} - {""}) if kind is ast.Add else frozenset()
    return _terms(node.left, kind) | frozenset({last_name(node.right)} - {""})


def _short(node: ast.AST, sums: list[frozenset[str]]) -> Found | None:
    """`rows - past - gap + 1` where `past + gap + ahead` is added up elsewhere: one of them is left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return None  # the whole of a chain is asked for from around it
    for inner in (n for n in children(node) if isinstance(n, ast.BinOp)):
        taken = _terms(inner, ast.Sub)
        left = next((names - taken for names in sums if taken < names and len(names) == len(taken) + 1), None)
        if len(taken) > 1 and left:
            reason = f"It takes all but `{min(left)}` off, which is counted with them elsewhere."
            return inner.lineno, 8.0, reason, "slice"
    return None


def _reaches_beyond(window: ast.AST, target: str, stop: ast.expr) -> bool:
    """Whether a window, `x[i + past : i + past + ahead]`, adds something to its start that the bound, `len(x) - past`,
    does not take off.
    """
    part = window.slice if isinstance(window, ast.Subscript) else None
    upper = part.upper if isinstance(part, ast.Slice) else None
    added = (
        {last_name(n) for n in walk(upper) if isinstance(n, ast.Name | ast.Attribute)} if upper is not None else set()
    )
    known = {last_name(n) for n in walk(stop) if isinstance(n, ast.Name | ast.Attribute)}
    whole = isinstance(stop, ast.BinOp) and not any(isinstance(n, ast.Name) and n.id == "stop" for n in walk(stop))
    return whole and bool(added - {target, "self", ""} - known) and bool(known & added)


def _is_named_less(stop: ast.expr) -> bool:
    """Whether the bound is worked out elsewhere: a name that does not say how much there is in all."""
    name = stop.id.lower() if isinstance(stop, ast.Name) else ""
    return bool(name) and any(word in name for word in ("last", "window", "count", "stop", "starts"))


def _is_window(node: ast.AST, target: str) -> bool:
    part = node.slice if isinstance(node, ast.Subscript) else None
    part = part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part
    if not isinstance(part, ast.Slice) or part.lower is None or target not in names_in(part.lower):
        return False
    upper = part.upper
    return isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) and target in names_in(upper)


def _joined(node: ast.AST) -> Found | None:
    """In a function that goes through the rows in pieces: the call that joins the results along another axis."""
    loops = [s for s in node.body if isinstance(s, ast.For)] if isinstance(node, ast.FunctionDef) else []
    for loop in loops:
        names = names_in(loop.target)
        if not any(_cuts_rows(n, names) for part in loop.body for n in walk(part)):
            continue
        parts = {
            n.func.value.id for part in loop.body for n in nodes_of(part, ast.Call)
            if isinstance(n.func, ast.Attribute) and n.func.attr == "append"
            and isinstance(n.func.value, ast.Name)
        }  # fmt: skip
        for call in walk(node):
            axis = _axis_of_join(call, parts)
            if axis:
                reason = f"It joins results of rows that were taken in pieces along axis {axis}: their rows are axis 0."
                return getattr(call, "lineno", 0), 8.0, reason, "concat-axis"
    return None


def _cuts_rows(node: ast.AST, names: set[str]) -> bool:
    """Whether `x[start:stop]` takes a piece of the rows from where a loop is."""
    part = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(part, ast.Slice) and isinstance(part.lower, ast.Name) and part.lower.id in names


def _axis_of_join(node: ast.AST, parts: set[str]) -> int:
    """The axis along which a call joins one of some lists; 0 where it does not, or that is the axis."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("concat", "concatenate", "stack", "hstack"):
        return 0
    if not any(isinstance(a, ast.Name) and a.id in parts for a in node.args[:1]):
        return 0
    if last_name(node.func) == "hstack":
        return 1
    given = next((k.value for k in node.keywords if k.arg == "axis"), node.args[1] if len(node.args) > 1 else None)
    try:
        axis = ast.literal_eval(given) if given is not None else 0
    except ValueError:
        return 0
    return axis if isinstance(axis, int) and last_name(node.func) != "stack" else 0


def _uneven(node: ast.AST) -> Found | None:
    """`for row in range(n)` around `for column in range(n - k)`: one of two loops goes on to the end."""
    if not isinstance(node, ast.For):
        return None
    inner = next((s for s in node.body if isinstance(s, ast.For)), None)
    both = [_bound(loop.iter) for loop in (node, inner)] if inner is not None else []
    if len(both) < 2 or both[0] is None or both[1] is None or inner is None:
        return None
    one, other = both[0], both[1]
    whole, cut, loop = (one, other, node) if _subtracts(other) else (other, one, inner)
    if _subtracts(whole) or not _subtracts(cut) or ast.unparse(whole) not in {ast.unparse(n) for n in walk(cut)}:
        return None
    return loop.lineno, 7.5, "It goes on to the end, and the loop beside it stops before.", "slice"


def _subtracts(bound: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in walk(bound))


def _bound(over: ast.expr) -> ast.expr | None:
    """The end of a `range`."""
    if not isinstance(over, ast.Call) or last_name(over.func) not in ("range", "arange") or not over.args:
        return None
    return over.args[0] if len(over.args) == 1 else over.args[1]

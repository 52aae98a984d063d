"""Two things that should go together and were made apart: columns of each table by itself, a count that leaves out what
was numbered, rows that were dropped on one side only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES, indexed_lists
from xladoctor.blame.suspicion import Candidate, Found, chain, conventions
from xladoctor.blame.values import Array, Clash, Origin, leaves
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, nodes_of, statements, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_COLUMNS = frozenset(
    {"keras-input-mismatch", "matmul-conv-mismatch", "broadcast-mismatch", "concat-pack-mismatch",
     "weight-shape-mismatch", "rank-mismatch"}
)  # fmt: skip
_ROWS = re.compile(
    r"cardinalit|number of (?:samples|rows)|same length|inconsistent numbers|boolean index did not match|along axis 0",
    re.IGNORECASE,
)
_FITTED = ("OneHot", "Binarizer", "Vectorizer")
"""Parts of the names of encoders whose columns depend on what they were fitted to."""
_WIDE = frozenset({"pivot", "pivot_table", "crosstab"})
"""What makes a column of each value that it meets."""
_MERGES = frozenset({"merge", "explode", "merge_asof"})
_DEEPEST = 3
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def of_tables(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    trees = files.trees(f for f, _ in hops)
    use = _Use.of(trees.values()) if crash.slug in _COLUMNS else None
    for file, tree in trees.items():
        found: list[Found] = []
        if use is not None and len(set(crash.sizes)) > 1:
            found += _by_itself(tree, use)
        if (use is not None and len(set(crash.sizes)) > 1) or crash.slug in OF_VALUES:
            found += _uncounted(tree)
        if _of_rows(crash):
            found += [*_unfiltered(tree), *_merged(tree), *_uncut(tree)]
        yield from conventions(file, found, hops)


# -- columns of each table by itself ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Use:
    """Where the functions of a program are called: by the function that calls, and whether in a loop."""

    sites: Mapping[str, Sequence[tuple[str, bool]]]

    @classmethod
    def of(cls, trees: Iterable[ast.Module]) -> _Use:
        """The calls of some files."""
        sites: dict[str, list[tuple[str, bool]]] = {}

        def read(node: ast.AST, function: str, loops: bool) -> None:
            for child in ast.iter_child_nodes(node):
                inner = child.name if isinstance(child, _Function) else function
                again = loops or isinstance(child, ast.For | ast.While | ast.comprehension | ast.ListComp)
                if isinstance(child, ast.Call):
                    sites.setdefault(last_name(child.func), []).append((function, loops))
                read(child, inner, again and not isinstance(child, _Function))

        for tree in trees:
            read(tree, "", False)
        return cls(sites)

    def is_often(self, name: str, far: int = 0) -> bool:
        """Whether a function is called for several tables: from several places, or by a function that is."""
        known = self.sites.get(name, ())
        if len(known) > 1 or any(loops for _, loops in known):
            return True
        return bool(known and known[0][0]) and far < _DEEPEST and self.is_often(known[0][0], far + 1)


def _by_itself(tree: ast.Module, use: _Use) -> Iterator[Found]:
    """The calls that take the categories of a table from itself, in what is done for several tables."""
    for function in (n for n in walk(tree) if isinstance(n, _Function)):
        text = {last_name(n.func) for n in nodes_of(function, ast.Call)}
        if text & {"reindex", "align", "CategoricalDtype"} or not use.is_often(function.name):
            continue
        for node in nodes_of(function, ast.Call):
            if _takes_own(node):
                reason = "It takes the categories from each table by itself: one that is missing there has no column."
                yield node.lineno, 8.0, reason
    direct = [n for s in tree.body if not isinstance(s, _Function | ast.ClassDef) for n in walk(s)]
    calls = sorted((n for n in direct if isinstance(n, ast.Call) and _takes_own(n)), key=lambda n: n.lineno)
    tables = [_column(n) for n in calls]
    for i, call in enumerate(calls):
        other = any(one[0] != tables[i][0] or one == tables[i] for one in tables[:i])
        if other and call.lineno not in {n.lineno for n in calls[:i]}:
            yield (
                call.lineno,
                8.0,
                "It takes the categories from this table by itself, as another line does of another table.",
            )


def _column(call: ast.Call) -> tuple[str, str]:
    """(table, column) that a call takes its categories from; two columns of one table have categories of their own."""
    given = call.args[0] if call.args else None
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
        return ast.unparse(given.value), str(given.slice.value)
    if isinstance(given, ast.Attribute):
        return ast.unparse(given.value), given.attr
    return (ast.unparse(given) if given is not None else ast.unparse(call)), ""


def _takes_own(call: ast.Call) -> bool:
    name = last_name(call.func)
    if name == "get_dummies":
        return not any(last_name(n.func) in ("Categorical", "set_categories") for n in nodes_of(call, ast.Call))
    if name in _WIDE:
        return True
    if name == "to_categorical":
        return len(call.args) < 2 and not any(k.arg in ("num_classes", None) for k in call.keywords)
    return name == "fit_transform" and any(part in ast.unparse(call.func) for part in _FITTED)


# -- a count that leaves out what was numbered ------------------------------------------------------------------------


def _uncounted(tree: ast.Module) -> Iterator[Found]:
    """`len(words)` as the number of ids, where `enumerate(specials + words)` or `enumerate(words, 1)` gives them."""
    scopes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    for scope in [*scopes, ast.Module([s for s in tree.body if s not in scopes], [])]:
        sums = {ast.unparse(t): s.value for s in walk(scope) if isinstance(s, ast.Assign) for t in s.targets
                if isinstance(s.value, ast.BinOp)}  # fmt: skip
        numbered = {part: how for n in walk(scope) for part, how in _numbered(n, sums)}
        back = indexed_lists(walk(tree))
        for node in walk(scope) if numbered else ():
            value = node.value if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign) else None
            counted = [value] if value is not None else [*_arguments(node)]
            for count in counted:
                part = _counts(count)
                if part in numbered:
                    weight = 4.0 if part in back else 8.0
                    yield count.lineno, weight, f"It counts {part[:40]}, but ids are given by {numbered[part][:60]}."


def _numbered(node: ast.AST, sums: Mapping[str, ast.expr]) -> Iterator[tuple[str, str]]:
    """What an `enumerate` gives numbers together with more, or from another start than 0; `sums` are what is called by
    a name.
    """
    if isinstance(node, ast.DictComp) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
        over = node.generators[0].iter
        if isinstance(over, ast.Call) and last_name(over.func) == "enumerate" and over.args:
            yield _plain(over.args[0]), ast.unparse(node)
    if not isinstance(node, ast.Call) or last_name(node.func) != "enumerate" or not node.args:
        return
    start = next((k.value for k in node.keywords if k.arg == "start"), node.args[1] if len(node.args) > 1 else None)
    over = sums.get(ast.unparse(node.args[0]), node.args[0])
    if isinstance(over, ast.BinOp) and isinstance(over.op, ast.Add):
        yield from ((_plain(side), ast.unparse(node)) for side in (over.left, over.right))
    elif start is not None and not (isinstance(start, ast.Constant) and start.value == 0):
        yield _plain(over), ast.unparse(node)


def _arguments(node: ast.AST) -> list[ast.expr]:
    """What a call of a layer is given: it is a number of ids there."""
    made = isinstance(node, ast.Call) and last_name(node.func)[:1].isupper()
    return [*node.args, *(k.value for k in node.keywords)] if made and isinstance(node, ast.Call) else []


def _counts(node: ast.expr) -> str:
    called = isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1
    return _plain(node.args[0]) if called and isinstance(node, ast.Call) else ""


def _plain(node: ast.expr) -> str:
    """The text of a collection, without what only orders it."""
    while isinstance(node, ast.Call) and last_name(node.func) in ("sorted", "list", "set", "tuple") and node.args:
        node = node.args[0]
    return ast.unparse(node)


# -- rows that were dropped on one side only --------------------------------------------------------------------------


def _of_rows(crash: Crash) -> bool:
    """Whether two numbers of rows do not agree."""
    if _ROWS.search(crash.message):
        return True
    pairs = ((a[0], b[0]) for a, b in pairwise(crash.shapes) if a and b)
    return crash.slug in _COLUMNS and any(a != b and {a, b} <= set(crash.sizes) for a, b in pairs)


_DROPS = frozenset({"dropna", "drop_duplicates", "query", "boolean_mask", "delete"})
_TESTS = frozenset({"notna", "notnull", "isin", "isfinite", "between", "isna", "isnull", "duplicated", "flatnonzero"})


def _unfiltered(tree: ast.Module) -> Iterator[Found]:
    """The lines that take something of a table whose rows another line of the function drops, and do not drop them."""
    for scope in [tree, *(n for n in walk(tree) if isinstance(n, _Function))]:
        body = [s for s in statements(scope) if isinstance(s, ast.Assign | ast.Expr | ast.Return)]
        masks = {t.id for s in body if isinstance(s, ast.Assign) and _is_test(s.value, set()) for t in s.targets
                 if isinstance(t, ast.Name)}  # fmt: skip
        for at, statement in enumerate(body):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            dropped = _dropped(statement.value, masks) if isinstance(statement, ast.Assign) else ""
            if not dropped or not isinstance(target, ast.Name):
                continue
            others = body[at + 1 :] if target.id != dropped else body[:at]
            for other in others:
                value = other.value
                if value is None or not _reads(value, dropped) or any(_dropped(n, masks) for n in walk(value)):
                    continue
                if target.id == dropped and not isinstance(other, ast.Assign):
                    continue
                reason = f"It takes all rows of `{dropped}`, and line {statement.lineno} drops some for `{target.id}`."
                yield other.lineno, 6.5, reason


def of_lost_rows(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """Two values of one table, of which one has lost rows on its way (a join, `dropna`, a test of its rows) and the
    other was taken as it was: where it was taken, and where the rows were lost.
    """
    found = [v for value in clash.values for v in leaves(value) if isinstance(v, Array) and v.dims]
    if clash.relation != "rows" or len(found) < 2:
        return
    first, second = found[:2]
    sizes = [v.sizes[0] or 0 for v in (first, second)]
    few, many = (first, second) if sizes[0] < sizes[1] else (second, first)
    ways = [(o, _statement(o, run.files)) for o, _ in chain(few.dims[0].origin if few.dims else None, _FAR)]
    whole = {_statement(o, run.files) for o, _ in chain(many.dims[0].origin if many.dims else None, _FAR)}
    shared = {statement for _, statement in ways if statement is not None} & whole
    lost = next((origin for origin, statement in ways if _loses_rows(statement)), None)
    taken = many.origin
    if not shared or lost is None or taken is None or 0 in sizes or (taken.file, taken.line) == (lost.file, lost.line):
        return
    kept = f"{min(sizes)} of the {max(sizes)} rows"
    yield Candidate(taken.file, taken.line, 7.8, f"It takes all rows; line {lost.line} keeps {kept}.", strong=True)
    yield Candidate(lost.file, lost.line, 7.0, f"It keeps {kept}; line {taken.line} takes all.", strong=True)


_FAR = 8


def _statement(origin: Origin, files: Files) -> ast.stmt | None:
    """The statement, of no block, at the line of an origin."""
    source = files.source(origin.file)
    plain = (n for n in walk(source.tree) if isinstance(n, _PLAIN)) if source is not None else ()
    return next((s for s in plain if s.lineno <= origin.line <= (s.end_lineno or s.lineno)), None)


_PLAIN = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return


def _loses_rows(statement: ast.stmt | None) -> bool:
    for node in walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, how = node.func.attr, keyword(node, "how")
            inner = isinstance(how, ast.Constant) and how.value == "inner"
            if name in _DROPS or (name in ("join", "merge") and (inner or (name == "merge" and how is None))):
                return True
        if isinstance(node, ast.Subscript) and _is_test(node.slice, set()):
            return True
    return False


def _uncut(tree: ast.Module) -> Iterator[Found]:
    """The one of several values that is not taken at the rows that all others are: `x[train], y[train], weights`, also
    of what is made of them (`(x**2)[keep]`, `x[keep].astype("float32")`).
    """
    numbers = set(_numbers_in(tree))
    for node in walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Tuple):
            values = node.elts
        elif isinstance(node, ast.Call):
            values = [*node.args, *(k.value for k in node.keywords)]
        elif isinstance(node, ast.Dict):
            values = node.values
        rows = {_cut_at(v) for v in values} - {""}
        whole = [v for v in values if not _cut_at(v) and _may_have_rows(v, numbers)]
        if len(rows) == 1 and sum(bool(_cut_at(v)) for v in values) > 1 and len(whole) == 1:
            cut = next(iter(rows))
            yield whole[0].lineno, 7.6, f"It takes all rows of `{ast.unparse(whole[0])}`, and of others `{cut}`."


_NAME = ast.Name | ast.Attribute
_OF_ONE = frozenset({"float", "int", "len", "bool", "str"})


def _numbers_in(tree: ast.Module) -> Iterator[str]:
    """The names that are given a single number, or a text: they have no rows."""
    for node in walk(tree):
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and last_name(value.func) in _OF_ONE):
            yield from (last_name(t) for t in getattr(node, "targets", ()))
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            kind = ast.unparse(node.annotation).partition("|")[0].strip()
            name = node.arg if isinstance(node, ast.arg) else last_name(node.target)
            yield from [name] if kind in _OF_ONE else []
        elif isinstance(node, _Function):
            defaults = zip(reversed(node.args.args), reversed(node.args.defaults), strict=False)
            yield from (a.arg for a, d in defaults if isinstance(d, ast.Constant) and d.value is not None)


def _inner(value: ast.expr) -> ast.expr:
    """What a value is made of, element by element: `x` of `(x**2).astype("float32")`."""
    while True:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _KEEPS:
            method = last_name(value.func.value) not in _MODULES
            value = value.func.value if method or not value.args else value.args[0]
        elif isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant):
            value = value.left
        else:
            return value


_KEEPS = frozenset({"astype", "copy", "numpy", "to_numpy", "asarray", "array", "sqrt", "square", "abs", "log", "exp"})
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "jnp"})


def _cut_at(value: ast.expr) -> str:
    """The rows at which a value is taken."""
    inner = _inner(value)
    return ast.unparse(inner.slice) if isinstance(inner, ast.Subscript) and isinstance(inner.slice, _NAME) else ""


def _may_have_rows(value: ast.expr, numbers: set[str]) -> bool:
    inner = _inner(value)
    return isinstance(inner, _NAME) and last_name(inner) not in numbers


def _merged(tree: ast.Module) -> Iterator[Found]:
    """The calls that may make several rows of one."""
    for node in nodes_of(tree, ast.Call):
        if last_name(node.func) in _MERGES and isinstance(node.func, ast.Attribute):
            yield node.lineno, 7.0, "It makes a row for each match: of a key that comes twice there are more rows."


def _dropped(node: ast.AST | None, masks: set[str]) -> str:
    """The name of which an expression keeps some rows; empty where it does not."""
    if isinstance(node, ast.Call) and last_name(node.func) in _DROPS:
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        given = node.args[0] if last_name(node.func) in ("boolean_mask", "delete") and node.args else of
        return given.id if isinstance(given, ast.Name) else ""
    if isinstance(node, ast.Call) and last_name(node.func) in ("copy", "reset_index", "astype", "to_numpy"):
        return _dropped(node.func.value, masks) if isinstance(node.func, ast.Attribute) else ""
    if isinstance(node, ast.Subscript) and _is_test(node.slice, masks):
        of = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
        return of.id if isinstance(of, ast.Name) else ""
    return ""


def _is_test(node: ast.expr, masks: set[str]) -> bool:
    """Whether an expression tells for each row whether it is kept."""
    if isinstance(node, ast.Compare):
        return any(not isinstance(n, ast.Constant) for n in node.comparators) or isinstance(
            node.left, ast.Subscript | ast.Call
        )
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitAnd | ast.BitOr) and any(_is_test(n, masks) for n in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert) and (_is_test(node.operand, masks) or isinstance(node.operand, ast.Call))
    return (isinstance(node, ast.Call) and last_name(node.func) in _TESTS) or (
        isinstance(node, ast.Name) and node.id in masks
    )


def _reads(node: ast.AST, name: str) -> bool:
    """Whether an expression takes the values of a name, not its length or its names alone."""
    return any(isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == name
               and getattr(n, "attr", "") not in ("shape", "columns", "index", "size") for n in walk(node))  # fmt: skip

"""Lines that do not do what others beside them do: a value that was made for a line and is read nowhere, a result that
other lines turn or pass on and this one does not, an argument that a call beside it converts, columns that one of
several encoders leaves out.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.follow import Follower
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, names_in, walk
from xladoctor.sources.order import scope_at

_SLUGS = frozenset(
    {"keras-input-mismatch", "matmul-conv-mismatch", "broadcast-mismatch", "concat-pack-mismatch", "rank-mismatch"}
)
_MOST_LEFT_OUT = 8
_MOST_ALIKE = 12
_TURNS = frozenset({"reshape", "expand_dims", "atleast_2d", "stack", "squeeze", "ravel", "flatten", "transpose"})
"""Functions and methods that give a value other axes."""


def of_siblings(hops: Mapping[Line, int], crash: Crash, run: Follower, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in _SLUGS:
        return
    ranks = crash.slug == "rank-mismatch" or len({len(shape) for shape in crash.shapes}) > 1
    apart = {b - a for a in crash.sizes for b in crash.sizes if b > a}
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[Found] = list(_of_dropped(tree)) if apart & set(range(1, _MOST_LEFT_OUT + 1)) else []
        found += [*_of_bare(tree), *_of_together(tree)] if ranks else []
        found += [*_of_plain_results(tree), *_of_plain_arguments(tree), *_of_kept(tree, run, crash.sizes)]
        if crash.at is not None and crash.at.file == file:
            found += [*_of_unread(tree, crash.at.line, run), *_of_unused_rows(tree, crash.at)]
        yield from conventions(file, found, hops)
    if min(crash.sizes, default=0) > 1:
        yield from _of_taken_apart(hops, crash.sizes, files)


def _of_taken_apart(hops: Mapping[Line, int], sizes: Sequence[int], files: Files) -> Iterator[Candidate]:
    """`np.array([left, right])`, which puts two along a first axis, where another line takes them apart along the
    second one: `pairs[:, 0]` and `pairs[:, 1]`.
    """
    trees = files.trees(f for f, _ in hops)
    taken: dict[str, set[int]] = {}
    for file, tree in trees.items():
        for node in walk(tree):
            key = node.slice if isinstance(node, ast.Subscript) else None
            second = key.elts[1] if isinstance(key, ast.Tuple) and len(key.elts) == 2 and _is_all(key.elts[0]) else None
            if isinstance(node, ast.Subscript) and isinstance(second, ast.Constant) and (file, node.lineno) in hops:
                taken.setdefault(ast.unparse(node.value), set()).add(second.value if type(second.value) is int else -1)
    counts = {len(numbers) for numbers in taken.values() if numbers == set(range(len(numbers)))} & set(sizes) - {1}
    for file, tree in trees.items():
        for call in (n for n in walk(tree) if isinstance(n, ast.Call) and (file, n.lineno) in hops):
            parts = (
                call.args[0] if len(call.args) == 1 and last_name(call.func) in ("array", "stack", "asarray") else None
            )
            named = isinstance(parts, ast.List | ast.Tuple) and all(isinstance(e, ast.Name) for e in parts.elts)
            if isinstance(parts, ast.List | ast.Tuple) and named and len(parts.elts) in counts and not call.keywords:
                reason = f"It puts {len(parts.elts)} along the first axis; another line takes them along the second."
                yield Candidate(file, call.lineno, 8.2, reason, None, "transpose", True)


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def _of_unread(tree: ast.Module, line: int, run: Follower) -> Iterator[Found]:
    """The failing line, if it takes a value from which another one was made that nothing reads."""
    scope: list[ast.stmt] = getattr(scope_at(tree, line), "body", [])
    failing = next((s for s in scope if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
    if not isinstance(failing, ast.Assign | ast.Expr | ast.Return | ast.AugAssign):
        return
    taken = names_in(failing)
    read = [n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    for made in scope[: scope.index(failing)]:
        target = made.targets[0] if isinstance(made, ast.Assign) and len(made.targets) == 1 else None
        if not isinstance(target, ast.Name) or target.id in read or target.id.startswith("_"):
            continue
        value = made.value if isinstance(made, ast.Assign) else None
        base = next((name for name in sorted(names_in(value) & taken) if read.count(name) > 1), None) if value else None
        if value is not None and base is not None and len(run.shapes.get(value, ())) > 1:
            yield (
                failing.lineno,
                7.8,
                f"It takes `{base}`; `{target.id}`, which was made of it before, is read nowhere.",
            )


def _of_kept(tree: ast.Module, run: Follower, sizes: Sequence[int]) -> Iterator[Found]:
    """`self.readings = self.readings[:, ok]`, where the failure has as many on one side as there were before, and fewer
    on the other: what has as many elsewhere was not cut.
    """
    for node in walk(tree):
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(value, ast.Subscript):
            continue
        whole = ast.unparse(value.value)
        keys = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        before = run.shapes.get(value.value, ())
        for axis, key in enumerate(keys[: len(before)]):
            size = before[axis]
            known = run.shapes.get(key, ())
            picks = isinstance(key, ast.Name | ast.Attribute | ast.Compare) and len(known) in (0, 1)
            if (
                picks
                and size in sizes
                and any(n < (size or 0) for n in sizes)
                and whole == ast.unparse(node.targets[0])
            ):
                yield node.lineno, 7.6, f"It keeps some of the {size} of `{whole}`; what else has {size} keeps all."


def _of_unused_rows(tree: ast.Module, at: Frame) -> Iterator[Found]:
    """`rows = table["id"].to_numpy()`, which nothing reads, and after it `x = x.astype(float)`: an operand of the
    failing line was made last there, with all rows, where another operand has as many as there are of the unread ones.
    """
    scope: list[ast.stmt] = getattr(scope_at(tree, at.line), "body", [])
    failing = next((s for s in scope if s.lineno <= at.line <= (s.end_lineno or s.lineno)), None)
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    made = [(s, t.id) for s in scope if isinstance(s, ast.Assign) for t in s.targets[:1] if isinstance(t, ast.Name)]
    for statement, name in made if failing is not None else ():
        rows = at.shapes.get(name, ())
        if name in read or len(rows) != 1 or failing is None or statement.lineno >= failing.lineno:
            continue
        whole = {n for n in names_in(failing) if at.shapes.get(n, (rows[0],))[:1] not in (rows, ())}
        later = [s for s, n in made if n in whole and statement.lineno < s.lineno < failing.lineno]
        if whole:
            reason = f"`{name}`, the {rows[0]} rows that are asked for, is read nowhere, and it takes all rows."
            yield (later[-1] if later else failing).lineno, 8.2, reason


def _of_bare(tree: ast.Module) -> Iterator[Found]:
    """The calls of the program's functions whose result other lines give other axes, and these do not."""
    own = {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef)}
    turned: dict[str, str] = {}
    inside: set[ast.AST] = set()
    for node in walk(tree):
        held = _turned(node)
        name = last_name(held.func) if held is not None else ""
        if held is not None and name in own:
            turned.setdefault(name, ast.unparse(node)[:60])
            inside.add(held)
    for node in walk(tree):
        value = node.value if isinstance(node, ast.Assign) else None
        name = last_name(value.func) if isinstance(value, ast.Call) and value not in inside else ""
        if isinstance(node, ast.Assign) and name in turned:
            yield node.lineno, 7.6, f"It takes the result of `{name}` as it is; another line has `{turned[name]}`."


_ASKS = frozenset({"predict", "predict_on_batch", "call", "apply"})


def _of_together(tree: ast.Module) -> Iterator[Found]:
    """`a = encoder.predict(x)` beside `mean, spread, z = self.encoder(x)`: what is several results is taken for one."""
    apart: dict[str, int] = {}
    whole: list[tuple[ast.Assign, str]] = []
    for node in walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        call, target = node.value, node.targets[0]
        asked = last_name(call.func) in _ASKS and isinstance(call.func, ast.Attribute)
        if any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args[:1]):
            continue  # one of many things, by its name
        name = last_name(call.func.value if asked and isinstance(call.func, ast.Attribute) else call.func)
        if not name:
            continue  # the result of a call is called
        if isinstance(target, ast.Tuple) and len(target.elts) > 1:
            apart.setdefault(name, len(target.elts))
        elif isinstance(target, ast.Name):
            whole.append((node, name))
    split = {n.value.id for n in walk(tree) if isinstance(n, ast.Subscript | ast.Starred | ast.Assign)
             and isinstance(n.value, ast.Name)}  # fmt: skip
    split |= {
        n.iter.id for n in walk(tree) if isinstance(n, ast.For | ast.comprehension) and isinstance(n.iter, ast.Name)
    }
    for node, name in whole:
        if name in apart and last_name(node.targets[0]) not in split:
            yield (
                node.lineno,
                7.8,
                f"It takes the {apart[name]} results of `{name}` for one; another line takes them apart.",
            )


def _of_plain_results(tree: ast.Module) -> Iterator[Found]:
    """`xt, yt = prepare(recent)` beside `x, y = whole_batches(*prepare(past), BATCH)`, both functions the program's."""
    own = {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.ImportFrom) for n in _named(n)}
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and last_name(n.func) in own]
    passed = {id(inner): outer for outer in calls for inner in _given(outer) if isinstance(inner, ast.Call)}
    through = {last_name(n.func): passed[id(n)] for n in calls if id(n) in passed}
    for node in walk(tree):
        value = node.value if isinstance(node, ast.Assign) else None
        outer = through.get(last_name(value.func)) if isinstance(value, ast.Call) else None
        if not isinstance(node, ast.Assign) or not isinstance(value, ast.Call) or outer is None or id(value) in passed:
            continue
        names = {n for target in node.targets for n in names_in(target)}
        later = [c for c in calls if last_name(c.func) == last_name(outer.func) and c is not outer]
        if not any(names & names_in(a) for call in later for a in _given(call)):
            by = last_name(outer.func)
            yield (
                node.lineno,
                7.9,
                f"It takes the result of `{last_name(value.func)}` as it is; another line has `{by}` of it.",
            )


def _of_plain_arguments(tree: ast.Module) -> Iterator[Found]:
    """`Data(x[n:], y[n:])` beside `Data(x[:n], one_hot(y[:n]))`."""
    calls: dict[str, list[ast.Call]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1:
            calls.setdefault(ast.unparse(node.func), []).append(node)
    for alike in calls.values():
        for one, other in itertools.permutations(alike, 2) if len(alike) <= _MOST_ALIKE else ():
            apart = [
                (a, b) for a, b in zip(one.args, other.args, strict=False)
                if isinstance(a, ast.Call) and isinstance(b, ast.Subscript) and a.args
                and ast.unparse(b.value) == ast.unparse(getattr(a.args[0], "value", a))
            ]  # fmt: skip
            if len(apart) == 1 and len(one.args) == len(other.args):
                (made, plain) = apart[0]
                reason = (
                    f"It gives `{ast.unparse(plain)[:40]}` as it is; a call beside it has `{ast.unparse(made)[:60]}`."
                )
                yield other.lineno, 8.2, reason


def _named(node: ast.AST) -> list[ast.FunctionDef | ast.alias]:
    """What a statement names: a function, or what is imported."""
    return list(node.names) if isinstance(node, ast.ImportFrom) else [node] if isinstance(node, ast.FunctionDef) else []


def _given(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call, also of one with a star."""
    return [a.value if isinstance(a, ast.Starred) else a for a in call.args]


def _turned(node: ast.AST) -> ast.Call | None:
    """The call whose result an expression gives other axes."""
    held: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        new = any(last_name(p) == "newaxis" or (isinstance(p, ast.Constant) and p.value is None) for p in parts)
        held = node.value if new else None
    elif isinstance(node, ast.Call) and last_name(node.func) in _TURNS:
        method = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
        held = node.func.value if method and isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    return held if isinstance(held, ast.Call) else None


def _of_dropped(tree: ast.Module) -> Iterator[Found]:
    """The encoders that leave out the column of the first category, where another one beside them keeps it."""
    encoders = [
        n for n in walk(tree) if isinstance(n, ast.Call) and last_name(n.func) in ("get_dummies", "OneHotEncoder")
    ]
    dropping = [n for n in encoders if _drops(n)]
    for node in dropping if len(dropping) < len(encoders) else ():
        yield node.lineno, 8.0, "It leaves out the column of the first category; the encoder beside it does not."


def _drops(call: ast.Call) -> bool:
    given = keyword(call, "drop_first" if last_name(call.func) == "get_dummies" else "drop")
    return isinstance(given, ast.Constant) and bool(given.value)

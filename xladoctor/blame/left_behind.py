"""Lines that do not go along with what was done beside them: a value of all rows beside one of some, one that was made
before its rows were left out, a pipeline without the axis that its sibling adds, places whose parts do not
stand side by side.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, names_in, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import scopes

_SLUGS = frozenset(
    {"broadcast-mismatch", "concat-pack-mismatch", "keras-input-mismatch", "matmul-conv-mismatch", "rank-mismatch",
     "index-out-of-range", "slice-out-of-bounds", "not-xla"}
)  # fmt: skip
_PICKS = frozenset({"gather", "take", "boolean_mask", "compress"})
_CUTS = frozenset({"dropna", "drop_duplicates", "filter", "head", "query", "sample", "tail"})
_CUT_WORDS = ("clean", "drop", "filter", "keep", "remove", "select", "trim", "valid", "without")
_MOST_LINES = 12
_ADDS = frozenset({"expand_dims", "newaxis"})


def of_left_behind(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in _SLUGS:
        return
    ranks = crash.slug == "rank-mismatch" or len({len(shape) for shape in crash.shapes}) > 1 or "ndim" in crash.message
    apart = len({n for n in crash.sizes if n > 1}) > 1
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[Found] = (
            [*_of_picked_alone(tree), *_of_made_before(tree)] if apart or crash.slug in OF_VALUES else []
        )
        found += _of_added_axis(tree) if ranks else []
        found += _of_stacked_index(tree)
        yield from conventions(file, found, hops)


def _of_picked_alone(tree: ast.Module) -> Iterator[Found]:
    """`step(gather(x, pick), gather(y, pick), w)`, and `counts[usable], middles`: an argument that has all rows, beside
    others that have some.
    """
    for node in walk(tree):
        if isinstance(node, ast.Call):
            parts: Sequence[ast.expr] = node.args
        elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
            parts = node.elts
        else:
            continue
        keys = [_picked(p) for p in parts]
        known = {k for k in keys if k is not None}
        whole = [p for p, k in zip(parts, keys, strict=True) if k is None and _is_array(p)]
        if len(known) != 1 or len(whole) != 1 or len(parts) < 2 or len(parts) > _MOST_LINES:
            continue
        picked = [p for p, k in zip(parts, keys, strict=True) if k is not None]
        if len(picked) < 2 and not _is_of_one_kind(tree, node, picked[0], whole[0]):
            continue
        shown = ast.unparse(picked[0])[:40]
        yield (
            whole[0].lineno,
            8.8 if len(picked) > 1 else 8.0,
            f"It gives all of `{ast.unparse(whole[0])[:40]}`, beside `{shown}`.",
        )


def _picked(node: ast.expr) -> str | None:
    """By what the rows of an expression are picked: `gather(x, pick)`, `x[keep]`."""
    if isinstance(node, ast.Call) and last_name(node.func) in _PICKS and len(node.args) == 2:
        return ast.unparse(node.args[1])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and _is_array(node.value):
        return node.slice.id
    return None


def _is_array(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) != "self"


def _is_of_one_kind(tree: ast.Module, node: ast.AST, picked: ast.expr, whole: ast.expr) -> bool:
    """Whether what is picked and what is not were made by calls of one function, or by one assignment."""
    one = getattr(picked, "value", None) or next(iter(getattr(picked, "args", [])), None)
    names = {last_name(n) for n in (one, whole) if isinstance(n, ast.Name)}
    makers: dict[str, str] = {}
    for assign in nodes_of(tree, ast.Assign):
        target = assign.targets[0]
        if isinstance(target, ast.Tuple):
            if names <= {last_name(e) for e in target.elts}:
                return len(names) == 2
        elif isinstance(target, ast.Name) and target.id in names and isinstance(assign.value, ast.Call):
            makers[target.id] = ast.unparse(assign.value.func)
    return len(names) == 2 and len(makers) == 2 and len(set(makers.values())) == 1


def _of_made_before(tree: ast.Module) -> Iterator[Found]:
    """`masks = random_masks(graph.n)`, then `graph = graph.without_isolated()`, and both are used together."""
    for scope in scopes(tree):
        body: list[ast.stmt] = scope.body  # type: ignore[attr-defined]
        for at, cut in enumerate(body):
            for one in _cuts(cut):
                yield from _kept_whole(tree, body[:at], one, cut.lineno)
            name = _cut(cut)
            if name is None:
                continue
            before = [s for s in body[:at] if isinstance(s, ast.Assign) and name in names_in(s.value)]
            for made in before:
                targets = {n for t in made.targets for n in names_in(t)} - {name}
                later = (n for s in body[at + 1 :] for n in walk(s))
                together = any(
                    isinstance(n, ast.Call | ast.Tuple) and {name} | (targets & names_in(n)) <= names_in(n)
                    and targets & names_in(n)
                    for n in later
                )  # fmt: skip
                if targets and together and not _made_again(body[at + 1 :], targets):
                    shown = " and ".join(f"`{t}`" for t in sorted(targets)[:2])
                    yield made.lineno, 8.0, f"{shown} is made of all of `{name}`; line {cut.lineno} leaves some out."
                    yield cut.lineno, 7.2, f"It leaves some of `{name}` out, after line {made.lineno} has made {shown}."


def _cuts(statement: ast.stmt) -> list[str]:
    """The names of what a statement leaves a part of out, also several: `x, y = x[keep], y[keep]`."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        singles = [ast.Assign([t], v, lineno=statement.lineno) for t, v in pairs]
        return [name for single in singles if (name := _cut(single)) is not None]
    name = _cut(statement)
    return [name] if name is not None else []


def _kept_whole(tree: ast.Module, before: Sequence[ast.stmt], name: str, cut: int) -> Iterator[Found]:
    """`self.groups = near(spots)` before `spots = spots[keep]`, where a method then indexes by `self.groups`."""
    indexed = {
        n.slice.attr for n in walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Attribute)
    }  # fmt: skip
    for made in (s for s in before if isinstance(s, ast.Assign) and name in names_in(s.value)):
        for target in made.targets:
            if isinstance(target, ast.Attribute) and target.attr in indexed:
                yield made.lineno, 8.6, f"`{target.attr}` is made of all of `{name}`; line {cut} leaves some out."


def _cut(statement: ast.stmt) -> str | None:
    """The name of what a statement leaves a part of out: `t = t.dropna()`, `x = x[keep]`, `g = g.without_ends()`."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or value is None:
        return None
    held: ast.expr | None = value
    cuts = False
    while isinstance(held, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(held, ast.Call):
            name = last_name(held.func)
            cuts = cuts or name in _CUTS or any(w in name for w in _CUT_WORDS)
            held = held.func if isinstance(held.func, ast.Attribute) else next(iter(held.args), None)
        elif isinstance(held, ast.Subscript):
            cuts = cuts or isinstance(held.slice, ast.Name | ast.Compare)
            held = held.value
        else:
            held = held.value
    return target.id if cuts and isinstance(held, ast.Name) and held.id == target.id else None


def _made_again(after: Sequence[ast.stmt], names: set[str]) -> bool:
    return any(isinstance(s, ast.Assign) and names & {n for t in s.targets for n in names_in(t)} for s in after)


def _of_added_axis(tree: ast.Module) -> Iterator[Found]:
    """The `map` of a pipeline without the new axis that the pipeline of another function adds."""
    pipelines = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _sources(n)]
    for one, other in permutations(pipelines, 2):
        if len(parameters(one)) != len(parameters(other)):
            continue
        adding, plain = (_maps(f) for f in (one, other))
        if any(_adds(m) for m in adding) and plain and not any(_adds(m) for m in walk(other)):
            line = next(m.lineno for m in adding if _adds(m))
            yield plain[0].lineno, 8.8, f"It adds no axis; `{one.name}` adds one in line {line}."


def _of_stacked_index(tree: ast.Module) -> Iterator[Found]:
    """`gather_nd(q, stack([rows, actions]))`: the parts of each place are along the last axis of the places."""
    stacks: dict[str, list[ast.Call]] = {}
    for assign in nodes_of(tree, ast.Assign):
        if isinstance(assign.value, ast.Call) and last_name(assign.value.func) == "stack":
            stacks.setdefault(ast.unparse(assign.targets[0]), []).append(assign.value)
    for call in nodes_of(tree, ast.Call):
        if last_name(call.func) not in _PLACES or len(call.args) < 2:
            continue
        given = [a for a in call.args[:2] if isinstance(a, ast.Call) and last_name(a.func) == "stack"]
        for stack in (*given, *(s for a in call.args[:2] for s in stacks.get(ast.unparse(a), ()))):
            parts = stack.args[0] if stack.args else None
            axis = next((ast.unparse(k.value) for k in stack.keywords if k.arg == "axis"), "0")
            named = isinstance(parts, ast.List | ast.Tuple) and all(isinstance(e, ast.Name) for e in parts.elts)
            if named and axis == "0" and len(stack.args) == 1:
                yield (
                    stack.lineno,
                    8.4,
                    f"It puts the parts of places along the first axis; `{last_name(call.func)}` "
                    "wants them along the last one.",
                )


_PLACES = frozenset({"gather_nd", "scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_update"})


def _sources(function: ast.FunctionDef) -> bool:
    return any(last_name(c.func) in ("from_tensor_slices", "from_generator") for c in nodes_of(function, ast.Call))


def _maps(function: ast.FunctionDef) -> list[ast.Call]:
    return [c for c in nodes_of(function, ast.Call) if last_name(c.func) == "map"]


def _adds(node: ast.AST) -> bool:
    return any(last_name(n) in _ADDS for n in walk(node))

"""What is kept to be compared or restored later, and is the thing itself: it changes along."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from xladoctor.sources.names import dotted, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import LOOPS, Slip, scopes, within_body

_WEIGHTS = frozenset({"weights", "variables", "trainable_variables", "trainable_weights", "non_trainable_weights"})
_VARIABLE = re.compile(
    r"\.(?:kernel|bias|gamma|beta|embeddings|moving_mean|moving_variance|(?:trainable_|non_trainable_)?(?:variables|weights)\[-?\d+\])$"
)
_NEW_ARRAY = frozenset({"copy", "astype", "numpy", "asarray", "array"})
_OF_ARRAYS = frozenset({"np", "numpy", "rng", "random"})
_IN_PLACE = frozenset({"fill", "shuffle", "sort", "partition", "put"})
_COMPARED = frozenset({"allclose", "array_equal", "isclose", "abs", "norm", "square"})


def kept(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each line that keeps it."""
    yield from _variables(tree)
    for scope in scopes(tree):
        yield from _arrays(scope)


def _variables(tree: ast.Module) -> Iterator[Slip]:
    """`best = list(net.trainable_variables)`, later given back to the variables of `net`, or taken off them."""
    nodes = list(walk(tree))
    zips = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == "zip"]
    given = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) == "set_weights" and n.args]
    for node in nodes:
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
            continue
        name, of = dotted(node.targets[0]), _owner(node.value)
        if name is None:
            continue
        if of is not None:
            beside = any(
                {name, of} <= {dotted(a), *(_owner(b) for b in z.args if b is not a)} for z in zips for a in z.args
            )
            back = any(
                isinstance(g.func, ast.Attribute) and (dotted(g.func.value), dotted(g.args[0])) == (of, name)
                for g in given
            )
            if (beside and _restores(tree, name)) or back:
                yield _slip(node.lineno, name, f"the variables of `{of}`", "values", "[v.numpy() for v in ...]")
        elif _VARIABLE.search(ast.unparse(node.value)) and _compared(tree, node, name):
            yield _slip(node.lineno, name, f"`{ast.unparse(node.value)}`", "value", ".numpy()")


def _owner(value: ast.expr) -> str | None:
    """`net` of `net.weights`, `list(net.weights)`, `[v for v in net.weights]`, `{v.name: v for v in net.weights}`."""
    if isinstance(value, ast.Call) and last_name(value.func) in ("list", "tuple") and len(value.args) == 1:
        return _owner(value.args[0])
    if isinstance(value, ast.ListComp | ast.DictComp | ast.GeneratorExp) and len(value.generators) == 1:
        item = value.value if isinstance(value, ast.DictComp) else value.elt
        loop = value.generators[0]
        return _owner(loop.iter) if ast.unparse(item) == ast.unparse(loop.target) else None
    return dotted(value.value) if isinstance(value, ast.Attribute) and value.attr in _WEIGHTS else None


def _restores(tree: ast.Module, name: str) -> bool:
    """Whether a loop over a `zip` of what was kept assigns it, or takes it off."""
    for loop in (n for n in walk(tree) if isinstance(n, (ast.For, ast.ListComp, ast.GeneratorExp))):
        pairs = (
            [(loop.target, loop.iter)] if isinstance(loop, ast.For) else [(g.target, g.iter) for g in loop.generators]
        )
        for target, over in pairs:
            if not any(dotted(n) == name for n in walk(over)) or not isinstance(target, ast.Tuple):
                continue
            names = {n.id for n in nodes_of(target, ast.Name)}
            body = loop.body if isinstance(loop, ast.For) else [loop.elt]
            for n in (n for part in body for n in walk(part)):
                if (
                    isinstance(n, ast.Call)
                    and last_name(n.func) == "assign"
                    and n.args
                    and last_name(n.args[0]) in names
                ):
                    return True
                if (
                    isinstance(n, ast.BinOp)
                    and isinstance(n.op, ast.Sub)
                    and {last_name(n.left), last_name(n.right)} <= names
                ):
                    return True
    return False


def _compared(tree: ast.Module, node: ast.Assign, name: str) -> bool:
    """Whether a later line takes one off the other."""
    text = ast.unparse(node.value)
    for n in walk(tree):
        both: tuple[ast.expr, ...] = ()
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub):
            both = (n.left, n.right)
        elif isinstance(n, ast.Call) and last_name(n.func) in _COMPARED and len(n.args) > 1:
            both = (n.args[0], n.args[1])
        if both and both[0].lineno > node.lineno and {ast.unparse(b) for b in both} == {name, text}:
            return True
    return False


def _slip(line: int, name: str, of: str, what: str, copy: str) -> Slip:
    return Slip(
        "kept-itself",
        line,
        f"`{name}` keeps {of}, and not the {what} of this moment",
        f"`{name}` is no copy: it changes with every change of {of}. What is restored from it, or compared with it, is "
        f"always the same as what is there. `{copy}` keeps the {what}.",
    )


def _arrays(scope: ast.AST) -> Iterator[Slip]:
    """`best = w` or `path.append(x)`, where `w` and `x` are changed in place afterwards."""
    nodes = [n for n in within_body(scope) if isinstance(n, ast.stmt | ast.expr)]
    arrays = {name for n in nodes for name in _makes_array(n)}
    arrays |= {held for n in nodes for held, name in _aliases(n) if name in arrays}
    loops = [n for n in nodes if isinstance(n, LOOPS)]
    for node in (n for n in nodes if isinstance(n, ast.stmt)):
        for held, name in _aliases(node):
            around = [loop for loop in loops if loop.lineno <= node.lineno <= (loop.end_lineno or 0)]
            if not around and (not held or "." in held):
                continue  # it may be put there first, and filled afterwards
            names = [name, held] if held else [name]
            at = _changed(nodes, names, node, around, arrays)
            if at is not None and all(_read_later(nodes, n, at, around) for n in names):
                where = f"`{held}` is" if held else f"Each item that is kept of `{name}` is"
                yield Slip(
                    "kept-itself",
                    node.lineno,
                    f"{where} `{name}` itself, and no copy of it",
                    f"Line {at} changes the array in place, and what was kept changes with it: both are one array. "
                    f"`{name}.copy()` keeps the values of this moment.",
                )


def _makes_array(node: ast.AST) -> Iterator[str]:
    """The name that a new array of NumPy is assigned to."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        made = node.value.func if isinstance(node.value, ast.Call) else None
        of_numpy = (dotted(made) or "").partition(".")[0] in _OF_ARRAYS if made is not None else False
        if isinstance(made, ast.Attribute) and (made.attr in _NEW_ARRAY or of_numpy):
            yield node.targets[0].id


def _aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """(what holds it, name): `held = name`, `self.held = name`, `kept[k] = name`; and `kept.append(name)`."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Name):
        target = node.targets[0]
        held = dotted(target)
        if held is not None and held != node.value.id:
            yield held, node.value.id
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            yield "", node.value.id
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func) == "append":
        given = node.value.args[0] if len(node.value.args) == 1 else None
        for part in given.elts if isinstance(given, ast.Tuple) else [given]:
            if isinstance(part, ast.Name):
                yield "", part.id


def _changed(
    nodes: list[ast.stmt | ast.expr], names: list[str], at: ast.stmt, loops: Sequence[ast.stmt], arrays: set[str]
) -> int | None:
    """The line that changes one of the names in place once it was kept, if no line binds one of them anew."""
    begin = min((loop.lineno for loop in loops), default=at.lineno)
    end = max((loop.end_lineno or 0 for loop in loops), default=0)
    lines = []
    for n in nodes:
        if isinstance(n, ast.Assign | ast.AnnAssign | ast.For) and n is not at and n.lineno >= begin:
            targets = n.targets if isinstance(n, ast.Assign) else [n.target]
            if any(dotted(c) in names for t in targets for c in (t.elts if isinstance(t, ast.Tuple) else [t])):
                return None
        found = [line for name in names if (line := _in_place(n, name, name in arrays)) is not None]
        lines += [line for line in found if line > at.lineno or begin <= line <= end]
    return min(lines, key=lambda line: (line < at.lineno, line), default=None)


def _in_place(node: ast.AST, name: str, is_array: bool) -> int | None:
    """The line of `name += ...`, `name[...] = ...`, `name.sort()`, `rng.shuffle(name)`, `out=name`."""
    if isinstance(node, ast.AugAssign):
        target = node.target
        if dotted(target) == name and is_array:
            return node.lineno
        return node.lineno if isinstance(target, ast.Subscript) and dotted(target.value) == name else None
    if isinstance(node, ast.Assign):
        found = [t for t in node.targets if isinstance(t, ast.Subscript) and dotted(t.value) == name]
        return node.lineno if found else None
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        changed = [k.value for k in node.keywords if k.arg == "out"]
        if owner is not None and is_array and last_name(node.func) in _IN_PLACE:
            changed += [owner, *node.args]
        return node.lineno if any(dotted(c) == name for c in changed) else None
    return None


def _read_later(nodes: list[ast.stmt | ast.expr], name: str, changed: int, around: Sequence[ast.stmt]) -> bool:
    """Whether a name is read once the array has changed. What is kept in an object, a list or a dict is."""
    if not name or "." in name:
        return True
    aside = {id(c) for n in nodes for c in _only_changes(n)}
    reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    begin = min((loop.lineno for loop in around), default=changed)
    return any(n.lineno > min(begin, changed) for n in reads if id(n) not in aside)


def _only_changes(node: ast.AST) -> Iterator[ast.AST]:
    """The names within a statement that changes an array in place: no reading of another array."""
    target = node.target if isinstance(node, ast.AugAssign) else None
    targets = [target] if target is not None else node.targets if isinstance(node, ast.Assign) else []
    for t in targets:
        if isinstance(t, ast.Subscript):
            yield from walk(t.value)

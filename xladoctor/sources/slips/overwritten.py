"""Sums that each step replaces instead of adding to them: only the last step counts.

What shows that a sum was meant: it is set to zero again though nothing would read the zero, or what stands beside it is
added up and divides it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xladoctor.sources.names import dotted, last_name, names_in, nodes_of, parents_of, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, LOOPS, Slip, assigns, scopes, within_body

_SUMS = re.compile(
    r"(?:^|_)(?:g?acc|buf|total|collect|gather|pool|[a-z\d]{0,20}grads?(?:_|$)|(?:gradient|sum)s?(?:_|$))", re.I
)
_OF_STEPS = re.compile(r"loss|cost|err|correct|hits|score|sum|total|acc|grad|mae|mse|penalt", re.I)
_TIMES = re.compile(r"time|perf_counter|elapsed|monotonic|result\(|history|last")
_LATEST = re.compile(r"(?:^|_)(?:last|latest|prev[a-z]{0,9}|old|current|recent|best)(?:_|$)", re.I)
_ADDS = frozenset({"assign_add", "scatter_add", "scatter_nd_add"})
_ZEROS = frozenset({"zeros", "zeros_like"})


def overwritten(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    parents = parents_of(tree)
    seen: set[int] = set()
    for slip in (*_buffers(tree, parents), *_beside_counts(tree, parents), *_scattered(tree), *_lists(tree)):
        if slip.line not in seen:
            seen.add(slip.line)
            yield slip


def _slip(line: int, name: str, why: str, instead: str) -> Slip:
    return Slip(
        "sum-replaced",
        line,
        f"`{name}` is replaced in each step, and not added to",
        f"{why} Only the last step before `{name}` is read counts; all earlier ones are lost. {instead}",
    )


@dataclass(frozen=True)
class _Change:
    how: str
    """`zero`, `replace` or `add`."""
    node: ast.AST
    function: ast.AST


def _buffers(tree: ast.Module, parents: dict[ast.AST, ast.AST]) -> Iterator[Slip]:
    """Variables that a step assigns, and that are assigned zeros once they were read."""
    for name in sorted(n for n in _variables(tree) if not _LATEST.search(n.rpartition(".")[2])):
        changes, reads = _uses(tree, name, parents)
        zeros = [c for c in changes if c.how == "zero"]
        replaced = [c for c in changes if c.how == "replace"]
        if not zeros or not replaced or any(c.how == "add" for c in changes):
            continue
        behind = all(any(_reads_first(r, z, parents) for z in zeros) for r in reads)
        mixed = any(_within(z.node, parents) & _within(r.node, parents) for z in zeros for r in replaced)
        divided = any(isinstance(n, ast.Div) for c in replaced for n in walk(_statement(c.node, parents)))
        if reads and behind and not mixed and (_SUMS.search(name.rpartition(".")[2]) or divided):
            line = replaced[0].node.lineno  # type: ignore[attr-defined]
            zeroed = zeros[0].node.lineno  # type: ignore[attr-defined]
            why = f"Line {zeroed} sets it to zero after it was used, which has a purpose for a sum alone."
            yield _slip(line, name, why, "`assign_add` adds.")


def _variables(tree: ast.Module) -> set[str]:
    """The names that hold one `tf.Variable`, or a list or dict of them."""
    found: set[str] = set()
    for target, value, _ in assigns(tree):
        inner: ast.AST = value
        if isinstance(value, ast.ListComp | ast.DictComp):
            inner = value.value if isinstance(value, ast.DictComp) else value.elt
        elif isinstance(value, ast.List) and value.elts:
            inner = value.elts[0]
        made = isinstance(inner, ast.Call) and last_name(inner.func) in ("Variable", "add_weight", "add_variable")
        if made and (name := dotted(target)) is not None:
            found.add(name)
    return found


def _uses(tree: ast.Module, name: str, parents: dict[ast.AST, ast.AST]) -> tuple[list[_Change], list[ast.AST]]:
    """The changes of a variable, or of the items of a list of them; and the places that read it."""
    changes: list[_Change] = []
    aside: set[int] = set()
    reads: list[ast.AST] = []
    for node in walk(tree):
        if isinstance(node, ast.For) and (items := _items(node.target, node.iter, name)):
            own = [n for n in nodes_of(node, ast.Name) if n.id in items and isinstance(n.ctx, ast.Load)]
            kept = {id(n) for c in nodes_of(node, ast.Call) for n in _changed(c, items, "", changes, parents)}
            reads += [n for n in own if id(n) not in kept]
            aside |= {id(n) for n in walk(node.iter)}
        elif isinstance(node, ast.Call):
            aside |= {id(n) for n in _changed(node, set(), name, changes, parents)}
    loads = (n for n in walk(tree) if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load))
    reads += [n for n in loads if dotted(n) == name and id(n) not in aside]
    return changes, reads


def _changed(
    call: ast.Call, items: set[str], name: str, changes: list[_Change], parents: dict[ast.AST, ast.AST]
) -> Iterator[ast.AST]:
    """The nodes within a call of `assign` on an item, which is noted, that read nothing of it."""
    if not isinstance(call.func, ast.Attribute) or not call.args:
        return
    if call.func.attr != "assign" and call.func.attr not in _ADDS:
        return
    of = call.func.value
    inner = of.value if isinstance(of, ast.Subscript) else of
    if not (last_name(inner) in items and isinstance(inner, ast.Name)) and not (name and dotted(inner) == name):
        return
    texts = items | ({name} if name else set())
    zero = is_zero(call.args[0])
    own = any(dotted(n) in texts for n in walk(call.args[0]))
    how = "add" if call.func.attr in _ADDS or (own and not zero) else "zero" if zero else "replace"
    changes.append(_Change(how, call, _function(call, parents)))
    yield from walk(of)
    if zero:
        yield from walk(call.args[0])


def _items(target: ast.expr, source: ast.expr, name: str) -> set[str]:
    """The names that stand for an item of a list: in a plain loop, and through `zip`, `enumerate` and `.items()`."""
    if dotted(source) == name:
        return {target.id} if isinstance(target, ast.Name) else set()
    if not isinstance(source, ast.Call):
        return set()
    if isinstance(source.func, ast.Attribute) and dotted(source.func.value) == name:
        of = target.elts[-1] if source.func.attr == "items" and isinstance(target, ast.Tuple) else target
        return {of.id} if isinstance(of, ast.Name) and source.func.attr in ("items", "values") else set()
    if last_name(source.func) == "enumerate" and isinstance(target, ast.Tuple) and source.args:
        return _items(target.elts[-1], source.args[0], name)
    if last_name(source.func) == "zip" and isinstance(target, ast.Tuple):
        pairs = zip(target.elts, source.args, strict=False)
        return {i for t, s in pairs for i in _items(t, s, name)}
    return set()


def is_zero(value: ast.expr) -> bool:
    """Whether a value is zero, an array of zeros or a list of them."""
    if isinstance(value, ast.Constant):
        return value.value in (0, 0.0) and value.value is not False
    if isinstance(value, ast.Call):
        return last_name(value.func) in _ZEROS or (
            last_name(value.func) in ("float", "constant", "Variable") and bool(value.args) and is_zero(value.args[0])
        )
    if isinstance(value, ast.ListComp):
        return is_zero(value.elt)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        listed = value.left.elts[0] if isinstance(value.left, ast.List) and value.left.elts else value.left
        return is_zero(listed) or is_zero(value.right)
    return False


def _function(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    while node in parents and not isinstance(node, FUNCTIONS):
        node = parents[node]
    return node


def _statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    while node in parents and not isinstance(node, FUNCTIONS) and not isinstance(node, ast.stmt):
        node = parents[node]
    return node


def _within(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> set[ast.AST]:
    """The innermost block of a condition or a function around a node, loops over its items left out."""
    while node in parents:
        above = parents[node]
        if isinstance(above, (ast.If, ast.Lambda, ast.Module, *FUNCTIONS)):
            return {above}
        node = above
    return set()


def _reads_first(read: ast.AST, zero: _Change, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a read stands in the block that sets to zero, in front of that."""
    same = bool(_within(read, parents) & _within(zero.node, parents))
    return same and read.lineno < zero.node.lineno  # type: ignore[attr-defined]


def _beside_counts(tree: ast.Module, parents: dict[ast.AST, ast.AST]) -> Iterator[Slip]:
    """`total = loss` beside `count += 1`, and later `total / count`; also `out[rows] = p` beside `count[rows] += 1`."""
    ratios = [r for n in walk(tree) if (r := _ratio(n)) is not None]
    for block in _blocks(tree):
        counts = [c for s in block if (c := _counted(s)) is not None]
        for statement in block if counts else ():
            target, value = _replaced(statement)
            name = _text(target) if target is not None else None
            if target is None or value is None or name is None or is_zero(value):
                continue
            sister = next((c for c in counts if (name, _text(c)) in ratios and _index(c) == _index(target)), None)
            if sister is None or name in {_text(n) for n in walk(value)} or not _in_step(statement, parents):
                continue
            inside = {id(n) for s in block for n in walk(s)}
            behind = any(_ratio(n) == (name, _text(sister)) and id(n) not in inside for n in walk(tree))
            plain = _index(target) is None
            if plain and not (behind and _is_of_step(name, value, block) and _zeroed(tree, name)):
                continue
            if not plain and not _is_collected(tree, name, _text(sister)):
                continue
            one, other = ast.unparse(target), ast.unparse(sister)
            yield _slip(
                statement.lineno,
                one,
                f"`{other}` beside it is added to, and divides it later.",
                f"`{one} += ...` adds.",
            )


def _scattered(tree: ast.Module) -> Iterator[Slip]:
    """`out = tensor_scatter_nd_update(out, at, p)` beside `n = tensor_scatter_nd_add(n, at, ones)`, and `out / n`."""
    ratios = [r for n in walk(tree) if (r := _ratio(n)) is not None]
    for block in _blocks(tree):
        calls = [
            (last_name(s.value.func), dotted(s.targets[0]), ast.unparse(s.value.args[1]), s.lineno)
            for s in block
            if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and len(s.value.args) > 2
            if dotted(s.targets[0]) == dotted(s.value.args[0])
        ]
        for how, name, at, line in calls:
            sisters = [c[1] for c in calls if c[0] == "tensor_scatter_nd_add" and c[2] == at and (name, c[1]) in ratios]
            if how == "tensor_scatter_nd_update" and name and sisters and _is_collected(tree, name, sisters[0]):
                why = f"`{sisters[0]}` beside it is added to, and divides it later."
                yield _slip(line, name, why, "`tf.tensor_scatter_nd_add` adds.")


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in walk(tree):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
                yield block


def _ratio(node: ast.AST) -> tuple[str, str] | None:
    """(numerator, divisor) of `a / b`, `a[k] / max(b[k], 1)`, `np.divide(a, b)` and `a /= b`."""
    sides: Sequence[ast.expr] = ()
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    elif isinstance(node, ast.Call) and last_name(node.func) in ("divide", "divide_no_nan", "true_divide"):
        sides = node.args[:2]
    texts = [_text(_inner(s)) for s in sides]
    return (texts[0], texts[1]) if len(texts) == 2 and texts[0] and texts[1] else None


def _inner(node: ast.expr) -> ast.expr:
    """What a divisor is made of: `count` of `np.maximum(count, 1)`, `count[..., None]` and `count.numpy()`."""
    while True:
        if isinstance(node, ast.Call) and last_name(node.func) in ("maximum", "max", "float", "int", "clip", "cast"):
            if not node.args:
                return node
            node = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.right, ast.Constant):
            node = node.left
        else:
            return node


def _text(node: ast.AST) -> str | None:
    """The name of a value, or of the array that a subscript takes from."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return dotted(node)


def _index(node: ast.AST) -> str | None:
    return ast.unparse(node.slice) if isinstance(node, ast.Subscript) else None


def _counted(statement: ast.stmt) -> ast.expr | None:
    """`count` of `count += n` and `count.assign_add(n)`."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        return statement.target
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "assign_add":
        return call.func.value
    return None


def _replaced(statement: ast.stmt) -> tuple[ast.expr | None, ast.expr | None]:
    """(target, value) of `total = loss` and `total.assign(loss)`."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0], statement.value
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "assign" and call.args:
        return call.func.value, call.args[0]
    return None, None


def _in_step(statement: ast.stmt, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a statement is in a loop, or in a method that adds up."""
    here: ast.AST = statement
    while here in parents:
        here = parents[here]
        if isinstance(here, LOOPS):
            return True
        if isinstance(here, FUNCTIONS):
            return here.name != "__init__" and isinstance(parents.get(here), ast.ClassDef)
    return False


def _is_of_step(name: str, value: ast.expr, block: Sequence[ast.stmt]) -> bool:
    """Whether a value is of one step alone: not a time, nor made of what the loop adds up itself."""
    text = ast.unparse(value)
    added = {_text(c) for s in block for n in walk(s) if isinstance(n, ast.stmt) and (c := _counted(n)) is not None}
    own = any(dotted(n) in added for n in walk(value))
    called = isinstance(value, ast.Call | ast.Name | ast.BinOp)
    return bool(_OF_STEPS.search(name.rpartition(".")[2]) and called and not own and not _TIMES.search(text))


def _zeroed(tree: ast.Module, name: str) -> bool:
    """Whether the program sets it to zero, or makes it as a weight, which begins with zeros."""
    return any(
        dotted(one) == name and (is_zero(v) or (isinstance(v, ast.Call) and last_name(v.func) == "add_weight"))
        for target, value, _ in assigns(tree)
        for one, v in _pairs(target, value)
    )


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(target, value), also of `a, b = 0.0, 0`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _is_collected(tree: ast.Module, *names: str | None) -> bool:
    """Whether both begin as zeros, or as dicts with nothing in them."""
    empty = {
        dotted(one)
        for target, value, _ in assigns(tree)
        for one, v in _pairs(target, value)
        if is_zero(v)
        or (isinstance(v, ast.Dict) and not v.keys)
        or (isinstance(v, ast.DictComp) and is_zero(v.value))
        or (isinstance(v, ast.Call) and last_name(v.func) in ("defaultdict", "Counter", "dict"))
    }
    return set(names) <= empty


def _lists(tree: ast.Module) -> Iterator[Slip]:
    """`acc = [zeros_like(v) for v in ws]`, in a loop `acc = grads`, and behind the loop `[a / n for a in acc]`."""
    for scope in scopes(tree):
        here = list(within_body(scope))
        for loop in (n for n in here if isinstance(n, LOOPS)):
            for statement in loop.body:
                target, value = _replaced(statement)
                if not isinstance(target, ast.Name) or value is None or target.id in _read(value):
                    continue
                begins = [
                    s
                    for s in here
                    if isinstance(s, ast.Assign)
                    and dotted(s.targets[0]) == target.id
                    and isinstance(s.value, ast.ListComp)
                    and is_zero(s.value)
                    and s.lineno < loop.lineno
                ]
                after = [n for n in here if getattr(n, "lineno", 0) > (loop.end_lineno or 0)]
                inside = [n for s in loop.body if s is not statement for n in nodes_of(s, ast.Name)]
                used = any(n.id == target.id and isinstance(n.ctx, ast.Load) for n in inside)
                if begins and not used and any(_divides(n, target.id) for n in after):
                    why = f"Line {begins[-1].lineno} begins it with zeros, and it is divided behind the loop."
                    yield _slip(statement.lineno, target.id, why, f"`[a + g for a, g in zip({target.id}, ...)]` adds.")


def _read(value: ast.expr) -> set[str]:
    """The names that a value is made of; of a comprehension over several lists those whose items it uses."""
    if not isinstance(value, ast.ListComp):
        return names_in(value)
    used = names_in(value.elt)
    found = set(used)
    for loop in value.generators:
        given = (
            loop.iter.args if isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "zip" else [loop.iter]
        )
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        found |= {n for t, g in zip(targets, given, strict=False) if names_in(t) & used for n in names_in(g)}
    return found


def _divides(node: ast.AST, name: str) -> bool:
    """`[a / n for a in name]`."""
    if not isinstance(node, COMPREHENSIONS) or isinstance(node, ast.DictComp):
        return False
    over = any(name in names_in(g.iter) for g in node.generators)
    scaled = any(isinstance(n, ast.Div | ast.Mult) for n in walk(node.elt))
    return over and scaled

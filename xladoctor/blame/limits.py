"""Mistakes of one or two at a limit: numbers that go one past the last row, an offset that has moved on before it is
used, and items that are put to a list which was cut to its limit before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import LABEL, OF_VALUES, indexed_lists
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, keyword, last_name, names_in, nodes_of, operands, summands, walk

_MOST = 3
"""So many items more than its limit are a mistake of the ends of a list."""
_JOINS = frozenset({"concat", "concatenate", "hstack", "r_"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def of_limits(hops: Mapping[Line, int], crash: Crash, files: Files, one_past: bool) -> Iterator[Candidate]:
    """The lines among those that the failure depends on; `one_past`: an index is as large as what it is an index of."""
    more = {abs(a - b) for a in crash.sizes for b in crash.sizes} & set(range(1, _MOST + 1))
    if not more and crash.slug not in OF_VALUES:
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        nodes = list(walk(tree))
        yield from conventions(file, [f for n in nodes if isinstance(n, _Function) for f in _padded(n, more)], hops)
        found = [
            f for n in nodes if isinstance(n, _Function) for f in _lengthened(n, more | ({1} if one_past else set()))
        ]
        if crash.slug in OF_VALUES:
            found += [f for n in nodes for f in (*_moved_on(n), *_summed_up(n), *_own_length(n), *_of_one_part(n))]
            found += [f for n in nodes for f in _filled(n)]
        if one_past:
            beyond = frozenset(size + 1 for size in crash.sizes)
            past = [f for n in nodes for f in _past_the_end(n, LABEL in crash.message, beyond)]
            meant, lists = _pads(nodes), indexed_lists(nodes)
            back = {n.lineno for n in nodes if isinstance(n, ast.Call) and _numbers_one_of(n, lists)}
            for at, weight, why in past:
                if why == _FROM_ONE:
                    weight = min(weight, _MEANT) if meant else _WRONG if at in back else weight
                found.append((at, weight, why))
        yield from conventions(file, found, hops)


# -- numbers that go one past the last row ----------------------------------------------------------------------------

_DRAWS = frozenset({"integers", "randint", "random_integers", "randrange"})
_COUNTS = frozenset({"range", "arange"})


def _past_the_end(node: ast.AST, is_label: bool, beyond: frozenset[int]) -> Iterator[Found]:
    """`integers(1, n + 1)`, `x % n + 1`, `enumerate(x, start=1)`: the largest number is n, also where `n + 1` is
    written as a number (one of `beyond`).
    """
    if isinstance(node, ast.BinOp) and _is_one_more(node) and _is_rest(node.left):
        yield node.lineno, 8.0, "It makes numbers from 1 up to the divisor itself."
    if not isinstance(node, ast.Call):
        return
    name, ends = last_name(node.func), node.args[:2]
    if name in _DRAWS and len(ends) == 2:
        whole = ast.unparse(node.func) == "random.randint" or name == "random_integers" or _is_endpoint(node)
        bound = ends[1].value + whole if isinstance(ends[1], ast.Constant) and type(ends[1].value) is int else None
        named = bound is None and (_is_one_more(ends[1]) or (whole and not _is_one_less(ends[1])))
        if named or bound in beyond:
            yield node.lineno, 8.0, f"The largest number that it draws is `{ast.unparse(_top(ends[1], whole))[:40]}`."
    elif _from_one(name, node, ends):
        weight = 6.5 if name in _COUNTS else 8.0 if is_label else 7.2  # a range may number other things
        yield node.lineno, weight, _FROM_ONE


_FROM_ONE = "It numbers from 1: the last number is as large as what is counted."
_MEANT = 5.5
"""Of numbers that begin at 1 because 0 fills what is not there: then a count is what is wrong."""


_WRONG = 8.6
"""Of numbers that begin at 1 where another line takes a number for a place in the list that was numbered."""


def _numbers_one_of(call: ast.Call, lists: set[str]) -> bool:
    return last_name(call.func) == "enumerate" and bool(call.args) and ast.unparse(call.args[0]) in lists


def _pads(nodes: Sequence[ast.AST]) -> bool:
    """Whether a program fills up with zeros: `pad_sequences`, `mask_zero=True`, `[0] * n`."""
    return any(
        (isinstance(n, ast.keyword) and n.arg == "mask_zero")
        or (isinstance(n, ast.Call) and last_name(n.func) in ("pad_sequences", "pad", "padded_batch"))
        or (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) and _is_fill(n.left))
        for n in nodes
    )


def _is_fill(node: ast.expr) -> bool:
    """`[0]` or `[PAD]`, which is repeated."""
    only = node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else None
    is_zero = isinstance(only, ast.Constant) and only.value == 0
    return is_zero or (isinstance(only, ast.Name | ast.Attribute) and "pad" in last_name(only).lower())


_FILLS = {"full": (1, "fill_value"), "full_like": (1, "fill_value"), "fill": (1, "value"), "fillna": (0, "value"),
          "get": (1, "default"), "pad": (99, "constant_values"), "pad_sequences": (99, "value")}  # fmt: skip
"""Where a call takes the number that stands for what is not there."""


def _filled(node: ast.AST) -> Iterator[Found]:
    """`np.full(shape, len(tags))`, `ids.get(word, len(ids))`: it is the first number that is no index."""
    place, name = _FILLS.get(last_name(node.func), (0, "")) if isinstance(node, ast.Call) else (0, "")
    if not isinstance(node, ast.Call) or not name:
        return
    given = keyword(node, name) or (node.args[place] if place < len(node.args) else None)
    if isinstance(given, ast.Call) and last_name(given.func) == "len" and given.args:
        yield node.lineno, 8.0, f"It fills with `{ast.unparse(given)[:40]}`, the first number that is no index."


def _from_one(name: str, call: ast.Call, ends: Sequence[ast.expr]) -> bool:
    if name == "enumerate":
        return _is_one(keyword(call, "start") or (ends[1] if len(ends) == 2 else None))
    return name in _COUNTS and len(ends) == 2 and _is_one(ends[0]) and _is_one_more(ends[1])


def _is_one(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1 and type(node.value) is int


def _is_one_more(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_one(node.right)


def _is_one_less(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _is_rest(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _is_endpoint(call: ast.Call) -> bool:
    given = keyword(call, "endpoint")
    return isinstance(given, ast.Constant) and given.value is True


def _top(high: ast.expr, whole: bool) -> ast.expr:
    """The largest number of a draw, whose bound is left out unless it is `whole`."""
    if isinstance(high, ast.Constant) and isinstance(high.value, int) and not whole:
        return ast.Constant(high.value - 1)
    return high.left if isinstance(high, ast.BinOp) and _is_one_more(high) and not whole else high


# -- an offset that has moved on --------------------------------------------------------------------------------------


def _moved_on(node: ast.AST) -> Iterator[Found]:
    """`offset += len(x)` before `x + offset` in one round of a loop: the first part starts behind itself."""
    body = node.body if isinstance(node, ast.For | ast.While) else []
    for at, statement in enumerate(body):
        if not isinstance(statement, ast.AugAssign) or not isinstance(statement.op, ast.Add):
            continue
        name = statement.target.id if isinstance(statement.target, ast.Name) else ""
        constant = isinstance(statement.value, ast.Constant)
        if not name or constant or any(_takes_off(n, name) for s in body for n in walk(s)):
            continue
        later = next((s for s in body[at + 1 :] if any(_adds(n, name) for n in walk(s))), None)
        if later is not None and not any(_adds(n, name) for s in body[:at] for n in walk(s)):
            reason = (
                f"It moves `{name}` on before line {later.lineno} adds it: each part is counted into its own start."
            )
            yield statement.lineno, 8.5, reason


def _summed_up(node: ast.AST) -> Iterator[Found]:
    """`starts = cumsum(counts)` that is added as it is: these are the ends of the parts."""
    body = [n for s in node.body for n in walk(s)] if isinstance(node, _Function | ast.Module) else []
    for made in body if isinstance(node, _Function) or not any(isinstance(n, _Function) for n in body) else ():
        value = made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 else None
        name = made.targets[0].id if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name) else ""
        if (
            not name
            or not isinstance(value, ast.Call)
            or last_name(value.func) != "cumsum"
            or keyword(value, "exclusive")
        ):
            continue
        if any(_takes_off(n, name) or _is_part_of(n, name) for n in body):
            continue
        one_by_one = {n for x in body for n in _names_of_items(x, name)}
        if any(_adds(n, one) for n in body for one in {name, *one_by_one}):
            yield getattr(made, "lineno", 0), 8.5, "These are the ends of the parts: the first part starts at 0."


def _own_length(node: ast.AST) -> Iterator[Found]:
    """Indices of several parts to which the numbers of the indices themselves are added, `pairs + shift` with
    `shift = cumsum([len(p.pairs) for p in parts])`: they point into another table, whose rows count.
    """
    for statement in (s for s in walk(node) if isinstance(s, ast.Assign | ast.AugAssign)) if _is_function(node) else ():
        target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        measured = _measured(statement.value, node) if isinstance(target, ast.Name) else set()
        grows = isinstance(statement, ast.AugAssign) or any(
            isinstance(n, ast.Call) and last_name(n.func) == "cumsum" for n in walk(statement.value)
        )
        if not grows or len(measured) != 1 or not isinstance(target, ast.Name):
            continue
        (own,) = measured
        sums = [n for n in nodes_of(node, ast.BinOp) if isinstance(n.op, ast.Add)]
        for one in sums:
            sides = (one.left, one.right)
            shifted = [other for side, other in (sides, sides[::-1]) if target.id in names_in(side)]
            if any(own in {n.attr for n in nodes_of(s, ast.Attribute)} for s in shifted):
                reason = (
                    f"`{target.id}` grows by the numbers of `{own}`, to which it is added: they point into a table."
                )
                yield statement.lineno, 8.4, reason
                break


def _measured(value: ast.expr, function: ast.AST) -> set[str]:
    """The attributes whose lengths an expression, or what its names were assigned, has: `pairs` of `len(m.pairs)`."""
    known = assigned_once(function)
    parts = [value, *(known[name] for name in names_in(value) if name in known)]
    calls = (n for part in parts for n in nodes_of(part, ast.Call) if last_name(n.func) == "len" and n.args)
    shapes = (
        n.value.value for part in parts for n in nodes_of(part, ast.Subscript)
        if isinstance(n.value, ast.Attribute) and n.value.attr == "shape"
    )  # fmt: skip
    return {n.attr for n in [*(c.args[0] for c in calls), *shapes] if isinstance(n, ast.Attribute)}


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, _Function)


def _of_one_part(node: ast.AST) -> Iterator[Found]:
    """`places[0].max()`, `local[:, 0].max()`: the largest of one part alone, where a size is made of it."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return
    for call in (n for n in nodes_of(node, ast.Call) if last_name(n.func) in ("max", "reduce_max", "amax")):
        held = operands(call, ("np", "tf", "numpy"))[0]
        part = held.slice if isinstance(held, ast.Subscript) else None
        last = part.elts[-1] if isinstance(part, ast.Tuple) and part.elts else part
        if isinstance(last, ast.Constant) and last.value == 0 and type(last.value) is int:
            yield call.lineno, 8.2, "It takes the largest of the first part alone: others may reach further."


def _names_of_items(node: ast.AST, name: str) -> Iterator[str]:
    """What a loop over something, or over pairs of it, calls its items."""
    if isinstance(node, ast.For | ast.comprehension) and name in names_in(node.iter):
        parts = node.iter.args if isinstance(node.iter, ast.Call) else [node.iter]
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(parts) == len(targets):
            pairs = zip(parts, targets, strict=True)
            yield from (t.id for p, t in pairs if isinstance(t, ast.Name) and isinstance(p, ast.Name) and p.id == name)


def _is_part_of(node: ast.AST, name: str) -> bool:
    """Whether a node shifts a list of sums: a slice of it, or a call that joins it with something."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
        return isinstance(node.slice, ast.Slice)
    return isinstance(node, ast.Call) and last_name(node.func) in _SHIFTS and name in names_in(node)


_SHIFTS = _JOINS | {"roll", "insert", "pad", "append", "split", "searchsorted"}


def _adds(node: ast.AST, name: str) -> bool:
    """Whether an expression adds a name to something else than a number."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    sides = [node.left, node.right]
    return any(isinstance(s, ast.Name) and s.id == name for s in sides) and not any(
        isinstance(s, ast.Constant) for s in sides
    )


def _takes_off(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and name in names_in(node)


# -- items that are put to what was cut -------------------------------------------------------------------------------


def _lengthened(function: ast.FunctionDef | ast.AsyncFunctionDef, more: set[int]) -> Iterator[Found]:
    """`ids = words[:limit]` and then `[START, *ids]`: one more than the limit."""
    cuts: dict[str, ast.expr] = {}
    for cutting in nodes_of(function, ast.Assign):
        if isinstance(cutting.targets[0], ast.Name) and _is_cut(cutting.value):
            cuts[cutting.targets[0].id] = cutting.value
    for node in walk(function):
        count, parts = _put_together(node)
        cut = next((p for p in parts if _is_cut(p) or (isinstance(p, ast.Name) and p.id in cuts)), None)
        if cut is None or count > _MOST or not any(one <= count for one in more):
            continue
        made = cuts[cut.id] if isinstance(cut, ast.Name) else cut
        words = "one item" if count == 1 else f"{count} items"
        yield made.lineno, 8.5, f"It cuts to a limit, and line {getattr(node, 'lineno', 0)} adds {words} to it."


def _padded(function: ast.FunctionDef | ast.AsyncFunctionDef, more: set[int]) -> Iterator[Found]:
    """`n = limit - len(ids) - 1` and then `[START] + ids + [END] + [PAD] * n`: two items are put to them, and one was
    counted.
    """
    known = assigned_once(function)
    for node in (n for n in nodes_of(function, ast.BinOp) if isinstance(n.op, ast.Add)):
        parts = summands(node)
        fills = [p for p in parts if isinstance(p, ast.BinOp) and isinstance(p.op, ast.Mult)]
        times = [side for p in fills for side in (p.left, p.right) if not isinstance(side, ast.List)]
        if len(times) != 1 or len(parts) < 3:
            continue
        count = known.get(last_name(times[0]), times[0])
        lengths, taken = _left_of(count)
        single, _ = _put_together(node)
        whole = {ast.unparse(p) for p in parts}
        if lengths and lengths <= whole and abs(single - taken) in more and isinstance(count, ast.BinOp):
            yield count.lineno, 8.6, f"It counts {taken} items beside `{min(lengths)}`, and {single} are put to it."


def _left_of(count: ast.expr) -> tuple[set[str], int]:
    """Of `limit - len(ids) - 1` whose lengths are taken off, and how many single items."""
    lengths: set[str] = set()
    taken = 0
    here = count
    while isinstance(here, ast.BinOp) and isinstance(here.op, ast.Sub):
        off = here.right
        if isinstance(off, ast.Constant) and isinstance(off.value, int):
            taken += off.value
        elif isinstance(off, ast.Call) and last_name(off.func) == "len" and off.args:
            lengths.add(ast.unparse(off.args[0]))
        else:
            return set(), 0
        here = here.left
    return lengths, taken


def _is_cut(node: ast.expr) -> bool:
    """`x[:limit]`, also in a comprehension, or of one."""
    if isinstance(node, ast.ListComp):
        return len(node.generators) == 1 and not node.generators[0].ifs and _is_cut(node.generators[0].iter)
    part = node.slice if isinstance(node, ast.Subscript) else None
    plain = isinstance(part, ast.Slice) and part.lower is None and part.step is None
    return plain and isinstance(part, ast.Slice) and isinstance(part.upper, ast.Name | ast.Attribute)


def _put_together(node: ast.AST) -> tuple[int, Sequence[ast.expr]]:
    """How many single items an expression puts together with other parts, and those parts."""
    if isinstance(node, ast.List | ast.Tuple):
        parts = [e.value for e in node.elts if isinstance(e, ast.Starred)]
        return len(node.elts) - len(parts), parts
    sides: Sequence[ast.expr] = ()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = summands(node)
    elif isinstance(node, ast.Call) and last_name(node.func) in _JOINS and node.args:
        sides = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else ()
    lists = [s for s in sides if isinstance(s, ast.List | ast.Tuple)]
    return sum(len(s.elts) for s in lists), [s for s in sides if s not in lists]

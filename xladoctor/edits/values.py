"""Edits of the values on suspected lines: another name, one more or less, a slice, an axis, the other order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import called, number
from xladoctor.edits.text import Candidate, Text
from xladoctor.sources.names import around

_SIZE = re.compile(r"(\A|_)(n|k|num|units|dim|size|length|len|rows|cols|width|height|steps|count|classes|heads)(\Z|_)")
_MOST_NAMES = 5
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_JOINED = {
    "stack": "concatenate", "concatenate": "stack", "concat": "stack", "vstack": "hstack", "hstack": "vstack",
}  # fmt: skip
_TENSORFLOW = {"concatenate": "concat"}
_NO_ARRAYS = frozenset({"fit", "compile", "evaluate", "len", "range", "batch", "prefetch", "map", "zip", "open", "int"})
_STAGES = frozenset({"batch", "repeat", "flatten", "ravel", "squeeze"})


def other_names(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number's name replaced by that of another number which is known at that line."""
    pool = numbers(text)
    used: list[ast.Name | ast.Attribute] = [*text.all(ast.Name), *text.all(ast.Attribute)]
    for node in used:
        if not isinstance(node.ctx, ast.Load) or not facts.is_near(text, node):
            continue
        name = text.of(node)
        if name not in pool or isinstance(text.parents.get(node), ast.Attribute):
            continue
        beside = {text.of(n) for n in ast.iter_child_nodes(text.parents[node]) if isinstance(n, ast.expr)}
        others = [n for n in pool if n not in beside and _visible(text, pool[n], node)]
        others.sort(key=lambda n: abs(pool[n].lineno - node.lineno))
        for order, other in enumerate(others[:_MOST_NAMES]):
            why = f"write {other} instead of {name}"
            yield candidate(text, facts, "constant", why, 3.5 + 0.2 * order, text.put(node, other))


@lru_cache(maxsize=16)
def numbers(text: Text) -> dict[str, ast.expr]:
    """Names, and attributes of self, that a line assigns a number to, with the node that is assigned."""
    found: dict[str, ast.expr] = {}
    for statement in text.all(ast.Assign):
        targets, values = statement.targets[:1], [statement.value]
        if isinstance(targets[0], ast.Tuple) and isinstance(statement.value, ast.Tuple):
            targets, values = list(targets[0].elts), list(statement.value.elts)
        for target, value in zip(targets, values, strict=False):
            if isinstance(target, ast.Name | ast.Attribute) and _is_number(value, found):
                found.setdefault(text.of(target), target)
    for function in [n for n in ast.walk(text.tree) if isinstance(n, ast.FunctionDef)]:
        defaults = dict(zip(reversed(function.args.args), reversed(function.args.defaults), strict=False))
        for argument in function.args.args:
            if argument in defaults and number(defaults[argument]) is None:
                continue
            if argument in defaults or _SIZE.search(argument.arg):
                found.setdefault(argument.arg, argument)  # type: ignore[arg-type]
    return found


def is_number_name(text: Text, node: ast.AST) -> bool:
    """Whether a name or an attribute is one that this source assigns a number to."""
    return isinstance(node, ast.Name | ast.Attribute) and text.of(node) in numbers(text)


def _is_number(value: ast.expr, known: dict[str, ast.expr]) -> bool:
    if number(value) is not None:
        return True
    if isinstance(value, ast.BinOp):
        return _is_number(value.left, known) and _is_number(value.right, known)
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
    return called(value) in ("len", "int", "max") or (isinstance(value, ast.Name) and value.id in known)


def _visible(text: Text, made: ast.AST, used: ast.AST) -> bool:
    """Whether a name that is made at one node can be read at another: in a function around it, or in the module."""
    scope = scope_of(text, made)
    if scope is None:
        return getattr(made, "lineno", 0) < getattr(used, "lineno", 0) or scope_of(text, used) is not None
    inside = scope is used or any(above is scope for above in around(used, text.parents))
    return inside and getattr(made, "lineno", 0) <= getattr(used, "lineno", 0)


def scope_of(text: Text, node: ast.AST) -> ast.AST | None:
    """The function that a node stands in; None at the top of the module."""
    return next((above for above in around(node, text.parents) if isinstance(above, _SCOPES)), None)


def one_more(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number that is one too large or too small, or a multiple of what it should be."""
    sizes = set(facts.sizes)
    by_one = any(size + 1 in sizes for size in sizes)
    factors = sorted({b // a for a in sizes for b in sizes if a > 1 and b > a and b % a == 0 and b // a <= 8})
    for node in (*text.all(ast.Name), *text.all(ast.Attribute), *text.all(ast.Call), *text.all(ast.Subscript)):
        if not facts.is_near(text, node) or not _gives_number(text, node):
            continue
        written = text.of(node)
        for made in (f"{written} + 1", f"{written} - 1") if by_one else ():
            yield candidate(text, facts, "constant", f"write {made}", 4.5, text.put(node, _closed(text, node, made)))
        for factor in factors[:2]:
            for made in (f"{factor} * {written}", f"{written} // {factor}"):
                yield candidate(
                    text, facts, "constant", f"write {made}", 4.5, text.put(node, _closed(text, node, made))
                )


_COUNTS = frozenset({"batch", "window", "range", "arange", "linspace", "RepeatVector", "Embedding", "head", "take"})
"""Calls whose argument says how many."""


def _gives_number(text: Text, node: ast.expr) -> bool:
    """Whether a node is a number that says a size: the name of one, a length, an element of a shape."""
    if isinstance(node, ast.Call):
        return called(node) == "len"
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        parent = text.parents.get(node)
        counts = isinstance(parent, ast.Call) and called(parent) in _COUNTS and node in parent.args
        return (text.of(node) in numbers(text) or counts) and not isinstance(parent, ast.Attribute)
    return False


def _closed(text: Text, node: ast.AST, made: str) -> str:
    """In brackets where the node stands in another operation."""
    return f"({made})" if isinstance(text.parents.get(node), ast.BinOp | ast.UnaryOp) else made


def slices(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A value cut by one, or with an axis more or less, where it is assigned, returned or handed on."""
    by_one = any(size + 1 in facts.sizes for size in facts.sizes)
    ranks = {len(shape) for shape in facts.shapes if shape}
    turned = len(ranks) > 1 or 1 in facts.sizes or facts.says("rank", "ndim", "dimensions")
    for node in _handed(text):
        if not facts.is_near(text, node) or not _is_array(node) or _is_other(text, facts, node):
            continue
        written = text.of(node)
        plain = written if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({written})"
        for cut in ("[1:]", "[:-1]", "[:, 1:]", "[:, :-1]") if by_one else ():
            yield candidate(text, facts, "slice", f"take {cut} of it", 5.0, text.put(node, plain + cut))
        for cut, kind in (("[None]", "expand"), ("[..., None]", "expand"), ("[..., 0]", "squeeze")) if turned else ():
            yield candidate(text, facts, kind, f"take {cut} of it", 5.0, text.put(node, plain + cut))
    for node in text.all(ast.Subscript):
        if (
            facts.is_near(text, node)
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.slice, ast.Slice | ast.Tuple | ast.Name)
        ):
            change = text.put(node, text.of(node.value))
            yield candidate(text, facts, "slice", "leave out this slice", 5.5, change)


def _is_other(text: Text, facts: Facts, node: ast.expr) -> bool:
    """Whether a value has a name under which no array was seen in the failing calls, though others were."""
    parent = text.parents.get(node)
    names = [node] if isinstance(node, ast.Name) else parent.targets if isinstance(parent, ast.Assign) else []
    plain = [n.id for n in names if isinstance(n, ast.Name)]
    at_top = scope_of(text, node) is None
    return bool(at_top and facts.locals and plain) and not any(name in facts.locals for name in plain)


def _is_array(node: ast.expr) -> bool:
    """Whether a value may be an array: no list, no text, nothing that a class or a layer gives."""
    if isinstance(node, ast.Call):
        name = called(node)
        return not isinstance(node.func, ast.Call) and name[:1].islower() and name not in _NO_ARRAYS
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return isinstance(node.value, ast.Name) and not node.value.id.isupper()
    if isinstance(node, ast.Name | ast.Attribute):
        return not (node.id if isinstance(node, ast.Name) else node.attr).isupper()
    return isinstance(node, ast.Subscript | ast.BinOp)


def _handed(text: Text) -> Iterator[ast.expr]:
    for statement in text.all(ast.Assign):
        yield statement.value
    for returned in [n for n in ast.walk(text.tree) if isinstance(n, ast.Return | ast.Yield)]:
        if isinstance(returned.value, ast.Tuple):
            yield from returned.value.elts
        elif returned.value is not None:
            yield returned.value
    for call in text.all(ast.Call):
        if called(call) in ("one_hot", "to_categorical", "from_tensor_slices", "matmul", "fit", "evaluate", "eye"):
            yield from (a for a in call.args[:2] if isinstance(a, ast.Name | ast.Attribute))


def orders(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Two things exchanged: inputs, outputs, results."""
    found: list[ast.Tuple | ast.List] = [*text.all(ast.Tuple), *text.all(ast.List)]
    for node in found:
        named = [e for e in node.elts if isinstance(e, ast.Name | ast.Attribute | ast.Call | ast.Subscript)]
        if len(node.elts) not in (2, 3) or len(named) != len(node.elts) or not facts.is_near(text, node):
            continue
        for a, b in ((0, 1), (1, 2), (0, 2))[: 1 if len(named) == 2 else 3]:
            changes = (text.put(named[a], text.of(named[b])), text.put(named[b], text.of(named[a])))
            yield candidate(text, facts, "other", "exchange these two", 5.5, *changes)


_SETTINGS = frozenset({"add_argument", "add_option", "option", "field"})
"""Calls that declare one setting each: what one has says nothing of the others."""


def alike(text: Text, facts: Facts) -> Iterator[Candidate]:
    """An option that another call of the same function has, for a call on a suspected line that has it not."""
    calls: dict[str, list[ast.Call]] = {}
    for call in text.all(ast.Call):
        if called(call):
            calls.setdefault(called(call), []).append(call)
    for call in [c for name, found in calls.items() if len(found) > 1 and name not in _SETTINGS for c in found]:
        if not facts.is_near(text, call):
            continue
        own = {k.arg for k in call.keywords}
        given = {k.arg: k.value for other in calls[called(call)] for k in other.keywords if k.arg and k.arg not in own}
        for name, value in list(given.items())[:4]:
            if name not in ("name", "activation", "dtype", "seed"):
                why, cost = f"give it {name} as the other {called(call)} has it", 4.0 if name in _EACH else 1.0
                yield candidate(text, facts, "other", why, cost, text.with_keyword(call, name, text.of(value)))


_EACH = frozenset({"strides", "dilation_rate", "groups", "kernel_size", "filters", "units"})
"""Options that each layer has for itself."""


def divisible(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A size that halves evenly, where what was halved and doubled again is joined with what was not."""
    if facts.slug not in ("concat-pack-mismatch", "broadcast-mismatch", "keras-input-mismatch"):
        return
    for node in text.all(ast.Constant):
        size = number(node)
        if size is None or not 16 < size <= 4096 or size % 8 == 0 or not facts.is_near(text, node):
            continue
        for step in (16, 8):
            why = f"write {size // step * step}, which can be halved, instead of {size}"
            yield candidate(text, facts, "constant", why, 4.0, text.put(node, str(size // step * step)))


def options(text: Text, facts: Facts) -> Iterator[Candidate]:
    """An option left out, on a suspected line; a stage of a pipeline left out."""
    for call in text.all(ast.Call):
        if not facts.is_near(text, call):
            continue
        for keyword in call.keywords:
            if keyword.arg in ("data_format", "axis", "strides", "dilation_rate", "maxlen", "transpose_a", "axes"):
                start, end = text.span(keyword)
                before = text.text[:start].rstrip()
                cut = len(before) - 1 if before.endswith(",") else start
                made = type(text.put(keyword, ""))(cut, end, "")
                yield candidate(text, facts, "other", f"leave out {keyword.arg}", 4.0, made)
        if isinstance(call.func, ast.Attribute) and called(call) in _STAGES:
            change = text.put(call, text.of(call.func.value))
            yield candidate(text, facts, "batch-size", f"leave out this {called(call)}", 5.0, change)
        if called(call) in _JOINED and isinstance(call.func, ast.Attribute):
            start, end = text.span(call.func)
            name = _joined(text, call)
            made = type(text.put(call, ""))(end - len(called(call)), end, name)
            yield candidate(text, facts, "concat-axis", f"use {name}", 3.5, made)


def _joined(text: Text, call: ast.Call) -> str:
    """The other way to join arrays, by the name that the module has for it."""
    name = _JOINED[called(call)]
    module = text.of(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return _TENSORFLOW.get(name, name) if module in ("tf", "tensorflow") else name


def turns(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The axes of a transposition in another order; one of a product's axes; an array transposed where it is made."""
    for call in text.all(ast.Call):
        if not facts.is_near(text, call):
            continue
        numbers = [a for a in call.args if number(a) is not None]
        inner = call.args[-1] if call.args and isinstance(call.args[-1], ast.List | ast.Tuple) else None
        nodes = list(inner.elts) if inner is not None else numbers
        if called(call) in ("transpose", "Permute") and len(nodes) > 2:
            values = [text.of(n) for n in nodes]
            for a in range(len(values)):
                for b in range(a + 1, len(values)):
                    changes = (text.put(nodes[a], values[b]), text.put(nodes[b], values[a]))
                    yield candidate(text, facts, "transpose", "put the axes in another order", 2.5, *changes)
        if called(call) in ("array", "asarray", "stack") and isinstance(text.parents.get(call), ast.Assign):
            yield candidate(text, facts, "transpose", "transpose it", 4.0, text.wrapped(call, "", ".T"))


ALL = (other_names, one_more, slices, orders, alike, divisible, options, turns)

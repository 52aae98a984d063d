"""Edits of numbers, shapes and operands: constants, reshapes, products, joins, what adds or takes an axis."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations, takewhile

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import argument, called, module, number
from xladoctor.edits.text import Candidate, Text
from xladoctor.sources.names import around, keyword

_SHAPED = frozenset({"shape", "input_shape", "batch_shape", "batch_input_shape", "target_shape"})
_DECLARES = frozenset({"Input", "InputLayer", "placeholder", "TensorSpec"})
_WITH_BATCH = frozenset({"placeholder", "TensorSpec", "batch_shape", "batch_input_shape"})
_TRAINING = frozenset({"epochs", "batch_size", "verbose", "seed", "random_state", "steps_per_epoch", "max_iter"})
_PRODUCTS = frozenset({"matmul", "Dot"})
_JOINS = {"concat": (1, "axis"), "concatenate": (1, "axis"), "Concatenate": (0, "axis"), "stack": (1, "axis")}
_AXIS_OUT = frozenset({"expand_dims", "to_categorical", "one_hot", "squeeze", "flatten", "ravel", "transpose"})
_REDUCE = frozenset({"reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "mean", "sum", "argmax"})


def constants(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A number that is one of the sizes, replaced by another of them."""
    for node in text.all(ast.Constant):
        have = number(node)
        if have is None or have < 2 or have not in facts.sizes or _of_training(text, node):
            continue
        for order, size in enumerate(facts.other(have)[:3]):
            if size < 1:
                continue
            # A setting of the whole program changes more than the place where sizes do not fit.
            setting = isinstance(text.parents.get(node), ast.Assign) and text.parents.get(node) in text.tree.body
            base = 2.5 + order + (1.0 if setting else 0.0)
            why = f"write {size} instead of {have}"
            yield candidate(text, facts, "constant", why, base, text.put(node, str(size)))


def _of_training(text: Text, node: ast.AST) -> bool:
    """Whether a number says how long something is trained, and not how large it is."""
    parent = text.parents.get(node)
    return isinstance(parent, ast.keyword) and parent.arg in _TRAINING


def shapes(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A declared shape in another order, or as the data have it."""
    found: list[ast.Tuple | ast.List] = [*text.all(ast.Tuple), *text.all(ast.List)]
    for node in found:
        if not _is_shape(text, node) or not 1 <= len(node.elts) <= 5:
            continue
        sizes = [number(e) for e in node.elts]
        opened, closed = ("(", ")") if isinstance(node, ast.Tuple) else ("[", "]")
        written = [text.of(e) for e in node.elts]
        whole = _has_batch(text, node)
        ranks = (len(node.elts), len(node.elts) + 1)
        extra = facts.says("ndim", "rank") and any(len(shape) in ranks for shape in facts.shapes)
        if not whole and len(node.elts) > 1 and extra:
            made = ", ".join(written[1:]) + ("," if len(written) == 2 and opened == "(" else "")
            why = "leave out the first size: the batch has no place here"
            yield candidate(text, facts, "input-shape", why, 1.5, text.put(node, f"{opened}{made}{closed}"))
        for wanted in _as_given(facts, sizes, written, whole):
            made = ", ".join(wanted) + ("," if len(wanted) == 1 and opened == "(" else "")
            # What is no input has its shape for a reason of its own, and its names do not become numbers.
            declares = _declares(text, node)
            why = "declare the shape that the data have" if declares else "write the shape of the other side"
            named = sum(n is None and w not in (r, "None") for n, r, w in zip(sizes, written, wanted, strict=False))
            base = (2.0 if len(wanted) == len(node.elts) else 4.5) + (0.8 * named if declares else 3.0)
            yield candidate(text, facts, "input-shape", why, base, text.put(node, f"{opened}{made}{closed}"))
        turned = "channels_first" not in text.text
        for other in [o for o in _orders(written) if not (turned and _channels_first(o, written))]:
            made = ", ".join(other)
            why = "put the axes in another order"
            yield candidate(text, facts, "channels", why, 4.5, text.put(node, f"{opened}{made}{closed}"))


def _is_shape(text: Text, node: ast.AST) -> bool:
    parent = text.parents.get(node)
    if isinstance(parent, ast.keyword):
        return parent.arg in _SHAPED
    return isinstance(parent, ast.Call) and called(parent) in _DECLARES and node in parent.args


def _declares(text: Text, node: ast.AST) -> bool:
    """Whether a shape is that of data from elsewhere: of an input, a placeholder, a layer's `input_shape`."""
    parent = text.parents.get(node)
    if isinstance(parent, ast.keyword):
        above = text.parents.get(parent)
        return parent.arg != "shape" or (isinstance(above, ast.Call) and called(above) in _DECLARES)
    return True


def _has_batch(text: Text, node: ast.AST) -> bool:
    """Whether a declared shape begins with the batch."""
    parent = text.parents.get(node)
    if isinstance(parent, ast.keyword):
        above = text.parents.get(parent)
        return parent.arg in _WITH_BATCH or (above is not None and called(above) in _WITH_BATCH)
    return parent is not None and called(parent) in _WITH_BATCH


def _as_given(facts: Facts, sizes: list[int | None], written: list[str], whole: bool) -> Iterator[list[str]]:
    """Each shape of the message that the declared one is not, with its batch axis open or without it."""
    known = [n for n in sizes if n is not None]
    seen = {tuple(written)}
    for shape in facts.shapes:
        for part in (shape,) if whole else (shape[1:], shape):
            if not part or len(part) > 5 or any(n is None for n in part[1 if whole else 0 :]):
                continue
            made = [str(n) if n is not None else "None" for n in part]
            if whole:
                made[0] = "None"
            if tuple(made) in seen or (known and math.prod(known) < 2) or _channels_first(made, written):
                continue
            seen.add(tuple(made))
            yield made


def _channels_first(made: Sequence[str], written: Sequence[str]) -> bool:
    """Whether the last axis of images comes first: their layers would take it for a height."""
    one, two = list(made)[-3:], list(written)[-3:]
    return len(one) == len(two) == 3 and two[0] == two[1] != two[2] and one[1] == one[2] != one[0]


def _orders(written: list[str]) -> Iterator[list[str]]:
    """The axes turned by one, or the last two exchanged; what stays open stays in front."""
    head = written[:1] if written[:1] and written[0] in ("None", "-1") else []
    rest = written[len(head) :]
    if len(rest) > 1 and len(set(rest)) > 1:
        turned = ([*rest[1:], rest[0]], [rest[-1], *rest[:-1]], [*rest[:-2], rest[-1], rest[-2]])
        for other in dict.fromkeys(tuple(o) for o in turned if o != rest):
            yield [*head, *other]


def reshapes(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The target of a reshape: one size left open, or in another order."""
    about = facts.slug == "reshape-mismatch" or facts.says("reshape")
    for call in text.all(ast.Call):
        if called(call) not in ("reshape", "Reshape"):
            continue
        target = _target(call)
        if target is None:
            continue
        sizes = [number(e) for e in target]
        near = 1.0 if about else 5.0
        if -1 not in sizes and not any(isinstance(e, ast.Constant) and e.value is None for e in target):
            for position, node in enumerate(target):
                why = f"leave axis {position} of the target open"
                made = candidate(text, facts, "reshape", why, near + 0.3 * position, text.put(node, "-1"))
                yield replace(made, safe=True)
        if -1 in sizes:
            open_ = sizes.index(-1)
            for position, node in enumerate(target):
                if position == open_ or sizes[position] is None:
                    continue
                for size in facts.other(int(sizes[position] or 0))[:3]:
                    why = f"write {size} instead of {sizes[position]}"
                    yield candidate(text, facts, "reshape", why, near + 1.5, text.put(node, str(size)))
        if len(target) in (2, 3, 4):
            written = [text.of(e) for e in target]
            for other in list(permutations(written))[1:4]:
                changes = [text.put(n, w) for n, w in zip(target, other, strict=True) if text.of(n) != w]
                if changes:
                    yield candidate(text, facts, "reshape", "put the axes in another order", near + 2.5, *changes)


def _target(call: ast.Call) -> list[ast.expr] | None:
    """The sizes of a reshape's target, as nodes."""
    method = isinstance(call.func, ast.Attribute) and called(call) == "reshape"
    for node in (argument(call, 1, "shape"), argument(call, 0, "target_shape"), keyword(call, "newshape")):
        if isinstance(node, ast.Tuple | ast.List) and node.elts:
            return list(node.elts)
    sizes = [a for a in call.args if number(a) is not None]
    return list(call.args) if method and len(sizes) == len(call.args) and len(sizes) > 1 else None


def _fit(facts: Facts) -> tuple[float, float, float]:
    """What it costs to transpose the first operand, the second, or to exchange them, by whether they fit then."""
    two = [s for s in facts.shapes[:2] if len(s) > 1]
    if len(two) != 2 or facts.slug != "matmul-conv-mismatch":
        return 0.5, 0.0, 1.0
    (a, b), (c, d) = two[0][-2:], two[1][-2:]
    fits = (a == c, b == d, d == a)
    one, other, both = (-3.0 if fit else 4.0 for fit in fits)
    return one, other, both


def products(text: Text, facts: Facts) -> Iterator[Candidate]:
    """One operand of a product transposed, or both exchanged."""
    about = 1.0 if facts.slug == "matmul-conv-mismatch" or facts.says("matmul", "matrix size") else 6.0
    first, second, both = _fit(facts)
    for call in text.all(ast.Call):
        if called(call) not in _PRODUCTS or len(call.args) < 2:
            continue
        for name in ("transpose_b", "transpose_a"):
            given = keyword(call, name)
            on = isinstance(given, ast.Constant) and given.value is True
            why = f"{'do not ' if on else ''}transpose the {'second' if name[-1] == 'b' else 'first'} operand"
            change = text.with_keyword(call, name, "False" if on else "True")
            yield candidate(text, facts, "transpose", why, about + (second if name[-1] == "b" else first), change)
        yield _exchanged(text, facts, call.args[0], call.args[1], about + both)
    for product in text.all(ast.BinOp):
        if isinstance(product.op, ast.MatMult):
            yield from _transposed(text, facts, product.right, about + second)
            yield from _transposed(text, facts, product.left, about + first)
            yield _exchanged(text, facts, product.left, product.right, about + both)
    for call in text.all(ast.Call):
        if called(call) == "dot" and len(call.args) == 2:
            yield from _transposed(text, facts, call.args[1], about + second)
            yield from _transposed(text, facts, call.args[0], about + first)
            yield _exchanged(text, facts, call.args[0], call.args[1], about + both)


def _exchanged(text: Text, facts: Facts, one: ast.expr, other: ast.expr, cost: float) -> Candidate:
    changes = (text.put(one, text.of(other)), text.put(other, text.of(one)))
    return candidate(text, facts, "transpose", "exchange the operands", cost, *changes)


def _transposed(text: Text, facts: Facts, node: ast.expr, cost: float) -> Iterator[Candidate]:
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield candidate(text, facts, "transpose", "do not transpose it", cost, text.put(node, text.of(node.value)))
        return
    flow = module(text, "tensorflow")
    why = "transpose it"
    if flow is not None:
        yield candidate(text, facts, "transpose", why, cost, text.wrapped(node, f"{flow}.transpose(", ")"))
    else:
        yield candidate(text, facts, "transpose", why, cost, text.wrapped(node, "(", ").T"))


def joins(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Another axis along which tensors are joined."""
    about = 1.0 if facts.slug == "concat-pack-mismatch" or facts.says("concat") else 5.0
    for call in text.all(ast.Call):
        name = called(call)
        if name not in _JOINS:
            continue
        node = argument(call, *_JOINS[name])
        have = number(node)
        if node is None and name in ("concatenate", "Concatenate"):
            have = -1 if name == "Concatenate" else 0
        if have is None:
            continue
        for axis in [a for a in (-1, 1, 0, 2, 3) if a != have][:4]:
            change = text.put(node, str(axis)) if node is not None else text.with_keyword(call, "axis", str(axis))
            why = f"join along axis {axis} instead of {have}"
            yield candidate(text, facts, "concat-axis", why, about + 0.4 * abs(axis), change)


def axes(text: Text, facts: Facts) -> Iterator[Candidate]:
    """What adds, takes away or turns axes, left out; a reduction that keeps its axis, or goes along another one."""
    for call in text.all(ast.Call):
        name = called(call)
        method = isinstance(call.func, ast.Attribute) and not call.args
        inner = (
            call.func.value if method and isinstance(call.func, ast.Attribute) else call.args[0] if call.args else None
        )
        if name in _AXIS_OUT and inner is not None and not isinstance(inner, ast.Starred):
            kind = {"expand_dims": "squeeze", "squeeze": "expand", "transpose": "transpose"}.get(name, "other")
            if "one_hot" in name or name == "to_categorical":
                kind = "one-hot"
            yield candidate(text, facts, kind, f"leave out this {name}", 4.0, text.put(call, text.of(inner)))
        if name in _REDUCE and name != "argmax" and keyword(call, "keepdims") is None and len(call.args) < 3:
            change = text.with_keyword(call, "keepdims", "True")
            yield candidate(text, facts, "axis", "keep the axis that is reduced", 4.0, change)
        along = keyword(call, "axes") if name in ("Dot", "dot") else None
        for other in (1, 2, -1) if number(along) is not None else ():
            if along is not None and other != number(along):
                why = f"multiply along axis {other}"
                yield candidate(text, facts, "axis", why, 1.5, text.put(along, str(other)))
        axis = argument(call, 2 if name == "diff" else 1, "axis")
        have = number(axis)
        if name in (*_REDUCE, "expand_dims", "squeeze", "diff") and axis is not None and have is not None:
            for other in [a for a in (-1, 0, 1, 2) if a != have][:3]:
                why = f"use axis {other} instead of {have}"
                yield candidate(text, facts, "axis", why, 4.5, text.put(axis, str(other)))


def operands(text: Text, facts: Facts) -> Iterator[Candidate]:
    """An axis of size 1 taken from, or given to, one side of an element-wise operation on a line that is suspected."""
    for node in text.all(ast.BinOp):
        if isinstance(node.op, ast.MatMult | ast.Pow) or facts.far(str(text.file), node.lineno) > 3.0:
            continue
        if _counts(text, node):
            continue
        for side in (node.left, node.right):
            if isinstance(side, ast.Constant | ast.BinOp | ast.UnaryOp) or text.of(side).isupper():
                continue
            written = text.of(side)
            yield candidate(text, facts, "expand", "give it a last axis", 3.0, text.put(side, f"{written}[..., None]"))
            yield candidate(
                text, facts, "squeeze", "take away its last axis", 3.2, text.put(side, f"{written}[..., 0]")
            )
            flow = module(text, "tensorflow")
            turned = f"{flow}.transpose({written})" if flow else f"{written}.T"
            yield candidate(text, facts, "transpose", "transpose it", 3.5, text.put(side, turned))


def named_axes(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Another axis, where a name holds one."""
    for statement in text.all(ast.Assign):
        have = number(statement.value)
        target = statement.targets[0]
        name = text.of(target).rpartition(".")[2].lower()
        if have is None or not -2 < have < 4 or "axis" not in name:
            continue
        for other in [a for a in (0, 1, -1, 2) if a != have][:3]:
            why = f"use axis {other} instead of {have}"
            yield candidate(text, facts, "axis", why, 2.0 + 0.3 * abs(other), text.put(statement.value, str(other)))


def _counts(text: Text, node: ast.AST) -> bool:
    """Whether an operation computes a number, not an array: of an index, a bound, a length."""
    inside = takewhile(lambda above: isinstance(above, ast.expr | ast.Slice), around(node, text.parents))
    return any(isinstance(n, ast.Slice) or called(n) in ("range", "int", "len", "round", "divmod") for n in inside)


def names(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Another local array whose rows agree, in a call that got arrays of different lengths."""
    for call in text.all(ast.Call):
        if called(call) not in ("fit", "evaluate", "train_on_batch", "from_tensor_slices"):
            continue
        given = [
            n for a in (*call.args, *(k.value for k in call.keywords)) for n in ast.walk(a) if isinstance(n, ast.Name)
        ]
        rows = {n.id: facts.locals[n.id][0] for n in given if facts.locals.get(n.id)}
        if len(set(rows.values())) < 2:
            continue
        for node in given:
            others = {size for name, size in rows.items() if name != node.id}
            for name, shape in facts.locals.items():
                other = facts.locals.get(node.id)
                alike = other is not None and len(shape) == len(other) and shape[1:] == other[1:]
                if node.id in rows and name not in rows and shape and shape[0] in others and alike:
                    why = f"give it {name}, which has as many rows"
                    yield candidate(text, facts, "other", why, 1.5, text.put(node, name))


def splits(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The four results of `train_test_split` in the order in which they come."""
    for node in text.all(ast.Assign):
        target = node.targets[0]
        if called(node.value) != "train_test_split" or not isinstance(target, ast.Tuple) or len(target.elts) != 4:
            continue
        written = [text.of(e) for e in target.elts]
        other = [written[0], written[2], written[1], written[3]]
        changes = [text.put(n, w) for n, w in zip(target.elts, other, strict=True) if text.of(n) != w]
        if changes:
            why = "take the results in the order in which they come"
            yield candidate(text, facts, "other", why, 1.0, *changes)


ALL = (constants, shapes, reshapes, products, joins, axes, named_axes, operands, names, splits)

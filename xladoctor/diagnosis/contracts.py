"""Contracts of places: `patches (B N N C), positions (B 1 2 C) -> (B P P 1)`.

The notation is jaxtyping's: one group of axes a tensor; a name means the same size everywhere in one call; an integer
is that size; an expression (`B*C`, `N+10`) is computed from names; `...` stands for any axes. A label before a group
names the tensor in messages. Axes can be given from outside (`P` by `get_padded_size()`); where tensors disagree with
them, the tensor is wrong.

Like jaxtyping's own checker, `check` never raises on data: it returns every violation with the name, the value, and who
bound it. A contract that cannot be read is a `ContractError`: then the contract is wrong and not the data.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from xladoctor.model.shapes import shape_text
from xladoctor.sources.names import names_in

_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
)

Shape = Sequence[int | None] | None
Phase = Literal["in", "out"]

_GROUP = re.compile(r"\s*(?:(?P<label>[A-Za-z_]\w*)\s*)?\((?P<axes>[^()]*)\)\s*(?:,|$)")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


class ContractError(ValueError):
    """The contract itself is wrong: it cannot be read, or an axis of it is bound by nothing."""


@dataclass(frozen=True)
class Spec:
    """One tensor of a contract: its label and its axes as written."""

    label: str
    axes: tuple[str, ...]

    def __str__(self) -> str:
        return "(" + " ".join(self.axes) + ")"


@dataclass(frozen=True)
class Contract:
    """A parsed contract."""

    text: str
    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]

    @property
    def expressions(self) -> tuple[str, ...]:
        """The axes that are computed, such as `B*C`, each once."""
        found = {a: None for s in (*self.inputs, *self.outputs) for a in s.axes if _kind(a) == "expression"}
        return tuple(found)


@dataclass(frozen=True)
class Binding:
    """The value of an axis name, and who gave it: a tensor of the call, or a function of the program (`outside`)."""

    name: str
    value: int
    by: str
    outside: bool = False

    def __str__(self) -> str:
        return f"{self.name} = {self.value} by {self.by}"


@dataclass(frozen=True)
class Violation:
    """A tensor that breaks its contract."""

    phase: Phase
    index: int
    label: str
    spec: Spec
    shape: tuple[int | None, ...]
    axis: int | None
    reason: str
    expected: int | None = None
    seen: int | None = None


@dataclass(frozen=True)
class Checked:
    """What a check found: every violation, and the bindings."""

    violations: tuple[Violation, ...] = ()
    bindings: dict[str, Binding] = field(default_factory=dict)


@functools.lru_cache(maxsize=256)
def parse(text: str) -> Contract:
    """Read a contract.

    Raises:
        ContractError: says what cannot be read, and where.
    """
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ContractError(f"contract {text!r} has no '->': write 'x (B N), y (N) -> (B)'")
    return Contract(text, _groups(left.strip(), text, "argument"), _groups(right.strip(), text, "result"))


def readable(text: str) -> Contract | None:
    """As `parse`; None where it cannot be read."""
    try:
        return parse(text)
    except ContractError:
        return None


def _groups(part: str, text: str, default: str) -> tuple[Spec, ...]:
    part = part.strip()
    if part.startswith("[") and part.endswith("]"):
        part = part[1:-1]
    specs: list[Spec] = []
    position = 0
    while position < len(part):
        match = _GROUP.match(part, position)
        if match is None:
            raise ContractError(
                f"contract {text!r}: cannot read {part[position:]!r}; a tensor is written 'name (B N C)'"
            )
        axes = tuple(match["axes"].split())
        for axis in axes:
            if _kind(axis) == "expression":
                _names_in(axis, text)
        if axes.count("...") > 1:
            raise ContractError(f"contract {text!r}: more than one '...' in ({match['axes']})")
        label = match["label"] or (default if default == "result" else f"{default} {len(specs) + 1}")
        specs.append(Spec(label, axes))
        position = match.end()
    return tuple(specs)


def _kind(axis: str) -> Literal["number", "name", "rest", "expression"]:
    if axis == "...":
        return "rest"
    if axis.isdigit():
        return "number"
    return "name" if _NAME.match(axis) else "expression"


def _names_in(expression: str, text: str) -> set[str]:
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as error:
        raise ContractError(f"contract {text!r}: {expression!r} is no size") from error
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ContractError(f"contract {text!r}: {expression!r} may use only + - * // of names and numbers")
    return names_in(tree)


def faults(text: str, given: Collection[str] = ()) -> tuple[str, ...]:
    """What is wrong with a contract itself, whatever the data: it cannot be read, or an axis is bound by nothing.

    `given` are the axes that are bound from outside.
    """
    try:
        contract = parse(text)
    except ContractError as error:
        return (str(error),)
    axes = [a for s in (*contract.inputs, *contract.outputs) for a in s.axes]
    plain = {a for a in axes if _kind(a) == "name"}
    computed = [a for a in axes if _kind(a) == "expression"]
    uses = Counter(n for a in computed for n in _names_in(a, text))
    known = {*plain, *given}
    for _ in computed:
        known |= {n for a in computed for n in _solved(a, _names_in(a, text) - known)}
    found = []
    for name in sorted(uses):
        # What one product alone gives is checked by nothing.
        if name not in known or (uses[name] < 2 and name not in plain and name not in given):
            where = next(a for a in computed if name in _names_in(a, text))
            found.append(f"contract {text!r}: {name} in {where!r} is bound by nothing: no tensor has it as an axis")
    found += [
        f"contract {text!r} has no axis {name}, which is given a value"
        for name in sorted(given)
        if name not in plain and name not in uses
    ]
    return tuple(found)


def _solved(expression: str, unknown: set[str]) -> set[str]:
    """The name that a check can take from an expression: the one unknown of a product."""
    product = all(_kind(f) in ("name", "number") for f in expression.split("*"))
    return unknown if product and len(unknown) == 1 else set()


def evaluate(expression: str, values: Mapping[str, int]) -> int | None:
    """The value of an axis expression, or None while one of its names has no value."""

    def go(node: ast.expr) -> int | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return values.get(node.id)
        if isinstance(node, ast.BinOp):
            a, b = go(node.left), go(node.right)
            if a is None or b is None:
                return None
            if isinstance(node.op, ast.Mult):
                return a * b
            if isinstance(node.op, ast.Add):
                return a + b
            if isinstance(node.op, ast.Sub):
                return a - b
            return a // b if b else None
        return None

    return go(ast.parse(expression, mode="eval").body)


def check(
    contract: Contract, inputs: Sequence[Shape], outputs: Sequence[Shape] | None, outside: Mapping[str, tuple[int, str]]
) -> Checked:  # fmt: skip
    """Check the shapes of one call.

    Args:
        contract: the parsed contract.
        inputs: shapes of the tensors among the arguments, in order; None for a shape that is not known at all.
        outputs: shapes of the results, or None where the call has not returned.
        outside: axes given from outside: name -> (value, who says so). They are binding.
    """
    bindings = {name: Binding(name, value, by, outside=True) for name, (value, by) in outside.items()}
    violations: list[Violation] = []
    sides: tuple[tuple[Phase, tuple[Spec, ...], Sequence[Shape]], ...] = (
        ("in", contract.inputs, inputs),
        ("out", contract.outputs, outputs or ()),
    )
    for phase, specs, shapes in sides:
        # Names first, expressions after: an expression may stand before the tensor that binds its name.
        pending: list[tuple[int, Spec, tuple[int | None, ...], list[tuple[str, int]]]] = []
        for index, (spec, shape) in enumerate(zip(specs, shapes, strict=False)):
            if shape is None:
                continue
            dims = tuple(shape)
            aligned = _align(spec, dims)
            if aligned is None:
                violations.append(
                    Violation(
                        phase, index, spec.label, spec, dims, None,
                        f"{spec.label} has {len(dims)} axes {shape_text(dims)} where {spec} has {len(spec.axes)}",
                    )
                )  # fmt: skip
                continue
            pending.append((index, spec, dims, aligned))
            for axis, position in aligned:
                seen = dims[position]
                if seen is None or _kind(axis) == "expression":
                    continue
                expected, by = (int(axis), "the contract") if _kind(axis) == "number" else (None, "")
                if expected is None:
                    known = bindings.get(axis)
                    if known is None:
                        bindings[axis] = Binding(axis, seen, f"{spec.label} (axis {position})")
                        continue
                    expected, by = known.value, known.by
                if expected != seen:
                    violations.append(_wrong(phase, index, spec, dims, position, axis, expected, seen, by))
        values = {name: b.value for name, b in bindings.items()}
        for index, spec, dims, aligned in pending:
            for axis, position in aligned:
                if _kind(axis) != "expression" or dims[position] is None:
                    continue
                wanted, seen = evaluate(axis, values), dims[position]
                if wanted is None and seen is not None:
                    _solve(axis, seen, bindings, f"{spec.label} (axis {position} = {axis})")
                elif wanted is not None and seen is not None and wanted != seen:
                    by = ", ".join(str(bindings[n]) for n in sorted(_names_in(axis, contract.text)) if n in bindings)
                    violations.append(_wrong(phase, index, spec, dims, position, axis, wanted, seen, by))
    return Checked(tuple(violations), bindings)


def _solve(expression: str, seen: int, bindings: dict[str, Binding], by: str) -> None:
    """Bind the one unknown of a product: `B*C` with C known gives B, if it divides."""
    factors = expression.split("*")
    if not all(_kind(f) in ("name", "number") for f in factors):
        return
    unknown = [f for f in factors if _kind(f) == "name" and f not in bindings]
    if len(unknown) != 1:
        return
    rest = 1
    for factor in factors:
        if factor != unknown[0]:
            rest *= int(factor) if factor.isdigit() else bindings[factor].value
    if rest and seen % rest == 0:
        bindings[unknown[0]] = Binding(unknown[0], seen // rest, by)


def _align(spec: Spec, dims: tuple[int | None, ...]) -> list[tuple[str, int]] | None:
    """Pairs (axis, position) of a shape with a spec, or None where the ranks do not fit."""
    if "..." not in spec.axes:
        return list(zip(spec.axes, range(len(dims)), strict=True)) if len(spec.axes) == len(dims) else None
    cut = spec.axes.index("...")
    after = len(spec.axes) - cut - 1
    if len(dims) < cut + after:
        return None
    head = list(zip(spec.axes[:cut], range(cut), strict=True))
    tail = list(zip(spec.axes[cut + 1 :], range(len(dims) - after, len(dims)), strict=True))
    return head + tail


def _wrong(
    phase: Phase,
    index: int,
    spec: Spec,
    dims: tuple[int | None, ...],
    position: int,
    axis: str,
    expected: int,
    seen: int,
    by: str,
) -> Violation:
    wanted = axis if axis.isdigit() else f"{axis} = {expected}"
    source = f" ({by})" if by and not axis.isdigit() else ""
    reason = f"{spec.label} is {shape_text(dims)} where {spec} wants {wanted} at axis {position}{source}"
    return Violation(phase, index, spec.label, spec, dims, position, reason, expected, seen)

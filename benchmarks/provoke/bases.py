"""A valid call of an op, found by trying: types from the kernels that the CPU has, ranks, values and attributes by
what the op answers.

An OpDef holds no rule of shapes. But an op that is refused says why, and another reason than before means that one
check was passed: such a call is kept and changed further, one part at a time. What the answer asks for (`rank 2`,
`a scalar`, `in_backprop`) is tried first.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Union

from benchmarks.provoke.values import BOOL, FLOAT, HANDLES, INT32, INT64, STRING, TEXTS, VARIANT, WHOLE, Value

Input = Union[Value, "tuple[Value, ...]"]
SECONDS = 1.2
"""Processor time for one op."""
WITHDRAWN = "not available in GraphDef"
_ORDER = (FLOAT, INT32, INT64, STRING, BOOL, 8, 2, 19, 4, 12, 11, 13, 14, 6, 5, 17, 22, 23, 18, 15, 16, VARIANT)
_SHAPES: tuple[tuple[int, ...], ...] = (
    (), (1,), (2,), (3,), (4,), (1, 1), (2, 1), (2, 2), (2, 4), (4, 2), (4, 4), (1, 4), (2, 3), (3, 4),
    (2, 4, 4), (2, 2, 2), (1, 4, 4), (2, 3, 4), (2, 4, 1), (2, 8, 8, 4), (1, 4, 4, 1), (2, 4, 4, 3), (3, 3, 4, 4),
    (2, 4, 8, 8, 4), (2, 2, 2, 4, 4), (0,), (0, 2),
)  # fmt: skip
_EQUAL = ((2, 4), (4, 4), (4,), (), (2, 4, 4), (2, 8, 8, 4), (2, 4, 8, 8, 4))
_NUMBERS = ("0", "1", "2", "3", "4", "-1", "0.5", "8")
_FILLS = {"whole": (*_NUMBERS, "iota", "sizes", "reversed"), "real": ("ramp", *_NUMBERS, "reversed", "iota")}
_SMALL = re.compile(
    r"(?:^|_)(?:axis|axes|dims?|indices|perm|k|seed|sizes?|shape|num|segment|begin|depth|ids?|splits?|crops|lengths?)(?:$|_)"
)
_RANK = re.compile(r"rank (\d)|(\d)-?[dD]\b|(\d)-dimensional")
_WORDS = (("scalar", 0), ("vector", 1), ("matrix", 2), ("matrices", 2), ("1-D", 1), ("square", 2))
_SCRUB = re.compile(r"\{\{[^}]*\}\}|[\[(][\d,\s?<=-]*[\])]|-?\d+(?:\.\d+)?|__wrapped__\w+")
_KNOWN: dict[str, tuple[Any, ...]] = {
    "ksize": ([1, 2, 2, 1], [1, 2, 2, 2, 1]),
    "strides": ([1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 2, 2, 1]),
    "ksizes": ([1, 2, 2, 1], [1, 2, 2, 2, 1]),
    "rates": ([1, 1, 1, 1],),
    "dilations": ([1, 1, 1, 1],),
    "padding": ("SAME", "VALID"),
    "equation": ("ij,jk->ik", "ij->ji"),
    "N": (2, 1),
    "out_types": ([FLOAT], [INT64], [STRING]),
    "output_types": ([INT64], [FLOAT], [INT64, INT64], [STRING]),
    "output_shapes": ([[]], [[None]], [[], []], [[2]]),
    "Toutput_types": ([INT64], [INT64, INT64], [STRING], [FLOAT]),
    "element_shape": ([4], [], [2]),
    "shape": ([2, 4], [], [4]),
    "pooling_ratio": ([1.0, 1.5, 1.5, 1.0],),
    "boundaries": ([0.5, 1.0], [1.0]),
    "ngram_width": (2,),
    "unit": ("BYTE", "UTF8_CHAR"),
    "input_encoding": ("UTF-8",),
    "output_encoding": ("UTF-8",),
    "tensor_type": (FLOAT,),
    "message": ("m",),
}
_BY_TYPE: dict[str, tuple[Any, ...]] = {
    "int": (2, 1, 4, 0, 3, 8, -1),
    "float": (0.5, 1.0, 2.0, 0.0),
    "string": ("", "a", "mean", "1"),
    "bool": (False, True),
    "shape": ([2, 4], [], [4], [2], [None]),
    "list(int)": ([1], [2], [0], [2, 4], [1, 2, 2, 1], [1, 1, 1, 1], [4], [0, 1]),
    "list(float)": ([0.5], [0.0, 1.0], [1.0, 1.0, 1.0, 1.0]),
    "list(string)": (["a"], []),
    "list(shape)": ([[]], [[4]], [[2, 4]], [[None]]),
}


@dataclass(frozen=True)
class Call:
    """One call: the op, its inputs and attributes, and what was spoiled ("" for nothing)."""

    op: str
    inputs: tuple[tuple[str, Input], ...]
    attributes: tuple[tuple[str, Any], ...]
    spoilt: str = ""


@dataclass
class _Search:
    op: Any
    types: list[dict[str, list[int]]]
    random: Random
    kept: dict[str, tuple[Call, str]] = field(default_factory=dict)

    def first(self) -> Iterator[Call]:
        """Equal shapes for all inputs first (element-wise ops), then each by its name alone."""
        for shape in _EQUAL:
            for types in self.types[:3]:
                yield self._made(types, shape)
        for _ in range(12):
            yield self._made(self.random.choice(self.types), None)

    def _made(self, types: dict[str, list[int]], shape: tuple[int, ...] | None) -> Call:
        chosen = {name: allowed[0] for name, allowed in types.items()}
        lists = {a.name: 2 for a in self.op.attr if a.type == "int" and self._counts(a.name)}
        inputs = tuple((arg.name, self._input(arg, chosen, lists, shape)) for arg in self.op.input_arg)
        inferred = {getattr(a, k) for a in self.op.input_arg for k in ("type_attr", "number_attr", "type_list_attr")}
        asked = [a for a in self.op.attr if a.name not in inferred and not a.HasField("default_value")]
        attributes = tuple((attr.name, self._attribute(attr, chosen, first=True)) for attr in asked)
        return Call(self.op.name, inputs, attributes)

    def _counts(self, name: str) -> bool:
        return any(arg.number_attr == name for arg in self.op.input_arg)

    def _input(self, arg: Any, types: dict[str, int], lists: dict[str, int], shape: tuple[int, ...] | None) -> Input:
        dtype = arg.type or types.get(arg.type_attr, FLOAT)
        one = self._value(arg.name, dtype, shape)
        if arg.number_attr:
            return tuple([one] * lists.get(arg.number_attr, 2))
        return (one,) if arg.type_list_attr else one

    def _value(self, name: str, dtype: int, shape: tuple[int, ...] | None) -> Value:
        if dtype == VARIANT:
            return Value(VARIANT, (), "list" if "TensorList" in self.op.name else self._handle())
        small = dtype in WHOLE and _SMALL.search(name.lower()) is not None
        if re.match(r"(?:min|max)(?:$|_)|.*_(?:min|max)$", name) and dtype == FLOAT:
            return Value(dtype, (), "0" if "min" in name else "1")
        if shape is None or small:
            shape = self.random.choice(((), (1,), (2,), (3,), (4,)) if small else _SHAPES)
        fill = "0" if small and not shape else self.random.choice(self._fills(dtype)) if small else "ramp"
        return Value(dtype, shape, fill if dtype != STRING else self.random.choice(tuple(TEXTS)))

    def _handle(self) -> str:
        name = self.op.name
        known = (("Optional", "optional"), ("Ragged", "ragged"), ("SparseMatrix", "csr"))
        kinds = next(((kind,) for word, kind in known if word in name), HANDLES)
        return self.random.choice(kinds) if self.kept else kinds[0]

    def _fills(self, dtype: int) -> tuple[str, ...]:
        return tuple(TEXTS) if dtype == STRING else _FILLS["whole" if dtype in WHOLE else "real"]

    def _attribute(self, attr: Any, types: dict[str, int], *, first: bool) -> Any:
        if attr.name in types:
            return types[attr.name]
        allowed: tuple[Any, ...] = tuple(attr.allowed_values.list.type) or tuple(
            text.decode() for text in attr.allowed_values.list.s
        )
        if attr.type == "type":
            allowed = tuple(sorted(allowed, key=lambda t: _ORDER.index(t) if t in _ORDER else 99)) or (FLOAT, INT32)
        elif attr.type == "list(type)":
            allowed = _KNOWN.get(attr.name) or ([FLOAT], [INT64], [STRING])
        elif attr.type == "func":
            return "func"
        if attr.type.startswith("list(int") and attr.has_minimum:
            lists = (*_KNOWN.get(attr.name, ()), *_BY_TYPE["list(int)"], [1] * attr.minimum)
            allowed = tuple(one for one in lists if len(one) >= attr.minimum)
        elif attr.type == "int" and attr.has_minimum and not first:
            allowed = (attr.minimum, attr.minimum + 1)
        choices = allowed or _KNOWN.get(attr.name) or _BY_TYPE.get(attr.type, (None,))
        if first or self.random.random() < 0.2:
            return choices[0]
        return self.random.choice((*choices, *(() if allowed else _BY_TYPE.get(attr.type, ()))))

    def changed(self) -> Call:
        """A kept call with one or two parts changed; later ones are likelier, they came further."""
        keys = list(self.kept)
        at = min(int(len(keys) * self.random.random() ** 0.4), len(keys) - 1)
        call, message = self.kept[keys[at]]
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            call = self._one_change(call, message)
        return call

    def _one_change(self, call: Call, message: str) -> Call:
        inputs, attributes = list(call.inputs), list(call.attributes)
        named = [i for i, (name, _) in enumerate(inputs) if re.search(rf"\b{re.escape(name)}\b", message)]
        if self.random.random() < 0.08 and len(self.types) > 1:
            return self._made(self.random.choice(self.types), self.random.choice(_EQUAL))
        if attributes and (not inputs or self.random.random() < 0.25):
            at = self.random.randrange(len(attributes))
            attr = next(a for a in self.op.attr if a.name == attributes[at][0])
            attributes[at] = (attr.name, self._attribute(attr, {}, first=False))
            return replace(call, attributes=tuple(attributes))
        if not inputs:
            return call
        at = self.random.choice(named) if named and self.random.random() < 0.6 else self.random.randrange(len(inputs))
        name, value = inputs[at]
        others = [v for _, v in inputs if isinstance(v, Value)]
        if isinstance(value, tuple):
            if self.random.random() < 0.3:
                value = (*value, value[-1]) if len(value) < 3 and self.random.random() < 0.5 else value[:1]
            else:
                other = self._other(value[0], others, message)
                value = tuple([other] * len(value)) if self.random.random() < 0.7 else (other, *value[1:])
        else:
            value = self._other(value, others, message)
        inputs[at] = (name, value)
        return replace(call, inputs=tuple(inputs))

    def _other(self, value: Value, others: list[Value], message: str) -> Value:
        if value.dtype == VARIANT:
            return replace(value, fill=self.random.choice(HANDLES))
        chance = self.random.random()
        if chance < 0.3:
            return replace(value, fill=self.random.choice(self._fills(value.dtype)))
        wanted = [int(next(filter(None, groups))) for groups in _RANK.findall(message)]
        wanted += [rank for word, rank in _WORDS if word in message]
        if wanted and chance < 0.6:
            rank = self.random.choice(wanted)
            fitting = [shape for shape in _SHAPES if len(shape) == rank]
            return replace(value, shape=self.random.choice(fitting or [()]))
        if others and chance < 0.75:
            shape = self.random.choice(others).shape
            cut = self.random.choice((shape, shape[1:], shape[:-1], shape[:1], shape[-1:], (len(shape),), (*shape, 2)))
            return replace(value, shape=tuple(cut))
        if value.shape and chance < 0.88:
            axis = self.random.randrange(len(value.shape))
            sizes = [1, 2, 3, 4, 6, 8, *(size for other in others for size in other.shape)]
            sizes += [int(size) for size in re.findall(r"(?<![\w.])\d{1,2}(?![\w.])", message)[:6]] * 2
            shape = (*value.shape[:axis], self.random.choice(sizes), *value.shape[axis + 1 :])
            return replace(value, shape=shape)
        return replace(value, shape=self.random.choice(_SHAPES))


def types_of(op: Any) -> list[dict[str, list[int]]]:
    """What each kernel of the CPU takes for each type attribute, the usual types first."""
    from tensorflow.python.framework import kernels

    own = {
        a.name: list(a.allowed_values.list.type) or list(_ORDER[:5])
        for a in op.attr
        if a.type == "type" and any(arg.type_attr == a.name for arg in op.input_arg)
    }
    found = []
    for kernel in kernels.get_registered_kernels_for_op(op.name).kernel:
        if kernel.device_type == "CPU":
            limits = {c.name: list(c.allowed_values.list.type) for c in kernel.constraint}
            one = {name: _sorted(limits.get(name) or allowed) for name, allowed in own.items()}
            one.update({name: _sorted(limit) for name, limit in limits.items() if name not in own and limit})
            found.append(one)
    found.sort(
        key=lambda one: [_ORDER.index(types[0]) if types and types[0] in _ORDER else 99 for types in one.values()]
    )
    return found


def _sorted(types: list[int]) -> list[int]:
    return sorted(types, key=lambda t: _ORDER.index(t) if t in _ORDER else 99)


def base(op: Any, run: Callable[[Call], str | None], known: Call | None = None) -> Call | None:
    """The first call that `run` takes (it gives the complaint, or None), within `SECONDS` of processor time."""
    if known is not None and run(known) is None:
        return known
    types = types_of(op)
    if not types:
        return None
    search = _Search(op, types, Random(op.name))
    until = time.process_time() + SECONDS
    first, seen = search.first(), set()
    while time.process_time() < until:
        call = next(first, None) or search.changed()
        if repr(call) in seen:
            continue
        seen.add(repr(call))
        said = run(call)
        if said is None:
            return call
        if WITHDRAWN in said:
            return None
        search.kept.setdefault(_SCRUB.sub("N", said)[:200] + _ranks(said), (call, said[:400]))
    return None


def _ranks(said: str) -> str:
    """What a complaint asks for, which the scrubbed text no longer has."""
    return " ".join(sorted(set(re.findall(r"rank \d|\d-?[dD]\b|\d-dimensional", said))))

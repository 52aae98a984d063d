"""HLO text -> computations and instructions. Read as text: TensorFlow is not needed, and no version is assumed.

What the text holds is what TensorFlow 2.9 to 2.21 write with `experimental_get_compiler_ir(stage="hlo")`: one
instruction a line, `%name = shape opcode(operands), attributes`, computations in braces. Operands come with or without
their shapes. A line that is not understood is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_HEAD = re.compile(r"^(?P<entry>ENTRY\s+)?%?(?P<name>[^\s(]+)\s+(?:\(.*)?\{\s*$")
_LINE = re.compile(r"^\s+(?P<root>ROOT\s+)?%?(?P<name>[^\s=]+)\s+=\s+(?P<rest>.*)$")
_OPCODE = re.compile(r"^\s*(?P<opcode>[a-z][\w-]*)\(")
_NAME = re.compile(r"%([^\s,(){}]+)")
_CALLED = re.compile(r"\b(to_apply|condition|body|true_computation|false_computation|calls)=%?([^\s,{}]+)")
_BRANCHES = re.compile(r"\bbranch_computations=\{([^}]*)\}")
_INDEX = re.compile(r"\bindex=(\d+)")
_DIMENSIONS = re.compile(r"\bdimensions=\{([\d,]*)\}")
_METADATA = re.compile(r'\b(op_type|op_name)="((?:[^"\\]|\\.)*)"')
_DYNAMIC = re.compile(r"<=(\d+)")


@dataclass(frozen=True)
class Instruction:
    """One line. `shape` is as written, without the layout: `f32[<=8,4]`, or `(f32[], s32[2])` of a tuple."""

    name: str
    opcode: str
    shape: str
    operands: tuple[str, ...]
    computation: str
    called: Mapping[str, str] = field(default_factory=dict)
    """Attribute -> computation: to_apply, condition, body, branch 0, branch 1, ..."""
    index: int | None = None
    dimensions: tuple[int, ...] = ()
    literal: str | None = None
    """What stands between the parentheses of a constant or a parameter."""
    op_type: str | None = None
    op_name: str | None = None
    """The TensorFlow node, where the text names it."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The shapes of a tuple; the shape itself of anything else."""
        return elements(self.shape)


@dataclass(frozen=True)
class Computation:
    """Instructions by name, in order; the last one marked ROOT is its result."""

    name: str
    instructions: Mapping[str, Instruction]
    root: str | None
    entry: bool = False


@dataclass(frozen=True)
class Module:
    """A program: computations by name."""

    computations: Mapping[str, Computation]

    @property
    def entry(self) -> Computation | None:
        """Where it starts."""
        return next((c for c in self.computations.values() if c.entry), None)

    def callers(self, computation: str) -> list[tuple[Instruction, str]]:
        """(instruction, attribute) of each instruction that runs a computation."""
        return [
            (instruction, attribute)
            for each in self.computations.values()
            for instruction in each.instructions.values()
            for attribute, name in instruction.called.items()
            if name == computation
        ]


def read_hlo(text: str) -> Module:
    """The module that the text holds; empty if it holds none."""
    found: dict[str, Computation] = {}
    name, entry, root = "", False, None
    instructions: dict[str, Instruction] = {}
    for line in text.splitlines():
        if line.startswith("HloModule"):
            continue
        if line.startswith("}"):
            if name:
                found[name] = Computation(name, instructions, root, entry)
            name = ""
            continue
        if not line.startswith((" ", "\t")):
            head = _HEAD.match(line)
            if head:
                name, entry, root, instructions = head["name"], bool(head["entry"]), None, {}
            continue
        read = _instruction(line, name) if name else None
        if read is not None:
            instruction, is_root = read
            instructions[instruction.name] = instruction
            root = instruction.name if is_root else root
    return Module(found)


def is_dynamic(shape: str) -> bool:
    """Whether a dimension of a shape is only bounded."""
    return "<=" in shape


def bounds(shape: str) -> tuple[int, ...]:
    """The bounds of the dynamic dimensions of an array shape."""
    return tuple(int(n) for n in _DYNAMIC.findall(shape))


def elements(shape: str) -> tuple[str, ...]:
    """The shapes in a tuple shape; of an array shape itself."""
    if not shape.startswith("("):
        return (shape,)
    found, depth, part = [], 0, ""
    for letter in shape[1:-1]:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            found.append(part.strip())
            part = ""
        else:
            part += letter
    return (*found, part.strip()) if part.strip() else tuple(found)


def _instruction(line: str, computation: str) -> tuple[Instruction, bool] | None:
    line = re.sub(r"/\*[^*]{0,200}\*/", "", line)
    match = _LINE.match(line)
    if match is None:
        return None
    shape, rest = _shape(match["rest"])
    opcode = _OPCODE.match(rest)
    if opcode is None:
        return None
    inside, attributes = _parenthesised(rest[opcode.end() - 1 :])
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', attributes)
    called = dict(_CALLED.findall(bare))
    for i, name in enumerate(("true_computation", "false_computation")):
        if name in called:
            called[f"branch {i}"] = called.pop(name)
    branches = _BRANCHES.search(bare)
    if branches:
        called.update({f"branch {i}": n.strip().lstrip("%") for i, n in enumerate(branches[1].split(","))})
    index, dimensions = _INDEX.search(bare), _DIMENSIONS.search(bare)
    metadata = dict(_METADATA.findall(attributes))
    literal = inside if opcode["opcode"] in ("constant", "parameter") else None
    return Instruction(
        name=match["name"],
        opcode=opcode["opcode"],
        shape=shape,
        operands=() if literal is not None else _operands(inside),
        computation=computation,
        called=called,
        index=int(index[1]) if index else None,
        dimensions=tuple(int(n) for n in dimensions[1].split(",") if n) if dimensions else (),
        literal=literal,
        op_type=metadata.get("op_type"),
        op_name=metadata.get("op_name"),
    ), bool(match["root"])


def _shape(text: str) -> tuple[str, str]:
    """(the shape at the start of a text without layouts, the rest of the text)."""
    if text.startswith("("):
        inside, rest = _parenthesised(text)
        return re.sub(r"(?<=\])\{[^}]*\}", "", f"({inside})"), rest
    shape, _, rest = text.partition(" ")
    return re.sub(r"(?<=\])\{[^}]*\}", "", shape), rest


def _parenthesised(text: str) -> tuple[str, str]:
    """(what is in the parentheses with which a text starts, what comes after them)."""
    depth = 0
    for i, letter in enumerate(text):
        depth += letter == "("
        depth -= letter == ")"
        if depth == 0:
            return text[1:i], text[i + 1 :]
    return text[1:], ""


def _operands(inside: str) -> tuple[str, ...]:
    """Operand names, whether their shapes stand before them or not, with or without `%`."""
    if "%" in inside:
        return tuple(_NAME.findall(inside))
    return tuple(part.split()[-1] for part in elements(f"({inside})") if part.split())

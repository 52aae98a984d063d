"""The way of a bounded dynamic dimension through HLO: from the op where it is born to the op that cannot carry it.

Followed backwards, through tuples, calls, loops and branches. Only what the text says is followed: a dimension that XLA
makes dynamic by its own inference, later, is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xladoctor.model.replay import Link
from xladoctor.protocol import answers
from xladoctor.recording.hlo import Instruction, Module, bounds, is_dynamic

_SIZE_OF = "get-dimension-size"
_SET_SIZE = "set-dimension-size"
# Plumbing: they stand for no op of the user's.
_PLUMBING = frozenset({"tuple", "get-tuple-element", "parameter", "call", _SIZE_OF})
_MAX_STEPS = 20_000
_NAMED = re.compile(r'op_name="((?:[^"\\]|\\.)*)"')

_WHY = {
    "Where": "as many rows as its condition holds for",
    "StridedSlice": "a slice whose bounds are known at run time only",
    "Slice": "a slice whose bounds are known at run time only",
    "Unique": "as many as there are different values",
}


@dataclass(frozen=True)
class _At:
    """An instruction, the element of its tuple that is meant, and the instructions through which it was entered."""

    instruction: Instruction
    index: tuple[int, ...] = ()
    entered: tuple[Instruction, ...] = ()

    @property
    def shape(self) -> str:
        found = self.instruction
        parts = found.parts
        return parts[self.index[0]] if self.index and self.index[0] < len(parts) else found.shape

    @property
    def dynamic(self) -> bool:
        return is_dynamic(self.shape)


@dataclass(frozen=True)
class Way:
    """Links from birth to failure, in that order; `note` says what could not be told."""

    links: tuple[Link, ...]
    note: str | None = None


def chain(module: Module, node: str, op: str, message: str = "") -> Way:
    """How the dynamic dimension came to an op of TensorFlow, given as its node and its op.

    `message` is the failure's own text: the node that it names is preferred, as several ops may have the same name.
    """
    end = _end(module, node, op, message)
    if end is None:
        return Way((), f"{node} is not in the HLO text: the compilation failed before it was reached, or dropped it")
    ways = _Back(module)
    start = next((o for o in ways.operands(_At(end)) if o.dynamic), None)
    if start is None and is_dynamic(end.shape):
        start = _At(end)
    if start is not None:
        return Way(_links(module, ways.way(start), end))
    found = ways.nearest(_At(end))
    if found is None:
        return Way(
            (_link(module, _At(end), "fails"),),
            "no dimension before this op is bounded in the HLO text: XLA makes it bounded later, by its own inference",
        )
    return Way(
        _links(module, ways.way(found), end),
        "at this op the HLO text shows no bounded dimension; the chain is that of the nearest op before it with one",
    )


def size_of(module: Module, inputs: Sequence[tuple[str, str]], end: Link) -> Way:
    """How a size that XLA does not know came into an input of an op that needs it as a constant.

    `inputs` are (node, op) of what the op takes. The op itself (`end`) is not in the text: it was not converted.
    """
    ways = _Back(module)
    for node, op in inputs:
        for instruction in [i for i in _of_node(module, node) if i.op_type in (None, op)][::-1]:
            if is_dynamic(instruction.shape):
                continue
            found = ways.sized_by(_At(instruction))
            if found is not None:
                return Way((*_links(module, ways.way(found), None), end))
    return Way(
        (), "as far as the HLO text shows, the input is not a constant for another reason than a bounded dimension"
    )


def met(module: Module, inputs: Sequence[tuple[str, str]], forward: Sequence[str], end: Link) -> Way:
    """How a bounded dimension came to the first node that has one.

    `inputs` are (node, op) of what an op takes, `forward` the operations whose gradient it may belong to. The op itself
    (`end`) is not in the text: TensorFlow met the bound as a size, and refused it.
    """
    ways = _Back(module)
    for node, op in inputs:
        for instruction in [i for i in _of_node(module, node) if i.op_type in (None, op)][::-1]:
            at = _At(instruction)
            found = at if at.dynamic else ways.sized_by(at)
            if found is not None:
                return Way((*_links(module, ways.way(found), None), end))
    for node in forward:
        around = [o for i in _of_node(module, node) for o in (*ways.operands(_At(i)), _At(i)) if o.dynamic]
        if around:
            return Way((*_links(module, ways.way(around[0]), None), end))
    return Way(())


def located(links: Sequence[Link], sources: Mapping[str, Sequence[answers.NodeSource]]) -> tuple[Link, ...]:
    """The links with the user's lines, from what a worker's `sources` told of their nodes."""
    return tuple(replace(link, location=_location(sources.get(link.node or "", ()))) for link in links)


def shape_of(module: Module, node: str, op: str | None = None) -> str | None:
    """The shape of what a TensorFlow node gives, as HLO has it: `f32[<=8,4]`."""
    found = [i for i in _of_node(module, node) if i.opcode not in _PLUMBING and not i.shape.startswith("(")]
    typed = [i for i in found if op is None or i.op_type in (None, op)]
    return (typed or found)[-1].shape if found else None


def _location(found: Sequence[answers.NodeSource]) -> str | None:
    frames = next((f.frames for f in found if f.frames), None)
    if not frames:
        return None
    file, line, function = frames[-1]
    return f"{file}:{line} in {function}"


def _of_node(module: Module, node: str) -> list[Instruction]:
    """What stands for a node: of that very name, else of the node in a function that something calls."""
    exact: list[Instruction] = []
    within: list[Instruction] = []
    for computation in module.computations.values():
        for instruction in computation.instructions.values():
            name = _node(instruction)
            if name == node:
                exact.append(instruction)
            elif name and name.endswith(f"/{node}"):
                within.append(instruction)
    return exact or within


def _node(instruction: Instruction) -> str | None:
    return instruction.op_name.rpartition(";")[2] if instruction.op_name else None


def _end(module: Module, node: str, op: str, message: str) -> Instruction | None:
    told = [name.rpartition(";")[2] for name in _NAMED.findall(message)]
    candidates = [i for i in _of_node(module, node) if i.op_type in (None, op) and i.opcode not in _PLUMBING]
    if not candidates:
        return None
    preferred = [i for i in candidates if _node(i) in told] or candidates
    dynamic = [i for i in preferred if is_dynamic(i.shape)]
    # The first line of an op is what it does to its inputs; the rest (sizes, casts of the result) follows from it.
    shown = [i for i in dynamic if re.search(rf"%{re.escape(i.name)}\b", message)]
    return (shown or dynamic or preferred)[0]


class _Back:
    """Steps backwards through a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._root = {c.name: c.instructions[c.root] for c in module.computations.values() if c.root}

    def way(self, start: _At) -> list[tuple[_At, str | None]]:
        """From a dynamic value back to its birth: [(value, why it is born there), ...], the birth last."""
        found: list[tuple[_At, str | None]] = []
        seen: set[tuple[str, str, tuple[int, ...]]] = set()
        at: _At | None = start
        while at is not None and len(found) < _MAX_STEPS:
            key = (at.instruction.computation, at.instruction.name, at.index)
            before = None if key in seen else self.before(at)
            seen.add(key)
            found.append((at, None if before is not None else self.why(at)))
            at = before
        return found

    def before(self, at: _At) -> _At | None:
        """The dynamic value from which a dynamic value has its dimension; None at its birth."""
        instruction = at.instruction
        if instruction.opcode == _SET_SIZE:
            first, *rest = self.operands(at)
            return first if first.dynamic else next((s for o in rest if (s := self.sized_by(o))), None)
        dynamic = [o for o in self.operands(at) if o.dynamic]
        if instruction.opcode == "conditional":
            # What each branch makes of a known size is the birth; what is dynamic inside came from further back.
            inside = [b for b in dynamic if self._settled(b) is None]
            return inside[0] if inside else None
        mine = set(bounds(at.shape))
        same = [o for o in dynamic if mine & set(bounds(o.shape))]
        return next(iter(same or dynamic), None)

    def operands(self, at: _At, carried: bool = True) -> list[_At]:
        """The values from which a value is made: of one element of a tuple, those of that element.

        `carried`: of a loop's variable also what the rounds make of it, not only what it starts with.
        """
        found, entered = at.instruction, at.entered
        home = self.module.computations[found.computation].instructions
        given = [home[n] for n in found.operands if n in home]
        if found.opcode == "get-tuple-element" and found.index is not None:
            return [_At(g, (found.index, *at.index), entered) for g in given]
        if found.opcode == "tuple" and at.index:
            return [_At(given[at.index[0]], at.index[1:], entered)] if at.index[0] < len(given) else []
        if found.opcode == "parameter":
            return self._from_caller(at, carried)
        if found.opcode == "while":
            body = self._into(at, "body") if carried else []
            return [*body, *(_At(g, at.index, entered) for g in given)]
        if found.opcode == "call":
            return self._into(at, "to_apply")
        if found.opcode == "conditional":
            return [b for name in found.called for b in self._into(at, name)]
        return [_At(g, (), entered) for g in given]

    def nearest(self, start: _At) -> _At | None:
        """The nearest value before another that is dynamic."""
        seen: set[tuple[str, str, tuple[int, ...]]] = set()
        todo = self.operands(start)
        while todo and len(seen) < _MAX_STEPS:
            at = todo.pop(0)
            key = (at.instruction.computation, at.instruction.name, at.index)
            if key in seen:
                continue
            seen.add(key)
            if at.dynamic:
                return at
            todo.extend(self.operands(at))
        return None

    def why(self, at: _At) -> str | None:
        """What makes a dimension dynamic where it is born."""
        found = at.instruction
        if found.opcode == "conditional":
            shapes = [s for o in self.operands(at) if (s := self._settled(o) or o.shape)]
            return "its branches give " + " and ".join(shapes)
        if found.opcode == "parameter":
            return "it is already dynamic as an input"
        return _WHY.get(found.op_type or "", "a size that is known at run time only")

    def _settled(self, at: _At) -> str | None:
        """The shape of a dynamic value whose size is a constant: what a branch gives, before both are made alike."""
        found = at
        while found.instruction.opcode in ("tuple", "get-tuple-element"):
            (found,) = self.operands(found) or [at]
            if found is at:
                return None
        instruction = found.instruction
        if instruction.opcode != _SET_SIZE:
            return None if found.dynamic else found.shape
        first, size = self.operands(found)[:2]
        if size.instruction.opcode != "constant" or not instruction.dimensions:
            return None
        inner = self._settled(first) if first.instruction.opcode == _SET_SIZE else first.shape
        if inner is None or is_dynamic(inner):
            return None
        kind, _, rest = inner.partition("[")
        dims = rest.rstrip("]").split(",")
        dims[instruction.dimensions[0]] = str(size.instruction.literal)
        return f"{kind}[{','.join(dims)}]"

    def sized_by(self, scalar: _At) -> _At | None:
        """The dynamic value whose size a scalar is computed from."""
        seen: set[str] = set()
        todo = [scalar]
        while todo and len(seen) < _MAX_STEPS:
            at = todo.pop(0)
            key = f"{at.instruction.computation}/{at.instruction.name}/{at.index}"
            if key in seen:
                continue
            seen.add(key)
            # A size that changes from round to round is one of its own, and not that of another tensor.
            operands = self.operands(at, carried=False)
            if at.instruction.opcode == _SIZE_OF:
                found = next((o for o in operands if o.dynamic), None)
                if found is not None:
                    return found
                continue
            # Scalars, and the little vectors that hold several sizes: what is larger is data.
            todo.extend(o for o in operands if not o.dynamic and _is_small(o.shape))
        return None

    def _into(self, at: _At, attribute: str) -> list[_At]:
        name = at.instruction.called.get(attribute)
        root = self._root.get(name or "")
        return [] if root is None else [_At(root, at.index, (*at.entered, at.instruction))]

    def _from_caller(self, at: _At, carried: bool) -> list[_At]:
        """What a parameter was given: by the instruction through which its computation was entered, else by any."""
        found = at.instruction
        number = int(found.literal or 0) if (found.literal or "0").isdigit() else 0
        callers = self.module.callers(found.computation)
        if at.entered and any(c is at.entered[-1] for c, _ in callers):
            callers = [(c, a) for c, a in callers if c is at.entered[-1]]
            outer = at.entered[:-1]
        else:
            outer = ()
        given = []
        for caller, attribute in callers:
            position = number
            if caller.opcode == "conditional":
                position = 1 + int(attribute.rpartition(" ")[2]) if attribute.startswith("branch") else number
            elif caller.opcode not in ("call", "while"):
                continue
            home = self.module.computations[caller.computation].instructions
            if position < len(caller.operands) and caller.operands[position] in home:
                given.append(_At(home[caller.operands[position]], at.index, outer))
            if caller.opcode == "while" and carried:
                given.extend(self._into(_At(caller, at.index, outer), "body"))
        return given


def _is_small(shape: str) -> bool:
    if shape.startswith("("):
        return True
    dims = [d for d in shape.partition("[")[2].partition("]")[0].split(",") if d]
    return len(dims) <= 1 and all(d.isdigit() and int(d) <= 8 for d in dims)


def _links(module: Module, way: list[tuple[_At, str | None]], end: Instruction | None) -> tuple[Link, ...]:
    """One link an op of TensorFlow, the birth first. What stands for no op of the user's is left out."""
    found: list[Link] = []
    for number, (at, why) in enumerate(reversed(way)):
        if at.instruction is end:
            continue
        born = number == 0
        if not born and (at.instruction.opcode in _PLUMBING or at.instruction.op_type is None):
            continue
        link = replace(_link(module, at, "birth" if born else "carries"), why=why)
        if found and link.node is not None and found[-1].node == link.node:
            found[-1] = replace(found[-1], shape=link.shape)
        else:
            found.append(link)
    return tuple(found) if end is None else (*found, _link(module, _At(end), "fails"))


def _link(module: Module, at: _At, what: Literal["birth", "carries", "fails"]) -> Link:
    found = at.instruction
    top = module.entry is not None and module.entry.name == found.computation
    return Link(
        op=found.op_type or found.opcode,
        node=_node(found),
        shape=at.shape,
        what=what,
        computation=None if top else found.computation,
    )

"""A graph as a Python script that needs only TensorFlow and NumPy."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import opdefs
from .errors import Unsupported
from .ir import CALLS, IFS, WHILES, Graph, Node, body_names
from .phrases import expression, literal, spoken_for

Array = np.ndarray[Any, Any]

_SMALL = 64
_WORD = re.compile(r"(?<![.\w])[A-Za-z_]\w*")


def script(graph: Graph, arguments: Mapping[str, Array], *, title: str, jit: bool, values: bool = True) -> str:
    """The script: a function of the graph's outputs, called with its arguments.

    Integers and flags of at most 64 elements are written out, other integers are random ones of the same range, real
    and complex numbers are random. With `values` False only integers that a shape can depend on (at most 8 of them)
    are written out. Raises Unsupported for a graph that Python code cannot say.
    """
    writer = _Writer(graph)
    names = {f"{item.name}:0": writer.name(item.name, "x") for item in graph.inputs}
    body = writer.frame(graph, names)
    if not graph.outputs and not graph.controls:
        raise Unsupported("nothing is computed")
    parameters = ", ".join(names.values())
    lines = [f'"""{title}"""', "", "import numpy as np", "import tensorflow as tf", ""]
    lines += ["random = np.random.default_rng(0)"]
    for item in graph.inputs:
        tensor = f"{item.name}:0"
        lines.append(f"{names[tensor]} = {_sample(arguments[tensor], values)}")
    lines += ["", ""]
    for function in writer.functions:
        lines += [*function, "", ""]
    if jit:
        lines.append("@tf.function(jit_compile=True, autograph=False)")
    lines += [f"def program({parameters}):", *(f"    {line}" for line in body), "", ""]
    lines.append(f"print(program({parameters}))")
    return "\n".join(lines) + "\n"


def _sample(value: Array, values: bool) -> str:
    """An argument as an expression."""
    shape = tuple(int(n) for n in value.shape)
    kind = value.dtype.kind
    size = f"{shape[0]}" if len(shape) == 1 else str(shape)
    if kind in "iub" and value.size <= (_SMALL if values else 8):
        return f"np.array({value.tolist()})" if kind == "b" else f"np.array({value.tolist()}, np.{value.dtype.name})"
    if kind in "iu":
        low, high = (int(value.min()), int(value.max())) if values and value.size else (0, 1)
        return f"random.integers({low}, {high + 1}, {size}).astype(np.{value.dtype.name})"
    if kind == "b":
        return "np.array(True)" if not shape else f"random.random({size}) < 0.5"
    if kind == "c":
        return f"(random.normal(size={size}) + 1j).astype(np.{value.dtype.name})"
    if kind in "fV":
        name = "np.float32" if value.dtype.name == "float32" else None
        if name is None:
            return f"tf.constant(random.random({size}), tf.{value.dtype.name})"
        return f"random.random({size or '()'}, {name})"
    raise Unsupported(f"an argument of type {value.dtype} cannot be written")


_Line = tuple[str, str]
"""(the name that it gives, or nothing, and the expression)."""


def _said(lines: list[_Line], result: str) -> list[str]:
    """The lines that the result needs, and its `return`."""
    if lines and lines[-1][0] == result:
        result = lines[-1][1]
        lines = lines[:-1]
    needed = set(_WORD.findall(result))
    kept = [f"return {result}"]
    for called, expression_ in reversed(lines):
        if called and called not in needed:
            continue
        needed.update(_WORD.findall(expression_))
        kept.append(f"{called} = {expression_}" if called else expression_)
    return kept[::-1]


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.functions: list[list[str]] = []
        self._written: dict[str, str] = {}
        self._names: set[str] = {*keyword.kwlist, *dir(builtins), "np", "tf", "random", "program"}

    def name(self, node: str, prefix: str = "v") -> str:
        """A short name that is free in the whole script, after the last part of a node's name."""
        parts = [p for p in re.split(r"[^0-9A-Za-z]+", node.replace("/__edit", "").replace("/__cut", "")) if p]
        word = re.sub(r"_?\d+$", "", "_".join(parts[-1:]).lower()) or prefix
        if (
            word in ("placeholder", "readvariableop")
            or not word.isidentifier()
            or keyword.iskeyword(word)
            or word.isdigit()
        ):
            word = prefix
        found, number = word, 1
        while found in self._names:
            number += 1
            found = f"{word}{number}"
        self._names.add(found)
        return found

    def frame(self, graph: Graph, names: dict[str, str], *, listed: bool = False) -> list[str]:
        """The lines of a function's body, with its `return`. `names` are those of its arguments."""
        lines: list[_Line] = []
        known = dict(names)
        given = {item.name for item in graph.inputs}
        unsaid = spoken_for(graph)
        for name, node in graph.nodes.items():
            if name in given or node.op == "NoOp":
                continue
            if node.op == "Const":
                said = literal(node)
                known[f"{name}:0"] = said
                continue
            if node.op == "IdentityN":
                known.update({f"{name}:{i}": known[t] for i, t in enumerate(node.inputs)})
                continue
            if node.op in ("Identity", "PreventGradient", "StopGradient"):
                known[f"{name}:0"] = known[node.inputs[0]]
                continue
            if name in unsaid:
                known[f"{name}:0"] = "None"
                continue
            self.line(graph, node, known, lines)
        results = [known[t] for t in graph.outputs]
        listed = listed or len(results) != 1
        return _said(lines, f"[{', '.join(results)}]" if listed else results[0])

    def line(self, graph: Graph, node: Node, known: dict[str, str], lines: list[_Line]) -> None:
        """The line of one op, and what it is called from here on."""
        count = len([d for _, types in opdefs.outputs_of(node.definition, graph.functions) for d in types])
        given = [known[t] for t in node.inputs]
        if node.op in IFS:
            said = self.branches(node, given)
        elif node.op in WHILES:
            said = self.loop(node, given)
        elif node.op in CALLS:
            said = f"{self.function(next(body_names(node)))}({', '.join(given)})"
        else:
            said = expression(graph, node, given, known)
        if count == 0:
            lines.append(("", said))
            return
        if said in given:
            known[f"{node.name}:0"] = said
            return
        called = self.name(node.name)
        lines.append((called, said))
        single = count == 1 and node.op not in WHILES
        for i in range(count):
            known[f"{node.name}:{i}"] = called if single else f"{called}[{i}]"

    def function(self, body: str, *, listed: bool = False) -> str:
        """A body as a function of its own, written once."""
        key = f"{body}/{listed}"
        if key not in self._written:
            graph = self.graph.bodies[body]
            name = self.name("step" if listed else "part", "part")
            names = {f"{item.name}:0": self.name(item.name, "x") for item in graph.inputs}
            lines = self.frame(graph, names, listed=listed)
            self.functions.append([f"def {name}({', '.join(names.values())}):", *(f"    {line}" for line in lines)])
            self._written[key] = name
        return self._written[key]

    def branches(self, node: Node, given: Sequence[str]) -> str:
        rest = ", ".join(given[1:])
        found = [f"lambda: {self.said(body) or f'{self.function(body)}({rest})'}" for body in body_names(node)]
        if node.op in ("If", "StatelessIf"):
            return f"tf.cond({given[0]}, {', '.join(found)})"
        return f"tf.switch_case({given[0]}, [{', '.join(found)}])"

    def said(self, body: str) -> str | None:
        """A body that takes nothing and computes one thing, as an expression."""
        graph = self.graph.bodies[body]
        lines = [] if graph.inputs else self.frame(graph, {})
        return lines[0].removeprefix("return ") if len(lines) == 1 else None

    def loop(self, node: Node, given: Sequence[str]) -> str:
        condition, body = body_names(node)
        asked, step = self.function(condition), self.function(body, listed=True)
        invariants = ""
        shapes = node.definition.attr["output_shapes"].list.shape
        if any(s.unknown_rank or any(d.size < 0 for d in s.dim) for s in shapes):
            said = [
                "tf.TensorShape(None)" if s.unknown_rank else str([None if d.size < 0 else int(d.size) for d in s.dim])
                for s in shapes
            ]
            invariants = f", shape_invariants=[{', '.join(f'tf.TensorShape({t})' if t[0] == '[' else t for t in said)}]"
        return f"tf.while_loop({asked}, {step}, [{', '.join(given)}]{invariants})"

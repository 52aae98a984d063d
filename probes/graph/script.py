"""A graph as a Python script that needs only TensorFlow and NumPy."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import opdefs
from .errors import Unsupported
from .ir import CALLS, IFS, WHILES, Graph, Node, body_names
from .phrases import expression, literal, spoken_for, type_name
from .sentences import Line, replaced, said

Array = np.ndarray[Any, Any]

_SMALL = 64
_LINE = 100


def script(graph: Graph, arguments: Mapping[str, Array], *, title: str, jit: bool, values: bool = True) -> str:
    """The script: a function of the graph's outputs, called with its arguments.

    Integers and flags of at most 64 elements are written out, other integers are random ones of the same range, real
    and complex numbers are random. With `values` False only integers that a shape can depend on (at most 8 of them)
    are written out. Raises Unsupported for a graph that Python code cannot say.
    """
    if not graph.outputs and not graph.controls:
        raise Unsupported("nothing is computed")
    names, functions, body = written(graph)
    parameters = ", ".join(names.values())
    lines = [f'"""{title}"""', "", "import numpy as np", "import tensorflow as tf", ""]
    lines += ["random = np.random.default_rng(0)"]
    lines += [f"{name} = {sample(arguments[tensor], values)[0]}" for tensor, name in names.items()]
    lines += ["", "", *functions]
    if jit:
        lines.append("@tf.function(jit_compile=True, autograph=False)")
    lines += [f"def program({parameters}):", *body, "", ""]
    lines.append(f"print(program({parameters}))")
    return "\n".join(lines) + "\n"


def traced_script(graph: Graph, *, title: str) -> str:
    """The script of what fails while a graph is being made of it: its inputs are types and shapes, it is never run."""
    names, functions, body = written(graph, ["specs"])
    specs = []
    for item in graph.inputs:
        shape = None if item.shape is None else list(item.shape)
        specs.append(f"    tf.TensorSpec({shape}, {type_name(item.dtype)}),")
    lines = [f'"""{title}"""', "", "import tensorflow as tf", "", "", *functions]
    lines += [f"def program({', '.join(names.values())}):", *body, "", "", "specs = [", *specs, "]"]
    return "\n".join([*lines, "tf.function(program, autograph=False).get_concrete_function(*specs)"]) + "\n"


def written(graph: Graph, taken: Iterable[str] = ()) -> tuple[dict[str, str], list[str], list[str]]:
    """({input tensor: what it is called}, the lines of other functions, the indented lines of the body).

    `taken` are names that the script needs for itself.
    """
    writer = _Writer(graph, taken)
    names = {f"{item.name}:0": writer.name(item.name, "x") for item in graph.inputs}
    body = writer.frame(graph, names)
    functions = [line for function in writer.functions for line in (*function, "", "")]
    return names, functions, [f"    {line}" for line in body]


def sample(value: Array, values: bool) -> tuple[str, Callable[[np.random.Generator], Array]]:
    """(an argument as an expression with `np`, `tf` and `random`, what makes the array that it gives)."""
    shape = tuple(int(n) for n in value.shape)
    kind, dtype = value.dtype.kind, value.dtype
    size = f"{shape[0]}" if len(shape) == 1 else str(shape)
    if kind in "iub" and value.size <= (_SMALL if values else 8):
        said = f"np.array({value.tolist()})" if kind == "b" else f"np.array({value.tolist()}, np.{dtype.name})"
        return said, lambda random: value
    if kind in "iu":
        low, high = (int(value.min()), int(value.max())) if values and value.size else (0, 1)
        said = f"random.integers({low}, {high + 1}, {size}).astype(np.{dtype.name})"
        return said, lambda random: random.integers(low, high + 1, shape).astype(dtype)
    if kind == "b":
        if not shape:
            return "np.array(True)", lambda random: np.array(True)
        return f"random.random({size}) < 0.5", lambda random: random.random(shape) < 0.5
    if kind == "c":
        said = f"(random.normal(size={size}) + 1j).astype(np.{dtype.name})"
        return said, lambda random: (random.normal(size=shape) + 1j).astype(dtype)
    if kind == "f" and value.size and float(value.min()) < 0:
        said = f"random.normal(size={size or '()'}).astype(np.{dtype.name})"
        return said, lambda random: np.asarray(random.normal(size=shape)).astype(dtype)
    if kind in "fV" and dtype.name == "float32":
        return f"random.random({size or '()'}, np.float32)", lambda random: random.random(shape, np.float32)
    if kind in "fV":
        said = f"tf.constant(random.random({size}), tf.{dtype.name})"
        return said, lambda random: np.asarray(random.random(shape)).astype(dtype)
    raise Unsupported(f"an argument of type {dtype} cannot be written")


class _Writer:
    def __init__(self, graph: Graph, taken: Iterable[str] = ()) -> None:
        self.graph = graph
        self.functions: list[list[str]] = []
        self._written: dict[str, str] = {}
        self._names: set[str] = {*keyword.kwlist, *dir(builtins), "np", "tf", "random", "program", *taken}

    def name(self, node: str, prefix: str = "v") -> str:
        """A short name that is free in the whole script, after the last part of a node's name."""
        parts = [p for p in re.split(r"[^0-9A-Za-z]+", node.replace("/__edit", "").replace("/__cut", "")) if p]
        word = re.sub(r"(?:_|(?<![\d_]))\d+$", "", "_".join(parts[-1:]).lower()) or prefix
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
        lines: list[Line] = []
        known = dict(names)
        given = {item.name for item in graph.inputs}
        unsaid = spoken_for(graph)
        for name, node in graph.nodes.items():
            if name in given or node.op == "NoOp":
                continue
            if node.op == "Const":
                known[f"{name}:0"] = literal(node)
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
        return said(lines, f"[{', '.join(results)}]" if listed else results[0])

    def line(self, graph: Graph, node: Node, known: dict[str, str], lines: list[Line]) -> None:
        """The line of one op, and what it is called from here on."""
        count = len([d for _, types in opdefs.outputs_of(node.definition, graph.functions) for d in types])
        given = [known[t] for t in node.inputs]
        if node.op in IFS:
            phrase = self.branches(node, given)
        elif node.op in WHILES:
            phrase = self.loop(node, given)
        elif node.op in CALLS:
            phrase = f"{self.function(next(body_names(node)))}({', '.join(given)})"
        else:
            phrase = expression(graph, node, given, known)
        if count == 0:
            lines.append(("", phrase))
            return
        if phrase in given:
            known[f"{node.name}:0"] = phrase
            return
        called = self.name(node.name)
        lines.append((called, phrase))
        single = count == 1 and node.op not in WHILES
        for i in range(count):
            known[f"{node.name}:{i}"] = called if single else f"{called}[{i}]"

    def function(self, body: str, *, listed: bool = False) -> str:
        """A body as a function, written once: a lambda if it is one short expression, else one with a name."""
        key = f"{body}/{listed}"
        if key not in self._written:
            parameters, lines = self.body(body, listed=listed)
            if len(lines) == 1 and len(lines[0]) + len(", ".join(parameters)) < _LINE // 2:
                self._written[key] = f"lambda {', '.join(parameters)}: {lines[0].removeprefix('return ')}"
            else:
                name = self.name("step" if listed else "part", "part")
                self.functions.append([f"def {name}({', '.join(parameters)}):", *(f"    {line}" for line in lines)])
                self._written[key] = name
        return self._written[key]

    def body(self, body: str, *, listed: bool = False) -> tuple[list[str], list[str]]:
        """(what its parameters are called, its lines)."""
        graph = self.graph.bodies[body]
        names = {f"{item.name}:0": self.name(item.name, "x") for item in graph.inputs}
        return list(names.values()), self.frame(graph, names, listed=listed)

    def branches(self, node: Node, given: Sequence[str]) -> str:
        found = [f"lambda: {self.called(body, given[1:])}" for body in body_names(node)]
        if node.op in ("If", "StatelessIf"):
            return f"tf.cond({given[0]}, {', '.join(found)})"
        return f"tf.switch_case({given[0]}, [{', '.join(found)}])"

    def called(self, body: str, given: Sequence[str]) -> str:
        """A body on these arguments: the expression itself if it is a short one, else a call."""
        function = self.function(body)
        if not function.startswith("lambda"):
            return f"{function}({', '.join(given)})"
        parameters, _, phrase = function.removeprefix("lambda ").removeprefix("lambda").partition(": ")
        return replaced(phrase, dict(zip(filter(None, parameters.split(", ")), given, strict=True)))

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

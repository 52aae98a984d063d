"""Failures while a function is traced: the op that could not be made, and the lines that made its inputs.

There is no finished graph to run. What there was of it is in the partial capsule, with the source of every node; the op
itself is in the message, which TensorFlow builds from its NodeDef and the static shapes of its inputs (tensorflow/core/
framework/shape_inference.cc, InferenceContext: `for '{{node NAME}} = OP[ATTRS](INPUTS)' with input shapes: ...`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from xladoctor.diagnosis.facts import Step, is_user_file
from xladoctor.model.diagnosis import Location, Proof

_BEGIN, _END = "for '{{node ", ")' with input shapes: "
_NODE = re.compile(r"for '\{\{node (?P<node>[^{}]+)\}\} = (?P<op>\w+)(?=[\[(])")
_COLOR = re.compile(r"\x1b\[[\d;]{0,20}m")
_SHAPE = re.compile(r"\[[\d?, ]*\]|<unknown>")


@dataclass(frozen=True)
class Unfinished:
    """The op that could not be made: `inputs` are (tensor, static shape as TensorFlow writes it, line that made it)."""

    op: str
    node: str
    inputs: tuple[tuple[str, str | None, Location | None], ...]
    capsule: str | None
    says: str = ""
    """What TensorFlow says of it, in one line; `attributes_text` and `shapes_text` as it writes them behind that."""
    attributes_text: str = ""
    shapes_text: str = ""

    @property
    def isolated(self) -> dict[str, Any]:
        """As the `isolated` of a diagnosis. Shapes are static: None is not known while tracing."""
        return {
            "op": self.op,
            "node": self.node,
            "inputs": [{"tensor": name, "shape": _shape(shape), "value": None} for name, shape, _ in self.inputs],
            "compilations": 0,
        }

    @property
    def near(self) -> Location | None:
        """The user's last line before the op, by the lines that made its inputs: where a library, or AutoGraph, has
        taken the user's frames out of the traceback. None where they stand in several functions.
        """
        made = [where for _, _, where in self.inputs if where is not None and where.line]
        if not made or len({(where.file, where.function) for where in made}) > 1:
            return None
        return max(made, key=lambda where: where.line or 0)

    @property
    def evidence(self) -> tuple[Proof, ...]:
        """Each input with its shape and the user's line that made it."""
        return tuple(
            Proof("source", f"{name} {shape or ''}, made at {where}", f"capsules/{self.capsule}")
            for name, shape, where in self.inputs
            if where is not None
        )


def unfinished(step: Step) -> Unfinished | None:
    """The op at which a trace broke off, or None where the failure is none of a trace, or names no op."""
    failure = step.failure
    if failure is None or step.capsule is not None:
        return None
    found = unfinished_in(str(failure.get("message", "")))
    if found is None:
        return None
    capsule = failure.get("partial")
    sources = step.recording.sources(str(capsule)) if capsule else {}
    inputs = tuple((name, shape, _made(sources, name)) for name, shape, _ in found.inputs)
    return replace(found, inputs=inputs, capsule=capsule)


def unfinished_in(message: str) -> Unfinished | None:
    """The op that a message says could not be made."""
    message = _COLOR.sub("", message)  # Keras prints what it quotes in bold
    # The end is looked for first: a pattern for the whole would try every beginning with every end.
    end = message.find(_END)
    begin = max(0, message.rfind(_BEGIN, 0, max(0, end)))
    found = _NODE.match(message, begin)
    if end < 0 or found is None or "\n" in message[found.end() : end]:
        return None
    attributes, _, listed = message[found.end() : end].rpartition("(")
    names = [n for part in listed.split(",") if (n := part.strip()) and not n.startswith("^")]
    line = message[end + len(_END) :].partition("\n")[0]
    shapes = _SHAPE.findall(line)
    inputs = tuple((name, shapes[i] if i < len(shapes) else None, None) for i, name in enumerate(names))
    says = " ".join(message[:begin].split())
    return Unfinished(found["op"], found["node"], inputs, None, says, attributes.strip("[]"), line.rstrip())


def _made(sources: dict[str, dict[str, list[list[Any]]]], tensor: str) -> Location | None:
    """The innermost user frame that made a tensor; of the graph that has the most nodes if several have the name."""
    node = tensor.partition(":")[0]
    for nodes in sorted(sources.values(), key=len, reverse=True):
        # AutoGraph's copy of a function is no file of the user's: where it was not mapped back, its caller stands.
        for file, line, function in reversed(nodes.get(node) or ()):
            if is_user_file(str(file)):
                return Location(str(file), line, function)
    return None


def _shape(text: str | None) -> list[int | None] | None:
    if text is None or text == "<unknown>":
        return None
    sizes = [part.strip() for part in text[1:-1].split(",") if part.strip()]
    return [None if size == "?" else int(size) for size in sizes]

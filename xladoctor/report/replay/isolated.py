"""The first op that fails, and what it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.report.document import Block, Code, Facts, Part, points
from xladoctor.report.replay import chain
from xladoctor.report.replay.words import count, seconds
from xladoctor.report.text import line

if TYPE_CHECKING:
    from xladoctor.model.replay import Isolation, Replay, Repro, ValueOrigin

_MESSAGE = 400
_HOW = {
    "run": "run plainly, op by op",
    "xla": "the first ops compiled by XLA, bisected",
    "trace": "TensorFlow refused to make it",
}


def part(found: Replay, all_of_it: bool) -> Part | None:
    """Op, place, inputs, and the chain of a dynamic dimension; the script that shows the same."""
    isolated, repro = found.isolated, found.repro
    told = [told_of_repro(repro)] if repro is not None else []
    if isolated is None:
        return Part("repro", "Reproducer", blocks=(points(told),)) if told else None
    blocks: list[Block] = [facts(isolated), Code(tuple(given(item) for item in isolated.inputs))]
    blocks.append(Code((said(isolated),)))
    blocks += chain.tree(isolated.chain, all_of_it)
    blocks.append(points([*([isolated.note] if isolated.note else []), *told]))
    return Part("isolated", "First op that fails", cost(isolated), tuple(blocks))


def cost(isolated: Isolation) -> str:
    """`12 tries of 1033 ops, 12 XLA compilations, 10 s: the first ops compiled by XLA, bisected`."""
    text = f"{count(isolated.tries, 'try')}, {isolated.ops} ops"
    if isolated.compilations:
        text += f", {count(isolated.compilations, 'XLA compilation')}"
    return f"{text}, {seconds(isolated.seconds)}: {_HOW[isolated.mode]}"


def facts(isolated: Isolation) -> Facts:
    """What and where."""
    rows = (
        ("op", isolated.op),
        ("node", isolated.node.rpartition("/")[2] if isolated.path else isolated.node),
        ("within", " > ".join(_tail(part) for part in isolated.path)),
        ("layer", isolated.layer or ""),
        ("at", isolated.location or ""),
        ("class", isolated.signature.slug if isolated.signature else ""),
        ("value from", "; ".join(origin_of(o) for o in isolated.origins)),
    )
    return Facts(tuple(row for row in rows if row[1]))


def origin_of(origin: ValueOrigin) -> str:
    """`RandomUniformInt random_uniform, train.py:5 in step`."""
    where = f", {origin.location}" if origin.location else ""
    return f"{origin.op} {_tail(origin.node)}{where}"


def given(item: dict[str, Any]) -> str:
    """`input float32 (<=32 1 2) from Repeat/ExpandDims`."""
    shape = item.get("shape")
    dims = f"({' '.join(str(n) for n in shape)})" if isinstance(shape, list | tuple) else "shape not known"
    text = f"input {item.get('dtype') or '?'} {dims} from {_tail(str(item.get('node') or item.get('tensor')))}"
    value = item.get("value")
    return text + (f" = {value}" if value is not None else "")


def said(isolated: Isolation) -> str:
    """The first line of the message."""
    return line(isolated.message.strip().partition("\n")[0])[:_MESSAGE]


def told_of_repro(repro: Repro) -> str:
    """What became of the script."""
    if repro.reproduced:
        return f"{repro.path}: {count(repro.lines, 'line')}; run in a fresh process, it fails in the same way"
    return f"no script was written: {repro.message}"


def _tail(name: str) -> str:
    """The last two parts of a node's name; the whole of a short one."""
    parts = name.split("/")
    return "/".join(parts[-2:])

"""The first op that fails, and what it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.report.replay import chain
from xladoctor.report.replay.words import count, seconds
from xladoctor.report.text import line, md, md_code

if TYPE_CHECKING:
    from xladoctor.model.replay import Isolation, Replay, ValueOrigin
    from xladoctor.report.page import Page
    from xladoctor.report.view import View

_MESSAGE = 400
_HOW = {
    "run": "run plainly, op by op",
    "xla": "the first ops compiled by XLA, bisected",
    "trace": "TensorFlow refused to make it",
}


def console(page: Page, found: Replay, view: View) -> None:
    """Op, place, inputs, and the chain of a dynamic dimension."""
    isolated = found.isolated
    if isolated is None:
        _repro(page, found)
        return
    page.heading("First op that fails", cost(isolated))
    page.table(facts(isolated))
    for item in isolated.inputs:
        page.para(given(item), indent=4, hang=2)
    page.para(said(isolated), hang=2)
    chain.console(page, isolated, view)
    if isolated.note:
        page.para(isolated.note, first="- ", hang=2)
    _repro(page, found)


def markdown(found: Replay) -> list[str]:
    """The same for an issue."""
    isolated = found.isolated
    if isolated is None:
        return [md(told_of_repro(found))] if found.repro is not None else []
    blocks = ["## First op that fails", md(cost(isolated))]
    blocks.append("\n".join(f"- {md(name)}: {md_code(value)}" for name, value in facts(isolated)))
    if isolated.inputs:
        blocks.append("\n".join(f"- {md_code(given(item))}" for item in isolated.inputs))
    blocks.append(md_code(said(isolated)))
    blocks += chain.markdown(isolated)
    if isolated.note:
        blocks.append(md(isolated.note))
    if found.repro is not None:
        blocks.append(md(told_of_repro(found)))
    return blocks


def cost(isolated: Isolation) -> str:
    """`12 tries of 1033 ops, 12 XLA compilations, 10 s: the first ops compiled by XLA, bisected`."""
    text = f"{count(isolated.tries, 'try')}, {isolated.ops} ops"
    if isolated.compilations:
        text += f", {count(isolated.compilations, 'XLA compilation')}"
    return f"{text}, {seconds(isolated.seconds)}: {_HOW[isolated.mode]}"


def facts(isolated: Isolation) -> list[list[str]]:
    """What and where, as rows."""
    failure = isolated.signature.slug if isolated.signature else ""
    rows = [
        ["op", isolated.op],
        ["node", isolated.node.rpartition("/")[2] if isolated.path else isolated.node],
        ["within", " > ".join(_tail(part) for part in isolated.path)],
        ["layer", isolated.layer or ""],
        ["at", isolated.location or ""],
        ["class", failure],
        ["value from", "; ".join(origin_of(o) for o in isolated.origins)],
    ]
    return [row for row in rows if row[1]]


def origin_of(origin: ValueOrigin) -> str:
    """`RandomUniformInt random_uniform, train.py:5 in step`."""
    where = f", {origin.location}" if origin.location else ""
    return f"{origin.op} {_tail(origin.node)}{where}"


def given(item: dict[str, Any]) -> str:
    """`input float32 (<=32 1 2) from Repeat/ExpandDims`."""
    shape = item.get("shape")
    dims = "shape not known" if shape is None else f"({' '.join(str(n) for n in shape)})"
    text = f"input {item.get('dtype') or '?'} {dims} from {_tail(str(item.get('node') or item.get('tensor')))}"
    value = item.get("value")
    return text + (f" = {value}" if value is not None else "")


def said(isolated: Isolation) -> str:
    """The first line of the message."""
    return line(isolated.message.strip().partition("\n")[0])[:_MESSAGE]


def told_of_repro(found: Replay) -> str:
    """What became of the script."""
    repro = found.repro
    if repro is None:
        return ""
    if repro.reproduced:
        return f"{repro.path}: {count(repro.lines, 'line')}; run in a fresh process, it fails in the same way"
    return f"no script was handed over: {repro.message}"


def _repro(page: Page, found: Replay) -> None:
    if found.repro is not None:
        page.para(told_of_repro(found), first="- ", hang=2)


def _tail(name: str) -> str:
    """The last two parts of a node's name; the whole of a short one."""
    parts = name.split("/")
    return "/".join(parts[-2:])

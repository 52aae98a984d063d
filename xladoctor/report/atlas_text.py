"""What the atlas knows of an op, or of all, as text in each format."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from xladoctor.rules import atlas

if TYPE_CHECKING:
    from xladoctor.report.page import Page
    from xladoctor.rules.atlas import Difference

SCHEMA = "xladoctor.atlas/1"
_HOW = (
    "Each was measured on a CPU: the op or program ran eagerly and under XLA on the same input, with no other change. "
    "An input that is not listed gave the same result, or was not tested. No error is raised unless the line says so."
)
_DO = "Run the function without `jit_compile=True`, or check its inputs before the call, because XLA leaves checks out."


def title(op: str | None) -> str:
    """The heading of a page on an op, or on all."""
    return f"{op} under XLA" if op else "Silent under XLA: ops whose results differ from eager execution"


def as_json(op: str | None, found: Sequence[Difference]) -> str:
    """The entries as data."""
    return json.dumps({"schema": SCHEMA, "op": op, "differences": list(map(atlas.as_data, found))}, indent=2) + "\n"


def as_markdown(op: str | None, found: Sequence[Difference]) -> str:
    """A page on an op, or the ops by kind of input."""
    parts = [f"<!-- {SCHEMA} -->", f"# {title(op)}", _HOW]
    if op:
        rows = [
            f"| {_edge(d)} | {atlas.KINDS[d.kind]} | {' '.join(d.types)} | {_code(d.eager)} | {_code(d.xla)} "
            f"| {' '.join(versions)} | {atlas.NEARER[d.nearer]} | {atlas.advice(d)} |"
            for d, versions in atlas.joined(found)
        ]
        head = "| with | XLA | types | eagerly | under XLA | TensorFlow | nearer to float64 | ways around |"
        parts.append("\n".join([head, "|---" * 8 + "|", *rows]))
    else:
        rows = [
            f"| {atlas.EDGES.get(edge, edge)} | {atlas.KINDS[kind]} | {', '.join(f'`{name}`' for name in ops)} |"
            for (edge, kind), ops in _by_input(found).items()
        ]
        parts.append("\n".join(["| with | XLA | ops |", "|---|---|---|", *rows]))
    return "\n\n".join([*parts, "## What to do", _DO]) + "\n"


def as_console(op: str | None, found: Sequence[Difference], page: Page) -> str:
    """The same for a terminal."""
    page.parts((title(op), "bold"))
    page.para(_HOW)
    if op:
        rows = atlas.joined(found)
        cells = [(_edge(d), atlas.KINDS[d.kind], " ".join(d.types), d.eager, d.xla, " ".join(v)) for d, v in rows]
        page.table(cells, indent=2)
        differences = [d for d, _ in rows]
        _grouped(page, "Against float64", differences, lambda d: atlas.NEARER[d.nearer])
        _grouped(page, "Ways around", differences, atlas.advice)
    for (edge, kind), ops in _by_input(found).items() if op is None else ():
        page.para(f"{atlas.EDGES.get(edge, edge)}: XLA {atlas.KINDS[kind]}", style="bold")
        page.para(", ".join(ops), indent=2)
    page.heading("What to do")
    page.para(_DO)
    return page.text()


def _grouped(page: Page, title: str, found: Sequence[Difference], words: Callable[[Difference], str]) -> None:
    """Each sentence once, with the inputs of which it holds; nothing where there is none."""
    groups: dict[str, dict[str, None]] = defaultdict(dict)
    for one in found:
        if told := words(one):
            groups[told][_edge(one)] = None
    if groups:
        page.heading(title)
    for told, edges in groups.items():
        page.para(f"with {', '.join(edges)}: {told.rstrip('.')}.", indent=2)


def _by_input(found: Sequence[Difference]) -> Mapping[tuple[str, str], list[str]]:
    """{(edge, kind): ops}, the edges and kinds in the order in which they are defined."""
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in found:
        groups[one.edge, one.kind].add(one.op)
    edges, kinds = list(atlas.EDGES), list(atlas.KINDS)
    ordered = sorted(groups, key=lambda key: (edges.index(key[0]), kinds.index(key[1])))
    return {key: sorted(groups[key]) for key in ordered}


def _edge(one: Difference) -> str:
    if what := atlas.what(one.op):
        return f"{what} ({one.op.rpartition(':')[2]})"
    words = atlas.EDGES.get(one.edge, one.edge)
    return f"{words} in `{one.argument}`" if one.argument else words


def _code(words: str) -> str:
    return f"`{words.replace('|', '/').replace('`', '')}`" if words else ""

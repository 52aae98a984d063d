"""The call that put an op into the graph of the program, where its name is another one: a layer that looks words up, a
function of Python in a graph, a switch that checks the numbers of every op.

Which public function makes which op is read from the sources of TensorFlow and Keras (`data/op_makers.json`, written by
`python -m benchmarks._op_makers`): of each op for which XLA has no kernel, the functions that are the nearest to it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import canonical, dotted, imported, walk

_SLUGS = frozenset({"unsupported-op", "host-op-in-jit", "compile-failed"})
ARGUMENT = "_Arg"
"""What XLA names where it cannot take an argument of the function: text, say. The op that takes it is not named."""
_SWITCH = re.compile(r"^(?:enable|set)_")
_SWITCHES, _CALLS = 7.9, 7.4


def of_makers(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The calls that make the op: of those that the failure depends on, that of the line that raised where it is one. A
    switch puts ops into graphs that do not depend on its line.
    """
    ops = crash.seen.ops if crash.op == ARGUMENT else {crash.op}
    makers = {name: op for op in sorted(ops) for name in _table().get(op, "").split()} if crash.slug in _SLUGS else {}
    if not makers:
        return
    known = [*(f for f, _ in hops), *(frame.file for frame in crash.frames)]
    found = [(file, *one) for file, tree in files.trees(known).items() for one in _calls(file, tree, makers, files)]
    raised = [at for at in found if crash.at is not None and at[:2] == (crash.at.file, crash.at.line)]
    for file, line, name in raised or found:
        plain, op = name.removeprefix("tensorflow."), makers[name]
        if _SWITCH.match(name.rpartition(".")[2]):
            reason = f"`{plain}` puts {op} into each graph that is made after it, and XLA has no kernel for it."
            yield Candidate(file, line, _SWITCHES, reason, None, "other", True)
        elif (file, line) in hops or raised:
            reason = f"`{plain}` makes {op}, for which XLA has no kernel."
            yield Candidate(file, line, _CALLS, reason, None, "other", True)


def _calls(file: str, tree: ast.Module, makers: Container[str], files: Files) -> Iterator[tuple[int, str]]:
    """(line, public name) of each call of one of these functions."""
    package = files.package(file)
    names: dict[str, str] = {}
    for node in walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= imported(node, package)
    for node in walk(tree):
        name = dotted(node.func) if isinstance(node, ast.Call) else None
        first, _, rest = (name or "").partition(".")
        if isinstance(node, ast.Call) and first in names:
            full = canonical(".".join(part for part in (names[first], rest) if part))
            if full in makers:
                yield node.lineno, full


@cache
def _table() -> dict[str, str]:
    # It is not read before an op has no kernel.
    from importlib.resources import files

    text = files("xladoctor.blame").joinpath("data/op_makers.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)["makers"]
    return found

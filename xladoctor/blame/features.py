"""What is known of each line that a failure depends on, as numbers with a meaning; `ranking` says what they weigh.

Every feature says something that can be seen: how far the line is along the data flow, whether a size at fault is made
there, whether an edit of it makes all sizes fit.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log1p

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.earlier import GIVES_DATA
from xladoctor.blame.follow import Follower
from xladoctor.blame.indices import INDEX, OF_VALUES
from xladoctor.blame.line_kinds import KINDS, kinds_of
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.trials import Tried
from xladoctor.blame.values import Clash, Origin
from xladoctor.sources.files import Files
from xladoctor.sources.names import children, last_name, walk
from xladoctor.sources.source import Source

Features = dict[str, float]
FULL = 8.0
"""The weight of a reason that leaves little doubt."""
FACTOR = 7.2
"""The weight against a line that makes the one factor of a product that does not divide the elements."""
MOST, STEEP = 1.15, 2.5
"""Of 100 reasons of the weights 6, 7, 8 and 9 there are 24, 43, 66 and 73 right (269 labelled programs): so a reason
counts by this power of its share of `FULL`, up to `MOST`.
"""


def _against(candidate: Candidate) -> tuple[str, float]:
    """The feature that a reason is, and how much it counts."""
    if candidate.outnumbered:
        return "outnumbered", min(candidate.weight / FULL, 1.0)
    return "convention", certainty(candidate.weight)


def certainty(weight: float) -> float:
    """How much a reason of a weight counts as a broken convention."""
    share: float = min(max(weight, 0.0) / FULL, MOST) ** STEEP
    return share


def by_line(tree: ast.AST, wanted: set[int]) -> dict[int, list[ast.AST]]:
    """The nodes that begin on each line."""
    found: dict[int, list[ast.AST]] = {}
    for node in walk(tree):
        line = getattr(node, "lineno", None)
        if line in wanted:
            found.setdefault(line, []).append(node)
    return found


def of_sizes(nodes: Sequence[ast.AST], run: Follower, sizes: frozenset[int]) -> Iterator[str]:
    """Whether the sizes that disagree are made on a line, written on it, or pass it."""
    for node in nodes:
        if not isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value in sizes and node.value > 1:
            yield "size written"
        elif run.numbers.get(node, set()) & sizes and isinstance(node, _COMPUTES) and not _looks_up(node):
            yield "size computed"
        if isinstance(node, ast.Call) and _gives(node, run, sizes):
            yield "gives"
        shape = run.shapes.get(node)
        if shape is None:
            continue
        below = [run.shapes[n] for n in _below(node) if n in run.shapes]
        have = {s for s in shape if s is not None and s > 1} & sizes
        before = {s for other in below for s in other}
        if have - before:
            yield "size made"
        if below and all(len(shape) != len(other) for other in below):
            yield "rank changed"


def _gives(call: ast.Call, run: Follower, sizes: frozenset[int]) -> bool:
    """Whether an argument is made in the call itself, and has one of the sizes."""
    given = [*call.args, *(k.value for k in call.keywords)]
    return any(isinstance(a, ast.Call) and sizes & {s for s in run.shapes.get(a, ()) if s} for a in given)


def factors(run: Follower, crash: Crash) -> dict[int, int]:
    """Of each product that a reshape asks for the one factor that does not divide the number of elements, by the
    product: the other factor fits.
    """
    total = max(crash.sizes, default=0)
    found: dict[int, int] = {}
    for node, numbers in list(run.numbers.items()) if crash.slug == "reshape-mismatch" else ():
        product = numbers & set(crash.sizes) - {total}
        if not product or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
            continue
        sides = [run.numbers.get(side, set()) for side in (node.left, node.right)]
        wrong = [f for side in sides for f in side if f > 1 and total % f]
        if all(len(side) == 1 for side in sides) and len(wrong) == 1:
            found |= dict.fromkeys(product, wrong[0])
    return found


def _hands_on(node: ast.AST, wrong: Mapping[int, int], run: Follower) -> bool:
    """Whether a factor that is at fault comes from a call of the program's own: it was worked out there."""
    if not isinstance(node, ast.Call) or hasattr(builtins, last_name(node.func)):
        return False
    return bool(run.numbers.get(node, set()) & set(wrong.values()))


def _looks_up(node: ast.AST) -> bool:
    """`config["width"]`: the number stands elsewhere."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


MAKES = frozenset({"size computed", "size written", "size made"})
_COMPUTES = ast.BinOp | ast.Call | ast.Subscript


def _below(node: ast.AST) -> Iterator[ast.expr]:
    for child in children(node):
        if isinstance(child, ast.expr):
            yield child
        yield from _below(child) if isinstance(child, ast.keyword | ast.Tuple | ast.List) else ()


_RUNS = frozenset({*GIVES_DATA, "set_weights", "load_weights"})
"""Calls that do what was set up before them: what fails in one is seldom written there."""


def of_clash(clash: Clash) -> Iterator[tuple[Line, str]]:
    """Where the sizes and values of the broken constraint come from; a line that makes both sizes is no side of it."""
    makers = {(side.origin.file, side.origin.line) for side in clash.sides if side.origin is not None}
    side_here = "sides" if len(makers) == 1 and len(clash.sides) > 1 else "side"
    for side in clash.sides:
        for origin, depth in chain(side.origin, 8):
            yield (origin.file, origin.line), side_here if not depth else "side before" if depth < 3 else "side far"
    for value in clash.values[:2]:
        if value is not None:
            for origin, depth in chain(value.origin, 8):
                yield (origin.file, origin.line), "value" if not depth else "value before"


def of_choice(clash: Clash, run: Follower) -> Iterator[tuple[Line, str]]:
    """Where the number stands that became a size at fault, and what both sizes come from."""
    chains = [{(o.file, o.line): o for o, _ in chain(side.origin, 8)} for side in clash.sides]
    for side, known in zip(clash.sides, chains, strict=True):
        for at, origin in known.items():
            if origin.kind == "constant" and len(run.reads.get(origin, ())) > 1:
                yield at, "shared"
            if origin.kind == "constant" and not origin.parents and origin.text == str(side.size):
                yield at, "chosen"
                if len(run.reads.get(origin, ())) < 2:
                    yield at, "chosen for it"
    yield from _set_beside(chains, clash, run)
    if len(chains) > 1 and clash.sides[0].size != clash.sides[1].size:
        yield from ((at, "in both") for at in chains[0] if at in chains[1])


def _set_beside(chains: Sequence[Mapping[Line, Origin]], clash: Clash, run: Follower) -> Iterator[tuple[Line, str]]:
    """Two numbers of settings, each the size of one side: a field, an entry, an option or an argument."""
    settings: dict[str, set[int]] = {}
    written: list[Line] = []
    for side, known in zip(clash.sides[:2], chains, strict=False):
        own = [at for at, o in known.items() if o.kind == "constant" and o.text == str(side.size) and side.size]
        for file, _ in own:
            if file not in settings:
                source = run.files.source(file)
                settings[file] = set(_setting_lines(source.tree)) if source is not None else set()
        own = [at for at in own if at[1] in settings[at[0]]]
        written += own[:1]
    if len(set(written)) == 2:
        yield from ((at, "set beside") for at in written)


def _setting_lines(tree: ast.Module) -> Iterator[int]:
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            yield from (v.lineno for v in node.values)
        elif isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
            yield node.value.lineno
        elif isinstance(node, ast.ClassDef):
            yield from (s.lineno for s in node.body if isinstance(s, ast.AnnAssign))


def _in_a_call(at: Line, stack: Sequence[Line], files: Files) -> bool:
    """Whether a line stands in one of the functions of the traceback."""
    function = files.function(*at)
    return any(at[0] == call[0] and function == files.function(*call) for call in stack)


def features(
    hops: Mapping[Line, int],
    run: Follower,
    clash: Clash | None,
    found: Iterable[Candidate],
    tried: Iterable[Tried],
    crash: Crash,
    files: Files,
    wrong: Mapping[int, int],
) -> dict[Line, Features]:
    """The features of every line of a slice; `wrong` are the `factors` of products."""
    sizes = frozenset(n for n in crash.sizes if n > 1)
    if clash is not None and clash.relation != "rank":
        sizes |= {d.size for d in clash.sides if d.size is not None and d.size > 1}
    sizes = sizes - set(wrong) | set(wrong.values())
    if clash is not None and clash.relation == "rank":
        sizes = frozenset()  # a size that is equal by chance has no part in it
    stack = [(f.file, f.line) for f in crash.frames]
    out: dict[Line, Features] = {}
    sources = {file: s for file in {f for f, _ in hops} if (s := files.source(file)) is not None}
    for file, source in sources.items():
        wanted = {line for f, line in hops if f == file}
        kinds = kinds_of(source, wanted)
        for line, nodes in by_line(source.tree, wanted).items():
            at = (file, line)
            names = set(of_sizes([n for n in nodes if not _hands_on(n, wrong, run)], run, sizes))
            names |= kinds.get(line, set())
            names |= {"in a call"} if _in_a_call(at, stack, files) else set()
            if at in stack:
                names.add("raised" if at == stack[-1] else "called")
            if "raised" in names and any(isinstance(n, ast.Call) and last_name(n.func) in _RUNS for n in nodes):
                names.add("runs")
            out[at] = {"hops": log1p(hops[at]), "far": hops[at] / 8, **dict.fromkeys(names, 1.0)}
    if crash.slug in OF_VALUES and clash is None:
        made = {(o.file, o.line) for a in run.arrays for d in a.dims or () for o, _ in chain(d.origin, 8)}
        for at in set(out) - made:
            # The number is a value of the data, or the bound of it: an equal one elsewhere says nothing.
            if not _stores(at, sources):
                out[at].pop("size written", None)
    for at, name in [*of_clash(clash), *of_choice(clash, run)] if clash is not None else ():
        if at in out:
            out[at].setdefault(name, 1.0)
    for known in out.values():
        if "side" in known and MAKES.isdisjoint(known):
            known["hands over"] = 1.0
    for candidate in found:
        at = (candidate.file, candidate.line)
        if at in out and candidate.strong:
            name, value = _against(candidate)
            out[at][name] = max(out[at].get(name, 0.0), value)
        if at in out and candidate.reason == INDEX:
            out[at]["index"] = max(out[at].get("index", 0.0), candidate.weight / 5.0)
    for known in out.values() if len(set(wrong.values())) == 1 else ():
        if not MAKES.isdisjoint(known):
            known["convention"] = max(known.get("convention", 0.0), certainty(FACTOR))
    _tried(out, tried)
    for known in out.values():
        for kind in KINDS & known.keys() if "convention" in known else ():
            del known[kind]  # what speaks against a line says more than its kind
    return out


def _stores(at: Line, sources: Mapping[str, Source]) -> bool:
    """Whether a line puts a number into a container: `order[17] = 400` makes one of the values."""
    return any(
        isinstance(n, ast.Assign) and n.lineno == at[1] and any(isinstance(t, ast.Subscript) for t in n.targets)
        for n in walk(sources[at[0]].tree)
    )


def _tried(out: dict[Line, Features], tried: Iterable[Tried]) -> None:
    """What edits of the lines came to: the kinds that mend, and the least that one costs."""
    mending = [one for one in tried if one.mends and not one.stands_in and (one.file, one.line) in out]
    least = min((one.cost for one in mending), default=0.0)
    lines = {(one.file, one.line) for one in mending}
    for one in mending:
        found = out[one.file, one.line]
        found["mends"] = 1.0
        found["ways"] = found.get("ways", 0.0) + 1.0
        found["cheaply"] = max(found.get("cheaply", 0.0), max(0.0, (8.0 - one.cost) / 8.0))
        if one.cost <= least:
            found["cheapest"] = 1.0
        if len(lines) == 1:
            found["alone"] = 1.0
    for at in lines:
        out[at]["ways"] = log1p(out[at]["ways"])

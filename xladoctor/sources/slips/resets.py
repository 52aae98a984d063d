"""Metrics and sums that are read after each pass over the data, and that nothing sets back to zero in between."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xladoctor.sources.collectors import RESETS, Collector, collectors, ratio
from xladoctor.sources.names import dotted, given, last_name, nodes_of, parents_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, LOOPS, Slip, assigns, scopes, within_body

_RUNNING = re.compile(
    r"running|stream|cumul|so.far|total|overall|lifetime|all.epochs|global|moving|time|speed|throughput", re.IGNORECASE
)
"""What says that a mean is meant to run over everything so far."""
_EPOCH = re.compile(r"(?:^|_)(?:epochs?|ep|rounds?|folds?)\d?(?:_|$)")
_HOOKS = frozenset({"on_epoch_end", "on_test_end"})
_BATCH_HOOKS = frozenset({"on_train_batch_end", "on_batch_end", "on_test_batch_end"})
_DEPTH = 4
_NO_MEANS = frozenset({*RESETS, "count", "history", "last", "n", "name", "sum", "val"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class _Event:
    """A place that updates or reads, itself or by the function that it calls."""

    node: ast.AST
    loops: tuple[ast.AST, ...]
    """From the inside outwards."""
    root: str
    """The name that the object hangs on: `self`, `trainer`."""
    updates: bool = False
    reads: bool = False
    whole: bool = False
    """The function that is called updates in a loop, and reads behind that."""
    in_loop: bool = False
    read_at: tuple[str, int] = ("", 0)


@dataclass
class _Program:
    trees: Mapping[str, ast.Module]
    functions: dict[str, list[_Function]] = field(default_factory=dict)
    owners: dict[int, ast.ClassDef] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file, tree in self.trees.items():
            self.parents |= parents_of(tree)
            self.files[id(tree)] = file
            for node in walk(tree):
                if isinstance(node, FUNCTIONS):
                    self.functions.setdefault(node.name, []).append(node)
                    self.files[id(node)] = file
                    above = self.parents.get(node)
                    while isinstance(above, FUNCTIONS):  # a step within a method
                        above = self.parents.get(above)
                    if isinstance(above, ast.ClassDef):
                        self.owners[id(node)] = above

    def events(self, scope: ast.AST, one: Collector, depth: int = _DEPTH) -> list[_Event]:
        found: list[_Event] = []
        for node, loops in self._nodes(scope, ()):
            found += self._direct(scope, node, loops, one)
            if depth and isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                found += self._called(scope, node, loops, one, depth)
        return found

    def _nodes(self, node: ast.AST, loops: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                continue
            inner = isinstance(node, LOOPS) and child is not getattr(node, "iter", None) and child not in node.orelse
            here = (node, *loops) if inner else loops
            yield child, here
            yield from self._nodes(child, here)

    def _direct(self, scope: ast.AST, node: ast.AST, loops: tuple[ast.AST, ...], one: Collector) -> Iterator[_Event]:
        owner, file = self.owners.get(id(scope)), self.files[id(scope)]
        if isinstance(node, ast.Attribute) and one.is_meant(node.value, owner) and self._sees(scope, one):
            root = _root(node.value)
            if node.attr in one.updates:
                yield _Event(node, loops, root, updates=True)
            elif node.attr in one.reads if one.reads is not None else node.attr not in _NO_MEANS:
                yield _Event(node, loops, root, reads=True, read_at=(file, node.lineno))
        elif isinstance(node, ast.AugAssign) and not one.updates and one.is_meant(node.target, owner):
            yield _Event(node, loops, "self", updates=True)
        elif isinstance(node, ast.BinOp) and not one.updates and owner is one.owner and one.text in ratio(node):
            yield _Event(node, loops, "self", reads=True, read_at=(file, node.lineno))

    def _sees(self, scope: ast.AST, one: Collector) -> bool:
        """Whether a plain name is the collector's: in its own function, or one within it; or of the whole module."""
        if one.owner is not None:
            return True
        here: ast.AST | None = scope
        while here is not None:
            if here is one.scope:
                return True
            hidden = isinstance(here, FUNCTIONS) and any(
                a.arg == one.name for a in walk(here.args) if isinstance(a, ast.arg)
            )
            if hidden:
                return False
            here = self.parents.get(here)
        return False

    def _called(
        self, scope: ast.AST, node: ast.Name | ast.Attribute, loops: tuple[ast.AST, ...], one: Collector, depth: int
    ) -> Iterator[_Event]:
        known = self.functions.get(last_name(node), ())
        if isinstance(node, ast.Attribute) and last_name(node.value) == "self":
            known = [f for f in known if self.owners.get(id(f)) is self.owners.get(id(scope))]
        if len(known) != 1 or known[0] is scope:
            return
        function = known[0]
        if (id(function) in self.owners) != isinstance(node, ast.Attribute) and self.parents[
            function
        ] is self.owners.get(id(function)):
            return
        alias = self.given_as(node, function, one, scope)
        inner = [e for e in self.events(function, one, depth - 1) if _leaves(e, function, one)]
        inner = self.events(function, alias, depth - 1) if alias is not None else inner
        if not inner:
            return
        root = _root(node) if isinstance(node, ast.Attribute) else inner[0].root
        root = one.name if alias is not None and one.owner is None else "self" if alias is not None else root
        looped = any(e.updates and (e.loops or e.in_loop) for e in inner)
        busy = {id(e.loops[-1]) for e in inner if e.updates and e.loops and not e.whole}
        reads = [e for e in inner if e.reads and not (e.loops and id(e.loops[-1]) in busy)]
        yield _Event(
            node, loops, root, any(e.updates for e in inner), bool(reads), bool(looped and reads), looped,
            reads[0].read_at if reads else ("", 0),
        )  # fmt: skip

    def given_as(self, node: ast.AST, function: _Function, one: Collector, scope: ast.AST) -> Collector | None:
        """The parameter of a function of the program that a call gives the collector to."""
        call = self.parents.get(node)
        if not isinstance(call, ast.Call) or call.func is not node or not one.updates:
            return None
        owner = self.owners.get(id(scope))
        for name, value in given(call, function):
            if one.is_meant(value, owner) and self._sees(scope, one):
                return replace(one, name=name, owner=None, scope=function)
        return None


def _root(node: ast.expr) -> str:
    """`trainer` of `trainer.scores.recall`; nothing of an object that is made on the spot."""
    return (dotted(node) or "").partition(".")[0]


def _leaves(event: _Event, function: _Function, one: Collector) -> bool:
    """Whether an event concerns an object that was there before the call."""
    if one.owner is None:
        return one.scope is not function
    local = {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    given = {a.arg for a in nodes_of(function.args, ast.arg)}
    return event.root == "self" or (event.root != "" and event.root not in local | given)


def never_reset(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) for each that several passes share."""
    for file, tree in trees.items():
        for scope in scopes(tree):
            yield from ((file, slip) for slip in _plain_sums(scope))
    found = list(collectors(trees))
    if not found:
        return
    program = _Program(trees)
    reset = _reset(program, found)
    if reset is None:
        return
    told: set[tuple[str, int]] = set()
    for one in found:
        if one in reset or _RUNNING.search(one.name) or _goes_elsewhere(program, one):
            continue
        for file, line, why in _shared(program, one):
            if (file, line) not in told:
                told.add((file, line))
                beside = f" `{min(c.name for c in reset)}` is reset, and this one is not." if reset else ""
                yield (
                    file,
                    Slip(
                        "never-reset",
                        line,
                        f"`{one.text}` is never reset: it goes on from one pass to the next",
                        f"{why}. Nothing sets it back, so each result contains all earlier passes.{beside}",
                    ),
                )
            break


def _plain_sums(scope: ast.AST) -> Iterator[Slip]:
    """`hits = 0` in each epoch, `seen = 0` before the first one, and `hits / seen` after each."""
    here = list(within_body(scope))
    for loop in (n for n in here if isinstance(n, LOOPS)):
        batches = [n for n in walk(loop) if isinstance(n, LOOPS) and n is not loop]
        inner = {id(n) for b in batches for n in walk(b)}
        added = {dotted(n.target) for b in batches for n in nodes_of(b, ast.AugAssign) if isinstance(n.op, ast.Add)}
        zeroed = {dotted(t) for t, v, _ in assigns(loop) if _is_zero(v)}
        before = {dotted(t) for n in here for t, v, line in assigns(n) if _is_zero(v) and line < loop.lineno}
        stored = {dotted(t) for n in nodes_of(loop, ast.Assign) for t in n.targets}
        for division in (n for n in nodes_of(loop, ast.BinOp) if id(n) not in inner):
            sides = ratio(division)
            kept = (sides & added & before) - stored
            other = sides & added & zeroed
            if len(sides) == 2 and kept and other and not _RUNNING.search("_".join(map(str, kept))):
                one, sister = kept.pop(), other.pop()
                yield Slip(
                    "never-reset",
                    division.lineno,
                    f"`{one}` goes on from one round to the next, and `{sister}` begins again",
                    f"`{sister}` is set to zero in each round of the loop at line {loop.lineno}, and `{one}` only "
                    f"before it: from the second round on, `{ast.unparse(division)}` divides what does not belong "
                    f"together. Set `{one}` to zero beside `{sister}`.",
                )
                return


def _is_zero(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value in (0, 0.0) and value.value is not False


def _reset(program: _Program, found: Sequence[Collector]) -> set[Collector] | None:
    """Those that the program resets; None where it cannot be told which."""
    reset: set[Collector] = set()
    for tree in program.trees.values():
        for node in nodes_of(tree, ast.Attribute):
            if node.attr not in RESETS or not isinstance(program.parents.get(node), ast.Call):
                continue
            several = [node.value]
            if isinstance(node.value, ast.Name):
                loops = [n for n in walk(tree) if isinstance(n, ast.For | ast.comprehension)]
                over = [n.iter for n in loops if last_name(n.target) == node.value.id]
                listed = [e for i in over if isinstance(i, ast.Tuple | ast.List) for e in i.elts]
                several = listed if over else several
            if last_name(node.value) in ("self", "super", "env") or isinstance(node.value, ast.Call):
                continue
            names = {last_name(n) for n in several}
            known = {c for c in found if c.name in names}
            if not known:
                return None
            reset |= known
    for one in found:  # a sum that other code sets again
        for tree in program.trees.values():
            for node in nodes_of(tree, ast.Attribute):
                outside = one.owner is not None and last_name(node.value) != "self"
                if outside and node.attr == one.name and isinstance(node.ctx, ast.Store):
                    reset.add(one)
    return reset


def _goes_elsewhere(program: _Program, one: Collector) -> bool:
    """Whether something that is not followed gets the object, which may reset it."""
    for tree in program.trees.values():
        for call in nodes_of(tree, ast.Call):
            known = program.functions.get(last_name(call.func), ())
            if (
                len(known) == 1
                and known[0].name != "__init__"
                and all(isinstance(a, ast.Name | ast.Attribute) for a in call.args)
            ):
                continue
            given_to = [*call.args, *(k.value for k in call.keywords)]
            parts = [p for g in given_to for p in (g, *getattr(g, "elts", ()))]
            if one.updates and any(last_name(p) == one.name for p in parts):
                return True
    return False


def _shared(program: _Program, one: Collector) -> Iterator[tuple[str, int, str]]:
    """(file, line that reads it, what repeats)."""
    for tree in program.trees.values():
        for scope in scopes(tree):
            if isinstance(scope, FUNCTIONS) and _RUNNING.search(scope.name):
                continue
            events = [e for e in program.events(scope, one) if not (e.reads and _says_running(program, e))]
            yield from _in_loops(events)
            yield from _called_twice(program, scope, events)
            yield from _in_hooks(program, scope, one, events)


def _says_running(program: _Program, event: _Event) -> bool:
    here = event.node
    while here in program.parents and not isinstance(here, ast.stmt):
        here = program.parents[here]
    return isinstance(here, ast.stmt) and not isinstance(here, LOOPS) and bool(_RUNNING.search(ast.unparse(here)))


def _in_loops(events: Sequence[_Event]) -> Iterator[tuple[str, int, str]]:
    """A loop with a whole pass in each round: an inner loop that updates, and what reads behind it."""
    for loop in {id(p): p for e in events for p in e.loops}.values():
        inside = [e for e in events if loop in e.loops and e.root not in _stored(loop) | {""}]
        passes = [e for e in inside if e.updates and (e.loops[0] is not loop or e.in_loop)]
        busy = {id(p) for e in passes for p in e.loops[: e.loops.index(loop)] if not e.whole}
        reads = [e for e in inside if e.reads and not any(id(p) in busy for p in e.loops[: e.loops.index(loop)])]
        whole = [e for e in reads if e.whole]
        if passes and reads and (whole or _is_epoch(loop)):
            at = (whole or reads)[0].read_at
            yield *at, f"The loop at line {loop.lineno} makes a whole pass in each round"  # type: ignore[attr-defined]


def _stored(loop: ast.AST) -> set[str]:
    return {n.id for n in nodes_of(loop, ast.Name) if isinstance(n.ctx, ast.Store)}


def _is_epoch(loop: ast.AST) -> bool:
    """Whether the rounds of a loop are epochs, by their name or by what is listed."""
    if not isinstance(loop, ast.For | ast.AsyncFor):
        return False
    names = {n.id for n in nodes_of(loop.target, ast.Name)}
    return isinstance(loop.iter, ast.Tuple | ast.List) or any(_EPOCH.search(n) for n in names)


def _called_twice(program: _Program, scope: ast.AST, events: Sequence[_Event]) -> Iterator[tuple[str, int, str]]:
    """A function with a whole pass that is called for one part of the data after the other."""
    for at, first in enumerate(events):
        for second in events[at + 1 :] if first.whole else ():
            same = second.whole and last_name(first.node) == last_name(second.node) and first.root == second.root != ""
            made = [n for n in nodes_of(scope, ast.Name) if n.id == first.root and isinstance(n.ctx, ast.Store)]
            lines = (first.node.lineno, second.node.lineno)  # type: ignore[attr-defined]
            if same and len(made) < 2 and not _apart(program, first.node, second.node):
                name = last_name(first.node)
                yield *first.read_at, f"`{name}` makes a whole pass, and lines {lines[0]} and {lines[1]} call it"
                return


def _apart(program: _Program, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in two branches."""
    branches = []
    for node in (one, other):
        here, found = node, {}
        while here in program.parents:
            above = program.parents[here]
            if isinstance(above, ast.If | ast.IfExp | ast.Try):
                orelse = above.orelse if isinstance(above.orelse, list) else [above.orelse]
                found[id(above)] = here in orelse
            here = above
        branches.append(found)
    return any(branches[1].get(k, v) != v for k, v in branches[0].items())


def _in_hooks(
    program: _Program, scope: ast.AST, one: Collector, events: Sequence[_Event]
) -> Iterator[tuple[str, int, str]]:
    """What Keras calls once in each epoch: it reads, after a pass of its own or the updates of each batch."""
    owner = program.owners.get(id(scope))
    if owner is None or not isinstance(scope, FUNCTIONS) or scope.name not in _HOOKS:
        return
    if not any(last_name(b).endswith("Callback") for b in owner.bases):
        return
    others = [m for m in owner.body if isinstance(m, FUNCTIONS) and m.name in _BATCH_HOOKS]
    updated = any(e.updates for m in others for e in program.events(m, one))
    updated = updated or any(e.updates and (e.loops or e.in_loop) for e in events)
    read = next((e for e in events if e.reads and (e.whole or not e.loops)), None)
    if updated and read is not None:
        yield *read.read_at, f"Keras calls `{scope.name}` after each epoch"

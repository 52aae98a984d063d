"""Settings that do not reach where they should: an argument that one call leaves out and another of the function gives,
a value that a module works out once, when it is imported, and one name that is set to two numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.settings import fields_of
from xladoctor.blame.suspicion import Candidate, chain, conventions
from xladoctor.blame.values import Clash, Origin
from xladoctor.sources.files import Files
from xladoctor.sources.names import argument, defaults, last_name, nodes_of, parameters, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_OF_SIZES = frozenset(
    {"weight-shape-mismatch", "reshape-mismatch", "broadcast-mismatch", "keras-input-mismatch", "concat-pack-mismatch",
     "matmul-conv-mismatch", "index-out-of-range"}
)  # fmt: skip


def of_settings(hops: Mapping[Line, int], crash: Crash, files: Files, main: str) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in _OF_SIZES:
        return
    trees = files.trees(f for f, _ in hops)
    by_name: dict[str, set[str]] = {}
    reading: set[str] = set()
    changed = {name for tree in trees.values() for name in _changed(tree)}
    for tree in trees.values():
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                by_name[node.name] = _with_default(node)
            elif isinstance(node, ast.FunctionDef):
                by_name[node.name] = set(defaults(node))
                reading |= {node.name} if _reads_settings(node) else set()
    for file, tree in trees.items():
        found = [(at, 7.5, why) for n in nodes_of(tree, ast.FunctionDef) for at, why in _left_out(n, by_name)]
        found += [(at, 7.0, _AT_IMPORT) for at in _at_import(tree, reading, changed)] if file != main else []
        yield from conventions(file, found, hops)


def _left_out(function: ast.FunctionDef, optional: Mapping[str, set[str]]) -> Iterator[tuple[int, str]]:
    """The calls in a function that leave out an argument with a default, which another call there gives a value of the
    function's own.
    """
    calls = [n for n in nodes_of(function, ast.Call) if last_name(n.func) in optional]
    given = {k.arg: last_name(c.func) for c in calls for k in c.keywords if k.arg and isinstance(k.value, ast.Name)}
    for call in calls:
        name, own = last_name(call.func), {k.arg for k in call.keywords}
        left = sorted(p for p in optional[name] & set(given) - own if given[p] != name)
        if left and not call.args and None not in own:
            yield call.lineno, f"It leaves `{left[0]}` at its default, and `{given[left[0]]}` is given one beside it."


def of_defaults(hops: Mapping[Line, int], crash: Crash, files: Files, clash: Clash | None) -> Iterator[Candidate]:
    """The calls that leave a size at its default which is one of the sizes that do not fit, and of one side alone."""
    if crash.slug not in _OF_SIZES:
        return
    trees = files.trees(f for f, _ in hops)
    known = {n.name: (f, n) for f, tree in trees.items() for n in nodes_of(tree, ast.FunctionDef)}
    for file, tree in trees.items():  # a class is called by its name
        inner = [(c.name, m) for c in nodes_of(tree, ast.ClassDef) for m in c.body if isinstance(m, ast.FunctionDef)]
        known |= {name: (file, m) for name, m in inner if m.name == "__init__"}
    told = clash.sides if clash is not None and clash.relation != "elements" else []
    sides = [{(o.file, o.line) for o, _ in chain(d.origin, 8)} for d in told]
    for file, tree in trees.items():
        for call in (n for n in nodes_of(tree, ast.Call) if last_name(n.func) in known):
            place, function = known[last_name(call.func)]
            starred = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
            for name, default in defaults(function).items() if not starred and (file, call.lineno) in hops else ():
                size = default.value if isinstance(default, ast.Constant) and isinstance(default.value, int) else 0
                passed = sum((place, default.lineno) in side for side in sides)
                if (
                    size > _SMALLEST
                    and size in crash.sizes
                    and argument(call, function, name) is None
                    and passed == min(len(sides), 1)
                ):
                    reason = f"It leaves `{name}` of {last_name(call.func)} at {size}, which does not fit."
                    yield Candidate(file, call.lineno, 5.6 if passed else 5.2, reason, None, "other", True)


_SMALLEST = 3
"""Smaller sizes are often equal by chance."""


def _with_default(cls: ast.ClassDef) -> set[str]:
    fields = set(fields_of(cls))
    return {s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
            and s.target.id in fields and s.value is not None}  # fmt: skip


def _reads_settings(function: ast.FunctionDef) -> bool:
    """Whether what a function gives depends on a table of the module: `cfg["width"]`."""
    given = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
    bound = {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    return any(
        isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id not in given | bound
        and ((isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str)) or last_name(n.slice) in given)
        for n in walk(function)
    )  # fmt: skip


def of_one_name(clash: Clash, run: Follower, hops: Mapping[Line, int], files: Files) -> Iterator[Candidate]:
    """Two numbers of settings that have one name and are the two sizes: `kernel` of two files. Where a module took one
    of them as it was imported, that is what is wrong.
    """
    chosen: list[tuple[str, Line, int]] = []
    for side in clash.sides[:2]:
        own = [o for o, _ in chain(side.origin, 8) if o.kind == "constant" and o.text == str(side.size) and side.size]
        names = [(name, (o.file, o.line), side.size or 0) for o in own if (name := _name_at(o, run))]
        chosen += names[:1]
    if len(chosen) == 2 and chosen[0][0] == chosen[1][0] and chosen[0][1:] != chosen[1][1:]:
        taken = _taken_at_import(chosen[0][0], hops, files)
        if taken is not None:
            yield Candidate(*taken, 8.8, _AT_IMPORT, None, "other", True)
            return
        for (name, at, size), (_, other, another) in (chosen, chosen[::-1]):
            place = f"{Path(other[0]).name}:{other[1]}"
            reason = f"It sets `{name}` to {size}, and {place} sets it to {another}."
            yield Candidate(*at, 7.2, reason, None, "constant", True)


def _taken_at_import(name: str, hops: Mapping[Line, int], files: Files) -> Line | None:
    """The line of a module, and of no function, that asks for a setting: `N = params.get("N")`."""
    for file, tree in files.trees(f for f, _ in hops).items():
        for made in (s for s in tree.body if isinstance(s, ast.Assign) and (file, s.lineno) in hops):
            if any(isinstance(n, ast.Call) and _asks_for(n) == name for n in walk(made.value)):
                return file, made.lineno
    return None


def _asks_for(call: ast.Call) -> str:
    """The name under which a call asks for one of many things."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def of_stated(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """A size that is written as a number, where the other one is worked out from two numbers or more and is nearly as
    large: `frames = 62` beside the frames that a signal gives. What is stated was worked out by hand.
    """
    if len(clash.sides) < 2 or clash.relation == "rank":
        return
    for stated, made in (clash.sides[:2], clash.sides[1::-1]):
        size, real = stated.size or 0, made.size or 0
        own = [o for o, _ in chain(stated.origin, 8) if o.kind == "constant" and not o.parents and o.text == str(size)]
        parts = {
            (o.file, o.line)
            for o, _ in chain(made.origin, 8)
            if o.kind == "constant" and not o.parents and o.text != "1"
        }
        is_other = any(o.text == str(real) for o, _ in chain(made.origin, 8) if o.kind == "constant" and not o.parents)
        near = size > _LARGE and 0 < abs(size - real) <= _NEAR
        if near and len(own) == 1 and len(run.reads.get(own[0], ())) < 2 and len(parts) > 1 and not is_other:
            reason = f"It states {size}; what it stands for is worked out from other numbers, and is {real}."
            yield Candidate(own[0].file, own[0].line, 7.4, reason, None, "constant", True)


_NEAR = 2
"""A size that was worked out by hand is wrong by the ends: by one or two."""
_LARGE = 8


def _name_at(origin: Origin, run: Follower) -> str:
    """What the number of a setting is called at its line, where that is one thing."""
    source = run.files.source(origin.file)
    found = {name for line, name in _named(source.tree, origin.text) if line == origin.line} if source else set()
    return found.pop() if len(found) == 1 else ""


_OF_ANYTHING = frozenset({"default", "const", "value", "type"})
"""Keywords that say nothing of what a number is: `add_argument("--modes", default=3)`."""


def _named(tree: ast.Module, text: str) -> Iterator[tuple[int, str]]:
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            pairs = [
                (str(k.value), v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)
            ]
        elif isinstance(node, ast.keyword):
            pairs = [(node.arg or "", node.value)] if node.arg not in _OF_ANYTHING else []
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs = [(last_name(node.target), node.value)]
        else:
            continue
        yield from ((v.lineno, name) for name, v in pairs if isinstance(v, ast.Constant) and repr(v.value) == text)


_AT_IMPORT = "It is worked out once, when the module is imported: later settings do not change it."


def _changed(tree: ast.Module) -> Iterator[str]:
    """The names outside of a function whose fields it sets: `setattr(SETTINGS, key, value)`, `SETTINGS.n = 16`."""
    for function in nodes_of(tree, ast.FunctionDef):
        own = set(parameters(function))
        own |= {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
        for node in walk(function):
            held: ast.expr | None = None
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                held = node.value
            elif isinstance(node, ast.Call) and last_name(node.func) == "setattr" and node.args:
                held = node.args[0]
            if held is not None and last_name(held) and last_name(held) not in own:
                yield last_name(held)


def _at_import(tree: ast.Module, reading: set[str], changed: set[str]) -> Iterator[int]:
    """The lines of numbers of a module that are worked out from settings as they are when it is imported: what names of
    the module are assigned, and the defaults of functions. What is within a `lambda` waits until it is called.
    """
    values = [s.value for s in tree.body if isinstance(s, ast.Assign)]
    values += [d for f in nodes_of(tree, ast.FunctionDef) for d in defaults(f).values()]
    for value in values:
        later = {n for inner in nodes_of(value, ast.Lambda) for n in walk(inner.body)}
        now = [n for n in walk(value) if n not in later]
        called = any(isinstance(n, ast.Call) and last_name(n.func) in reading for n in now)
        if called or any(isinstance(n, ast.Attribute) and last_name(n.value) in changed for n in now):
            yield value.lineno

"""Which small edits would make the sizes fit: each is tried on the shapes of the whole program, and nothing is run.

A line whose edit makes the broken constraint hold, and breaks no other one to the program's end, is likelier at fault
than one where no edit does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from xladoctor.blame import variants
from xladoctor.blame.crash import Crash
from xladoctor.blame.files import Files
from xladoctor.blame.follow import Follower
from xladoctor.blame.suspicion import Candidate, chain, ranked
from xladoctor.blame.values import Array, Clash, Class, Function, number
from xladoctor.blame.variants import Names, Variant
from xladoctor.model.blame import Edit
from xladoctor.sources.names import walk

_VALUES = ("number", "name", "expression", "use")
_MOST = 160
MOST_STEPS = 150_000
_NEAR = 8
Line = tuple[str, int]

WORTH = {
    "order": 3.0, "name": 3.9, "setting": 3.3, "axis": 3.3, "rank": 1.5, "by one": 2.4, "expression": 1.5,
    "number": 1.5, "use": 0.3, "wrap": 1.5, "test": 1.5,
}  # fmt: skip
NAMED = 3.0
IN_VAIN = -2.0


class Trials:
    """The edits of a program that failed, tried one after the other while the budget lasts."""

    def __init__(self, run: Follower, clash: Clash, crash: Crash, files: Files, main: str) -> None:
        self.base, self.clash, self.crash, self.files, self.main = run, clash, crash, files, main
        self.steps = 0
        self.plain = self._followed()

    def _followed(self) -> Follower:
        """The program, followed to its end as it is now."""
        run = Follower(self.files, self.crash, self.base.corrected)
        run.most = min(max(4 * self.base.steps, 2000), MOST_STEPS)
        run.run(self.main)
        self.steps += run.steps
        return run

    @property
    def possible(self) -> bool:
        """Whether the program as it is breaks the constraint also when it is followed to its end."""
        return any(c.stack == self.clash.stack for c in self.plain.clashes)

    def mends(self, variant: Variant) -> bool:
        """Whether the program with this edit keeps the constraint, and breaks no others."""
        with variant.made():
            run = self._followed()
        before = {(c.stack, c.relation) for c in self.plain.clashes if c.stack != self.clash.stack}
        if any((c.stack, c.relation) not in before for c in run.clashes):
            return False
        return _unknown(run) <= _unknown(self.plain) + 0.01 and bool(run.arrivals)

    def all(self, lines: Sequence[Line]) -> list[tuple[Variant, bool]]:
        """Each edit of the lines, with whether it mends the program."""
        done: list[tuple[Variant, bool]] = []
        for variant in _variants(self.base, self.clash, self.files, lines):
            if len(done) >= _MOST or self.steps > MOST_STEPS:
                break
            done.append((variant, self.mends(variant)))
        return done


def _unknown(run: Follower) -> float:
    """The part of the arrays whose shapes are not known."""
    return sum(a.dims is None for a in run.arrays) / max(len(run.arrays), 1)


def _variants(run: Follower, clash: Clash, files: Files, lines: Sequence[Line]) -> Iterator[Variant]:
    by_file: dict[str, set[int]] = {}
    for file, line in lines:
        by_file.setdefault(file, set()).add(line)
    other = _other_size(clash)
    parameters = _parameters(run)
    given, taken = _results(run, files)
    for file, wanted in by_file.items():
        source = files.source(file)
        if source is None:
            continue
        pairs = {n: o for n in {n for seen in run.numbers.values() for n in seen} if (o := other(n)) is not None}
        known: dict[str, Names] = {}
        for node in variants.nodes_at(source.tree, wanted):
            function = files.function(file, getattr(node, "lineno", 0)) or "<module>"
            if function not in known:
                local = frozenset(_named(run, file, function)) if function != "<module>" else frozenset()
                known[function] = Names(
                    _named(run, file, "<module>", function),
                    local,
                    parameters,
                    given,
                    taken,
                    function,
                    variants.settings(source.tree),
                )
            names = known[function]
            yield from variants.of_numbers(file, node, run.numbers, pairs, names)
            yield from variants.of_orders(file, node, run.numbers, run.shapes, names)
            yield from variants.of_settings(file, node, run.numbers, run.shapes, names)
            yield from variants.of_axes(file, node, run.numbers)
            yield from variants.of_tests(file, node)
            if isinstance(node, ast.Assign | ast.Return):
                yield from variants.of_wraps(file, node, run.shapes)


def _other_size(clash: Clash) -> Callable[[int], int | None]:
    """What a number would have to be for the two sides to agree."""
    one, two = clash.sides[0].size, clash.sides[1].size if len(clash.sides) > 1 else None
    if clash.relation == "rank" or one is None or two is None or any(side.batch for side in clash.sides):
        return lambda n: None
    if clash.relation == "elements":
        return lambda n: n * one // two if n > 1 and two and n * one % two == 0 else None
    return lambda n: two if n == one else one if n == two else None


def _named(run: Follower, file: str, *functions: str) -> dict[str, int]:
    """The whole numbers of the names of functions."""
    found: dict[str, int] = {}
    for scope in run.scopes:
        if scope.file == file and scope.function in functions:
            for name, value in scope.names.items():
                size = number(value)
                if size is not None:
                    found[name] = size
    return found


def _parameters(run: Follower) -> dict[str, list[str]]:
    """The parameters of the program's functions and classes, by their names."""
    found: dict[str, list[str]] = {}
    for scope in run.scopes:
        for name, value in scope.names.items():
            start = value.find("__init__") if isinstance(value, Class) else value
            if isinstance(start, Function) and isinstance(start.node, ast.FunctionDef):
                found[name] = [a.arg for a in start.node.args.args if a.arg != "self"]
    return found


def _results(run: Follower, files: Files) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What the results of functions are called: where they are returned, and where they are taken."""
    given: dict[str, list[str]] = {}
    taken: dict[str, list[str]] = {}
    for file in dict.fromkeys(scope.file for scope in run.scopes):
        source = files.source(file)
        for node in walk(source.tree) if source is not None else ():
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                given[files.function(file, node.lineno) or ""] = [variants.subject(e) for e in node.value.elts]
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    if isinstance(target, ast.Tuple):
                        taken[variants.last_name(node.value.func)] = [variants.subject(e) for e in target.elts]
    return given, taken


def lines_of(clash: Clash, found: Sequence[Candidate], files: Files) -> list[Line]:
    """The lines whose edits are tried: suspects, what the sizes and the values came through, the calls."""
    lines = [(c.file, c.line) for c in found]
    for side in clash.sides:
        lines += [(o.file, o.line) for o, _ in chain(side.origin, _NEAR)]
    for value in clash.values[:2]:
        lines += [(o.file, o.line) for o, _ in chain(value.origin, 4)]
        if isinstance(value, Array):
            lines += [(o.file, o.line) for o in value.aliases]
    lines += reversed(clash.stack)
    lines += [line for at in dict.fromkeys(lines) for line in _decided(at, files)]
    lines += [line for at in clash.stack[-1:] for line in _tests(at, files)]
    return list(dict.fromkeys(lines))


def _decided(at: Line, files: Files) -> Iterator[Line]:
    """The lines that give the names of a line, in the same function: a test that was given a name, a count."""
    file, line = at
    source, function = files.source(file), files.function(file, line)
    for node in variants.nodes_at(source.tree, {line}) if source is not None else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from ((file, n) for n in files.assigned(file, function or "<module>", node.id))


def _tests(at: Line, files: Files) -> Iterator[Line]:
    """The tests of the function that a line stands in, and the lines that give their names."""
    file, line = at
    source, function = files.source(file), files.function(file, line)
    if source is None or function == "<module>":
        return
    for node in walk(source.tree):
        if isinstance(node, ast.If | ast.IfExp) and files.function(file, node.lineno) == function:
            yield file, node.test.lineno
            yield from _decided((file, node.test.lineno), files)


def weighed(
    run: Follower, clash: Clash, found: Sequence[Candidate], crash: Crash, files: Files, main: str
) -> list[Candidate]:
    """The suspects: those whose edits would mend the program gain weight, those whose edits do not lose some."""
    trials = Trials(run, clash, crash, files, main)
    if not trials.possible:
        return list(found)
    best: dict[Line, tuple[float, Variant]] = {}
    tried: set[tuple[Line, Edit | None]] = set()
    for variant, mends in trials.all(lines_of(clash, found, files)):
        line = (variant.file, variant.line)
        tried.add((line, variant.edit))
        if variant.kind in _VALUES:
            tried.add((line, None))
        worth = WORTH[variant.kind] + (NAMED if variant.named else 0.0)
        if mends and (line not in best or best[line][0] < worth):
            best[line] = (worth, variant)
    if not best:
        return list(found)
    out = [_changed(c, best, tried) for c in found]
    known = {(c.file, c.line) for c in found}
    for at, (worth, variant) in best.items():
        if at not in known:
            out.append(Candidate(*at, NEW + worth, REASON, None, variant.edit, mended=True))
    return ranked(out)


NEW = 3.0
REASON = "With another value here all sizes of the program fit."


def _changed(
    candidate: Candidate, best: dict[Line, tuple[float, Variant]], tried: set[tuple[Line, Edit | None]]
) -> Candidate:
    """A suspect by what the edits of its line came to."""
    line = (candidate.file, candidate.line)
    if line in best:
        worth, variant = best[line]
        return replace(candidate, weight=candidate.weight + worth, edit=variant.edit, mended=True)
    if candidate.strong and (line, candidate.edit) in tried:
        return replace(candidate, weight=candidate.weight + 2 * IN_VAIN, strong=False)
    return replace(candidate, weight=candidate.weight + IN_VAIN) if (line, None) in tried else candidate

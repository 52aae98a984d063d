"""Which small edits would make the sizes fit: each is tried on the shapes of the whole program, and nothing is run.

A line whose edit makes the broken constraint hold, and breaks no other one to the program's end, is likelier at fault
than one where no edit does. The edits are those of `variants`, which change the tree, and those of `xladoctor.edits`,
which change the text and are what `--try-edits` runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from xladoctor.blame import axis_variants, cut_alike, operators, swaps, variants, wider_variants
from xladoctor.blame.crash import Crash
from xladoctor.blame.follow import Follower
from xladoctor.blame.forgotten_calls import Uncalled, callable_in, of_forgotten, uncalled
from xladoctor.blame.known_names import names_of_results, numbers_of, numbers_of_self, parameters_of
from xladoctor.blame.options import alternatives, of_options
from xladoctor.blame.subscripts import is_no_array
from xladoctor.blame.suspicion import Candidate
from xladoctor.blame.tried_lines import lines_of
from xladoctor.blame.values import Array, Clash, Const, Dataset, Library, Value
from xladoctor.blame.variants import Names, Variant
from xladoctor.blame.written import as_text
from xladoctor.edits import make
from xladoctor.edits.facts import SHARE, Facts
from xladoctor.edits.text import Candidate as TextEdit
from xladoctor.edits.text import Text
from xladoctor.model.blame import Edit
from xladoctor.sources.files import Files

_MOST = 240
MOST_STEPS = 250_000
_LINES = 80
_FIRST = 16
_LONGEST = 200_000
_DATA = 1.0
_LETTERS = 10
"""So many letters are parsed in the time of an expression."""
Line = tuple[str, int]


@dataclass(frozen=True)
class Tried:
    """An edit of a line, and whether all sizes of the program fit with it. `old` and `new` are empty where the edit
    cannot be written as the change of one part of the line.
    """

    file: str
    line: int
    edit: Edit
    mends: bool
    cost: float
    old: str = ""
    new: str = ""
    left: int = 0
    """How many other constraints stay broken with it."""
    outdone: bool = False
    """Whether another edit leaves fewer broken: with this one the program would fail further on."""
    why: str = ""
    """What is said of the line, where that is more than that the sizes would fit."""
    stands_in: bool = False
    """Whether it only writes a number where the program has a name: that fits wherever the size passes."""


class Trials:
    """The edits of a program that failed, tried one after the other while the budget lasts."""

    def __init__(self, run: Follower, clash: Clash, crash: Crash, files: Files, main: str) -> None:
        self.base, self.clash, self.crash, self.files, self.main = run, clash, crash, files, main
        self.steps = 0
        self.left = 0
        """How many constraints were broken when the sources were followed last."""
        self.far: Mapping[Line, float] = {}
        self.plain = self._followed(files)
        self.before = frozenset((c.stack, c.relation) for c in self.plain.clashes if c.stack != clash.stack)

    def _followed(self, files: Files, strictly: bool = False, edited: Line | None = None) -> Follower:
        """The program of some sources, followed to its end; `strictly` only while nothing is broken that held."""
        run = Follower(files, self.crash, self.base.settings, self.base.corrected, self.base.given)
        run.edited = edited
        run.most = min(max(4 * self.base.steps, 2000), MOST_STEPS)
        if strictly:
            run.may_break, run.refused = self.before, self.plain.refused
        try:
            run.run(self.main)
        finally:
            self.steps += run.steps
        return run

    @property
    def possible(self) -> bool:
        """Whether the program as it is breaks the constraint also when it is followed to its end."""
        return any(c.stack == self.clash.stack for c in self.plain.clashes)

    def _fits(self, files: Files, edited: Line) -> bool:
        """Whether these sources keep the constraint, and break no others."""
        try:
            run = self._followed(files, True, edited)
        except Exception:
            # A constraint is broken; or it stumbles, since it follows programs of any kind by guesses.
            return False
        self.left = len({(c.stack, c.relation) for c in run.clashes})
        known = _unknown(run) <= _unknown(self.plain) + 0.01 and _vague(run) <= _vague(self.plain)
        return known and bool(run.arrivals or not self.plain.arrivals)

    def of_variant(self, variant: Variant) -> Tried:
        """What comes of a change of the tree."""
        with variant.made():
            fits = self._fits(self.files, (variant.file, variant.line))
        old, new = as_text(self.files, variant) if fits else ("", "")
        cost = variant.cost + self._of_data(variant.file, variant.line, variant.edit)
        stands_in = variant.kind == "use" or (variant.kind == "expression" and _is_for_name(old, new))
        return Tried(
            variant.file,
            variant.line,
            variant.edit,
            fits,
            cost,
            old,
            new,
            self.left,
            why=variant.why,
            stands_in=stands_in,
        )

    def of_text(self, edit: TextEdit, text: Text) -> Tried:
        """What comes of a change of the text."""
        self.steps += len(text.text) // _LETTERS  # it is parsed again
        edited = self.files.edited(str(edit.file), edit.applied(text.text))
        fits = self._fits(edited, (str(edit.file), edit.line))
        kind: Edit = edit.kind  # type: ignore[assignment]
        cost = edit.cost - SHARE * self.far.get((str(edit.file), edit.line), 0.0)
        cost += self._of_data(str(edit.file), edit.line, kind)
        start, row = text.row(edit.line)
        inside = all(start <= change.start and change.end <= start + len(row) for change in edit.changes)
        old, new = (edit.old.strip(), edit.new.strip()) if inside else ("", "")
        stands_in = all(_is_for_name(text.text[c.start : c.end], c.text) for c in edit.changes)
        return Tried(str(edit.file), edit.line, kind, fits, cost, old, new, self.left, stands_in=stands_in)

    def all(self, lines: Sequence[Line], facts: Facts) -> Iterator[Tried]:
        """Each edit of the lines, in turns one of the tree and one of the text."""
        texts = dict(_texts(lines, self.files))
        self.far = facts.lines
        of_text = [
            e for e in make.candidates(list(texts.values()), facts)
            if (str(e.file), e.line) in facts.lines
            and self._may_be_array(e, texts[e.file])
            and not sum(c.text.count("\n") - texts[e.file].text[c.start : c.end].count("\n") for c in e.changes)
        ]  # fmt: skip
        places = {at: i for i, at in enumerate(lines)}
        ordered = in_turns(of_text, lambda e: (str(e.file), e.line), lambda e: e.cost, places)
        both = zip_longest(_variants(self.base, self.clash, self.files, lines), ordered)
        for done, (variant, edit) in enumerate(both):
            if 2 * done >= _MOST or self.steps > MOST_STEPS:
                return
            if variant is not None:
                yield self.of_variant(variant)
            if edit is not None:
                yield self.of_text(edit, texts[edit.file])

    def _of_data(self, file: str, line: int, edit: Edit) -> float:
        """What an edit costs more for another size of random data: they stand for data that the program is given."""
        source = self.files.source(file) if edit == "constant" else None
        nodes = variants.nodes_at(source.tree, {line}) if source is not None else ()
        drawn = any(isinstance(n, ast.Call) and "random" in ast.unparse(n.func) for n in nodes)
        return _DATA if drawn else 0.0

    def _may_be_array(self, edit: TextEdit, text: Text) -> bool:
        """Whether what an edit cuts or turns may be an array, as may anything at its line: a number has no axes, and a
        model only becomes unknown.
        """
        file, line = str(edit.file), edit.line
        source, function = self.files.source(file), self.files.function(file, line) or "<module>"
        scopes = [s for s in self.base.scopes if s.file == file and s.function in (function, "<module>")]
        cut = {name for c in edit.changes for name in _NAME.findall(text.text[c.start : c.end])}
        known = [s.names[name] for s in scopes for name in cut if name in s.names]
        counts = any("len(" in c.text for c in edit.changes)
        uncut = Const if counts else Const | Dataset
        if known and all(isinstance(v, uncut) for v in known) and (counts or edit.kind in _OF_ARRAYS):
            return False
        if edit.kind not in _OF_ARRAYS:
            return True
        nodes = list(variants.nodes_at(source.tree, {line})) if source is not None else []
        if any(isinstance(n, ast.expr) and n in self.base.shapes for n in nodes):
            return True
        names = {n.id for n in nodes if isinstance(n, ast.Name)}
        known = [s.names[name] for s in scopes for name in names if name in s.names]
        return not names or any(not isinstance(v, Library) and not is_no_array(v) for v in known)


def _is_for_name(old: str, new: str) -> bool:
    """Whether a text has numbers in the place of names, and no names of its own."""
    lost = set(_NAME.findall(old)) - set(_NAME.findall(new))
    if _NUMBER.search(old):
        return False  # the number in it may be what is wrong
    return bool(lost) and not set(_NAME.findall(new)) - set(_NAME.findall(old)) and any(c.isdigit() for c in new)


_NUMBER = re.compile(r"\b([2-9]|[1-9]\d+)\b")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OF_ARRAYS = frozenset({"slice", "expand", "squeeze", "transpose"})


def _texts(lines: Sequence[Line], files: Files) -> Iterator[tuple[Path, Text]]:
    """The sources of some lines, where they are not too long to be edited many times."""
    for file in dict.fromkeys(file for file, _ in lines):
        text = files.text(file)
        if text is not None and len(text) <= _LONGEST:
            yield Path(file), Text(Path(file), text)


def _unknown(run: Follower) -> float:
    """The part of the arrays whose shapes are not known."""
    return sum(a.dims is None for a in run.arrays) / max(len(run.arrays), 1)


def _vague(run: Follower) -> int:
    """How much is not known at the failing statement: a constraint on it would hold of anything."""
    made = [v for arrival in run.arrivals for _, v in arrival.values]
    sizes = [d.size for v in made if isinstance(v, Array) for d in v.dims or () if not d.batch]
    return sum(type(v) is Value or (isinstance(v, Array) and v.dims is None) for v in made) + sizes.count(None)


def _variants(run: Follower, clash: Clash, files: Files, lines: Sequence[Line]) -> Iterator[Variant]:
    """The edits of the tree, in the order in which they are tried."""
    wanted: dict[str, set[int]] = {}
    for file, line in lines:
        wanted.setdefault(file, set()).add(line)
    of_line: dict[Line, list[Variant]] = {}
    unused = uncalled({scope.file for scope in run.scopes}, files)
    for file, own in wanted.items():
        for variant in _of_file(run, clash, files, file, own, unused):
            of_line.setdefault((variant.file, variant.line), []).append(variant)
    every = [variant for own in of_line.values() for variant in own]
    places = {at: i for i, at in enumerate(lines)}
    yield from in_turns(every, lambda v: (v.file, v.line), lambda v: v.cost, places)


_E = TypeVar("_E")


def in_turns(
    edits: Iterable[_E], line: Callable[[_E], Line], cost: Callable[[_E], float], places: Mapping[Line, int]
) -> list[_E]:
    """Edits in the order in which they are tried: the cheap ones of the most suspect lines first, and of one line not
    all at once, since a wrong idea must not use up all trials.
    """
    turn: dict[Line, int] = {}
    order: list[tuple[float, int, _E]] = []
    for i, edit in enumerate(sorted(edits, key=cost)):
        at = line(edit)
        turn[at] = turn.get(at, -1) + 1
        order.append((cost(edit) + _NEXT * turn[at] + _FARTHER * places.get(at, len(places)), i, edit))
    return [edit for _, _, edit in sorted(order, key=lambda item: item[:2])]


_NEXT, _FARTHER = 0.25, 0.06
"""What each edit of a line before this one, and each line that is more suspect, count in an edit's turn."""


def _of_file(
    run: Follower, clash: Clash, files: Files, file: str, wanted: set[int], unused: Sequence[Uncalled]
) -> Iterator[Variant]:
    other = _other_size(clash)
    parameters = parameters_of(run)
    given, taken = names_of_results(run, files)
    source = files.source(file)
    if source is None:
        return
    pairs = {n: o for n in {n for seen in run.numbers.values() for n in seen} if (o := other(n)) is not None}
    selecting = alternatives(s.tree for name in {scope.file for scope in run.scopes} if (s := files.source(name)))
    known: dict[str, Names] = {}
    unpacked = swaps.unpacked_alike(source.tree)
    beside: dict[str, swaps.Beside] = {}
    assigned = {
        n.lineno: ast.unparse(n.targets[0]) for n in variants.nodes_at(source.tree, wanted) if isinstance(n, ast.Assign)
    }
    forgotten = callable_in(file, source.tree, unused)
    for node in variants.nodes_at(source.tree, wanted):
        function = files.function(file, getattr(node, "lineno", 0)) or "<module>"
        if function not in known:
            own = numbers_of(run, file, function) if function != "<module>" else {}
            known[function] = Names(
                numbers_of(run, file, "<module>", function),
                frozenset(own),
                parameters,
                given,
                taken,
                function,
                own,
                numbers_of_self(run, file, function),
                variants.settings(source.tree),
            )
            beside[function] = swaps.beside(run, file, function)
        names = known[function]
        yield from variants.of_numbers(file, node, run.numbers, pairs, names)
        if swaps.unpacking(node) not in unpacked:
            yield from variants.of_orders(file, node, run.numbers, run.shapes, names)
        yield from variants.of_settings(file, node, run.numbers, run.shapes, names)
        yield from axis_variants.of_axes(file, node, run.numbers)
        yield from operators.of_operators(file, node, run.numbers, pairs)
        yield from cut_alike.of_cuts(file, node, run.shapes)
        yield from variants.of_tests(file, node)
        yield from of_options(file, node, selecting)
        yield from wider_variants.of_values(file, node, run.numbers, run.shapes, names)
        yield from swaps.of_swaps(file, node, run.shapes, pairs, run, beside[function], parameters, assigned)
        yield from of_forgotten(file, node, run.shapes, forgotten)
        if isinstance(node, ast.Assign | ast.Return):
            yield from variants.of_wraps(file, node, run.shapes)
            yield from wider_variants.of_results(file, node, run.shapes)


def _other_size(clash: Clash) -> Callable[[int], int | None]:
    """What a number would have to be for the two sides to agree."""
    one, two = clash.sides[0].size, clash.sides[1].size if len(clash.sides) > 1 else None
    if clash.relation == "rank" or one is None or two is None or any(side.batch for side in clash.sides):
        return lambda n: None
    if clash.relation == "elements" and clash.hint != "window":
        # The whole number of elements is worked out: nobody writes it down.
        return lambda n: n * one // two if n > 1 and two and n != two and n * one % two == 0 else None
    return lambda n: two if n == one else one if n == two else None


def tried(
    run: Follower,
    clash: Clash,
    found: Sequence[Candidate],
    crash: Crash,
    files: Files,
    main: str,
    hops: Mapping[Line, int],
    facts: Facts,
    first: Sequence[Line] = (),
) -> list[Tried]:
    """The edits of the lines that the failure depends on, with what came of them; none where nothing can be told.

    `first` are the lines that are the most suspect before any edit is tried.
    """
    trials = Trials(run, clash, crash, files, main)
    if not trials.possible:
        return []
    ordered = dict.fromkeys([*first[:_FIRST], *lines_of(clash, found, files), *sorted(hops, key=lambda at: hops[at])])
    lines = list(ordered)[:_LINES]
    sizes = [d.size for d in clash.sides if d.size is not None and clash.relation != "rank"]
    near = {at: min(0.4 * far, 2.9) for at, far in hops.items() if at in set(lines)}
    near |= {(c.file, c.line): min(0.3 * i, near.get((c.file, c.line), 2.9)) for i, c in enumerate(found)}
    known = replace(facts, lines=near, sizes=tuple(dict.fromkeys([*facts.sizes, *sizes])))
    return _best(list(trials.all(lines, known)))


def _best(found: list[Tried]) -> list[Tried]:
    """Where some edits leave fewer constraints broken, the others mend nothing: the program would fail further on."""
    least = min((one.left for one in found if one.mends), default=0)
    return [replace(one, mends=False, outdone=True) if one.mends and one.left > least else one for one in found]

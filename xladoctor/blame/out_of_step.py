"""A name that one set of names has and another one lacks, or spells otherwise: a field that is not saved, an argument
that a copy leaves out, the key of an input. That of the two which fewer places agree with is the likelier one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

from xladoctor.blame.bindings import Index
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.members import Members, members
from xladoctor.sources.names import last_name, nodes_of, walk

_OF_KEYS = frozenset({"wrong-input-key", "dtype-mismatch", "not-xla", "keras-input-mismatch", "contract-violation"})
_OF_COPIES = frozenset(
    {"weight-shape-mismatch", "keras-input-mismatch", "matmul-conv-mismatch", "broadcast-mismatch", "reshape-mismatch",
     "not-xla", "wrong-input-key"}
)  # fmt: skip
_LOADS = frozenset(
    {"load_model", "from_config", "clone_model", "model_from_json", "load_weights", "set_weights", "restore",
     "deserialize", "deserialize_keras_object", "from_json"}
)  # fmt: skip
_TABLES = frozenset({"dict", "reads", "names", "inputs"})
_LEAST, _ALIKE, _MOST = 2, 0.7, 200


def of_members(crash: Crash, files: Files, known: Index) -> Iterator[Candidate]:
    """The lines where a set lacks a name that the failure is about."""
    if crash.slug not in _OF_KEYS | _OF_COPIES:
        return
    named = sorted({one.file for found in known.settings.values() for one in found})
    trees = {file: s.tree for file in [*known.files, *named] if (s := files.source(file)) is not None}
    sets = [one for file, tree in trees.items() for one in members(file, tree)]
    if _loads(crash, trees):
        yield from _unsaved(sets)
    if crash.slug in _OF_COPIES:
        yield from (*_left_out(sets, crash), *_unwritten(sets, crash))
    if crash.slug == "wrong-input-key":
        yield from _by_message(crash.message, trees)
    if crash.slug in _OF_KEYS:
        yield from _of_keys(sets, _about(crash, trees), crash.slug == "wrong-input-key")


def _loads(crash: Crash, trees: Mapping[str, ast.Module]) -> bool:
    """Whether something saved was loaded as the program failed."""
    lines = {(f.file, f.line) for f in crash.frames}
    calls = (n for f, tree in trees.items() for n in nodes_of(tree, ast.Call) if (f, n.lineno) in lines)
    return any(last_name(c.func) in _LOADS for c in calls)


def _unsaved(sets: Sequence[Members]) -> Iterator[Candidate]:
    """Parameters of a constructor that the object's `get_config` leaves out."""
    made = {one.owner: one for one in sets if one.kind == "parameters"}
    for saved in (one for one in sets if one.kind == "config"):
        asked = made.get(saved.owner)
        left = sorted(asked.names - saved.names - _OF_LAYERS) if asked else []
        for name in left[:1]:
            reason = f"`{name}`, which {saved.owner} is made with, is not saved with it."
            yield Candidate(saved.file, saved.line, 8.4, reason, None, "other", True)


_OF_LAYERS = frozenset({"name", "dtype", "trainable", "kwargs", "args"})


def _matters(default: ast.expr, crash: Crash) -> bool:
    """Whether a default may be what the failure is about: it is one of the sizes, or weights are made of it."""
    number = default.value if isinstance(default, ast.Constant) else None
    return type(number) is int and (crash.slug == "weight-shape-mismatch" or number in crash.sizes)


def _left_out(sets: Sequence[Members], crash: Crash) -> Iterator[Candidate]:
    """Calls that pass on what was saved by the same names, and leave one with a default out."""
    for asked in (one for one in sets if one.kind == "parameters" and one.defaults):
        for given in (one for one in sets if one.kind == "call" and one.owner in (asked.owner, "cls")):
            left = sorted(asked.names - given.names)
            default = asked.defaults.get(left[0]) if len(left) == 1 else None
            copies = len(given.names) > _LEAST and given.names < asked.names
            if default is not None and copies and _matters(default, crash):
                reason = f"It leaves `{left[0]}` at its default, and gives all others of {asked.owner}."
                yield Candidate(given.file, given.line, 8.0, reason, None, "other", True)


def _unwritten(sets: Sequence[Members], crash: Crash) -> Iterator[Candidate]:
    """Keys that are read with a default and that nothing writes, where other keys are read with them that something
    writes: the default is all that ever comes of it.
    """
    written = {name for one in sets if one.kind in ("dict", "config", "call") for name in one.names}
    for read in (one for one in sets if one.kind == "reads" and one.names & written):
        for name in sorted(n for n, d in read.defaults.items() if n not in written and _matters(d, crash)):
            reason = f"It asks `{read.owner}` for `{name}`, which nothing writes: it always gets the default."
            yield Candidate(read.file, read.lines[name], 7.8, reason, None, "other", True)


# -- keys -------------------------------------------------------------------------------------------------------------


_GIVEN = re.compile(r"keys \[([^\]]{0,2000})\].{0,200}?keys:? \[([^\]]{0,2000})\]", re.DOTALL)


def _by_message(message: str, trees: Mapping[str, ast.Module]) -> Iterator[Candidate]:
    """The key that is given and not wanted, where the message prints both sets: the line of a dict that has it."""
    said = _GIVEN.search(message)
    given, wanted = (set(re.findall(r"'(\w+)'", said[i])) for i in (1, 2)) if said is not None else (set(), set())
    strange = given - wanted
    for file, tree in trees.items() if strange and len(given) > 1 else ():
        for node in walk(tree):
            keys = [k for k in node.keys if isinstance(k, ast.Constant)] if isinstance(node, ast.Dict) else []
            for key in keys if {k.value for k in keys} & given & wanted else []:
                name = str(key.value)
                if name in strange:
                    reason = f"It has `{name}`, and the model wants `{min(wanted - given, default='')}`."
                    yield Candidate(file, key.lineno, 7.6, reason, None, "other", True)


def _about(crash: Crash, trees: Mapping[str, ast.Module]) -> frozenset[str]:
    """The words that the failure is about: those in quotes in its message, and what its lines name."""
    said = set(re.findall(r"[\"'`]([A-Za-z_]\w*)[\"'`]", crash.message[:2000]))
    lines = {(f.file, f.line) for f in crash.frames[-1:]}
    for file, tree in trees.items() if crash.slug == "dtype-mismatch" else ():
        said |= {n.attr for n in nodes_of(tree, ast.Attribute) if (file, n.lineno) in lines}
    return frozenset(said)


def _of_keys(sets: Sequence[Members], about: frozenset[str], is_key: bool) -> Iterator[Candidate]:
    """Of two tables with the same keys but one the lines of the two; `is_key`: the failure is about a key."""
    tables = [(one, one.names) for one in sets if one.kind in _TABLES][:_MOST]
    for (one, names), (other, others) in permutations(tables, 2):
        more, less = names - others, others - names
        spelled = next(iter(less)) if len(less) == 1 else ""
        if not more or not len(names) - len(more) or (len(more) > 1 and not spelled):
            continue
        name = max(sorted(more), key=lambda known: alike(known, spelled))
        # Tables of two inputs have one key in common, and that is enough where the failure names the other two.
        if len(names) - len(more) < _LEAST and not (is_key and {name, spelled} <= about):
            continue
        is_alike = alike(name, spelled) >= _ALIKE
        if len(more) > 1 and not is_alike:
            continue
        if spelled and (is_key or {name, spelled} & about):
            fewer = _votes(spelled, tables) < _votes(name, tables)
            weight = 6.0 + (1.0 if fewer else 0.0) + (1.0 if is_alike else 0.0)
            reason = f"It has `{spelled}`, where line {one.lines[name]} of another table has `{name}`."
            yield Candidate(other.file, other.lines[spelled], weight, reason, None, "other", True)
        elif name in about and one.kind == "dict" and other.kind == "dict":
            reason = f"It has no `{name}`, but has all others of a table with `{name}`."
            yield Candidate(other.file, other.line, 7.0, reason, None, "other", True)


@lru_cache(maxsize=4096)
def alike(name: str, other: str) -> float:
    """How much of two names is spelt alike, from 0 to 1."""
    return SequenceMatcher(None, name, other).ratio()


def _votes(name: str, tables: Sequence[tuple[Members, frozenset[str]]]) -> int:
    """How many tables have a name."""
    return sum(name in names for _, names in tables)

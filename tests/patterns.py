"""Every regular expression of the tree, texts on which each would be slow, and how its cost grows with them."""

from __future__ import annotations

import ast
import math
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

try:
    from re import _constants as constants  # type: ignore[attr-defined]
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_constants as constants
    import sre_parse as parser

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
# Helpers of ours that compile the last text that they are given.
HELPERS = ("pattern", "find")
_SCANS = r"\.(?:search|finditer|findall|sub|subn|split)\("
_QUANTIFIED = re.compile(r"[*+]|\{\d{1,5},")


@dataclass(frozen=True)
class Pattern:
    """A regular expression where it stands. `scans`: it is tried at every place of a text, not only at its start."""

    file: str
    line: int
    source: str | bytes
    flags: int = 0
    scans: bool = True

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# -- all patterns ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def patterns(root: Path = ROOT, folders: tuple[str, ...] = ("xladoctor", "probes")) -> list[Pattern]:
    """Every pattern that is written in the code."""
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    everything = "\n".join(texts.values())
    found: dict[tuple[Any, ...], Pattern] = {}
    for file, text in texts.items():
        for pattern in _of_file(text, str(file.relative_to(root)), everything):
            found.setdefault((pattern.source, pattern.flags, pattern.scans), pattern)
    return list(found.values())


def _of_file(text: str, file: str, everything: str) -> Iterator[Pattern]:
    tree = ast.parse(text)
    known: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = _folded(node.value, known)
            if value is not None:
                known[node.targets[0].id] = value
    names = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            yield from _of_call(node, file, known, names.get(id(node)), text, everything)
        elif "/recognise/" in file and isinstance(node, ast.Constant) and _is_tabled(node.value):
            yield Pattern(file, node.lineno, node.value)


def _is_tabled(value: Any) -> bool:
    """Recognisers keep their patterns in tables."""
    return isinstance(value, str) and bool(_QUANTIFIED.search(value)) and _compiles(value)


def _of_call(
    node: ast.Call, file: str, known: dict[str, Any], name: str | None, own: str, everything: str
) -> Iterator[Pattern]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    of_re = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "re" and called in METHODS
    if not of_re and called not in HELPERS:
        return
    source = _folded(node.args[-1] if called == "find" and not of_re else node.args[0], known)
    if source is None or not _compiles(source):
        return
    flags = 0
    for argument in [*node.args[1:], *(keyword.value for keyword in node.keywords)]:
        flags |= _flags(argument)
    scans = called not in ("match", "fullmatch")
    if called in ("compile", "pattern") and name is not None:
        where = own if name.startswith("_") else everything
        scans = not re.search(rf"\b{name}\.(?:match|fullmatch)\(", where) or bool(
            re.search(rf"\b{name}{_SCANS}", where)
        )
    yield Pattern(file, node.lineno, source, flags, scans)


def _flags(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        return _flags(node.left) | _flags(node.right)
    is_flag = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "re"
    return int(getattr(re, node.attr, 0)) if is_flag and isinstance(node, ast.Attribute) else 0


def _folded(node: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an expression of constants; of what is known only when it runs, a word."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | bytes) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _folded(node.left, known), _folded(node.right, known)
        return left + right if isinstance(left, str) and isinstance(right, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            part.value if isinstance(part, ast.Constant) else (_folded(part.value, known) or "word")  # type: ignore[attr-defined]
            for part in node.values
        ]
        return "".join(part for part in parts if isinstance(part, str))
    return None


def _compiles(source: str | bytes) -> bool:
    try:
        re.compile(source)
    except (re.error, OverflowError, TypeError):
        return False
    return True


# -- slow texts -----------------------------------------------------------------------------------------------------

_GENERAL = "a0A _-./:='\"\\\n([{<,@"
MOST_TEXTS = 60


def pumps(source: str | bytes, flags: int = 0) -> list[tuple[str, str]]:
    """What a pattern may be slow on, as a beginning and a piece that is repeated behind it: what each quantifier
    repeats, with what leads up to it once or each time, and mixtures. At most `MOST_TEXTS`, the likeliest first.
    """
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    tree = list(parser.parse(text, flags))
    whole = _sample(tree)
    made: dict[tuple[str, str], None] = {}
    for prefix, item in _repeats(tree, ""):
        for piece in item[:3]:
            made.update(dict.fromkeys([("", piece), ("", prefix + piece), (prefix, piece)]))
    made[("", whole)] = made[("", whole[: max(1, len(whole) // 2)])] = None
    made.update(dict.fromkeys(("", character) for character in (*_GENERAL, *whole[:12])))
    for prefix, item in _repeats(tree, ""):
        made.update(dict.fromkeys([("", prefix + item[0] * 3), ("", prefix + item[0] * 20 + " ")]))
    return [(head, piece) for head, piece in made if piece][:MOST_TEXTS]


def _repeats(items: list[Any], prefix: str) -> Iterator[tuple[str, list[str]]]:
    """Every quantifier: a text that leads up to it, and texts that it repeats."""
    before = prefix
    for op, value in items:
        if op in _REPEATS:
            yield before, _choices(list(value[2]))
            yield from _repeats(list(value[2]), before)
        elif op is constants.SUBPATTERN:
            yield from _repeats(list(value[-1]), before)
        elif op is constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(list(branch), before)
        elif op in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _repeats(list(value[1]), before)
        before += _sample([(op, value)])


_REPEATS = tuple(
    getattr(constants, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(constants, name)
)
_CATEGORIES = {"DIGIT": "0", "NOT_DIGIT": "a", "SPACE": " ", "NOT_SPACE": "a", "WORD": "a", "NOT_WORD": "-"}


def _sample(items: list[Any], pick: int = 0) -> str:
    """A text that a part of a pattern matches, as far as that can be told without trying."""
    return "".join(_one(op, value, pick) for op, value in items)


def _one(op: Any, value: Any, pick: int) -> str:
    if op is constants.LITERAL:
        return chr(value)
    if op is constants.NOT_LITERAL:
        return next(c for c in "a0 " if ord(c) != value)
    if op is constants.ANY:
        return "a"
    if op is constants.IN:
        members = _members(value)
        return members[pick % len(members)] if members else ""
    if op in _REPEATS:
        return _sample(list(value[2]), pick) * max(1, min(value[0], 60))
    if op is constants.SUBPATTERN:
        return _sample(list(value[-1]), pick)
    if op is constants.BRANCH:
        return _sample(list(value[1][pick % len(value[1])]), pick)
    return ""


def _members(value: list[Any]) -> list[str]:
    """Characters of a class: of the usual ones, those that it has."""
    negated = bool(value) and value[0][0] is constants.NEGATE
    inside = [item for item in value if item[0] is not constants.NEGATE]
    own = [chr(v) for op, v in inside if op is constants.LITERAL]
    own += [chr(v[0]) for op, v in inside if op is constants.RANGE]
    own += [_CATEGORIES[str(v).removeprefix("CATEGORY_")] for op, v in inside if op is constants.CATEGORY]
    if not negated:
        return own
    return [c for c in _GENERAL if not any(_is_in(c, op, v) for op, v in inside)]


def _is_in(character: str, op: Any, value: Any) -> bool:
    if op is constants.LITERAL:
        return ord(character) == value
    if op is constants.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    tests = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
    return re.match(tests[str(value).removeprefix("CATEGORY_")], character) is not None


def _choices(items: list[Any]) -> list[str]:
    return list(dict.fromkeys(_sample(items, pick) for pick in range(4)))


# -- growth ---------------------------------------------------------------------------------------------------------

STEEPEST = 1.5
FIRST = 1_500
"""Characters of every text at first."""
SUSPICIOUS = 0.0004
"""Seconds for them, of which most patterns take a tenth. Only what takes longer is measured on longer texts."""
BOUNDED = 4_000
"""Characters beyond the largest bound of a repetition: what is bounded grows linearly from here on."""
LONGEST = 1.0
"""Seconds of CPU time after which a single search is ended, and counts as endless."""


class TooLong(BaseException):
    """A search was ended. No Exception, so that no handler of what is measured takes it for its own."""


def exponent(run: Callable[[str], Any], make: Callable[[int], str]) -> float:
    """How cost grows with the size of a text: 1 is linear, 2 quadratic, infinite where it does not end; 0 where a
    short text costs next to nothing.

    Measured is the CPU time of this thread: other programs on the machine do not count. A steep result is measured
    again, so that one slow moment decides nothing.
    """
    try:
        text = make(FIRST)
        if _seconds(run, text) < SUSPICIOUS or (spent := _seconds(run, text)) < SUSPICIOUS:
            return 0.0
        grown = _growth(spent, _seconds(run, make(4 * FIRST)))
        if grown > STEEPEST:
            short, long = make(BOUNDED), make(4 * BOUNDED)
            # Up to the bound of a repetition cost may well grow with the square.
            grown = min(_growth(_seconds(run, short), _seconds(run, long)) for _ in range(2))
    except TooLong:
        return math.inf
    return grown


def _growth(before: float, after: float) -> float:
    """The exponent with which cost grew where the text became four times as long."""
    return math.log(max(after, 1e-9) / max(before, 1e-9), 4)


def _seconds(run: Callable[[str], Any], text: str) -> float:
    before = signal.signal(signal.SIGVTALRM, _end)
    start = time.thread_time()
    try:
        # The engine of `re` looks for signals while it tries.
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        run(text)
        return time.thread_time() - start
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _end(*_: Any) -> None:
    raise TooLong


_END = "\0"  # at which a pattern that wants something else fails


def repeated(head: str, piece: str, size: int) -> str:
    """A text of a size."""
    return (head + piece * (size // len(piece) + 1))[:size] + _END


def steepest(pattern: Pattern) -> tuple[float, tuple[str, str]]:
    """The growth of one pattern on the first text where it is too steep, and what that text is made of; otherwise the
    worst of all texts.
    """
    worst = (0.0, ("", ""))
    run = _runner(pattern)
    for text in pumps(pattern.source, pattern.flags):
        grown = exponent(run, partial(repeated, *text))
        worst = max(worst, (grown, text))
        if grown > STEEPEST:
            break
    return worst


def _runner(pattern: Pattern) -> Callable[[str], Any]:
    compiled = re.compile(pattern.source, pattern.flags)
    is_bytes = isinstance(pattern.source, bytes)

    def run(text: str) -> None:
        given: Any = text.encode("latin-1", "replace") if is_bytes else text
        if not pattern.scans:
            compiled.match(given)
            compiled.fullmatch(given)
            return
        for _ in compiled.finditer(given):
            pass

    return run

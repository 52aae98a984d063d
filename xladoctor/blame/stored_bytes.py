"""Bytes that are written with elements of one size and read with another: as many times too many elements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.model.element_types import bytes_of, spelled
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of, walk

_READS = {"decode_raw": ("out_type", 1), "frombuffer": ("dtype", 1), "fromfile": ("dtype", 1), "memmap": ("dtype", 1)}
_WRITES = frozenset({"tobytes", "tofile", "tostring"})
_SAID, _OTHER = 8.6, 5.6
"""Where the texts of the program name the other type, and where they name the one of this line."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def of_stored_bytes(crash: Crash, files: Files, names: Iterable[str]) -> Iterator[Candidate]:
    """The line that writes and the one that reads, first the one against which the texts of the program speak."""
    if crash.slug != "reshape-mismatch" or len(crash.sizes) < 2:
        return
    trees = files.trees(names)
    reads = [(f, n.lineno, t) for f, tree in trees.items() for n in nodes_of(tree, ast.Call) if (t := _read(n))]
    writes = [(f, line, t) for f, tree in trees.items() for line, t in _written(tree)]
    said = " ".join(
        n.value.value for tree in trees.values() for n in nodes_of(tree, ast.Expr)
        if isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)
    )  # fmt: skip
    have, want = crash.sizes[:2]
    for from_file, at, read in reads:
        for file, line, written in writes:
            if read == written or have * (bytes_of(read) or 0) != want * (bytes_of(written) or 0):
                continue
            promised = read in said, written in said
            makes = f"the bytes make {have} elements, not {want}."
            reason = f"It writes {written}, and line {at} reads {read}: {makes}"
            weight = _SAID if promised == (True, False) else _OTHER if promised == (False, True) else 7.8
            yield Candidate(file, line, weight, reason, None, "other", True)
            reason = f"It reads {read}, and line {line} writes {written}: {makes}"
            weight = _SAID if promised == (False, True) else _OTHER if promised == (True, False) else 7.2
            yield Candidate(from_file, at, weight, reason, None, "other", True)


def _read(call: ast.Call) -> str:
    """The type in which bytes are read."""
    name, place = _READS.get(last_name(call.func), ("", 0))
    given = (keyword(call, name) or (call.args[place] if place < len(call.args) else None)) if name else None
    return _type(given)


def _written(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, type) of what sets the type of an array whose bytes are written."""
    for scope in (tree, *(n for n in walk(tree) if isinstance(n, _Function))):
        known = assigned_once(scope)
        for call in nodes_of(scope, ast.Call):
            if last_name(call.func) not in _WRITES or not isinstance(call.func, ast.Attribute):
                continue
            made: ast.expr | None = call.func.value
            if isinstance(made, ast.Name):
                made = known.get(made.id)
            if isinstance(made, ast.Call) and last_name(made.func) in ("astype", "asarray", "array"):
                given = keyword(made, "dtype") or (made.args[-1] if made.args else None)
                if _type(given):
                    yield made.lineno, _type(given)


def _type(given: ast.expr | None) -> str:
    word = given.value if isinstance(given, ast.Constant) else last_name(given) if given is not None else ""
    known = spelled(word) if isinstance(word, str) else ""
    return known if bytes_of(known) else ""

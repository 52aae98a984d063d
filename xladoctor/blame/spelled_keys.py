"""A key that is missing, and the line that makes it in another spelling: a name that is written otherwise, parts that
are joined by another sign.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from xladoctor.blame.crash import Crash
from xladoctor.blame.out_of_step import alike
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

_MISSING = re.compile(r"'([^'\n]{1,80})'")
_OF_KEYS = re.compile(
    r"KeyError|^\'[^\'\n]{1,80}\'$|not in index|None of \[Index|are in the \[columns\]|not found in axis"
)
_VALIDATION = "val_"
_ALIKE = 0.6
_SIGNS = ("_", "-", ".", " ", "/", ":", "")
_MAKES = frozenset({"rename", "insert", "assign", "DataFrame", "Series", "add_weight"})
_MOST_KEYS = 40


def of_spelled_keys(crash: Crash, files: Files, names: Iterable[str]) -> Iterator[Candidate]:
    """The lines that make a name which is nearly the missing key."""
    if crash.slug != "not-xla" or not _OF_KEYS.search(crash.message):
        return
    trees = files.trees(names)
    missing = {m.removeprefix(_VALIDATION) for m in _MISSING.findall(crash.message[:4000])[:_MOST_KEYS]}
    texts = Counter(
        n.value.removeprefix(_VALIDATION)
        for tree in trees.values()
        for n in walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) < 80
    )
    wanted = sorted(missing)
    made = [(file, *one) for file, tree in trees.items() for node in walk(tree) for one in _made(node)]
    times = Counter(name for _, name, _ in made)
    for file, name, line in made:
        # What other lines ask for by this name is there.
        key = next((one for one in wanted if times[name] == texts[name] and _is_near(name, one)), None)
        if key is not None and name not in missing:
            weight = 8.2 if texts[name] <= texts[key] else 7.0
            reason = f"It names `{name}`, and the missing key is `{key}`."
            yield Candidate(file, line, weight, reason, None, "other", True)
    for file, tree in trees.items():
        for node in walk(tree):
            yield from _joined(file, node, wanted, texts)


def _made(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The texts of a node that become names: keys of a dict, `name="loss"`, a column that is assigned."""
    found: list[ast.expr | None] = []
    if isinstance(node, ast.Dict):
        found += node.keys
    elif isinstance(node, ast.keyword) and node.arg in ("name", "columns"):
        found += node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
    elif isinstance(node, ast.Assign):
        found += [t.slice for t in node.targets if isinstance(t, ast.Subscript)]
        named = any(isinstance(t, ast.Attribute) and t.attr == "columns" for t in node.targets)
        found += node.value.elts if named and isinstance(node.value, ast.List) else []
    texts = (one for one in found if isinstance(one, ast.Constant))
    yield from ((one.value, one.lineno) for one in texts if isinstance(one.value, str))


def _is_near(made: str, key: str) -> bool:
    """Whether one may be meant to be the other: spelt alike, or one the beginning of the other."""
    short, long = sorted((made.lower(), key.lower()), key=len)
    if short in re.split(r"[^a-z0-9]+", long):
        return False  # a part of a name made of several
    return made != key and ((len(short) > 2 and long.startswith(short)) or alike(made.lower(), key.lower()) >= _ALIKE)


def _joined(file: str, node: ast.AST, wanted: Sequence[str], texts: Counter[str]) -> Iterator[Candidate]:
    """`"-".join(parts)` and `f"{sensor}-{kind}"`, where the missing key has its parts joined by another sign."""
    sign = _sign(node)
    if sign is None:
        return
    for key in wanted:
        for other in _SIGNS[:-1]:
            parts = key.split(other)
            if other != sign and len(parts) > 1 and all(texts[part] for part in (parts[0], parts[-1])):
                reason = f"It joins the parts by {sign!r}; the missing key `{key}` has {other!r} between them."
                yield Candidate(file, getattr(node, "lineno", 0), 8.4, reason, None, "other", True)
                return


def _sign(node: ast.AST) -> str | None:
    """What a line puts between the parts of a name."""
    if isinstance(node, ast.Call) and last_name(node.func) == "join" and isinstance(node.func, ast.Attribute):
        value = node.func.value
        return value.value if isinstance(value, ast.Constant) and value.value in _SIGNS else None
    if isinstance(node, ast.JoinedStr) and len(node.values) == 3:
        between = node.values[1]
        is_sign = isinstance(between, ast.Constant) and between.value in _SIGNS
        return str(between.value) if is_sign and isinstance(between, ast.Constant) else None
    return None

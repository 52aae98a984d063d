"""Tables whose first row is that of the first id, gathered by a Keras lookup layer that numbers ids from 1.

`StringLookup` and `IntegerLookup` keep 0 for unknown ids, and one more number for a mask. A table that gets its extra
row at the end, or is filled from 0 in the order of the vocabulary, has each id one row too early.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, assigns, scopes, values_of_names, within_body

_LOOKUPS = frozenset({"StringLookup", "IntegerLookup"})
_JOINS = frozenset({"concat", "concatenate", "vstack", "append"})
_GATHERS = frozenset({"gather", "take", "embedding_lookup"})
_WRAPS = frozenset(
    {"array", "asarray", "astype", "cast", "constant", "convert_to_tensor", "float32", "numpy", "to_numpy", "Variable"}
)
_MODULES = frozenset({"np", "numpy", "tf", "ops", "keras", "jnp", "K", "pd"})
_EXTRA = re.compile(
    r"mean\([^()]*keepdims=True|(?:zeros|ones|full)\([(\[]+1,|(?:normal|uniform)\([^()]*[(\[]1,|\[(?:None|np\.newaxis)|"
    r"size=\(1,|unk|oov|unknown|pad_row|default_row"
)
"""The text of one more row."""
_DEPTH = 6
Values = dict[str, list[tuple[ast.expr, int]]]


@dataclass(frozen=True)
class _Lookup:
    """A layer that numbers ids, by its last name; `first` is the number of the first id."""

    name: str
    kind: str
    line: int
    first: int
    ids: str
    """The name of the vocabulary, as far as it has one."""


@dataclass(frozen=True)
class _Early:
    """What says that the first id has row 0, and its line."""

    line: int
    how: str


def lookup_rows(tree: ast.Module) -> Iterator[Slip]:
    """Each line that makes a table whose rows are those of the ids before."""
    values = values_of_names(tree)
    lookups = {k.name: k for k in _lookups(tree, values)}
    if not lookups:
        return
    seen: set[int] = set()
    for table, index, scope in _gathered(tree):
        lookup = _lookup_of(index, lookups, scope)
        found = _early(table, lookup, values, tree, _DEPTH) if lookup is not None else None
        if lookup is None or found is None or found.line in seen:
            continue
        seen.add(found.line)
        kept = "unknown ids" if lookup.first == 1 else "unknown and masked ids"
        yield Slip(
            "lookup-rows",
            found.line,
            f"The table begins with the first id, and `{lookup.kind}` gives it the number {lookup.first}",
            f"`{lookup.name}` (line {lookup.line}) keeps the numbers below {lookup.first} for {kept}, so the first id "
            f"of its vocabulary has number {lookup.first}. {found.how} Each id gets the row of another one.",
        )


def _lookups(tree: ast.Module, values: Values) -> Iterator[_Lookup]:
    """The lookup layers whose vocabulary is given to them, and has no words of its own for unknown ids."""
    stored: dict[str, int] = {}
    for target, _, _ in assigns(tree):
        stored[last_name(target)] = stored.get(last_name(target), 0) + 1
    for target, call, line in assigns(tree):
        name = last_name(target)
        if not isinstance(call, ast.Call) or last_name(call.func) not in _LOOKUPS or stored.get(name) != 1:
            continue
        words = keyword(call, "vocabulary")
        oov, mask = keyword(call, "num_oov_indices"), keyword(call, "mask_token")
        mode, invert = keyword(call, "output_mode"), keyword(call, "invert")
        plain = (mode is None or ast.unparse(mode) == "'int'") and (invert is None or ast.unparse(invert) == "False")
        number = 1 if oov is None else getattr(oov, "value", None)
        if words is None or not plain or not isinstance(number, int) or any(k.arg is None for k in call.keywords):
            continue
        if mask is not None and not isinstance(mask, ast.Constant):
            continue
        first = number + (mask is not None and getattr(mask, "value", None) is not None)
        if first > 0 and not _has_own_words(words, values):
            yield _Lookup(name, last_name(call.func), line, first, _ids(words))


def _ids(words: ast.expr) -> str:
    """`ids` of `list(ids)`, `ids.tolist()`, `np.array(ids)`."""
    while isinstance(words, ast.Call):
        own = words.func.value if isinstance(words.func, ast.Attribute) else None
        of = own if own is not None and last_name(own) not in _MODULES else next(iter(words.args), None)
        if of is None or last_name(words.func) not in _WRAPS | {"list", "tolist", "tuple"}:
            return ""
        words = of
    return dotted(words) or ""


def _has_own_words(words: ast.expr, values: Values) -> bool:
    """Whether the vocabulary may have the word for unknown ids already."""
    texts = [ast.unparse(words)]
    texts += [ast.unparse(v) for v, _ in values.get(_ids(words), ())]
    return any(re.search(r"UNK|unk\b|oov|OOV|mask|pad|PAD|''|\[-1|-1\]|get_vocabulary", t) for t in texts)


def _gathered(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, ast.AST]]:
    """(table, index, where): `gather(t, i)`, `t[i]`, and an `Embedding` that is given its weights."""
    weights: dict[str, ast.expr] = {}
    for target, call, _ in assigns(tree):
        if isinstance(call, ast.Call) and last_name(call.func) == "Embedding":
            given, made = keyword(call, "weights"), keyword(call, "embeddings_initializer")
            if isinstance(given, ast.List) and len(given.elts) == 1:
                weights[last_name(target)] = given.elts[0]
            elif isinstance(made, ast.Call) and last_name(made.func) == "Constant" and made.args:
                weights[last_name(target)] = made.args[0]
    for scope, node in ((s, n) for s in scopes(tree) for n in within_body(s)):
        if isinstance(node, ast.Call) and last_name(node.func) in _GATHERS and len(node.args) >= 2:
            yield node.args[0], node.args[1], scope
        elif isinstance(node, ast.Call) and last_name(node.func) in weights and node.args:
            yield weights[last_name(node.func)], node.args[0], scope
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield node.value, node.slice, scope


def _lookup_of(index: ast.expr, lookups: dict[str, _Lookup], scope: ast.AST) -> _Lookup | None:
    """The layer whose numbers index a table, as they are."""
    for _ in range(_DEPTH):
        if isinstance(index, ast.Call):
            name = last_name(index.func)
            if name in lookups:
                return lookups[name]
            own = index.func.value if isinstance(index.func, ast.Attribute) else None
            of = own if own is not None and last_name(own) not in _MODULES else next(iter(index.args), None)
            if of is None or name not in _WRAPS:
                return None
            index = of
        elif isinstance(index, ast.Name):
            made = [v for t, v, _ in assigns(scope) if isinstance(t, ast.Name) and t.id == index.id]
            changed = any(isinstance(n, ast.AugAssign) and last_name(n.target) == index.id for n in walk(scope))
            if len(made) != 1 or changed:
                return None
            index = made[0]
    return None


def _early(table: ast.expr, lookup: _Lookup, values: Values, tree: ast.Module, depth: int) -> _Early | None:
    """What makes a table in the order of the vocabulary from row 0 on."""
    if not depth:
        return None
    name = dotted(table)
    if name is not None:
        filled = _filled(last_name(table), lookup, tree)
        made = values.get(name, [])
        if filled is not None or len(made) != 1:
            return filled
        return _early(made[0][0], lookup, values, tree, depth - 1)
    if isinstance(table, ast.ListComp) and len(table.generators) == 1:
        loop = table.generators[0]
        if lookup.ids and dotted(loop.iter) == lookup.ids and not loop.ifs:
            return _Early(table.lineno, f"The table has a row for each of `{lookup.ids}`, from row 0 on.")
        return None
    if not isinstance(table, ast.Call):
        return None
    name, args = last_name(table.func), table.args
    listed = args[0].elts if args and isinstance(args[0], ast.List | ast.Tuple) else []
    parts = args[:2] if name == "append" else listed
    axis = keyword(table, "axis") or next(iter(args[2 if name == "append" else 1 :]), None)
    if name in _JOINS and len(parts) == 2 and (axis is None or ast.unparse(axis) == "0"):
        last = ast.unparse(parts[1])
        begins = ast.unparse(parts[0])
        if lookup.first == 1 and _EXTRA.search(last) and dotted(parts[0]) and not _may_have(parts[0], values):
            return _Early(
                table.lineno, f"The extra row `{last[:50]}` stands at the end, and `{begins[:40]}` begins in row 0."
            )
        return None
    own = table.func.value if isinstance(table.func, ast.Attribute) else None
    of = own if own is not None and last_name(own) not in _MODULES else next(iter(args), None)
    return _early(of, lookup, values, tree, depth - 1) if of is not None and name in _WRAPS | {"stack"} else None


def _may_have(part: ast.expr, values: Values) -> bool:
    """Whether the first part of a join may begin with a row for unknown ids."""
    texts = [ast.unparse(part), *(ast.unparse(v) for v, _ in values.get(dotted(part) or "", ()))]
    words = r"concat|stack\(\[\w|pad\(|insert\(|unk|oov|special|reserved|\+ 1"
    return any(re.search(words, t, re.IGNORECASE) for t in texts)


def _filled(name: str, lookup: _Lookup, tree: ast.Module) -> _Early | None:
    """`for i, word in enumerate(words): table[i] = ...`, of a table that was made with a row more than it has words."""
    for loop in nodes_of(tree, ast.For):
        over, target = loop.iter, loop.target
        counts = isinstance(over, ast.Call) and last_name(over.func) == "enumerate" and len(over.args) == 1
        if not counts or not isinstance(target, ast.Tuple) or not isinstance(target.elts[0], ast.Name):
            continue
        if not isinstance(over, ast.Call) or over.keywords or not lookup.ids or dotted(over.args[0]) != lookup.ids:
            continue
        number = target.elts[0].id
        changed = any(isinstance(n, ast.AugAssign) and last_name(n.target) == number for n in walk(loop))
        for place, _, line in assigns(loop):
            if isinstance(place, ast.Subscript) and last_name(place.value) == name and not changed:
                first = place.slice.elts[0] if isinstance(place.slice, ast.Tuple) else place.slice
                if isinstance(first, ast.Name) and first.id == number:
                    return _Early(line, f"Here `{name}` is filled with `{lookup.ids}` from row 0 on.")
    return None

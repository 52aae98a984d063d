"""What a function's description says of its result, held against what its lines make: axes by name, their number, and
their order.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xladoctor.blame.axis_orders import TURNS, turned
from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.documented_parts import of_attributes, of_places
from xladoctor.blame.dtypes import SLUG, types_of
from xladoctor.blame.suspicion import Candidate, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of, text_key, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_SHAPE = re.compile(r"[(\[]((?:[\w.*+/ -]{1,24}|\.\.\.|…)(?:,(?: ?[\w.*+/ -]{1,24}| ?\.\.\.| ?…)){0,5},?)[)\]]")
_RESULT = re.compile(r"->|→|\b[Rr]eturns?\b:?")
_OPEN = ("...", "…")
_ORDERED = re.compile(r"\b(?:channels?|features?|members?|group|components?|leads|bands)[ -](?:last|first)\b", re.I)
_SHAPED = {"reshape": 1, "broadcast_to": 1, "zeros": 0, "ones": 0, "full": 0, "fill": 0, "empty": 0, "Reshape": 0}
"""Where a function takes a shape."""
_OF_NO_SHAPE = frozenset({"dtype-mismatch", "wrong-input-key", "tensor-out-of-scope"})


def of_documents(hops: Mapping[Line, int], crash: Crash, run: Follower, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    shaped = crash.slug not in _OF_NO_SHAPE
    orders, ranks = bool(turned(crash.shapes)), frozenset(len(shape) for shape in crash.shapes)
    for file, tree in files.trees(f for f, _ in hops).items():
        for function in walk(tree):
            said = ast.get_docstring(function) if isinstance(function, ast.FunctionDef) else None
            if said is not None and isinstance(function, ast.FunctionDef):
                found = [*_of_promises(function, said, crash), *(_of_order(function, said) if orders else ())]
                found += (*_of_shapes(function, said, run, ranks), *of_places(function, said)) if shaped else ()
                yield from conventions(file, found, hops)
            elif isinstance(function, ast.ClassDef) and shaped:
                yield from conventions(file, of_attributes(function), hops)


def shapes_said(text: str) -> list[tuple[str, ...]]:
    """The shapes that a text writes: `(batch, time, channels)`."""
    found = []
    for match in _SHAPE.finditer(text):
        parts = [p.strip() for p in match[1].split(",")]
        if len(parts) > 1 and all(len(p.split()) < 2 or re.search(r"[*+/-]", p) for p in parts):
            found.append(tuple(p for p in parts if p))
    return found


def result_said(text: str) -> tuple[str, ...] | None:
    """The one shape that a description gives the result; None where it gives none, or several."""
    first, *rest = _RESULT.split(text)
    told = shapes_said(re.split(r"\.\s|;|\n\n", rest[-1])[0]) if rest else shapes_said(first.partition("\n")[0])
    return told[0] if len(told) == 1 else None


def _of_shapes(
    function: ast.FunctionDef, said: str, run: Follower, ranks: frozenset[int]
) -> Iterator[tuple[int, float, str]]:
    """`ranks`: the numbers of axes of the shapes in the message."""
    axes = result_said(said)
    known = assigned_once(function)
    for result in [n.value for n in nodes_of(function, ast.Return)] if axes else []:
        if result is None or isinstance(result, ast.Tuple) or axes is None:
            continue
        made = _made(result, known)
        written = f"({', '.join(axes)})"
        if _in_other_order(made, axes, known):
            yield (
                made.lineno,
                8.2,
                f"It makes the axes in another order than {written}, as {function.name} is described.",
            )
            continue
        sizes = run.shapes.get(result) or run.shapes.get(made)
        if sizes and not _fits(sizes, axes) and {len(sizes), len(axes)} <= ranks:
            yield (
                result.lineno,
                7.8,
                f"It gives {len(sizes)} axes, {sizes}; {function.name} is described with {written}.",
            )


def _made(node: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr:
    """What makes a result: the expression that its name was assigned."""
    for _ in range(3):
        if not isinstance(node, ast.Name) or node.id not in known:
            break
        node = known[node.id]
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
        node = node.func.value
    return node


def _fits(sizes: Sizes, axes: tuple[str, ...]) -> bool:
    """Whether a shape is as it is described: as many axes, and numbers that are written are its sizes."""
    if any(axis in _OPEN for axis in axes):
        return True
    pairs = zip(sizes, axes, strict=False)
    return len(sizes) == len(axes) and all(not a.isdigit() or s is None or s == int(a) for s, a in pairs)


def _in_other_order(made: ast.expr, axes: tuple[str, ...], known: Mapping[str, ast.expr]) -> bool:
    """Whether what is called as an axis stands in the place of another one."""
    names = [_plain(axis) for axis in axes]
    if isinstance(made, ast.Call) and last_name(made.func) in ("stack", "concat", "concatenate") and made.args:
        axis = keyword(made, "axis") or (made.args[1] if len(made.args) > 1 else ast.Constant(0))
        place = axis.value if isinstance(axis, ast.Constant) and isinstance(axis.value, int) else None
        if last_name(made.func) != "stack" or place is None or place < 0 or set(axes) & set(_OPEN):
            return False
        parts = made.args[0].elts if isinstance(made.args[0], ast.List | ast.Tuple) else []
        if parts:  # as many as are written
            own, names = str(len(parts)), list(axes)
        else:
            own = _plain(last_name(made.args[0]))
        return bool(own) and names.count(own) == 1 and names.index(own) != place
    given = _shape_given(made)
    for i, item in enumerate(given):
        own = _plain(_called(item, known))
        if own and own in names and names.index(own) != i < len(names) and not set(_OPEN) & set(axes[: i + 1]):
            return names.count(own) == 1
    return False


def _shape_given(made: ast.expr) -> list[ast.expr]:
    """The first sizes of the shape that a call is given."""
    place = _SHAPED.get(last_name(made.func)) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or place is None:
        return []
    is_method = isinstance(made.func, ast.Attribute) and last_name(made.func.value) not in ("tf", "np", "ops", "keras")
    place = place if not is_method or len(made.args) > place else 0
    shape = keyword(made, "shape") or (made.args[place] if place < len(made.args) else None)
    if isinstance(shape, ast.Call) and last_name(shape.func) in ("concat", "concatenate") and shape.args:
        parts = shape.args[0].elts if isinstance(shape.args[0], ast.List | ast.Tuple) else []
        shape = parts[0] if parts else None
    return list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else []


def _called(node: ast.expr, known: Mapping[str, ast.expr]) -> str:
    """What a size is called: `group`, `self.members`, `cfg["leads"]`."""
    return last_name(node) or text_key(node) or ""


def _plain(name: str) -> str:
    """A name as that of one thing: `n_leads` and `leads` are `lead`."""
    bare = re.sub(r"^(?:n|num|number_of|len)_", "", name.lower())
    return bare.rstrip("s") if len(bare) > 2 else ""


_SIZES = frozenset({"broadcast-mismatch", "concat-pack-mismatch", "keras-input-mismatch", "rank-mismatch", "not-xla"})
_PROMISES: tuple[tuple[re.Pattern[str], tuple[str, ...], frozenset[str]], ...] = (
    (re.compile(r"\bpadded\b", re.I), ("pad", "zeros", "full("), _SIZES),
    (
        re.compile(r"\b0-based|\bfrom (?:zero|0)\b", re.I),
        ("- 1", "enumerate", "range"),
        frozenset({"index-out-of-range"}),
    ),
    (re.compile(r"\bone-hot\b", re.I), ("hot", "eye", "categorical", "dummies"), _SIZES),
    (
        re.compile(r"\b(?:full|whole|complete) (?:batch|group|window|block|chunk)", re.I),
        ("//", "%", " - ", "drop_"),
        _SIZES,
    ),
    (re.compile(r"\bcropped\b|\btruncated\b", re.I), ("[", "crop", "slice"), _SIZES),
)
"""What a description promises, what the source of the function then has, and the failures that may come of its lack."""
_TYPES = re.compile(r"\b(?:float|complex|int)(?:16|32|64|128)\b")


def _of_promises(function: ast.FunctionDef, said: str, crash: Crash) -> Iterator[tuple[int, float, str]]:
    """What a description promises and the lines of the function do not do: the line of the result."""
    results = [n for n in nodes_of(function, ast.Return) if n.value is not None]
    code = "\n".join(ast.unparse(s) for s in function.body[1:])
    broken = [m[0] for p, has, slugs in _PROMISES if crash.slug in slugs and (m := p.search(said))
              and not any(word in code for word in has)]  # fmt: skip
    if crash.slug == SLUG:
        types = types_of(crash.message)
        broken += [kind for kind in dict.fromkeys(_TYPES.findall(said)) if kind in types and kind not in code]
    for word in broken[:1] if len(results) == 1 else ():
        yield results[0].lineno, 7.4, f"{function.name} is described with {word!r}, and its lines do nothing of it."


def _of_order(function: ast.FunctionDef, said: str) -> Iterator[tuple[int, float, str]]:
    """A description that says where the channels stand, of a function that turns nothing: the lines of its results."""
    promised = _ORDERED.search(said)
    turns = any(last_name(n.func if isinstance(n, ast.Call) else n) in TURNS for n in walk(function))
    if promised is None or turns:
        return
    known = assigned_once(function)
    for result in (n.value for n in nodes_of(function, ast.Return)):
        for part in result.elts if isinstance(result, ast.Tuple) else [result] if result else []:
            made = _made(part, known)
            yield made.lineno, 7.8, f"{function.name} is described with {promised[0]!r}, and turns no axes."

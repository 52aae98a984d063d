"""Axes taken for others: a reshape for a transpose, the classes over the rows, width before height."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence

from xladoctor.sources.backward import Made
from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, operands, walk
from xladoctor.sources.sizes import Size, Sizes, size, sizes
from xladoctor.sources.slips.slip import Slip

_WIDTH = frozenset({"w", "width", "img_w", "img_width", "image_width", "cols", "n_cols", "ncols"})
_HEIGHT = frozenset({"h", "height", "img_h", "img_height", "image_height", "rows", "n_rows", "nrows"})
_ONE_KIND = re.compile(
    r"band|wave|nm$|freq|bin|count|red|green|blue|nir|swir|score|logit|prob|share|frac", re.IGNORECASE
)
_MOST_QUANTITIES = 40
_SIZED = frozenset({"resize", "resize_with_pad", "resize_with_crop_or_pad"})
_MODULES = frozenset({"np", "tf", "numpy", "tensorflow", "jnp", "ops", "math", "backend"})


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls("reshape"):
        yield from _reshaped(view, call)
        yield from _blocks(view, call)
    for call in view.calls("argmax"):
        yield from _classes(view, call)
    for call in view.calls("mean", "zscore"):
        yield from _across(view, call)
    yield from _sizes(view)


def _across(view: View, call: ast.Call) -> Iterator[Slip]:
    """`(x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)` of columns that are different quantities."""
    parts = _parts(view, call)
    of = parts[0] if parts is not None else None
    text = {k.arg: ast.unparse(k.value) for k in call.keywords}
    if of is None or text.get("axis") not in ("1", "-1"):
        return
    if last_name(call.func) == "mean":
        beside = [c for c in view.calls("std") if view.scope(c) is view.scope(call) and _same_over(view, c, of, text)]
        if text.get("keepdims") != "True" or not beside:
            return
    known = sizes(view, of)
    if known is not None and (len(known) != 2 or (isinstance(known[1], int) and known[1] > _MOST_QUANTITIES)):
        return
    names = _quantities(view, of, known[1] if known is not None else None)
    if names:
        yield Slip(
            "across-quantities",
            call.lineno,
            f"`{ast.unparse(of)[:40]}` is scaled over {names}, which are different quantities",
            "Axis 1 goes over the columns of each row. So each number is set against other quantities of its row, in "
            "other units, and the level of the row is lost. Scale each column over the rows: `axis=0`, of the training "
            "rows.",
        )


def _same_over(view: View, call: ast.Call, of: ast.expr, text: dict[str | None, str]) -> bool:
    """Whether a call is of the same array, over the same axis."""
    parts, axis = _parts(view, call), keyword(call, "axis")
    same = parts is not None and ast.unparse(parts[0]) == ast.unparse(of)
    return same and axis is not None and ast.unparse(axis) == text["axis"]


def _quantities(view: View, of: ast.expr, width: Size) -> str:
    """The columns of a table as a text, where the source says that they are different quantities."""
    for value in (m.value for m, _ in zip(view.made(of), range(40), strict=False)):
        for node in walk(value):
            names: list[str] = []
            if isinstance(node, ast.Dict) and len(node.keys) > 2:
                firsts = [abs(n) for v in node.values if (n := _first(v))]
                apart = len(firsts) == len(node.keys) and max(firsts) >= 10 * min(firsts)
                names = [str(k.value) for k in node.keys if isinstance(k, ast.Constant)] if apart else []
            elif isinstance(node, ast.Call) and last_name(node.func) in ("column_stack", "stack") and node.args:
                axis = ast.unparse(keyword(node, "axis") or ast.Constant(0))
                items = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else []
                last = last_name(node.func) == "column_stack" or axis in ("1", "-1")
                names = [i.id for i in items if isinstance(i, ast.Name)] if last else []
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
                names = [str(e.value) for e in node.slice.elts if isinstance(e, ast.Constant)]
            stems = {_stem(n) for n in names}
            if isinstance(width, int) and width != len(names):
                continue
            if len(names) > 2 and len(stems) == len(names) and not any(_ONE_KIND.search(n) for n in names):
                return ", ".join(f"`{n}`" for n in names[:3])
    return ""


def _stem(name: str) -> str:
    """A name without the number, or the one letter, behind it."""
    bare = name.rstrip("0123456789_")
    return name[:-2] if bare == name and name[-2:-1] == "_" else bare


def _first(node: ast.expr) -> float:
    """The first of a mean and a deviation."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1 else []
    first = items[0] if items else None
    return float(first.value) if isinstance(first, ast.Constant) and isinstance(first.value, int | float) else 0.0


def _parts(view: View, call: ast.Call) -> tuple[ast.expr, list[ast.expr]] | None:
    """(array, sizes) of a reshape."""
    of, args = operands(call, _MODULES)
    if of is None:
        return None
    if len(args) == 1 and isinstance(args[0], ast.Name):
        made = view.back.values(view.file, args[0])
        args = [made[0].value] if len(made) == 1 else args
    if len(args) == 1 and isinstance(args[0], ast.Tuple | ast.List):
        args = list(args[0].elts)
    return of, args


def _reshaped(view: View, call: ast.Call) -> Iterator[Slip]:
    parts = _parts(view, call)
    before = sizes(view, parts[0]) if parts is not None else None
    if parts is None or before is None or len(before) < 2 or None in before:
        return
    after = _sizes_of(view, parts[1], before)
    plain = [n for n in before if n != 1]
    left = [n for n in after if n != 1] if after is not None else []
    exchanged = after is not None and sorted(map(str, before)) == sorted(map(str, after)) and plain != left
    if after is None or not (exchanged or _splits_the_other(before, left)) or len(set(plain)) < 2:
        return
    yield Slip(
        "axes-by-reshape",
        call.lineno,
        f"A reshape of {_text(before)} to {_text(after)} instead of a transpose",
        f"`{ast.unparse(parts[0])[:40]}` has its sizes in another order after the reshape, but its numbers stay "
        "in their order, so the numbers along an axis did not belong to one axis before.",
    )


def _text(found: Sequence[Size]) -> str:
    return f"({', '.join(map(str, found))})"


def _splits_the_other(before: Sizes, after: Sequence[Size]) -> bool:
    """Whether (a, b) becomes (b, c, d) with c * d = a: what is taken apart was the first axis, and is the last."""
    if len(before) != 2 or len(after) < 3 or before[0] == before[1]:
        return False
    numbers = [n for n in after[1:] if isinstance(n, int)]
    return after[0] == before[1] and len(numbers) == len(after) - 1 and math.prod(numbers) == before[0]


def _sizes_of(view: View, wanted: list[ast.expr], before: Sizes) -> list[Size] | None:
    """What a reshape asks for, with its -1 worked out."""
    found = [size(view, s) for s in wanted]
    if found.count(None) + found.count(-1) > 1:
        return None
    if not all(isinstance(n, int) for n in (*before, *found) if n is not None):
        rest = list(before)
        for n in found:
            if n in rest:
                rest.remove(n)
        return [rest[0] if n in (None, -1) and len(rest) == 1 else n for n in found]
    numbers = [n if isinstance(n, int) else None for n in found]
    total, known = math.prod(n for n in before if isinstance(n, int)), math.prod(n for n in numbers if n and n > 0)
    left = total // known if known and total % known == 0 else 0
    return [n if n is not None and n > 0 else left for n in numbers]


def _blocks(view: View, call: ast.Call) -> Iterator[Slip]:
    """Arrays (rows, n) side by side, k of them, reshaped to (rows, n, k)."""
    parts = _parts(view, call)
    if parts is None or len(parts[1]) != 3:
        return
    for value in (parts[0], *(m.value for m in _named(view, parts[0]))):
        pieces = _side_by_side(value)
        many = view.number(parts[1][2])
        if pieces and len(pieces) == many and many > 1 and view.number(parts[1][1]) != many:
            yield Slip(
                "series-by-reshape",
                call.lineno,
                f"{many} arrays side by side are reshaped so that each item has one of each",
                f"The {many} arrays stand one after the other in each row. A reshape to {many} numbers at the end "
                f"takes {many} successive numbers of one array, and not one of each.",
            )


def _named(view: View, node: ast.expr) -> list[Made]:
    return view.back.named(view.file, node) if isinstance(node, ast.Name) else []


def _side_by_side(value: ast.AST) -> list[ast.expr] | None:
    if not isinstance(value, ast.Call) or not value.args or not isinstance(value.args[0], ast.List | ast.Tuple):
        return None
    name, axis = last_name(value.func), next((ast.unparse(k.value) for k in value.keywords if k.arg == "axis"), "")
    axis = axis or (ast.unparse(value.args[1]) if len(value.args) > 1 else "")
    flat = name == "hstack" or (name in ("concatenate", "concat") and axis in ("1", "-1"))
    return list(value.args[0].elts) if flat else None


def _classes(view: View, call: ast.Call) -> Iterator[Slip]:
    """`argmax` over the rows, of what a model gave for each of them."""
    of, rest = operands(call, _MODULES)
    axis = next((k.value for k in call.keywords if k.arg in ("axis", "dimension")), rest[0] if rest else None)
    tensors = isinstance(call.func, ast.Attribute) and last_name(call.func.value) in ("tf", "math")
    first = axis is not None and ast.unparse(axis) == "0"
    if of is None or not (first or (axis is None and tensors and "tf" in ast.unparse(call.func))):
        return
    sizes = view.shape(of) if isinstance(of, ast.Name) else None
    if sizes is not None and (len(sizes) != 2 or sizes[1] > sizes[0]):
        return
    if _predicted(view, of):
        yield Slip(
            "classes-over-rows",
            call.lineno,
            f"`{ast.unparse(call)[:60]}` takes the largest of all rows, and not of the classes",
            "A model gives (rows, classes). Over axis 0, `argmax` has a number for each class: the row that has most "
            "of it. `tf.argmax` does so without an axis. The class of each row is `argmax` over the last axis.",
        )


def _predicted(view: View, of: ast.expr) -> bool:
    for value in (of, *(m.value for m in (view.back.named(view.file, of) if isinstance(of, ast.Name) else ()))):
        if isinstance(value, ast.Call) and last_name(value.func) in ("predict", "predict_on_batch"):
            return True
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id in ("model", "net", "network", "clf")
        ):
            return True
    return False


def _sizes(view: View) -> Iterator[Slip]:
    """`width, height = x.shape[:2]`, and a resize to (width, height)."""
    for node in walk(view.tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and _is_shape(node.value):
            names = [last_name(e).lower() for e in node.targets[0].elts]
            at = [n for n, name in enumerate(names) if name in _WIDTH | _HEIGHT]
            if len(at) == 2 and names[at[0]] in _WIDTH and names[at[1]] in _HEIGHT:
                yield _exchanged(node, f"`{', '.join(last_name(e) for e in node.targets[0].elts)}` of a shape")
        elif isinstance(node, ast.Call) and last_name(node.func) in _SIZED and "tf" in ast.unparse(node.func):
            sizes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "size")]
            words = [[_word(e) for e in s.elts] for s in sizes if isinstance(s, ast.Tuple | ast.List)]
            if any(len(w) == 2 and w[0] == "w" and w[1] == "h" for w in words):
                yield _exchanged(node, "`tf.image` with (width, height)")


def _word(node: ast.expr) -> str:
    """Whether an expression is of a width or of a height."""
    names = {last_name(n).lower() for n in walk(node)} - {""}
    return "w" if names & _WIDTH and not names & _HEIGHT else "h" if names & _HEIGHT and not names & _WIDTH else ""


def _is_shape(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return ".shape" in text and "::-1" not in text and isinstance(value, ast.Attribute | ast.Subscript)


def _exchanged(node: ast.AST, what: str) -> Slip:
    return Slip(
        "width-first",
        getattr(node, "lineno", 0),
        f"{what}: images have their height first",
        "The sizes of an image in NumPy and TensorFlow are (height, width, channels). Here the first one is called its "
        "width, so that rows and columns are exchanged wherever the image is not a square.",
    )

"""Stateless draws of a mapped function whose seed was made once outside of it: all elements get one change.

`ds.enumerate().map(lambda i, pair: change(pair, base))` has a number for each element at hand, and does not use it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.fixed_values import Frame, Values
from xladoctor.sources.names import given, keyword, last_name, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import FUNCTIONS, LOOPS, Slip, loaded

_DEPTH = 3
_MAPS = frozenset({"map", "flat_map", "interleave", "vectorized_map", "map_fn"})
_COUNTS = re.compile(r"enumerate|counter|random|range|seeds?\b", re.IGNORECASE)
"""What the text of a dataset says that has a number for each element."""
_OF_IMAGES = ("stateless_random_", "stateless_sample_distorted")
_CHANGES = re.compile(r"augment|jitter|nois|distort|perturb|corrupt|dropout|random|scramble|wobble", re.IGNORECASE)
_MEANT = re.compile(
    r"same|fixed|identical|constant|shared|frozen|projection|basis|permut|matrix|sensing|undersampl|every",
    re.IGNORECASE,
)
"""Words of functions and texts that want the same numbers for all elements."""
_SCORED = re.compile(r"valid|val_|_val\b|\bval\b|test|eval|demo|plot|example|preview|sample", re.IGNORECASE)
_SPLITS = frozenset({"stateless_split", "stateless_fold_in"})
_PRODUCTS = frozenset({"matmul", "tensordot", "einsum", "gather", "dot"})


@dataclass(frozen=True)
class _Draw:
    """A draw by a fixed seed, the call of the mapped function that hands the seed on, and the functions between."""

    name: str
    seed: ast.expr
    at: ast.Call
    functions: tuple[ast.AST, ...]
    first: ast.Call
    """The draw itself."""


def one_seed(tree: ast.Module) -> Iterator[Slip]:
    """Each line of a mapped function that draws, or lets draw, by a seed that is the same for all elements."""
    if not any(isinstance(n, ast.Attribute) and n.attr.startswith("stateless_") for n in walk(tree)):
        return
    values = Values(tree)
    seen: set[int] = set()
    for call in nodes_of(tree, ast.Call):
        if last_name(call.func) not in _MAPS or not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        for function, bound in _mapped(values, call):
            counter = _unused_counter(function, call, bound)
            frame = Frame(function, dict.fromkeys(_names(function)) | bound)
            for draw in _draws(values, frame, _DEPTH):
                if draw.at.lineno not in seen and _is_wrong(values, call, draw, counter):
                    seen.add(draw.at.lineno)
                    yield _slip(draw, function, counter)
    for draw, step in _of_steps(values):
        if draw.at.lineno not in seen:
            seen.add(draw.at.lineno)
            yield Slip(
                "same-draw",
                draw.at.lineno,
                f"All steps of the training have one draw: the seed `{ast.unparse(draw.seed)[:40]}` is the same",
                f"`{step}` runs in each round of a loop, and gets or keeps the seed `{ast.unparse(draw.seed)[:40]}`. A "
                f"stateless draw (`{draw.name}`) depends on its seed alone, so each step has the same noise.",
            )


_STEPS = re.compile(r"batch|dataset|\bds\b|train|stream|loader|range\(|rows", re.IGNORECASE)
"""What a loop over the steps of a training goes through."""
_NOISE = re.compile(r"nois|eps|drop|mask|jitter|latent|perturb|^z$", re.IGNORECASE)


def _of_steps(values: Values) -> Iterator[tuple[_Draw, str]]:
    """(draw, the function of a step) of the steps of a training that are given one seed."""
    for loop in nodes_of(values.tree, ast.For):
        if not _STEPS.search(ast.unparse(loop.iter)):
            continue
        for call in (c for s in loop.body for c in nodes_of(s, ast.Call)):
            for function in values.called(call):
                nodes = list(walk(function))
                learns = any(last_name(n.func) == "GradientTape" for n in nodes if isinstance(n, ast.Call))
                if not learns or any(isinstance(n, LOOPS) for n in nodes):
                    continue
                outer = Frame(values.scope(call), {})
                told = {n: (value, outer) for n, value in given(call, function)}
                frame = Frame(function, {n: told.get(n, values.default(function, n)) for n in _names(function)})
                for draw in _draws(values, frame, _DEPTH):
                    handed = next((n for n in _roots(values, draw.seed, frame) if n in told), None)
                    at, seed = (call, told[handed][0]) if handed is not None else (draw.at, draw.seed)
                    if _is_noise(values, draw):
                        yield _Draw(draw.name, seed, at, draw.functions, draw.first), function.name


def _is_noise(values: Values, draw: _Draw) -> bool:
    """Whether the numbers are noise by the name that they get or by that of the function, and are not meant to stay."""
    statement = values.statement(draw.first)
    targets = [last_name(t) for t in getattr(statement, "targets", ())]
    names = [getattr(f, "name", "") for f in draw.functions]
    texts = [ast.get_docstring(f) or "" for f in draw.functions if isinstance(f, FUNCTIONS)]
    if any(_MEANT.search(t) for t in (*names, *texts, *targets)):
        return False
    return any(_NOISE.search(t) for t in targets) or any(_CHANGES.search(n) for n in names)


def _slip(draw: _Draw, function: ast.AST, counter: str) -> Slip:
    name = f"`{function.name}`" if isinstance(function, FUNCTIONS) else "the mapped function"
    seed = ast.unparse(draw.seed)[:40]
    unused = f" `{counter}` differs by element, and nothing uses it." if counter else ""
    return Slip(
        "same-draw",
        draw.at.lineno,
        f"All elements are changed by the same draw: the seed `{seed}` is one for all",
        f"{name[:1].upper()}{name[1:]} runs for each element, and the seed `{seed}` is made outside the function. A "
        f"stateless draw (`{draw.name}`) depends on its seed alone, so each element gets the same numbers.{unused}",
    )


def _mapped(values: Values, call: ast.Call) -> Iterator[tuple[ast.AST, dict[str, tuple[ast.expr, Frame] | None]]]:
    """The function that `map` is given, with what `partial` binds of its arguments."""
    of_library = last_name(call.func) in ("map_fn", "vectorized_map")
    for first in [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("map_func", "fn"))]:
        if isinstance(first, ast.Lambda):
            yield first, {}
        elif isinstance(first, ast.Call) and last_name(first.func) == "partial" and first.args:
            outer = Frame(values.scope(first), {})
            for function in values.functions(first.args[0]):
                yield function, {k.arg: (k.value, outer) for k in first.keywords if k.arg}
        elif isinstance(first, ast.Name | ast.Attribute):
            yield from ((function, {}) for function in values.functions(first))
        elif of_library:
            return


def _names(function: ast.AST) -> list[str]:
    return parameters(function)


def _unused_counter(function: ast.AST, call: ast.Call, bound: Mapping[str, object]) -> str:
    """The parameter of a mapped function that numbers the elements, where the function never reads it."""
    if not isinstance(call.func, ast.Attribute) or not _COUNTS.search(ast.unparse(call.func.value)):
        return ""
    own = [n for n in _names(function) if n not in bound]
    body = function.body if isinstance(function.body, list) else [function.body]  # type: ignore[attr-defined]
    read = {name for part in body for name in loaded(part)}
    unused = [n for n in own if n not in read]
    return unused[0] if len(own) > 1 and len(unused) == 1 else ""


def _draws(values: Values, frame: Frame, depth: int) -> Iterator[_Draw]:
    """The draws of a function, and of those that it calls, by a seed that does not differ by element."""
    for call in nodes_of(frame.function, ast.Call):
        name = last_name(call.func)
        if name.startswith("stateless_"):
            seed = keyword(call, "seed") or (call.args[1] if len(call.args) > 1 else None)
            if name not in _SPLITS and seed is not None and values.same(seed, frame):
                yield _Draw(name, seed, call, (frame.function,), call)
            continue
        for function in values.called(call) if depth else ():
            if function is frame.function:
                continue
            told = {n: (value, frame) for n, value in (*_from_the_end(call, function), *given(call, function))}
            inner = Frame(function, {n: told.get(n, values.default(function, n)) for n in _names(function)})
            for draw in _draws(values, inner, depth - 1):
                handed = next((n for n in _roots(values, draw.seed, inner) if n in told), None)
                seed, at = (told[handed][0], call) if handed is not None else (draw.seed, draw.at)
                yield _Draw(draw.name, seed, at, (frame.function, *draw.functions), draw.first)


def _from_the_end(call: ast.Call, function: ast.AST) -> list[tuple[str, ast.expr]]:
    """(parameter, value) of what stands behind the only starred argument of a call that fills all parameters."""
    stars = [n for n, a in enumerate(call.args) if isinstance(a, ast.Starred)]
    last = call.args[stars[0] + 1 :] if len(stars) == 1 and not call.keywords else []
    return list(zip(_names(function)[-len(last) :], last, strict=False)) if last else []


def _roots(values: Values, seed: ast.expr, frame: Frame) -> list[str]:
    """The parameters that a seed is made of."""
    return sorted(values.roots(seed, frame.function) & set(_names(frame.function)))


def _is_wrong(values: Values, mapping: ast.Call, draw: _Draw, counter: str) -> bool:
    """Whether something says that each element should have its own: a counter, a change of images, or the words."""
    names = [_label(values, f) for f in (*draw.functions, *values.enclosing(mapping))]
    texts = [ast.get_docstring(f) or "" for f in draw.functions if isinstance(f, FUNCTIONS)]
    statement = values.statement(draw.at)
    code = ast.unparse(statement) if statement is not None and not isinstance(statement, FUNCTIONS) else ""
    if any(_MEANT.search(t) for t in (*names, *texts)) or any(f"{p}(" in code for p in _PRODUCTS) or " @ " in code:
        return False
    around = ast.unparse(mapping.func) + " " + getattr(values.scope(mapping), "name", "")
    stored = values.statement(mapping)
    targets = [ast.unparse(t) for t in getattr(stored, "targets", ())]
    if any(values.is_mapped(f) for f in values.enclosing(mapping)):
        return False
    if counter:
        return True
    if _SCORED.search(" ".join([around, *targets])) and "train" not in around:
        return False
    return draw.name.startswith(_OF_IMAGES) or any(_CHANGES.search(n) for n in names)


def _label(values: Values, function: ast.AST) -> str:
    """The name of a function with that of its class."""
    owner = values.owner(function)
    return f"{owner.name if owner else ''} {getattr(function, 'name', '')}"

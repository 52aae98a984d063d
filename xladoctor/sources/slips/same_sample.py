"""Samples that a loop draws in each round from one seed: bootstrap samples, bags and perturbed copies that are all one.

A function of the program makes a generator from the seed that it is given, and each round gives it the same seed and
the same data. A loop over models or settings may want equal data in each round, and so may folds and tests.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.backward import Backward
from xladoctor.sources.names import defaults, given, keyword, last_name, names_in, nodes_of, parameters, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, Slip

_GENERATORS = frozenset({"default_rng", "RandomState", "Random", "from_seed", "set_random_seed", "set_seed", "seed"})
_RESAMPLES = re.compile(r"boot|resampl|bag(?:s|ged|ging|$|_)|subsampl|permut|monte|replicate", re.IGNORECASE)
"""Words of functions of which each call should give another sample."""
_CHANGES = re.compile(r"nois|jitter|perturb|corrupt|dropout|augment|mask", re.IGNORECASE)
_APART = re.compile(
    r"boot|\bbag|monte|uncertain|fresh|independent|different|(?:each|every|per) (?:member|round|epoch|pass|draw|model)",
    re.IGNORECASE,
)
"""What texts say where each round should have a change of its own."""
_EQUAL = re.compile(
    r"split|fold|test|valid|(?:^|_)val(?:_|$)|load|dataset|(?:^|_)data(?:$|_)|eval|held|same|fixed|paired",
    re.IGNORECASE,
)
"""Names of what may well be the same in each round."""
_MADE = frozenset({"default_rng", "RandomState"})
_DRAWS = frozenset({"integers", "randint", "choice"})
_SEED = re.compile(r"seed|random_state", re.IGNORECASE)
_COUNTED = frozenset({"range", "trange"})
_THROUGH = frozenset({"enumerate", "tqdm", "track", "list", "sorted"})
_DEPTH = 2
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class _Round:
    """A loop: what runs in each round, and the names that differ from round to round."""

    node: ast.AST
    body: list[ast.AST]
    targets: set[str]
    stored: set[str]


def same_sample(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """Each call in a loop that draws the same sample again."""
    back = Backward(trees)
    for file, tree in trees.items():
        texts = _texts(tree)
        seen: set[int] = set()
        for loop in _rounds(tree):
            for call in _calls(loop):
                slip = _again(back, file, loop, call, texts.get(id(call), "")) or _in_the_loop(loop, call)
                if slip is not None and slip.line not in seen:
                    seen.add(slip.line)
                    yield file, slip


def _again(back: Backward, file: str, loop: _Round, call: ast.Call, text: str) -> Slip | None:
    functions = back.functions.get(last_name(call.func), ())
    if len(functions) != 1 or not all(_invariant(a, loop) for a in _handed(call)):
        return None
    function = functions[0][1]
    given_seed = _seed(back, function, call)
    seed = given_seed or _own_seed(function)
    if seed is None or _EQUAL.search(" ".join([function.name, *map(ast.unparse, _handed(call))])):
        return None
    differs = _sister(back, loop, call)
    says = f"{text} {ast.get_docstring(function) or ''}"
    strong = _RESAMPLES.search(function.name) or _with_replacement(function)
    weak = _CHANGES.search(function.name) and (
        (differs is not None and _APART.search(says)) or (_is_repeated(loop) and not _is_timed(loop))
    )
    if not (strong or weak):
        return None
    if (differs is None and not _is_counted(loop)) or _is_dealt_out(loop, call):
        return None
    other = f" `{ast.unparse(differs)[:60]}` in the same loop gets a seed of its own in each round." if differs else ""
    return Slip(
        "same-sample",
        call.lineno if given_seed or functions[0][0] != file else seed.lineno,
        f"`{function.name}` draws the same sample in each round of the loop",
        f"`{ast.unparse(call)[:70]}` gets the same data and the same seed (`{ast.unparse(seed)[:40]}`) each time, and "
        f"`{function.name}` makes its generator from it. So all rounds have one sample, as if it had been drawn once: "
        f"their spread does not show what another sample would change.{other}",
    )


def _in_the_loop(loop: _Round, call: ast.Call) -> Slip | None:
    """A generator that the loop itself makes in each round for a draw with replacement, or a seeded `resample`."""
    if not _is_counted(loop) or _is_dealt_out(loop, call):
        return None
    if last_name(call.func) in _MADE and call.args:
        seed = call.args[0]
        wrong = _invariant(seed, loop) and any(_draws_again(part, loop) for part in loop.body)
    else:
        seed = keyword(call, "random_state") or ast.Constant(None)
        again = last_name(call.func) == "resample" or "replace=True" in ast.unparse(call)
        wrong = again and keyword(call, "random_state") is not None and all(_invariant(a, loop) for a in _handed(call))
        wrong = wrong and ast.unparse(seed) != "None" and not names_in(call.func) & loop.stored
    if not wrong:
        return None
    return Slip(
        "same-sample",
        call.lineno,
        "Each round of the loop draws the same sample",
        f"`{ast.unparse(call)[:70]}` begins with the same seed (`{ast.unparse(seed)[:40]}`) in each round, and the "
        "rows are drawn from the same data. So all rounds have one sample, as if it had been drawn once: their spread "
        "does not show what another sample would change.",
    )


def _draws_again(part: ast.AST, loop: _Round) -> bool:
    """Whether a statement of the loop itself draws rows with replacement out of what no round changes."""
    if isinstance(part, ast.For | ast.While) or any(isinstance(n, COMPREHENSIONS) for n in walk(part)):
        return False
    draws = [c for c in nodes_of(part, ast.Call) if last_name(c.func) in _DRAWS]
    return _with_replacement(part) and all(not names_in(a) & loop.stored for c in draws for a in _handed(c))


def _rounds(tree: ast.Module) -> Iterator[_Round]:
    for node in walk(tree):
        if isinstance(node, ast.For):
            body: list[ast.AST] = list(node.body)
            stored = {n.id for s in node.body for n in nodes_of(s, ast.Name) if isinstance(n.ctx, ast.Store)}
            yield _Round(node, body, names_in(node.target), stored | names_in(node.target))
        elif isinstance(node, COMPREHENSIONS):
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            targets = {n for g in node.generators for n in names_in(g.target)}
            yield _Round(node, list(parts), targets, targets)


def _calls(loop: _Round) -> list[ast.Call]:
    return [c for part in loop.body for c in nodes_of(part, ast.Call)]


def _handed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def _invariant(node: ast.expr, loop: _Round) -> bool:
    """Whether an argument is the same in each round: names that the loop does not set, and no calls."""
    if any(isinstance(n, ast.Call) and last_name(n.func) not in ("len", "int", "float") for n in walk(node)):
        return False
    if names_in(node) & loop.stored:
        return False
    fields = {n.attr for n in nodes_of(node, ast.Attribute)}
    inside = [n for part in loop.body for n in walk(part)]
    written = {n.attr for n in inside if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    return not fields & written


def _seed(back: Backward, function: _FUNCTION, call: ast.Call) -> ast.expr | None:
    """What a call gives a function as the seed of a generator that it makes."""
    told = dict(given(call, function))
    for name in _seeded_by(back, function, _DEPTH):
        if name in told or name in defaults(function):
            return told.get(name) or defaults(function)[name]
    return None


def _own_seed(function: _FUNCTION) -> ast.expr | None:
    """The seed that a function takes of its object or of the source for the only generator that it makes."""
    made = [c for c in nodes_of(function, ast.Call) if last_name(c.func) in _MADE]
    seed = made[0].args[0] if len(made) == 1 and made[0].args else None
    if isinstance(seed, ast.Constant):
        return seed if isinstance(seed.value, int) else None
    stored = {n.attr for n in nodes_of(function, ast.Attribute) if isinstance(n.ctx, ast.Store)}
    kept = isinstance(seed, ast.Attribute) and last_name(seed.value) == "self" and seed.attr not in stored
    return seed if kept or (isinstance(seed, ast.Name) and seed.id.isupper()) else None


def _seeded_by(back: Backward, function: _FUNCTION, depth: int) -> list[str]:
    """The parameters that a function makes a generator from, or hands to one that does."""
    names = parameters(function)
    changed = {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    seeds: list[ast.expr | None] = []
    for call in nodes_of(function, ast.Call):
        name = last_name(call.func)
        if name in _GENERATORS:
            seeds.append(call.args[0] if call.args else keyword(call, "seed"))
        elif name == "shuffle" or name.startswith("stateless_"):
            seeds.append(keyword(call, "seed"))
        elif name in ("resample", "sample"):
            seeds.append(keyword(call, "random_state"))
        inner = back.functions.get(name, ()) if depth else ()
        if len(inner) == 1 and inner[0][1] is not function:
            told = dict(given(call, inner[0][1]))
            seeds += [told.get(n) for n in _seeded_by(back, inner[0][1], depth - 1)]
    read = {n for seed in seeds if seed is not None for n in names_in(seed)}
    return [n for n in names if n in read and n not in changed and _is_only_seed(function, n)]


def _is_only_seed(function: _FUNCTION, name: str) -> bool:
    """Whether a parameter may be a number alone: nothing is drawn from it."""
    return not any(isinstance(n, ast.Attribute) and last_name(n.value) == name for n in walk(function))


def _sister(back: Backward, loop: _Round, call: ast.Call) -> ast.Call | None:
    """Another call of the loop whose seed differs from round to round."""
    for other in _calls(loop):
        functions = back.functions.get(last_name(other.func), ())
        if other is call or not loop.targets & {n for a in _handed(other) for n in names_in(a)}:
            continue
        by_name = [k.value for k in other.keywords if k.arg and _SEED.search(k.arg)]
        if len(functions) == 1:
            by_name += [v for n, v in given(other, functions[0][1]) if _SEED.search(n)]
        if last_name(other.func) in _GENERATORS:
            by_name += other.args[:1]
        if any(names_in(v) & loop.targets for v in by_name):
            return other
    return None


def _with_replacement(node: ast.AST) -> bool:
    """Whether as many rows are drawn as there are: `integers(0, len(x), len(x))`, `choice(n, n)`."""
    sizes = {
        last_name(n.targets[0])
        for n in nodes_of(node, ast.Assign)
        if re.search(r"len\(|\.shape", ast.unparse(n.value)) and isinstance(n.targets[0], ast.Name)
    }
    for call in nodes_of(node, ast.Call):
        texts = [ast.unparse(a) for a in _handed(call)]
        if last_name(call.func) not in _DRAWS:
            continue
        twice = [t for t in texts if texts.count(t) > 1]
        if any(t in sizes or "len(" in t or ".shape" in t for t in twice) or "replace=True" in ast.unparse(call):
            return True
    return False


_REPEATS = re.compile(r"repeat|pass|draw|member|replicate|n_mc|boots|resampl", re.IGNORECASE)


def _is_repeated(loop: _Round) -> bool:
    """Whether a loop counts repeats, by the name of their number, and no line of it reads the count."""
    read = {n for part in loop.body for n in names_in(part)}
    return _is_counted(loop) and not loop.targets & read and _REPEATS.search(ast.unparse(_over(loop))) is not None


def _is_timed(loop: _Round) -> bool:
    return any(re.search(r"time|perf_counter", last_name(c.func)) for c in _calls(loop))


def _over(loop: _Round) -> ast.expr:
    return loop.node.iter if isinstance(loop.node, ast.For) else loop.node.generators[0].iter  # type: ignore[attr-defined]


def _is_dealt_out(loop: _Round, call: ast.Call) -> bool:
    """Whether a round takes its own part of what a call gives, by the number of the round."""
    inside = [n for part in loop.body for n in walk(part)]
    assigned = [n for n in inside if isinstance(n, ast.Assign) and any(c is call for c in walk(n.value))]
    names = {n for a in assigned for t in a.targets for n in names_in(t)}
    for node in inside:
        if not isinstance(node, ast.Subscript) or not names_in(node.slice) & loop.targets:
            continue
        if names_in(node.value) & names or any(c is call for c in walk(node.value)):
            return True
    return False


def _is_counted(loop: _Round) -> bool:
    """Whether a loop counts rounds of one thing, and does not go through models or settings."""
    over = _over(loop)
    while isinstance(over, ast.Call) and last_name(over.func) in _THROUGH and over.args:
        over = over.args[0]
    return isinstance(over, ast.Call) and last_name(over.func) in _COUNTED


def _texts(tree: ast.Module) -> dict[int, str]:
    """{id of a call: what the texts of the module, and of the classes and functions around it, say}."""
    found: dict[int, str] = {}
    whole = ast.get_docstring(tree) or ""
    for node in walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            text = f"{node.name} {ast.get_docstring(node) or ''}"
            for call in nodes_of(node, ast.Call):
                found[id(call)] = f"{found.get(id(call), whole)} {text}"
    return found

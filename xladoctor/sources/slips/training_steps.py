"""Steps of a training that do less than they seem to: a term of the loss without a gradient, an optimizer that begins
anew, members of an ensemble that are all the same, the share that is kept given as the share that is dropped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import (
    OPTIMIZERS,
    around_in_statement,
    dotted,
    keyword,
    last_name,
    names_in,
    positional,
    walk,
)
from xladoctor.sources.slips.slip import Slip

_SEEDS = frozenset({"set_random_seed", "set_seed"})
_ROUNDS = re.compile(r"^(?:epochs?|ep|e|steps?|rounds?|iterations?|it|i|_|t)$")
_STEPS_OF = frozenset({"argmax", "ceil", "floor", "round", "sign"})


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for function in (n for n in walk(view.tree) if isinstance(n, ast.FunctionDef)):
        yield from _no_gradient(view, function)
    for call in view.calls("gradient"):
        yield from _left_out(view, call)
    for loop in (n for n in walk(view.tree) if isinstance(n, ast.For)):
        yield from _same_members(loop)
        yield from _anew(loop)
    for call in view.calls("Dropout", "SpatialDropout1D", "SpatialDropout2D", "dropout"):
        yield from _kept_share(call)


def _no_gradient(view: View, function: ast.FunctionDef) -> Iterator[Slip]:
    """`hard = tf.cast(p > 0.5, tf.float32)` in a loss, where nothing else of its term depends on `p`."""
    names = positional(function)
    if len(names) < 2 or not _is_loss(view, function.name):
        return
    guess = {names[1]}
    for node in (n for n in walk(function) if isinstance(n, ast.Assign) and len(n.targets) == 1):
        target = node.targets[0]
        if not isinstance(target, ast.Name) or not guess & names_in(node.value):
            continue
        if not _is_step(node.value, guess):
            guess.add(target.id)
            continue
        if not _beside(view, function, target.id, guess):
            yield Slip(
                "no-gradient-of-step",
                node.lineno,
                f"`{target.id}` has no gradient: its term of the loss trains nothing",
                f"`{ast.unparse(node.value)[:60]}` is flat wherever it has a derivative. The term changes the number "
                "that is shown, and no weight. Use the probabilities themselves, or a soft step.",
            )


def _is_loss(view: View, name: str) -> bool:
    """Whether a function is given to `compile` as a loss, or called within a tape."""
    for call in view.calls("compile"):
        given = keyword(call, "loss") or (call.args[1] if len(call.args) > 1 else None)
        if given is not None and name in names_in(given):
            return True
    taped = [n for n in walk(view.tree) if isinstance(n, ast.With) and "GradientTape" in ast.unparse(n.items[0])]
    return any(isinstance(n, ast.Call) and last_name(n.func) == name for t in taped for n in walk(t))


def _is_step(value: ast.expr, guess: set[str]) -> bool:
    """A comparison as numbers, a rounding, `argmax`: of the prediction, and nothing else of it."""
    if not isinstance(value, ast.Call):
        return False
    name, of = last_name(value.func), value.args[0] if value.args else None
    if name == "cast" and of is not None:
        of, name = (of, "compared") if isinstance(of, ast.Compare) else (of, last_name(getattr(of, "func", of)))
    if of is None or not guess & names_in(of):
        return False
    return name == "compared" or name in _STEPS_OF


def _beside(view: View, function: ast.FunctionDef, name: str, guess: set[str]) -> bool:
    """Whether the step is a factor of something that has a gradient, chooses it, or is stopped on purpose."""
    text = ast.unparse(function)
    if "stop_gradient" in text or "custom_gradient" in text or "where(" in text:
        return True
    for load in view.loads(function, name):
        for here in around_in_statement(load, view.above):
            factor = isinstance(here, ast.BinOp) and isinstance(here.op, ast.Mult)
            given = isinstance(here, ast.Call) and len(here.args) > 1
            if (factor or given) and guess & names_in(here):
                return True
    return False


def _left_out(view: View, call: ast.Call) -> Iterator[Slip]:
    """A model that is called for training in a tape, and of whose variables no line speaks."""
    sources = keyword(call, "sources") or (call.args[1] if len(call.args) > 1 else None)
    function = view.scope(call)
    trained = {m for n in walk(sources or call) if (m := _variables_of(n))}
    spoken = {m for v in view.every() for n in walk(v.tree) if (m := _variables_of(n))}
    for other in (n for n in walk(function) if isinstance(n, ast.Call)):
        training, name = keyword(other, "training"), dotted(other.func)
        for_training = isinstance(training, ast.Constant) and training.value is True
        if for_training and name and trained and name not in spoken and _is_model(view, name, trained):
            yield Slip(
                "left-out-of-step",
                call.lineno,
                f"`{name}` is called for training, and no step trains it",
                f"The gradients are those of {', '.join(f'`{t}`' for t in sorted(trained)[:3])} alone. No line of the "
                f"program gives the variables of `{name}` to an optimizer: it keeps its first values.",
            )
            return


def _variables_of(node: ast.AST) -> str | None:
    """`net` of `net.trainable_variables`, and of whatever else can train or fill it."""
    if not isinstance(node, ast.Attribute):
        return None
    known = node.attr in ("compile", "fit", "get_weights", "load_weights", "set_weights", "trainable")
    return dotted(node.value) if known or node.attr.endswith(("variables", "weights", "layers")) else None


def _is_model(view: View, name: str, trained: set[str]) -> bool:
    """Whether a name is a model of its own, which no other one that is trained has in it."""
    made = [v for n in walk(view.tree) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == name for v in [n.value]]
    for n in walk(view.tree):
        whole = isinstance(n, ast.Assign) and dotted(n.targets[0]) in trained
        if whole and name.partition(".")[0] in names_in(n):
            return False
    return len(made) == 1 and isinstance(made[0], ast.Call)


def _same_members(loop: ast.For) -> Iterator[Slip]:
    """`set_random_seed(42)` in a loop that makes and trains a model in each round, always the same one."""
    inside = [n for s in loop.body for n in walk(s) if isinstance(n, ast.Call)]
    seeds = [c for c in inside if last_name(c.func) in _SEEDS and c.args and not names_in(loop.target) & names_in(c)]
    fits = [c for c in inside if last_name(c.func) == "fit"]
    used = {n.id for s in loop.body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "trange")
    constant = [c for c in seeds if isinstance(c.args[0], ast.Constant) or last_name(c.args[0]).isupper()]
    draws = [c for c in inside if last_name(c.func) in ("choice", "permutation", "integers", "sample", "resample")]
    if constant and fits and counted and not names_in(loop.target) & used and not draws:
        yield Slip(
            "same-members",
            constant[0].lineno,
            "Each round begins with the same seed, and trains the same model once more",
            "The seed is set within the loop, and nothing else in it changes from round to round: all models are the "
            "same, and their spread is no uncertainty. Add the number of the round to the seed.",
        )


def _anew(loop: ast.For) -> Iterator[Slip]:
    """An optimizer that is made in each epoch, for a model that is not."""
    if not all(_ROUNDS.match(n) for n in names_in(loop.target)):
        return
    inside = [n for s in loop.body for n in walk(s)]
    made = [n for n in inside if isinstance(n, ast.Assign) and _optimizer(n.value)]
    stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    steps = [n for n in inside if isinstance(n, ast.Call) and last_name(n.func) in ("apply_gradients", "apply")]
    steps += [n for n in inside if isinstance(n, ast.Call) and re.search(r"train|step", last_name(n.func))]
    models = {m for s in steps for m in names_in(s) if re.search(r"model|net|encoder|decoder|variables|weights", m)}
    for node in made:
        if steps and models and not models & stored and isinstance(node.targets[0], ast.Name):
            yield Slip(
                "optimizer-anew",
                node.lineno,
                f"`{node.targets[0].id}` begins anew in each round",
                "The model goes on from round to round, and its optimizer does not: the averages of the gradients, the "
                "number of steps and a schedule begin at 0 again. Make it once, above the loop.",
            )


def _optimizer(value: ast.expr) -> bool:
    """One with a state, or with a schedule."""
    if not isinstance(value, ast.Call) or last_name(value.func) not in OPTIMIZERS:
        return False
    return last_name(value.func) != "SGD" or "momentum" in ast.unparse(value) or "Decay" in ast.unparse(value)


def _kept_share(call: ast.Call) -> Iterator[Slip]:
    """`Dropout(keep_prob)`."""
    rate = keyword(call, "rate") or (call.args[0] if call.args else None)
    if isinstance(rate, ast.Name | ast.Attribute) and re.search(r"(?:^|_)keep(?:_|$)", last_name(rate)):
        yield Slip(
            "kept-share",
            call.lineno,
            f"`{ast.unparse(call)[:50]}` drops the share that should be kept",
            f"The first argument of `{last_name(call.func)}` in Keras is the share that is dropped. "
            f"`1 - {ast.unparse(rate)}` keeps the rest.",
        )

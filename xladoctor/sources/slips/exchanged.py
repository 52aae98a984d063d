"""Arguments that stand in each other's place: predictions where a metric takes the truth, and gradients beside
variables that they are not of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, walk
from xladoctor.sources.slips.slip import Slip

_TRUTH_FIRST = (
    "average_precision_score",
    "balanced_accuracy_score",
    "classification_report",
    "confusion_matrix",
    "explained_variance_score",
    "log_loss",
    "mean_absolute_percentage_error",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
)
"""Functions of scikit-learn and TensorFlow that give other numbers where truth and prediction are exchanged."""
_GUESSES = frozenset({"predict", "predict_on_batch", "predict_proba", "decision_function"})
_TRUTH = re.compile(
    r"^[yt](?:_|$)|(?:^|_)(?:labels?|truth|true|targets?|actual|gold|observed|obs)(?:_|$)", re.IGNORECASE
)
_STEPS = 12
_SOURCES = 1
"""Where `GradientTape.gradient` takes what it differentiates by."""


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls(*_TRUTH_FIRST):
        yield from _scores(view, call)
    for call in view.calls("zip"):
        yield from _gradients(view, call)


def _scores(view: View, call: ast.Call) -> Iterator[Slip]:
    name = last_name(call.func)
    if name in view.back.functions or len(call.args) < 2 or _turned(view, call):
        return
    first, second = (_names(view, argument) for argument in call.args[:2])
    if _GUESSES & first and not _GUESSES & second and any(map(_TRUTH.search, second)):
        given, truth = map(ast.unparse, call.args[:2])
        yield Slip(
            "exchanged-scores",
            call.lineno,
            f"`{name}` gets the prediction where it takes the truth",
            f"Its first argument is the truth, and the second the prediction. Here the first, `{given[:40]}`, comes "
            f"from the model, and the second, `{truth[:40]}`, does not: rows and columns, or what is divided by what, "
            "change places.",
        )


def _turned(view: View, call: ast.Call) -> bool:
    """Whether the result is transposed: then the places are exchanged on purpose."""
    above = view.above.get(call)
    named = last_name(above.func) if isinstance(above, ast.Call) else getattr(above, "attr", "")
    return named in ("T", "transpose", "matrix_transpose")


def _names(view: View, value: ast.expr) -> set[str]:
    """The names and called functions that a value is made of, as far as a few steps back."""
    found = {n for node in walk(value) if (n := _name(node))}
    for made, _ in zip(view.made(value), range(_STEPS), strict=False):
        found |= {n for node in walk(made.value) if (n := _name(node))}
    return found


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _gradients(view: View, call: ast.Call) -> Iterator[Slip]:
    if len(call.args) != 2 or not isinstance(call.args[0], ast.Name):
        return
    taken = view.back.named(view.file, call.args[0])
    if len(taken) != 1 or not isinstance(taken[0].value, ast.Call) or last_name(taken[0].value.func) != "gradient":
        return
    made = taken[0].value
    sources = keyword(made, "sources") or (made.args[_SOURCES] if len(made.args) > _SOURCES else None)
    if sources is None:
        return
    of, beside = _terms(view, sources), _terms(view, call.args[1])
    if not of or not beside or of == beside or not (set(of) <= set(beside) or set(beside) <= set(of)):
        return
    fewer = set(of) != set(beside)
    some = ", ".join(f"`{one}`" for one in sorted(set(of) ^ set(beside))[:2])
    yield Slip(
        "gradients-of-fewer" if fewer else "gradients-exchanged",
        taken[0].line,
        "Gradients stand beside variables that they are not of",
        f"They are taken by `{ast.unparse(sources)[:60]}` and handed on with `{ast.unparse(call.args[1])[:60]}`. "
        + (
            f"`zip` ends with the shorter list: what only one of both has, {some}, is not trained."
            if fewer
            else "Both have the same variables in another order, so that each gets the gradient of another one."
        ),
    )


def _terms(view: View, value: ast.expr) -> list[str]:
    """The lists that a list is the sum of, as they are written; a name stands for the one value that it is given."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [*_terms(view, value.left), *_terms(view, value.right)]
    if isinstance(value, ast.List | ast.Tuple) and all(isinstance(e, ast.Starred) for e in value.elts):
        return [t for e in value.elts if isinstance(e, ast.Starred) for t in _terms(view, e.value)]
    if isinstance(value, ast.Name):
        made = view.back.named(view.file, value)
        whole = len(made) == 1 and isinstance(made[0].statement, ast.Assign) and made[0].line != value.lineno
        return _terms(view, made[0].value) if whole else [value.id]
    return [ast.unparse(value).replace("trainable_weights", "trainable_variables")]

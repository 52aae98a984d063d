"""What a score is fed with: classes for scores, a single column for classes, numbers that are no probabilities, rows of
a shuffled generator, folds of a model that knows them, and one prediction several times.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import dotted, keyword, last_name, names_in, nodes_of, operands, walk
from xladoctor.sources.predictions import PREDICTS, cut, prediction, words_of
from xladoctor.sources.slips.slip import Slip

_CURVES = ("auc", "average_precision_score", "precision_recall_curve", "roc_auc_score", "roc_curve")
_SIGMOIDS = frozenset({"sigmoid", "expit", "softmax", "hard_sigmoid", "exp", "tanh"})
_FILES = frozenset({"flow_from_directory", "flow_from_dataframe"})
_ON_PURPOSE = re.compile(r"walk.?forward|timeseriessplit|warm|continual|online|incremental|expanding", re.IGNORECASE)
_FOLDS = re.compile(r"fold|split\(|leave|held?_?out|\bcv\b", re.IGNORECASE)
_NEW_WEIGHTS = frozenset({"clone_model", "load_weights", "set_weights", "from_config", "load_model", "restore"})
_SUMS = frozenset({"sum", "reduce_sum", "mean", "reduce_mean", "count_nonzero"})
_RATIO = re.compile(
    r"(?:^|_)(?:f1|f_?beta|fscore|r2|r_?square\w*|corr\w*|pearson\w*|kappa|mcc|recall|precision)(?:_|$)"
)


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls(*_CURVES):
        yield from _classes_for_scores(view, call)
    for call in view.calls("argmax"):
        yield from _one_column(view, call)
    for node in walk(view.tree):
        if isinstance(node, ast.Compare):
            yield from _scores_for_probabilities(view, node)
        elif isinstance(node, ast.For):
            yield from _folds(view, node)
        elif isinstance(node, ast.ListComp):
            yield from _one_prediction(view, node)
    yield from _shuffled_files(view)
    yield from _means_of_ratios(view)


def _classes_for_scores(view: View, call: ast.Call) -> Iterator[Slip]:
    """`roc_auc_score(truth, p > 0.5)`."""
    if len(call.args) < 2 or (last_name(call.func) == "auc" and "score" not in ast.unparse(call.func)):
        return
    made = cut(view, call.args[1])
    if made is not None:
        yield Slip(
            "fed-with-classes",
            call.lineno,
            f"`{last_name(call.func)}` gets classes where it takes scores",
            f"`{ast.unparse(call.args[1])[:40]}` was cut to classes by `{ast.unparse(made)[:50]}`. The curve goes over "
            "all thresholds of a score; of 0 and 1 it has one point, and its area says only how good this cut is.",
        )


def _one_column(view: View, call: ast.Call) -> Iterator[Slip]:
    """`argmax(p, axis=1)` of (rows, 1)."""
    of, rest = operands(call, ("np", "numpy", "tf", "math", "ops", "K", "jnp"))
    axis = keyword(call, "axis") or (rest[0] if rest else None)
    if of is None or axis is None or ast.unparse(axis) not in ("1", "-1") or prediction(view, of) is None:
        return
    sizes = view.shape(of)
    if sizes is not None and len(sizes) == 2 and sizes[1] == 1:
        yield Slip(
            "argmax-of-one",
            call.lineno,
            f"`{ast.unparse(call)[:60]}` is 0 for every row",
            f"The model gives one number for each row: `{ast.unparse(of)[:40]}` has the shape {sizes}. The largest of "
            "one is always the first. A single probability is compared with a threshold.",
        )


def _scores_for_probabilities(view: View, node: ast.Compare) -> Iterator[Slip]:
    """`p > 0.5` of what a model gives that is trained `from_logits`, in a program that has no sigmoid."""
    right = node.comparators[0]
    half = isinstance(right, ast.Constant) and right.value == 0.5 and isinstance(node.ops[0], ast.Gt | ast.GtE)
    if not half or prediction(view, node.left) is None:
        return
    words = words_of(view)
    logits = any(
        isinstance(k.value, ast.Constant) and k.value.value is True
        for v in view.every()
        for call in v.calls("BinaryCrossentropy", "binary_crossentropy", "BinaryFocalCrossentropy")
        for k in call.keywords
        if k.arg == "from_logits"
    )
    if (logits or "sigmoid_cross_entropy_with_logits" in words) and not words & _SIGMOIDS:
        yield Slip(
            "cut-of-scores",
            node.lineno,
            f"`{ast.unparse(node)[:60]}` compares scores with the threshold of a probability",
            "The loss takes scores (`from_logits=True`), and no line makes probabilities of them. A probability of "
            "0.5 is a score of 0: rows with scores between 0 and 0.5 are counted as the other class.",
        )


def _folds(view: View, loop: ast.For) -> Iterator[Slip]:
    """A model that is made before the loop over folds, trained in each of them, and tested on its held-out rows."""
    head = f"{ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"
    if not _FOLDS.search(head) or _ON_PURPOSE.search(head):
        return
    inside = [n for s in loop.body for n in walk(s)]
    calls = [n for n in inside if isinstance(n, ast.Call)]
    if any(last_name(c.func) in _NEW_WEIGHTS for c in calls):
        return
    stored = {dotted(n) for n in inside if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Store)}
    fits = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "fit" and _epochs(c)]
    for fit in fits:
        model = dotted(fit.func.value) if isinstance(fit.func, ast.Attribute) else None
        after = [c for c in calls if isinstance(c.func, ast.Attribute) and dotted(c.func.value) == model]
        tested = any(last_name(c.func) in ("evaluate", *PREDICTS) and c.lineno > fit.lineno for c in after)
        if model is not None and model.partition(".")[0] not in {str(s).partition(".")[0] for s in stored} and tested:
            yield Slip(
                "folds-of-one-model",
                fit.lineno,
                f"`{model}` is trained on in each fold, and knows the rows that it is tested on",
                "It is made before the loop, and nothing sets its weights back. From the second fold on, the rows that "
                "are held out were in the training of an earlier fold.",
            )
            return


def _epochs(call: ast.Call) -> bool:
    """Whether a `fit` is one of Keras, and not of a scaler."""
    return len(call.args) > 1 or any(k.arg in ("epochs", "batch_size", "verbose", "y") for k in call.keywords)


def _one_prediction(view: View, node: ast.ListComp) -> Iterator[Slip]:
    """`[model.predict(x) for _ in range(50)]`, and its deviation: `predict` has no dropout."""
    call, loop = node.elt, node.generators[0]
    call = call.value if isinstance(call, ast.Subscript) else call
    counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in ("range", "trange")
    if not (isinstance(call, ast.Call) and last_name(call.func) == "predict" and counted) or len(node.generators) > 1:
        return
    inner_calls = [n for a in call.args for n in nodes_of(a, ast.Call)]
    if names_in(loop.target) & names_in(node.elt) or inner_calls or "training" in words_of(view):
        return
    statement = view.statement(node)
    targets = {n.id for n in nodes_of(statement, ast.Name) if isinstance(n.ctx, ast.Store)} if statement else set()
    spread = [c for c in view.calls("std", "var", "percentile", "quantile", "nanstd") if targets & names_in(c)]
    if spread or any(last_name(c.func) in ("std", "var") for c in nodes_of(statement or node, ast.Call)):
        yield Slip(
            "one-prediction",
            node.lineno,
            f"`{ast.unparse(call)[:50]}` gives the same numbers each time, and their spread is 0",
            "`predict` calls the model for inference, where dropout drops nothing. For several draws call it with "
            "`training=True`.",
        )


def _shuffled_files(view: View) -> Iterator[Slip]:
    """`predict(files)` beside `files.classes`, where `flow_from_directory` shuffles unless it gets `shuffle=False`."""
    for call in view.calls(*_FILES):
        statement = view.statement(call)
        shuffle = keyword(call, "shuffle")
        if not isinstance(statement, ast.Assign) or (shuffle is not None and ast.unparse(shuffle) != "True"):
            continue
        name = dotted(statement.targets[0])
        predicted = any(c.args and dotted(c.args[0]) == name for c in view.calls(*PREDICTS))
        read = [
            n
            for n in nodes_of(view.tree, ast.Attribute)
            if n.attr in ("classes", "labels", "filenames") and dotted(n.value) == name
        ]
        if name is not None and predicted and read:
            yield Slip(
                "shuffled-files",
                call.lineno,
                f"`{name}` shuffles its files, and `{name}.{read[0].attr}` has them in their order",
                f"`{last_name(call.func)}` shuffles unless it is given `shuffle=False`. The rows of `predict({name})` "
                f"come in another order than those of `{ast.unparse(read[0])}`.",
            )


def _means_of_ratios(view: View) -> Iterator[Slip]:
    """`metrics=[f1]` of a function of the program, whose counts are those of one batch."""
    for call in view.calls("compile"):
        listed = keyword(call, "metrics")
        for item in listed.elts if isinstance(listed, ast.List | ast.Tuple) else ():
            own = view.back.functions.get(item.id, ()) if isinstance(item, ast.Name) else ()
            for file, function in own:
                ratio = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in walk(function))
                sums = [n for n in nodes_of(function, ast.Call) if last_name(n.func) in _SUMS]
                rows = not any(keyword(s, "axis") or len(s.args) > 1 for s in sums)
                if file == view.file and _RATIO.search(function.name.lower()) and ratio and len(sums) > 1 and rows:
                    yield Slip(
                        "mean-of-ratios",
                        function.lineno,
                        f"`{function.name}` is computed for each batch, and Keras takes the mean of the batches",
                        "A ratio of counts is not the mean of the ratios of its parts: batches with few rows of a "
                        "class count as much as others, and those with none as 0. A metric with a state divides the "
                        "counts of all batches.",
                    )

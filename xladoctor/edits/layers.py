"""Edits of a Keras model and of how it is trained: layers, losses, labels, batches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import argument, beside, called, keras, last, module, number
from xladoctor.edits.text import Candidate, Change, Text
from xladoctor.sources.names import around, keyword

_RECURRENT = frozenset({"LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "CuDNNLSTM", "CuDNNGRU"})
_PADDED = re.compile(r"(Conv|Depthwise|Separable|MaxPool|AveragePool|AvgPool|max_pool|avg_pool|conv)\w*\Z|conv\dd\Z")
_SPARSE = {
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
    "categorical_accuracy": "sparse_categorical_accuracy",
    "CategoricalAccuracy": "SparseCategoricalAccuracy",
    "softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
    "softmax_cross_entropy": "sparse_softmax_cross_entropy",
}
_DENSE = {sparse: dense for dense, sparse in _SPARSE.items()}
_RUNS = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})
_FIRST_AXES = frozenset({"predict", "predict_on_batch", "__call__"})


def losses(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The loss for class numbers in the place of the one for one-hot labels, and back; all names of it at once."""
    about = facts.says("logits", "labels", "target", "one-hot", "cross_entropy", "crossentropy", "label value")
    base = 1.0 if about else 9.0
    for table, kind, why in (
        (_SPARSE, "sparse-loss", "take labels that are class numbers"),
        (_DENSE, "one-hot", "take labels that are one-hot"),
    ):
        changes = []
        for node in (*text.all(ast.Constant), *text.all(ast.Attribute), *text.all(ast.Name)):
            if isinstance(node, ast.Constant) and node.value in table:
                written = text.of(node)
                changes.append(text.put(node, written.replace(str(node.value), table[str(node.value)])))
            elif isinstance(node, ast.Attribute) and node.attr in table:
                _, end = text.span(node)
                changes.append(Change(end - len(node.attr), end, table[node.attr]))
            elif isinstance(node, ast.Name) and node.id in table and isinstance(node.ctx, ast.Load):
                changes.append(text.put(node, table[node.id]))
        if changes:
            yield candidate(text, facts, kind, why, base, *changes)


def labels(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Labels made one-hot, or given their axis, where they are handed to a loss."""
    name = keras(text)
    units = [number(argument(c, 0, "units")) for c in text.all(ast.Call) if called(c) == "Dense"]
    about = facts.says("target", "labels", "logits", "loss", "rank", "weights can not be broadcast")
    by_one = any(size + 1 in facts.sizes for size in facts.sizes)
    from_one = 0.5 if by_one or facts.says("label value", "out of bounds", "is not in [0") else 9.0
    for call in text.all(ast.Call):
        if called(call) in ("to_categorical", "one_hot") and call.args:
            change = text.put(call.args[0], f"{text.of(call.args[0])} - 1")
            yield candidate(text, facts, "one-hot", "count the classes from 0", from_one, change)
        if called(call) not in _RUNS:
            continue
        given = argument(call, 1, "y")
        if given is None or isinstance(given, ast.Constant):
            continue
        if _regresses(text):
            continue
        base = 2.5 if about else 8.0
        wrapped = text.of(given)
        if name is not None and units and units[-1] and units[-1] > 1:
            made = f"{name}.utils.to_categorical({wrapped}, {units[-1]})"
            yield candidate(text, facts, "one-hot", "make the labels one-hot", base, text.put(given, made))


_OF_NUMBERS = frozenset(
    {"mse", "mae", "mape", "msle", "huber", "log_cosh", "mean_squared_error", "mean_absolute_error"}
)


def _regresses(text: Text) -> bool:
    """Whether all models are compiled with a loss of numbers, and of no classes."""
    asked = [argument(c, 1, "loss") for c in text.all(ast.Call) if called(c) == "compile"]
    return bool(asked) and all(isinstance(loss, ast.Constant) and loss.value in _OF_NUMBERS for loss in asked)


def units(text: Text, facts: Facts) -> Iterator[Candidate]:
    """As many units as the other side has columns. The last layer of its kind is the likeliest."""
    dense = [c for c in text.all(ast.Call) if called(c) in ("Dense", "dense") and _units(c) is not None]
    about = facts.says("target", "labels", "logits", "loss", "classes", "received a label value")
    for order, call in enumerate(reversed(dense)):
        node = _units(call)
        have = number(node)
        if node is None or have is None:
            continue
        wanted = [*facts.other(have)] if have in facts.sizes or about else []
        found = re.search(r"label value of (\d{1,9})", facts.message)
        if found is not None:
            wanted = [int(found[1]) + 1]
        for size in wanted[:3]:
            if 0 < size < 100_000:
                base = 1.0 if order == 0 and about else 3.5
                yield candidate(text, facts, "units", f"give it {size} units", base, text.put(node, str(size)))


def _units(call: ast.Call) -> ast.expr | None:
    return argument(call, 1 if last(call.func) == "dense" else 0, "units")


def flattened(text: Text, facts: Facts) -> Iterator[Candidate]:
    """`Flatten` before a Dense layer that meets more than two axes, or pooling over all places."""
    for call in text.all(ast.Call):
        if called(call) not in ("Dense", "Flatten", "GlobalAveragePooling2D", "Dropout"):
            continue
        for name in ("Flatten", "GlobalAveragePooling2D") if called(call) == "Dense" else ():
            written, extra = beside(text, call, name)
            change = _before(text, call, f"{written}()")
            if change is None:
                continue
            base = (2.0 if name == "Flatten" else 4.5) + (0.0 if _is_rank(facts) else 2.0)
            why = "flatten what comes before" if name == "Flatten" else "pool over all places before it"
            yield candidate(text, facts, "flatten", why, base, change, *extra)
        if called(call) == "Flatten" and not call.args:
            change = _without(text, call)
            if change is not None:
                yield candidate(text, facts, "flatten", "leave out this Flatten", 5.0, change)


def _is_rank(facts: Facts) -> bool:
    ranks = {len(shape) for shape in facts.shapes if shape}
    return len(ranks) > 1 or facts.says("ndim", "rank", "dimensions")


def _before(text: Text, call: ast.Call, layer: str) -> Change | None:
    """A layer put before another: in a list, in a row of `add`, in a call on a tensor."""
    parent = text.parents.get(call)
    start, _ = text.span(call)
    if isinstance(parent, ast.List | ast.Tuple) and _in_sequential(text, parent):
        line = text.text.rfind("\n", 0, start) + 1
        own = not text.text[line:start].strip()
        return Change(start, start, f"{layer},\n{text.text[line:start]}" if own else f"{layer}, ")
    if isinstance(parent, ast.Call) and called(parent) == "add" and isinstance(parent.func, ast.Attribute):
        statement = text.parents.get(parent)
        if isinstance(statement, ast.Expr):
            at, _ = text.span(statement)
            indent = " " * statement.col_offset
            return Change(at, at, f"{text.of(parent.func)}({layer})\n{indent}")
    if isinstance(parent, ast.Call) and parent.func is call and len(parent.args) == 1:
        return text.wrapped(parent.args[0], f"{layer}(", ")")
    return None


def _in_sequential(text: Text, node: ast.List | ast.Tuple) -> bool:
    """Whether a list is one of layers: given to `Sequential`, or holding nothing but what classes make."""
    if isinstance(node, ast.List) and len(node.elts) > 1 and all(called(e)[:1].isupper() for e in node.elts):
        return not isinstance(text.parents.get(node), ast.Call) or called(text.parents[node]) in (
            "Sequential",
            "extend",
        )
    parent = next((n for n in around(node, text.parents) if not isinstance(n, ast.BinOp | ast.Starred)), None)
    return isinstance(parent, ast.Call) and called(parent) == "Sequential"


def _without(text: Text, call: ast.Call) -> Change | None:
    """A layer left out of where `_before` would put one."""
    parent = text.parents.get(call)
    start, end = text.span(call)
    if isinstance(parent, ast.List) and _in_sequential(text, parent) and len(parent.elts) > 2:
        behind = re.match(r"\s{0,200},[ \t]{0,100}\n?[ \t]{0,100}", text.text[end : end + 400])
        return Change(start, end + (behind.end() if behind else 0), "")
    if isinstance(parent, ast.Call) and parent.func is call and len(parent.args) == 1:
        return text.put(parent, text.of(parent.args[0]))
    statement = text.parents.get(parent) if isinstance(parent, ast.Call) and called(parent) == "add" else None
    return text.put(statement, "pass") if isinstance(statement, ast.Expr) else None


def sequences(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Whether a recurrent layer hands on every step or the last one."""
    about = facts.says("lstm", "gru", "rnn", "ndim=3", "ndim=2", "expected ndim")
    for call in text.all(ast.Call):
        if called(call) not in _RECURRENT:
            continue
        given = keyword(call, "return_sequences")
        on = isinstance(given, ast.Constant) and given.value is True
        why = "pass on only the last step" if on else "pass on every step"
        change = text.with_keyword(call, "return_sequences", "False" if on else "True")
        yield candidate(text, facts, "return-sequences", why, 1.0 if about else 4.0, change)


def padding(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Whether a convolution or pooling keeps the size."""
    about = facts.says(
        "negative dimension", "would result in", "computed output size would be negative", "zero or less"
    )
    for call in text.all(ast.Call):
        if not _PADDED.match(called(call)):
            continue
        given = keyword(call, "padding")
        if given is not None and not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
            continue
        was = str(given.value) if isinstance(given, ast.Constant) else "valid"
        new = {"valid": "same", "same": "valid", "VALID": "SAME", "SAME": "VALID"}.get(was)
        if new is None or (given is None and not called(call)[:1].isupper()):
            continue
        base = 1.5 if about and new.lower() == "same" else 5.0
        written = f'"{new}"' if given is None else text.of(given).replace(was, new)
        change = text.with_keyword(call, "padding", written)
        yield candidate(text, facts, "other", f"use {new} padding", base, change)


def batches(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Full batches only."""
    for call in text.all(ast.Call):
        if called(call) not in ("batch", "padded_batch", "window") or not isinstance(call.func, ast.Attribute):
            continue
        given = keyword(call, "drop_remainder")
        if (isinstance(given, ast.Constant) and given.value is True) or (
            len(call.args) > 1 and called(call) == "batch"
        ):
            continue
        if not (call.args or call.keywords):
            continue
        size = number(argument(call, 0, "batch_size"))
        small = size is not None and any(0 < n < size for n in facts.sizes) and size in facts.sizes
        change = text.with_keyword(call, "drop_remainder", "True")
        yield candidate(
            text, facts, "drop-remainder", "leave out the last, smaller batch", 1.0 if small else 5.0, change
        )


def one_more_axis(text: Text, facts: Facts) -> Iterator[Candidate]:
    """A batch axis, or one for channels, for what is given to a model."""
    array = module(text, "numpy")
    about = facts.says("expected ndim", "found ndim", "min_ndim", "incompatible with", "expected shape", "rank")
    if facts.says("target.shape", "`target`", "cardinality"):
        return  # it is no question of what goes in
    for call in text.all(ast.Call):
        name = called(call)
        if name not in (*_RUNS, *_FIRST_AXES):
            continue
        given = argument(call, 0, "x")
        if given is None or isinstance(given, ast.Constant | ast.Starred):
            continue
        predicts = name in _FIRST_AXES
        if (not predicts and argument(call, 1, "y") is None) or isinstance(given, ast.List | ast.Dict):
            continue  # a data set, or several inputs
        if isinstance(given, ast.Name) and facts.locals and given.id not in facts.locals:
            continue  # no array was seen under that name
        written = text.of(given)
        for front in (True, False) if predicts else (False, True):
            base = (1.5 if about else 6.0) + (0.0 if front == predicts else 1.5)
            made = f"{written}[{'None' if front else '..., None'}]"
            if array is not None:
                made = f"{array}.expand_dims({written}, {0 if front else -1})"
            why = "add a batch axis" if front else "add an axis for the channels"
            yield candidate(text, facts, "expand", why, base, text.put(given, made))


def pipelines(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Stages of a pipeline: batches made where there are none, once only, or after what is done to each element."""
    stages = [c for c in text.all(ast.Call) if called(c) == "batch" and isinstance(c.func, ast.Attribute)]
    about = 0.0 if facts.says("ndim", "rank", "expected shape", "dimensions") else 2.0
    for call in stages if len(stages) > 1 else ():
        assert isinstance(call.func, ast.Attribute)
        change = text.put(call, text.of(call.func.value))
        yield candidate(text, facts, "batch-size", "make no batches here", 3.0 + about, change)
    for call in text.all(ast.Call):
        if called(call) == "map" and isinstance(call.func, ast.Attribute) and call.func.value in stages:
            inner = call.func.value
            assert isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
            source = text.of(inner.func.value)
            batch, mapped = text.of(inner)[len(source) :], text.of(call)[len(text.of(inner)) :]
            change = text.put(call, f"{source}{mapped}{batch}")
            yield candidate(text, facts, "other", "make the batches after this step", 2.0 + about, change)
        given = argument(call, 0, "x")
        alone = called(call) == "fit" and isinstance(given, ast.Name) and argument(call, 1, "y") is None
        if alone and given is not None and "Dataset" in text.text:
            change = text.put(given, f"{text.of(given)}.batch(8)")
            yield candidate(text, facts, "batch-size", "make batches of it", 2.5 + about, change)


def several(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Two inputs or outputs of a model exchanged."""
    for call in text.all(ast.Call):
        for node in call.args[:2] if called(call) in ("Model", "fit") else ():
            if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 2:
                one, other = node.elts
                changes = (text.put(one, text.of(other)), text.put(other, text.of(one)))
                yield candidate(text, facts, "other", "exchange these two", 3.0, *changes)


ALL = (losses, labels, units, flattened, sequences, padding, batches, one_more_axis, pipelines, several)

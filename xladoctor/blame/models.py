"""Models: layers in a row, `compile`, and what `fit` asks of the data and the outputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.blame import layers
from xladoctor.blame.algebra import conflict
from xladoctor.blame.arguments import Args, Kwargs, arg, is_none
from xladoctor.blame.batches import Batching
from xladoctor.blame.model_inputs import check_inputs
from xladoctor.blame.recorded import with_shape
from xladoctor.blame.suspicion import all_before
from xladoctor.blame.values import (
    Array,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Layer,
    Library,
    Map,
    Model,
    Seq,
    Validation,
    Value,
    array,
    leaves,
    number,
    text,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def sequential(run: Follower, args: Args, kwargs: Kwargs) -> Value:
    """`Sequential([...])`."""
    made = Model(run.origin("layer", "Sequential"))
    made.sequential = True
    given = arg(args, kwargs, 0, "layers")
    for layer in given.items if isinstance(given, Seq) else []:
        add(run, made, layer)
    run.made.append(made)
    return made


def functional(run: Follower, args: Args, kwargs: Kwargs) -> Value:
    """`Model(inputs, outputs)`."""
    made = Model(run.origin("layer", "Model"))
    made.inputs = arg(args, kwargs, 0, "inputs", "input")
    made.outputs = _with_outputs(run, arg(args, kwargs, 1, "outputs", "output"))
    run.made.append(made)
    return made


def add(run: Follower, model: Model, layer: Value) -> Value:
    """`model.add(layer)`: what comes before is its input, where that is known."""
    if not model.layers and model.outputs is None:
        first = layers.input_of(run, layer)
        if first is None and isinstance(layer, Model) and isinstance(layer.inputs, Array):
            first = layer.inputs
        model.inputs = model.outputs = first
    if not isinstance(layer, Array) and not (isinstance(layer, Layer) and layer.cls == "InputLayer"):
        model.layers.append(layer)
        if model.outputs is not None:
            model.outputs = _with_outputs(run, applied(run, layer, [model.outputs]))
    return Const(None)


def applied(run: Follower, layer: Value, args: Args) -> Value:
    """What a layer, a model or a function gives."""
    from xladoctor.blame.expressions import call

    return call(run, layer, list(args), {})


def called(run: Follower, model: Model, args: Args) -> Value:
    """`model(x)`: through the layers of a Sequential, or the outputs of a functional model."""
    given = args[0] if args else Value()
    if model.inputs is not None:
        check_inputs(run, model, given)
    if model.sequential:
        out = given
        for layer in model.layers:
            out = applied(run, layer, [out])
        return out
    return model.outputs if model.outputs is not None else Value(model.origin)


def found(model: Model, name: Value | None, index: Value | None) -> Value:
    """`model.get_layer("name")`."""
    known = list(model.layers)
    if not model.sequential and isinstance(model.outputs, Array):
        known = [a.made_by for a in all_before(model.outputs) if isinstance(a.made_by, Layer)]
    named = next((v for v in known if isinstance(v, Layer) and text(v.settings.get("name")) == text(name)), None)
    if text(name) is not None and named is not None:
        return named
    at = number(index)
    return known[at] if model.sequential and at is not None and -len(known) <= at < len(known) else Value(model.origin)


def compile_(run: Follower, model: Model, args: Args, kwargs: Kwargs) -> Value:
    """`model.compile(optimizer, loss, metrics)`."""
    model.compiled = dict(zip(("optimizer", "loss", "metrics"), args, strict=False)) | dict(kwargs)
    here = run.origin("loss", "compile")
    asked = model.compiled.get("loss")
    named = asked.origin if isinstance(asked, Const) else None
    # What names the loss may be a setting elsewhere.
    model.compiled_at = named or replace(here, line=run.calls[-1].keywords.get("loss", here.line))
    model.metrics_at = run.calls[-1].keywords.get("metrics", here.line)
    return Const(None)


def fit(run: Follower, holder: Model | Instance, args: Args, kwargs: Kwargs, labels: bool = True) -> Value:
    """`fit`, `evaluate`, `predict`: the data go through the model, and the outputs meet the labels."""
    model = holder.model if isinstance(holder, Instance) else holder
    x, y = arg(args, kwargs, 0, "x"), arg(args, kwargs, 1, "y") if labels else None
    call = run.calls[-1]
    call.loops += 1  # its layers are called for training, and again for validation
    try:
        before = len(run.clashes)
        _through(run, holder, model, x, y, args, kwargs, labels)
        validation = kwargs.get("validation_data")
        if validation is not None and len(run.clashes) == before:
            # Noted before: where the program failed, it is not followed further.
            here = (call.file, getattr(call.node, "lineno", call.first))
            run.validated.append(Validation(Seq([v for v in (x, y) if v is not None]), validation, here, before))
        if isinstance(validation, Dataset) and labels:
            _through(run, holder, model, validation, None, args, kwargs, labels)
        elif isinstance(validation, Seq) and len(validation.items) > 1 and labels:
            _through(run, holder, model, validation.items[0], validation.items[1], args, kwargs, labels)
    finally:
        call.loops -= 1
    return Value(run.origin("call", "fit", holder))


def _through(
    run: Follower,
    holder: Model | Instance,
    model: Model,
    x: Value | None,
    y: Value | None,
    args: Args,
    kwargs: Kwargs,
    labels: bool,
) -> None:
    """One pass of data through a model, and what the loss asks of it."""
    if isinstance(x, Instance):
        act = x.cls.find("__getitem__")
        item = (
            run.enter(Function(act.node, act.scope, x, act.owner), [Const(0)], {}) if isinstance(act, Function) else x
        )
        x = Dataset(item, item.origin or x.origin)
        x.batch = x.origin
    pipeline = x if isinstance(x, Dataset) else None
    if pipeline is not None:
        x, y = _pair(pipeline.element)
        for part in leaves(x):
            if isinstance(part, Array) and pipeline.batch is None:
                part.unbatched = pipeline.origin
    elif isinstance(x, Function):
        x, y = None, None
    else:
        x, y = _as_recorded(run, x, y)
        _note_batches(run, x, args, kwargs, labels)
        _check_rows(run, x, y)
        _check_weights(run, y, kwargs.get("sample_weight"))
    given = _batch(x) if pipeline is None else x or Value()
    if isinstance(holder, Instance):
        step = holder.cls.find("train_step" if labels else "predict_step")
        if isinstance(step, Function):
            whole = Seq([given, _batch(y) if pipeline is None else y]) if y is not None and not is_none(y) else given
            run.enter(Function(step.node, step.scope, holder, step.owner), [whole], {})
            return
        act = holder.cls.find("call")
        outputs: Value = Value()
        if isinstance(act, Function):
            outputs = run.enter(Function(act.node, act.scope, holder, act.owner), [given], {})
    else:
        outputs = called(run, model, [given])
    if y is not None and not is_none(y) and labels:
        check_labels(run, model, outputs, _batch(y) if pipeline is None else y)


def _as_recorded(run: Follower, x: Value | None, y: Value | None) -> tuple[Value | None, Value | None]:
    """The data with the shapes that the call was recorded with, where the source does not tell them."""
    call = run.calls[-1]
    shapes = run.crash.seen.calls.get((call.file, getattr(call.node, "lineno", call.first)))
    if not shapes or isinstance(x, Seq | Map) or isinstance(y, Seq | Map):
        return x, y
    out: list[Value | None] = []
    for i, value in enumerate((x, y)):
        shape = shapes[i] if i < len(shapes) else None
        known = array(value)
        open_ = (
            value is not None and not is_none(value) and (known is None or known.dims is None or None in known.sizes)
        )
        out.append(with_shape(run, value, shape) if shape is not None and open_ and value is not None else value)
    return out[0], out[1]


def _with_outputs(run: Follower, outputs: Value | None) -> Value | None:
    """The outputs of a model with their recorded shape, where the source does not tell it."""
    call = run.calls[-1]
    shapes = run.crash.seen.outputs.get((call.file, getattr(call.node, "lineno", call.first)))
    if isinstance(outputs, Array) and outputs.dims is None and shapes and len(shapes) == 1 and shapes[0]:
        dims = [Dim(None, None, batch=True), *(Dim(n, outputs.origin) for n in shapes[0][1:])]
        made = Array(dims, outputs.origin, "symbolic")
        made.made_by, made.inputs = outputs.made_by, outputs.inputs
        return made
    return outputs


def _check_rows(run: Follower, x: Value | None, y: Value | None) -> None:
    """As many labels as inputs."""
    known = [v for part in (x, y) for v in leaves(part) if isinstance(v, Array) and len(v.dims or ()) > 0]
    for other in known[1:]:
        first = known[0]
        if first.dims and other.dims and conflict(first.dims[0], other.dims[0]):
            run.clash("rows", "the data", [first, other], [0, 0], [first.dims[0], other.dims[0]], hint="rows")
            return


def _check_weights(run: Follower, y: Value | None, given: Value | None) -> None:
    """One weight a sample, or one a step: never more axes than the loss leaves of the labels."""
    weights, labels = array(given), array(y)
    if weights is None or labels is None or not weights.dims or not labels.dims:
        return
    sides = [labels.dims[0], weights.dims[0]]
    if conflict(*sides):
        run.clash("rows", "the sample weights", [labels, weights], [0, 0], sides, hint="rows")
        return
    if len(weights.dims) < 2:
        return
    if len(weights.dims) >= len(labels.dims) and weights.dims[-1].size != 1:
        sides = [Dim(len(weights.dims), weights.origin), Dim(max(len(labels.dims) - 1, 1), labels.origin)]
        run.clash("rank", "the sample weights", [weights, labels], [None, None], sides)


def _note_batches(run: Follower, x: Value | None, args: Args, kwargs: Kwargs, labels: bool) -> None:
    found = next((v for v in leaves(x) if isinstance(v, Array)), None)
    size = number(arg(args, kwargs, 2 if labels else 1, "batch_size"))
    rows = found.dims[0].size if found is not None and found.dims else None
    if rows:
        made = found.dims[0].origin if found is not None and found.dims else None
        run.fits.append(Batching(rows, size or 32, run.origin("batch-size", "the batches"), False, made))
        split = kwargs.get("validation_split")
        if isinstance(split, Const) and isinstance(split.value, float) and 0 < split.value < 1:
            kept = int(rows * (1.0 - split.value))
            for part in (kept, rows - kept):
                run.fits.append(Batching(part, size or 32, run.origin("split", "validation_split"), False))


def _pair(element: Value) -> tuple[Value, Value | None]:
    if isinstance(element, Seq) and len(element.items) >= 2:
        return element.items[0], element.items[1]
    return element, None


def _batch(value: Value | None) -> Value:
    """The data as a batch of them: the rows are not known."""
    if isinstance(value, Seq) and not any(isinstance(i, Array | Seq) for i in value.items):
        return array(value) or Value()
    if isinstance(value, Seq):
        return Seq([_batch(item) for item in value.items], value.origin)
    if isinstance(value, Map):
        return Map({k: _batch(v) for k, v in value.items.items()}, value.origin)
    if not isinstance(value, Array) or not value.dims:
        return value or Value()
    made = Array([Dim(None, value.dims[0].origin, batch=True), *value.dims[1:]], value.origin, "tensor")
    made.name, made.integer, made.classes, made.inputs = value.name, value.integer, value.classes, value.inputs
    made.aliases, made.rows = value.aliases, value.dims[0]
    return made


def called_loss(run: Follower, loss: Library, args: Args, kwargs: Kwargs) -> Value:
    """A loss object that is called: in a training loop of the user's own."""
    model = Model(loss.origin)
    model.compiled, model.compiled_at = {"loss": loss}, loss.origin
    labels, outputs = arg(args, kwargs, 0, "y_true"), arg(args, kwargs, 1, "y_pred")
    if labels is not None and outputs is not None:
        check_labels(run, model, outputs, labels)
        _check_rows(run, labels, outputs)
    return Array((), run.origin("loss", "a loss", labels, outputs), "tensor")


def check_labels(run: Follower, model: Model, outputs: Value, labels: Value) -> None:
    """The constraint of the loss on labels and outputs."""
    out, y = array(outputs) if isinstance(outputs, Array) else None, array(labels)
    if isinstance(outputs, Seq) and isinstance(labels, Seq):
        for one, other in zip(outputs.items, labels.items, strict=False):
            check_labels(run, model, one, other)
        return
    asked = model.compiled.get("loss")
    if isinstance(asked, Function):
        run.enter(asked, [labels if y is None else y, outputs if out is None else out], {})
        return
    if out is None or y is None or out.dims is None or y.dims is None or not out.dims:
        return
    _check_metrics(run, model, y, out)
    loss = loss_name(asked)
    if loss.startswith("sparse"):
        _check_sparse(run, model, y, out, loss)
        return
    what = f"the loss {loss}".strip()
    if len(y.dims) != len(out.dims):
        if len(y.dims) == 1 and len(out.dims) == 2 and out.dims[-1].size == 1:
            return
        sides = [Dim(len(y.dims), y.origin), Dim(len(out.dims), out.dims[-1].origin)]
        run.clash("rank", what, [y, out, model], [None, None], sides, hint="labels")
        return
    for axis in range(1, len(y.dims)):
        if conflict(y.dims[axis], out.dims[axis]):
            sides = [y.dims[axis], out.dims[axis]]
            run.clash("equal", what, [y, out, model], [axis, axis], sides, hint="labels")
            return


_ONE_HOT_METRICS = ("f1_score", "f_beta_score", "categorical_accuracy", "categorical_crossentropy", "top_k_categorical")


def _check_metrics(run: Follower, model: Model, y: Array, out: Array) -> None:
    """Metrics that compare one column for each class."""
    for metric in leaves(model.compiled.get("metrics")):
        said = loss_name(metric)
        fewer = y.dims and out.dims and len(y.dims) < len(out.dims) and (out.dims[-1].size or 0) > 1
        if fewer and said.startswith(_ONE_HOT_METRICS):
            sides = [Dim(len(y.dims or ()), y.origin), Dim(len(out.dims or ()), out.origin)]
            at = run.origin("loss", said)
            where = Value(replace(at, line=model.metrics_at or at.line))
            run.clash("rank", f"the metric {said}", [y, out, where], [None, None], sides, hint="metric")


def _check_sparse(run: Follower, model: Model, y: Array, out: Array, loss: str) -> None:
    """Labels that are class numbers: one axis fewer than the outputs, or a last one of 1."""
    got, wanted = y.dims or (), out.dims or ()
    what, values = f"the loss {loss}", [y, out, model]
    if not (len(got) == len(wanted) - 1 or (len(got) == len(wanted) and got[-1].size == 1)):
        sides = [Dim(len(got), y.origin), Dim(len(wanted), out.origin)]
        run.clash("rank", what, values, [None, None], sides, hint="sparse")
        return
    for axis in range(1, min(len(got), len(wanted) - 1)):
        if conflict(got[axis], wanted[axis]):
            run.clash("equal", what, values, [axis, axis], [got[axis], wanted[axis]], hint="labels")
            return
    if y.classes is not None and (y.classes.size or 0) > (wanted[-1].size or 1 << 62):
        run.clash("classes", what, values, [None, -1], [y.classes, wanted[-1]], hint="sparse")


def loss_name(value: Value | None) -> str:
    """The name of a loss, as its text would be: `categorical_crossentropy`; empty where it is not known."""
    said = text(value)
    if said is not None:
        return said.lower()
    if isinstance(value, Library):
        last = value.name.rpartition(".")[2].removesuffix("()")
        snake = "".join("_" + c.lower() if c.isupper() else c for c in last).lstrip("_")
        return snake.lower()
    return ""

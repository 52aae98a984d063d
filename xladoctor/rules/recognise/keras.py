"""Inputs, targets and weights against what a Keras layer or model expects.

Format strings: keras/src/layers/input_spec.py, keras/src/models/functional.py, keras/src/losses/loss.py and losses/*,
keras/src/trainers/data_adapters/data_adapter_utils.py, keras/src/layers/layer.py (set_weights),
keras/src/saving/saving_lib.py,
keras/engine/* (2.x), tensorflow/python/ops/resource_variable_ops.py, tensorflow/python/checkpoint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, N, by_forms
from xladoctor.rules.matching import Hit, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_LAYER = (
    r"(?:with name .{0,80}? )?(?:of|to|for) layer [\"'`]?([\w./-]{1,200})[\"'`]? is "
    r"incompatible with the layer: "
)

_inputs = by_forms(
    (
        Form(
            "is incompatible with the layer",
            rf"{_LAYER}expected axis {N} of input shape to have value {N},? but received input "
            rf"with shape {SHAPE}",
            "Layer `{0}` expects {2} on axis {1} and got {3}.",
            layer=0,
            pick=(2, 3),
        ),
        Form(
            "is incompatible with the layer",
            rf"{_LAYER}expected (?:min_|max_)?ndim={N}, found ndim={N}\.(?: Full shape received: {SHAPE})?",
            "Layer `{0}` expects {1} axes and got {2}: {3}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "is incompatible with the layer",
            rf"{_LAYER}expected shape={SHAPE}, found shape={SHAPE}",
            "Layer `{0}` expects {1} and got {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form("is incompatible with the layer", rf"{_LAYER}(.{{1,200}})", "Layer `{0}`: {1}", layer=0, pick=()),
        Form(
            "expects",
            rf"Layer \"?([\w./-]{{1,200}})\"? expects {N} (?:named )?input(?:\(s\)|"
            rf"s)?.{{0,600}}?,? but it received {N} input tensors",
            "`{0}` expects {1} inputs and got {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "Input shape",
            rf"nvalid input shape for input .{{1,200}}? with name '(.{{0,80}}?)' and path "
            rf".{{0,80}}?\. Expected shape {SHAPE}, but input has incompatible shape {SHAPE}",
            "Input `{0}` expects {1} and got {2}.",
            pick=(1, 2),
        ),
        Form(
            "nvalid input shape",
            rf"nvalid input shape for input .{{1,200}}?\. Expected shape {SHAPE}, but input has "
            rf"incompatible shape {SHAPE}",
            "The model expects {0} and got {1}.",
        ),
        # keras/src/layers/normalization/group_normalization.py
        Form(
            "the number of channels",
            rf"Number of groups \({N}\) .{{1,40}} the number of channels \({N}\)",
            "{0} groups do not fit {1} channels.",
        ),
        # keras/layers/rnn/base_rnn.py; keras/src/layers/core/dense.py
        Form(
            "initial states",
            rf"Layer has {N} states but was passed {N} initial states",
            "A recurrent layer has {0} states, and got {1}.",
        ),
        Form(
            "last dimension of the inputs to a",
            r"last dimension of the inputs to an? `?(\w{1,60})`? (?:layer )?should be defined",
            "A layer {0} must know the last axis of its input, which is None here.",
            pick=(),
        ),
        # keras/src/layers/merging/{base_merge,subtract,dot}.py; keras/layers/merge.py
        Form(
            "layer should be called on",
            rf"A (?:`?(\w{{1,60}})`?) layer should be called on (?:exactly|a list of(?: at least| exactly)?) "
            rf"{N} inputs",
            "A layer {0} takes {1} inputs, and got another number.",
            pick=(1,),
        ),
        Form(
            "Data cardinality is ambiguous",
            rf"Data cardinality is ambiguous.{{0,160}}?sizes: {N}[\d, ]{{0,60}}? ?'?[yx]'? sizes: {N}",
            "Inputs and targets differ in their number of samples: {0} and {1}.",
        ),
        Form(
            "Data cardinality is ambiguous",
            r"(Data cardinality is ambiguous)",
            "Arrays of different numbers of samples were given.",
        ),
        Form(
            "must have the same shape",
            rf"Arguments `target` and `output` must have the same (?:shape|"
            rf"rank).{{0,60}}?target\.shape={SHAPE}, output\.shape={SHAPE}",
            "The targets {0} do not fit the output {1}.",
        ),
        # keras/src/backend/*/nn.py (sparse_categorical_crossentropy)
        Form(
            "must have rank (ndim) `target.ndim - 1`",
            rf"`output` must have rank \(ndim\) `target\.ndim - 1`\. Received: target\.shape={SHAPE}, "
            rf"output\.shape={SHAPE}",
            "A sparse loss takes labels with one axis fewer than the output: the labels are {0}, the output is {1}.",
        ),
        Form(
            "must have the same shape up until the last dimension",
            rf"must have the same shape up until the last dimension: target\.shape={SHAPE}, output\.shape={SHAPE}",
            "The labels {0} do not fit the output {1}: all axes but its last must be the same.",
        ),
        Form(
            "are incompatible",
            rf"Shapes {SHAPE} and {SHAPE} are incompatible",
            "Shapes {0} and {1} meet in a loss or metric, and do not fit.",
        ),
        Form(
            "must have the same shape",
            rf"logits.{{0,60}}must have the same shape,? (?:received )?\(?{SHAPE} vs\.? {SHAPE}",
            "The output {0} does not fit the targets {1}.",
        ),
        Form(
            "logits and labels must have",
            rf"logits and labels must have the same first dimension.{{0,40}}?logits(?:_size=| shape )"
            rf"{SHAPE}.{{1,20}}?labels(?:_size=| shape ){SHAPE}",
            "The logits {0} and the labels {1} must have the same number of rows.",
            rows=True,
        ),
        Form(
            "except for the last dimension",
            rf"labels\.shape`? must equal .{{1,40}}except for the last dimension.{{1,20}}?labels\.shape={SHAPE} and "
            rf"logits\.shape={SHAPE}",
            "The labels {0} do not fit the output {1}: all axes but its last must be the same.",
        ),
        Form(
            "have the same rank",
            rf"have the same (?:rank|shape).{{0,40}}?(?:target|y_true|labels)\S{{0,8}} ?=? "
            rf"?{SHAPE}.{{1,30}}?(?:output|y_pred|logits)\S{{0,8}} ?=? ?{SHAPE}",
            "The targets {0} do not fit the output {1}.",
        ),
        Form(
            "Cannot feed value of shape",
            rf"Cannot feed value of shape {SHAPE} for Tensor .{{1,200}}? which has shape '?{SHAPE}",
            "A value of shape {0} is fed to a placeholder of shape {1}.",
        ),
        Form(
            "Error when checking",
            rf"Error when checking (?:model )?(?:input|target): expected ([\w.-]{{1,100}}) to have "
            rf"(?:shape )?{SHAPE}.{{0,40}}? but got array with shape {SHAPE}",
            "`{0}` expects {1} and got {2}.",
            layer=0,
            pick=(1, 2),
        ),
        # keras/engine/training_utils.py, up to Keras 2.3
        Form(
            "Error when checking",
            rf"Error when checking (?:model )?(?:input|target): expected ([\w.-]{{1,100}}) to have (\d{{1,3}}) "
            rf"dimensions, but got array with shape {SHAPE}",
            "`{0}` expects {1} dimensions and got {2}.",
            layer=0,
        ),
        Form(
            "Error when checking",
            r"(Error when checking (?:model )?(?:input|target)[: ])",
            "An input or a target does not fit the model.",
        ),
    )
)

_weights = by_forms(
    (
        Form(
            "is not compatible with provided weight shape",
            rf"Layer ([\w./-]{{1,200}}) weight shape {SHAPE} is not compatible with provided "
            rf"weight shape {SHAPE}",
            "Layer `{0}` has a weight {1}; {2} was given.",
            layer=0,
            pick=(1, 2),
        ),
        # keras/saving/hdf5_format.py, up to Keras 2.13
        Form(
            "but the saved weight has shape",
            rf"Layer #\d{{1,6}} \(named \"?([\w./-]{{1,200}}?)\"?\), weight .{{1,4000}}? has shape {SHAPE}, but "
            rf"the saved weight has shape {SHAPE}",
            "Layer `{0}` has a weight {1}; the file has {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "load a weight file containing",
            rf"load a weight file containing {N} layers into a model with {N} layers",
            "The file has weights of {0} layers, the model has {1}.",
        ),
        Form(
            "but the saved weights have",
            rf"Layer #\d{{1,6}} \(named \"?([\w./-]{{1,200}}?)\"?.{{0,200}}?\) ?expects {N} weight\(s\), but the "
            rf"saved weights have {N} element",
            "Layer `{0}` takes {1} weights; the file has {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "with a weight list of length",
            rf"set_weights\(weights\)` on layer [\"']?([\w./-]{{1,200}})[\"']? with a weight list "
            rf"of length {N}, but the layer was expecting {N} weights",
            "Layer `{0}` expects {2} weights; {1} were given.",
            layer=0,
            pick=(1, 2),
        ),
        # keras/src/saving/saving_lib.py, with the words of keras/src/backend/common/variables.py
        Form(
            "objects could not be loaded",
            rf"objects could not be loaded\. Example error message for object <\w{{1,80}} name=([\w./-]{{1,200}}), "
            rf".{{1,200}}?variable\.shape={SHAPE}, Received: value\.shape={SHAPE}",
            "Layer `{0}` has a weight {1}; the file has {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "objects could not be loaded",
            r"A total of (\d{1,6}) objects could not be loaded\.(?: Example error message for "
            r"object <\w{1,80} name=([\w./-]{1,200}),)?",
            "{0} objects of the saved weights do not fit the model.",
            layer=1,
            pick=(),
        ),
        Form(
            "when attempting to restore variable",
            rf"incompatible tensor with shape {SHAPE} when attempting to restore variable with "
            rf"shape {SHAPE} and name ([\w./:-]{{1,200}})",
            "The checkpoint holds {0} for variable `{2}` of shape {1}.",
            pick=(0, 1),
        ),
        Form(
            "Shape mismatch",
            rf"Cannot assign value to variable '? ?(\S{{0,200}}?)'?: Shape mismatch\. ?The "
            rf"variable shape {SHAPE}, and the assigned value shape {SHAPE} are incompatible",
            "Variable `{0}` of shape {1} is assigned a value of shape {2}.",
            pick=(1, 2),
        ),
        Form(
            "Shape mismatch in layer",
            rf"Shape mismatch in layer #?\d{{0,5}} ?\(?(?:named "
            rf")?[\"']?([\w./-]{{1,200}})[\"']?\)? for weight .{{1,200}}?\. Weight expects shape "
            rf"{SHAPE}\. Received saved weight with shape {SHAPE}",
            "Layer `{0}` has a weight {1}; the file holds {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "Layer count mismatch",
            rf"Layer count mismatch when loading weights from file\. Model expected {N} layers, "
            rf"found {N} saved layers",
            "The model has {0} layers with weights, the file {1}.",
        ),
        Form(
            "Weight count mismatch",
            rf"Weight count mismatch for layer #?\d{{0,5}} ?\(?(?:named "
            rf")?[\"']?([\w./-]{{1,200}})[\"']?.{{0,200}}?expects {N} weight.{{1,60}}?{N} saved",
            "Layer `{0}` has {1} weights, the file {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "variables, but received",
            rf"Layer '?([\w./-]{{1,200}})'? expected {N} variables, but received {N} variables "
            rf"during loading",
            "Layer `{0}` has {1} variables, the file {2}.",
            layer=0,
            pick=(1, 2),
        ),
        Form(
            "received incompatible shape",
            rf"The target variable with shape={SHAPE} .{{0,300}}?incompatible shape={SHAPE}|"
            rf"variable with shape={SHAPE} received a value with (?:incompatible )?shape={SHAPE}",
            "A variable {0} is assigned a value {1}.",
        ),
        Form(
            "does not match shape of the variable",
            rf"shape of the assigned value {SHAPE}.{{0,80}}?variable {SHAPE}",
            "A value {0} is assigned to a variable {1}.",
        ),
        Form(
            "Assign requires shapes of both tensors to match",
            rf"Assign requires shapes of both tensors to match\. lhs shape= ?{SHAPE} rhs shape= ?{SHAPE}",
            "A variable {0} is restored from a tensor {1}.",
        ),
        Form(
            "in shape_and_slice spec",
            rf"Shape in shape_and_slice spec {SHAPE} does not match the shape in the save file: {SHAPE}",
            "The graph expects {0}, the checkpoint holds {1}.",
        ),
        Form(
            "not compatible with supplied",
            rf"shape {SHAPE}.{{0,60}}?not compatible with supplied.{{0,30}}?{SHAPE}",
            "A saved tensor {0} does not fit {1}.",
        ),
    )
)


def input_mismatch(record: ErrorRecord, text: str) -> Hit | None:
    """An input or target that a layer, a model or a loss does not take."""
    if "is incompatible with the layer: expected dtype=" in text:
        return None
    hit = None if _restoring(record) else _inputs(record, text) or _list_of_inputs(record, text)
    if hit and not record.frames and pattern(r"(?:^|: )Shapes \S.{0,100} are incompatible").search(text):
        # One wording for two failures (tensorflow/python/framework/tensor_shape.py, assert_is_compatible_with).
        hit = replace(
            hit,
            status="untested",
            between=("a target that does not fit the output", "saved weights that do not fit the variables"),
            decide=("the traceback: a loss or metric in it, or a restore or assignment",),
        )
    return hit


def _list_of_inputs(record: ErrorRecord, text: str) -> Hit | None:
    """Several inputs for a layer that takes one: Keras then asks a list for its shape."""
    found = pattern(
        r"'(list|tuple|dict)' object has no attribute '(?:shape|dtype|ndim|rank|get_shape|_keras_shape)'"
    ).search(text)
    if not found or not (
        "Exception encountered when calling" in text or any("keras" in f.file for f in record.frames[-3:])
    ):
        return None
    return Hit(
        f"A layer that takes one tensor got a {found[1]}.",
        status="untested",
        decide=("how many inputs the layer's `call` takes",),
    )


def weights(record: ErrorRecord, text: str) -> Hit | None:
    """Saved or given weights that do not fit the variables."""
    hit = _weights(record, text)
    if hit and "compatible with supplied" in text and record.frames and not _restoring(record):
        hit = None  # `set_shape` says the same of any tensor
    return hit or (_inputs(record, text) if _restoring(record) else None)


def _restoring(record: ErrorRecord) -> bool:
    return any(
        pattern(r"checkpoint[\\/]|[\\/]saving[\\/]").search(frame.file)
        or pattern(r"^_?restore|assign_variable|load_weights|set_weights").search(frame.function or "")
        for frame in record.frames
    )


contract = by_forms(
    (
        Form(
            "is not compatible with expected shape",
            rf"Shape of tensor (?:\S{{1,200}}) {SHAPE} is not compatible with expected shape {SHAPE}",
            "`tf.ensure_shape` expected {1} and got {0}.",
            op="EnsureShape",
        ),
        Form(
            "Condition x == y did not hold",
            r"(?:tf\.)?debugging\.assert_shapes?.{0,80}?(\w{0,40})()",
            "A shape assertion of the program failed.",
        ),
        Form(
            "Specified by tensor",
            rf"Specified by tensor (.{{1,200}}?) dimension {N}\. +Tensor (.{{1,200}}?) dimension "
            rf"{N} must have size {N}\. +Received size {N}",
            "`tf.debugging.assert_shapes`: {4} expected, {5} received.",
            pick=(4, 5),
        ),
        Form(
            "beartype",
            r"(jaxtyping|beartype).{0,200}?(type-check error)",
            "A shape annotation of the program does not hold.",
        ),
        Form(
            "Type-check error",
            r"(Type-check error) whilst checking the (parameters|return value)",
            "A shape annotation of the program does not hold.",
        ),
    )
)

"""Element types that do not go together.

Format strings: tensorflow/core/common_runtime/eager/kernel_and_device.cc, core/kernels/cast_op.cc,
core/framework/{op_kernel,node_def_util}.cc, tensorflow/python/framework/{ops,op_def_library}.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import Form, by_forms
from xladoctor.rules.matching import Hit, find, pattern
from xladoctor.rules.recognise.signature import fits

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


def name_for_value(record: ErrorRecord, text: str) -> str | None:
    """The text that Keras took for a target. A loss gets the whole dict, and makes a tensor of its names, if they are
    not those of the model's outputs (keras/src/trainers/compile_utils.py).
    """
    found = find(text, "of type 'str'", r"Expected '?\w{1,30}'?, but got (\S{1,80}) of type 'str'")
    frames = record.frames
    by_keras = bool(frames) and pattern(r"[\\/]keras[\\/]src[\\/](?:backend|losses|trainers)[\\/]").search(
        frames[-1].file
    )
    own = next((frame.code for frame in reversed(frames) if frame.user), None)
    trains = pattern(r"\.(?:fit|evaluate|train_on_batch|test_on_batch)\(").search(own or "")
    return found[1] if found and by_keras and trains else None


def dtype(record: ErrorRecord, text: str) -> Hit | None:
    """Element types that do not go together, but for names that were taken for values."""
    if name_for_value(record, text):
        return None
    return _dtype(record, text) or _of_signature(record, text) or _no_kernel(text)


def _no_kernel(text: str) -> Hit | None:
    """An op that has kernels for this device, and none for these types: any attribute may be the one that none has
    (tensorflow/core/framework/op_kernel.cc, core/common_runtime/placer.cc).
    """
    found = find(text, "No OpKernel was registered", r"to support Op '(\w{1,80})'")
    attributes = text.partition("with these attrs: [")[2]
    if not found:
        found = find(text, "Could not find device for node", r"= (\w{1,80})\[(?=\w{1,60}=)")
        attributes = text[found.end() :] if found else ""
    old = find(text, "Could not find valid device for node", r"registered for op (\w{1,80})")  # up to TensorFlow 2.1
    if old and "device='CPU'; " in text:
        return Hit(f"{old[1]} has no kernel for the types of its inputs.", op=old[1])
    types = pattern(r"\b\w{1,40}=DT_(\w{1,30})").findall(attributes.partition("]")[0][:1000])
    if not found or not types or "device='CPU'; " not in text:
        return None
    named = ", ".join(dict.fromkeys(name.lower() for name in types))
    return Hit(f"{found[1]} has no kernel for these types ({named}).", op=found[1], details={"types": types[:3]})


_of_signature = fits("dtype-mismatch")
_dtype = by_forms(
    (
        Form(
            "was expected to be a",
            r"cannot compute (\S{1,200}) as input #(\d{1,4})\(zero-based\) was expected to be an? "
            r"(\w{1,30}) tensor but is an? (\w{1,30}) tensor",
            "Input {1} of {0} must be {2} and is {3}.",
            pick=(),
            types=(2, 3),
        ),
        Form(
            "that does not match",
            r"Input '(\S{1,80})' of '(\w{1,100})' Op has type (\w{1,30}) that does not match "
            r"(?:expected type of (\w{1,30})|type (\w{1,30}) of argument '(\S{1,80})')",
            "Input `{0}` of {1} is {2} and does not match {3}{4}.",
            pick=(),
            types=(3, 4, 2),
        ),
        Form(
            "onversion requested dtype",
            r"Tensor conversion requested dtype (\w{1,30}) for Tensor with dtype (\w{1,30})",
            "A tensor of {1} is used where {0} is expected.",
            pick=(),
        ),
        # tensorflow/python/ops/math_ops.py (division of tensors)
        Form(
            "must have the same dtype",
            r"must have the same dtype, got (?:tf\.)?(\w{1,30}) != (?:tf\.)?(\w{1,30})",
            "The operands of a division are {0} and {1}.",
            pick=(),
            types=(0, 1),
        ),
        Form(
            "to float is not supported",
            r"Cast (\w{1,30}) to (\w{1,30}) is not supported",
            "{0} cannot be cast to {1}.",
            pick=(),
            op="Cast",
        ),
        Form(
            "is not supported",
            r"Cast (\w{1,30}) to (\w{1,30}) is not supported",
            "{0} cannot be cast to {1}.",
            pick=(),
            op="Cast",
        ),
        Form(
            "not in the list of allowed values",
            r"Value for attr '(\w{1,40})' of (\w{1,30}) is not in the list of allowed values: "
            r"((?:\w{1,20}, ){0,30}\w{1,20})",
            "{1} is not among the types that the op takes ({2}).",
            pick=(),
        ),
        Form(
            "not in list of allowed values",
            r"parameter '(\w{1,60})' has DataType (\w{1,30}) not in list of allowed values: "
            r"(.{1,160}?)(?:$|\.)",
            "Parameter `{0}` does not take {1} (only {2}).",
            pick=(),
        ),
        Form(
            "that don't all match",
            r"(?:Tensors in list passed to|Input) '(\S{1,60})' of '(\w{1,80})' Op have types "
            r"\[(.{1,160}?)\] that don't all match",
            "The inputs of {1} have different types: {2}.",
            pick=(),
        ),
        Form(
            "Op have types",
            r"Tensors in list passed to '(\S{1,60})' of '(\w{1,80})' Op have types \[(.{1,160}?)\] that do not match "
            r"(?:expected )?type (\w{1,30})",
            "The inputs of {1} are {2}, and must be {3}.",
            pick=(),
        ),
        Form(
            "convert a NumPy array to a Tensor",
            r"Failed to convert a NumPy array to a Tensor \(Unsupported object type ([\w.]{1,60})\)",
            "A NumPy array holds Python objects ({0}), often because its rows differ in length.",
            pick=(),
        ),
        Form(
            "Attempt to convert a value",
            r"Attempt to convert a value \(.{1,200}?\) with an unsupported type \((.{1,80}?)\) to a Tensor",
            "A value of type {0} cannot become a tensor.",
            pick=(),
        ),
        Form(
            "convert Python sequence with mixed types",
            r"(Can't convert Python sequence with mixed types to Tensor)",
            "A Python sequence of mixed types cannot become a tensor.",
            pick=(),
        ),
        Form(
            "of type 'str'",
            r"Expected '?(\w{1,30})'?, but got (.{1,80}?) of type '(str)'",
            "{0} is expected, but {1} was given, which is text. In a mixture of names and numbers, such as a dict "
            "of targets, a name may be wrong.",
            pick=(),
        ),
        Form(
            "Expected",
            r"Expected (?:tensor )?(?:of type )?'?(\w{1,30})'?, (?:but )?got (?:a tensor of type "
            r")?'?(?:<dtype: ')?(\w{1,30})'?.{0,20}? (?:instead|of type)",
            "{0} is expected and {1} was given.",
            pick=(),
        ),
        # tensorflow/core/kernels/sparse/*.cc
        Form(
            "types don't match",
            r"types don't match\. .{0,60}?dtype == (\w{1,30}) vs\. .{0,60}?dtype == (\w{1,30})",
            "Types {0} and {1} are combined.",
            pick=(),
            types=(0, 1),
        ),
        # tensorflow/core/kernels/{map_defun_op,list_kernels}.cc
        Form(
            "ype mismatch: actual",
            r"ype mismatch: actual (\w{1,30}) vs\.? expect(?:ed)? (\w{1,30})",
            "{1} is expected and {0} was given.",
            pick=(),
            types=(0, 1),
        ),
        Form(
            "nvalid data type",
            r"nvalid data types?; .{0,60}?type: ?(\w{1,30}).{1,60}?type: ?(\w{1,30})",
            "Types {0} and {1} are combined.",
            pick=(),
            types=(0, 1),
        ),
        Form(
            "must be from the same type",
            r"(?:All values|arguments?|Tensors?) .{0,80}?must be (?:from|of) the same "
            r"type.{0,80}?(\w{1,30})(?: and |, )(\w{1,30})",
            "Types {0} and {1} are combined.",
            pick=(),
        ),
        Form(
            "must have the same element type",
            r"(?:must have|have) the same element type(?:s)?.{0,80}?(\w{1,8})\[.{0,80}?\].{1,30}?(\w{1,8})\[",
            "Types {0} and {1} are combined in one operation.",
            pick=(),
        ),
        Form(
            "with different element types",
            r"(?:Binary op|[Oo]peration) .{1,60}? with different element types: "
            r"(\w{1,8})\[.{0,80}?\] and (\w{1,8})\[",
            "Types {0} and {1} are combined in one operation.",
            pick=(),
        ),
        Form(
            "No OpKernel was registered",
            r"No OpKernel was registered to support Op '(\w{1,80})'.{0,200}?T=(?:DT_)?(\w{1,30})",
            "{0} has no kernel for {1}.",
            pick=(),
        ),
        Form(
            "Could not find device for node",
            r"Could not find device for node: .{1,400}?= (\w{1,80})\[.{0,200}?\b(?:T|dtype|Tidx|"
            r"SrcT)=DT_(\w{1,30}).{0,2000}?"
            r"registered for op",
            "{0} has no kernel for {1}.",
            pick=(),
        ),
        Form(
            "Invalid data type",
            r"Invalid data types?; .{0,40}?(\w{1,30}) but .{0,40}?(\w{1,30})(?= \[|\s*$)",
            "Types {0} and {1} meet in one operation.",
            pick=(),
        ),
        Form(
            "Expected element type in shape",
            r"Expected (element type) in shape to be (\w{1,20})",
            "An operation takes {1} numbers only.",
            pick=(),
        ),
        Form(
            "expected dtype=",
            r"is incompatible with the layer: expected dtype=(\S{1,40}?), found dtype=(\S{1,40})",
            "A layer takes {0}, and {1} was given.",
            pick=(),
        ),
        Form(
            "Complex types not supported",
            r"(Complex types) not supported",
            "Complex numbers are not supported here.",
            pick=(),
        ),
        Form(
            "ufunc",
            r"ufunc '(\w{1,40})' .{0,80}?(?:not supported for the input types|did not contain a "
            r"loop).{0,160}",
            "NumPy's {0} does not take these types.",
            pick=(),
        ),
        Form(
            "Invalid type",
            r"(?:XLA|xla).{0,60}?(?:[Ii]nvalid|[Uu]nsupported) (?:data )?type(?: for operand)?:? ?(\w{1,30})",
            "XLA does not take the type {0} here.",
            pick=(),
        ),
    )
)

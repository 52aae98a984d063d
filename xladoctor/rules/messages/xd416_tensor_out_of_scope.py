"""A tensor of a traced function that is used outside the function.

Format strings: tensorflow/python/framework/func_graph.py (`_validate_in_scope`) and tensorflow/python/eager/
pywrap_tfe_src.cc since 2.9; tensorflow/python/framework/ops.py and func_graph.py before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, RemedyTest
from xladoctor.rules.matching import Hit, find, make, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_WORDINGS = (
    ("is out of scope and cannot be used here", r"'([^'\s]{1,200})' shape=[^>]{1,200}> is out of scope and cannot be"),
    ("outside of the function building code", r"The graph tensor has name: (\S{1,200})"),
    (
        "it is defined in another function or code block",
        r"\"([^\"\s]{1,200})\", shape=.{1,200}? cannot be accessed here",
    ),
)


_SYMBOLIC = r"Cannot convert a symbolic (?:tf\.)?Tensor \(([^()\s]{1,200})\) to a numpy array"
_TRACING = r"[\\/](?:func_graph|autograph_util|polymorphic_function|api|tracing_compiler)\.py$"


def _kept(record: ErrorRecord, text: str) -> Hit | None:
    """A symbol that NumPy is given where nothing is traced (array_ops.py): the traceback has no frame of tracing. In
    TensorFlow 1 every tensor is a symbol, and a session gives its value.
    """
    found = find(text, "Cannot convert a symbolic", _SYMBOLIC)
    traced = any(
        pattern(_TRACING).search(frame.file) or (frame.function or "")[:4] == "tf__" for frame in record.frames
    )
    if not found or not record.frames or traced or "in user code" in text:
        return None
    return Hit(
        f"The tensor `{found[1]}` has no value where NumPy is given it: nothing is traced there, so it was made in a "
        "function that TensorFlow traced, or in a graph that a session has to run.",
        node=found[1].partition(":")[0],
        status="untested",
        details={"key": found[1], "tensor": found[1]},
    )


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """The tensor, and the function in which it was made, as far as the message names them."""
    for literal, source in _WORDINGS:
        if literal not in text:
            continue
        name = find(text, literal, source)
        made_in = find(text, "FuncGraph(name=", r"[Dd]efined in:? FuncGraph\(name=([^,\s]{1,200}),")
        tensor = f"The tensor `{name[1]}`" if name else "A tensor"
        function = f"the function `{made_in[1]}`" if made_in else "a function"
        return Hit(
            f"{tensor} was made while TensorFlow traced {function}, and is used outside of that trace. It stands for a "
            "value of a later call and has none of its own.",
            node=name[1].partition(":")[0] if name else None,
            details={
                "key": name[1] if name else None,
                **({"tensor": name[1]} if name else {}),
                **({"function": made_in[1]} if made_in else {}),
            },
        )
    return _kept(record, text)


RULE = make(
    recognise,
    code="XD416",
    slug="tensor-out-of-scope",
    title="A tensor is used outside the function in which it was made",
    level="error",
    rank=45,
    literals=("cope and cannot be used", "uilding code is being passed", "ssed here: it is defined"),
    what="Python code keeps a tensor of a tf.function (or of a `tf.cond` or `tf.while_loop` in it) in a list, an "
    "attribute or a global, and uses it in another function or in eager code.",
    why="While a function is traced, its tensors are symbols of its graph. They have no value, and no other graph "
    "knows them. Only returned tensors, and values assigned to a variable, leave the function.",
    example="TypeError: <tf.Tensor 'mul:0' shape=(4,) dtype=float32> is out of scope and cannot be used here. Use "
    "return values, explicit Python locals or TensorFlow collections to access it.",
    tell_apart="The shapes and types are right, but the tensor is used in the wrong place. A variable that is made "
    "in a compiled function is `variable-creation`. An old Python value that the graph keeps from its trace is "
    "`baked-in-setting`.",
    remedies=(
        Remedy(
            "return-the-tensor",
            "Return it from the function",
            "safe",
            "Write `return loss, hidden` instead of `self.hidden = hidden`, and use the returned value. In a Keras "
            "layer or model, return it from `call`, or pass it to `add_loss` or a metric.",
        ),
        Remedy(
            "assign-a-variable",
            "Keep it in a variable",
            "safe",
            "Make a `tf.Variable` outside the function and `assign` to it inside. The variable then holds the value "
            "of the last call.",
        ),
    ),
    references=(
        "tensorflow/python/framework/func_graph.py",
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values",
    ),
)
TESTS = {"return-the-tensor": RemedyTest(why_not=CODE), "assign-a-variable": RemedyTest(why_not=CODE)}

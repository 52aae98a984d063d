"""Variables that an optimizer should train, but that no gradient reaches.

Format strings: keras/src/optimizers/base_optimizer.py (`_filter_empty_gradients`) and keras/src/backend/tensorflow/
optimizer.py in Keras 3; keras/src/optimizers/utils.py (`filter_empty_gradients`) in Keras 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, RemedyTest
from xladoctor.rules.matching import Hit, find, make, pattern

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_SAYS = "Gradients do not exist for variables "
_LIST = r"Gradients do not exist for variables (\[.{1,4000}?\])(?: when minimizing|$)"
_NAMED = r"'([^'\s]{1,200})'"
_SHOWN = 3


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """The variables, as far as the message names them."""
    if _SAYS not in text:
        return None
    listed = find(text, _SAYS, _LIST)
    names = list(dict.fromkeys(pattern(_NAMED).findall(listed[1]))) if listed else []
    return Hit(
        f"The loss has no gradient for {in_words(names)}, so the optimizer leaves "
        f"{'it as it is' if len(names) == 1 else 'them as they are'}.",
        level="warning",
        details={"key": tuple(names), "variables": names},
    )


def in_words(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    if not names:
        return "some of the variables that it is given"
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more variables"


RULE = make(
    recognise,
    code="XD705",
    slug="no-gradient",
    title="Variables of the optimizer get no gradient",
    level="warning",
    rank=72,
    literals=("Gradients do not exist for",),
    what="An optimizer should train variables, but no path of ops with a gradient leads from them to the loss. They "
    "keep their initial values, and training continues without them.",
    why="An op such as `tf.round`, `tf.argmax`, a cast to integers or `tf.stop_gradient` passes no gradient on. "
    "Neither does a value that leaves TensorFlow (`.numpy()`, `tf.numpy_function`). Or the loss does not use the "
    "output at all, or the output was computed outside the tape.",
    example="UserWarning: Gradients do not exist for variables ['net/severity/kernel', 'net/severity/bias'] when "
    "minimizing the loss.",
    tell_apart="If no variable gets a gradient, Keras raises an error. A gradient that is zero (a dead ReLU, "
    "`tf.sign`) exists: it is this class only if the run showed that the values never change. A head that another "
    "step of the run trains, and a variable that the program itself assigns, are not this class. A NaN in the gradient "
    "is `not-finite`.",
    remedies=(
        Remedy(
            "keep-differentiable",
            "Compute the loss from the values before the op that stops the gradient",
            "changes-numerics",
            "Round, take the argmax or cast only for reports and metrics. If the loss needs the rounded value, pass "
            "the gradient straight through: `x + tf.stop_gradient(tf.round(x) - x)`.",
        ),
        Remedy(
            "train-what-is-used",
            "Give the optimizer only the variables that this loss trains",
            "safe",
            "Set `layer.trainable = False` for layers that should not change, or pass the list of variables that "
            "belong to this loss.",
        ),
        Remedy(
            "inside-the-tape",
            "Compute everything that the loss depends on inside the tape",
            "safe",
            "Call the model within `with tf.GradientTape() as tape:`. To the tape, values computed before it, or "
            "under `tape.stop_recording()`, are constants.",
        ),
    ),
    references=(
        "keras/src/optimizers/base_optimizer.py",
        "tensorflow/python/ops/math_grad.py",
        "https://www.tensorflow.org/guide/autodiff#getting_a_gradient_of_none",
    ),
)
TESTS = {name: RemedyTest(why_not=CODE) for name in ("keep-differentiable", "train-what-is-used", "inside-the-tape")}

"""Remedies that several classes share, and those that have a file of their own here.

Such a file has three constants: `REMEDY`, `TEST` (how it is tested, or why it cannot be) and `FOR`, the classes that it
helps. Nothing else lists it. See CONTRIBUTING.md.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from xladoctor.folder import modules
from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import RemedyTest

JIT_OFF = Remedy(
    "jit-off",
    "Switch XLA off for this function",
    "slower",
    "`jit_compile=False` in `model.compile` or on the tf.function. TF_XLA_FLAGS=--tf_xla_auto_jit=0 has no effect on "
    "an explicit jit_compile.",
)

STATIC = Remedy(
    "static-size",
    "Give the axis a static size",
    "safe",
    "Make the number of rows the same on every path: pad to the full size and mask the result, instead of selecting "
    "rows. Then state the size: `x = tf.ensure_shape(x, [N, ...])` raises if it is wrong.",
)

DIRECTLY = Remedy(
    "call-it-directly",
    "Call the Python function by itself on the element that fails",
    "safe",
    "`for element in dataset_before_map: f(element)` in plain Python gives the traceback without frames of TensorFlow.",
)

OUTSIDE = Remedy(
    "move-outside",
    "Move it out of the compiled function",
    "safe",
    "Do it in the caller, in tf.data's map, or in a callback; pass its result in.",
)


@cache
def _files() -> tuple[Any, ...]:
    """The modules of the remedies with a file of their own."""
    return tuple(import_module(f"xladoctor.rules.remedies.{module}") for module in modules(__path__))


def added_to(slug: str, remedies: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """The remedies of a class with those that have a file, behind its own."""
    known = {getattr(remedy, "id", None) for remedy in remedies}  # of a plug-in it can be anything
    more = (file.REMEDY for file in _files() if slug in file.FOR)
    return (*remedies, *(remedy for remedy in more if remedy.id not in known))


def tests() -> dict[str, RemedyTest]:
    """{id: how it is tested} of the remedies with a file of their own."""
    return {file.REMEDY.id: file.TEST for file in _files()}

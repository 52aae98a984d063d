"""What a composition is, and how one is added.

Each is run like an op (`benchmarks.atlas.states`): eagerly, in a graph and under XLA, on the tensors `given` and with
new variables that hold `held`, whose values count as results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

Function = Callable[..., Any]
ROW = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
TABLE = np.arange(1.0, 13.0, dtype=np.float32).reshape(4, 3)
FOUR = np.array(4, np.int32)
NINE = np.array(9, np.int32)


@dataclass(frozen=True)
class Composition:
    """One function, what of TensorFlow it is about (`TensorArray`), and what goes around it: {way: function}."""

    function: Function
    about: tuple[str, ...]
    given: tuple[Any, ...]
    held: tuple[Any, ...]
    ways: dict[str, Function] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """What it does, in a few words."""
        return (self.function.__doc__ or "").strip().rstrip(".")


COMPOSITIONS: dict[str, Composition] = {}


def composition(*about: str, given: tuple[Any, ...] = (ROW,), held: tuple[Any, ...] = ()) -> Callable[..., Function]:
    """Adds the function below it."""

    def add(function: Function) -> Function:
        COMPOSITIONS[function.__name__] = Composition(function, about, given, held)
        return function

    return add


def around(way: str, name: str, *, compiled: bool = True) -> Callable[..., Function]:
    """The function below it is meant to give under XLA what the one of this name gives eagerly; one that is not
    `compiled` compiles a part of itself. `way` stands in `xladoctor.rules.atlas.WORKAROUNDS`.
    """

    def add(function: Function) -> Function:
        COMPOSITIONS[name].ways[way] = under_xla(function) if compiled else function
        return function

    return add


def under_xla(function: Function) -> Function:
    """The function as XLA compiles it, anew for each call."""
    return lambda *given: tf.function(function, jit_compile=True)(*given)

"""The values of variables as digests: whether they changed, without a copy of them."""

from __future__ import annotations

import hashlib
import itertools
import sys
import weakref
from typing import Any

from .. import compat, compat_graph


class Digests:
    """Reads variables of this process until so many bytes were read."""

    def __init__(self, most: int) -> None:
        self.left = most

    def of(self, variable: Any) -> str | None:
        """The digest of a variable's value now; None where it has none here, or where too much was read."""
        inner = inner_of(variable)
        size = compat.bytes_of(inner)
        if size > self.left or not compat_graph.is_local_variable(inner):  # one that is made in a trace has no value
            return None
        self.left -= size
        with sys.modules["tensorflow"].init_scope():
            return hashlib.sha256(inner.numpy().tobytes()).hexdigest()


class Tokens:
    """A number for each object, that no other one gets after its death; none is kept alive."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._next = itertools.count()

    def of(self, thing: Any) -> int:
        """The number of an object."""
        reference, number = self._known.get(id(thing), (None, 0))
        if reference is None or reference() is not thing:
            number = next(self._next)
            self._known[id(thing)] = weakref.ref(thing), number
        return number


def inner_of(variable: Any) -> Any:
    """The `tf.Variable` that a Keras variable holds; any other one itself."""
    inner = getattr(variable, "value", None)
    return variable if inner is None or callable(inner) else inner


def name_of(variable: Any) -> str:
    """The name of a variable as Keras or TensorFlow has it."""
    return str(getattr(variable, "path", None) or getattr(variable, "name", "a variable"))

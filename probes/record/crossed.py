"""Gradients that an optimizer applies to other variables than those that they are gradients of.

A tensor is known as the gradient of a variable while it lives, and no longer: what is clipped or summed is a new one.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import compat, compat_gradients
from .digests import inner_of, name_of
from .graph_trail import frames_here

MAX_LOOKS, MAX_LISTS = 4, 200
"""So many eager gradients of a list of variables are looked at; of each trace all are."""
MAX_FOUND = 10
MAX_VARIABLES = 400
_Made = tuple["weakref.ref[Any]", list[Any]]


class Crossed:
    """Compares what the tapes gave with what the optimizers are given."""

    def __init__(self) -> None:
        self._looks: dict[tuple[int, int], int] = {}
        self._local = threading.local()
        self._found: dict[tuple[str, str], dict[str, Any]] = {}

    def taken(self, sources: Sequence[Any], gradients: Sequence[Any]) -> None:
        """A tape gave the gradients of these variables."""
        key = (id(sources[0]), len(sources))
        looks = self._looks.get(key, 0)
        if looks >= MAX_LOOKS and compat.default_graph() is None:
            return
        if looks or len(self._looks) < MAX_LISTS:
            self._looks[key] = looks + 1
        if compat_gradients.handle_of(sources[0]) is None:
            return
        made: dict[int, _Made] = self._local.__dict__.setdefault("made", {})
        if len(made) > MAX_VARIABLES:
            made.clear()
        for variable, gradient in zip(sources[:MAX_VARIABLES], gradients, strict=False):
            if gradient is None:
                continue
            known = made.get(id(gradient))
            if known is not None and known[0]() is gradient:  # one tensor may be the gradient of several variables
                known[1].append(weakref.ref(variable))
            else:
                made[id(gradient)] = (weakref.ref(gradient), [weakref.ref(variable)])

    def applied(self, optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any]) -> None:
        """An optimizer is given gradients, each with a variable."""
        made: dict[int, _Made] | None = getattr(self._local, "made", None)
        if not made:
            return
        given = {id(inner_of(v)) for v in variables}
        for gradient, variable in zip(gradients, variables, strict=False):
            known = made.get(id(gradient))
            if gradient is None or known is None or known[0]() is not gradient:
                continue
            of = [v for r in known[1] if (v := r()) is not None]
            if of and not any(inner_of(v) is inner_of(variable) for v in of):
                self._cross(optimizer, of[0], variable, id(inner_of(of[0])) in given)
        made.clear()

    def _cross(self, optimizer: Any, of: Any, variable: Any, swapped: bool) -> None:
        key = (name_of(of), name_of(variable))
        if key in self._found:
            return
        if len(self._found) < MAX_FOUND:
            frames = frames_here(6)
            where = frames[0] if frames else None
            self._found[key] = {"swapped": swapped, "optimizer": type(optimizer).__name__, "where": where}

    def told(self, still: Callable[[str], bool]) -> Iterator[dict[str, Any]]:
        """What is to be said at the end. `still(name)`: has the variable kept its value? One that the program copies
        back from another model, as workers do, has not.
        """
        for (of, to), found in self._found.items():
            if found["swapped"] or still(of):
                yield {"of": of, "to": to, **found}

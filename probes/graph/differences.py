"""A graph whose tensors can be set and read, in float64 where it can be: what small differences are taken of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .doubled import doubled
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation, Frames
from .ir import Graph, split
from .load import Program
from .machine import Handle, RunFailed
from .measure import Array
from .randomness import drawn
from .step import Step, prepare
from .transform import truncate

Beside = Callable[[Graph, "Sequence[str]"], "list[str]"]
Prepared = tuple[Step, Graph, "dict[str, list[tuple[str, ...]]]"]
_DOUBLE = np.dtype(np.float64)


class Differences:
    """A step on its recorded inputs, or made-up ones, with the numbers that it draws held fast."""

    def __init__(
        self, program: Program, frames: Frames, wanted: Mapping[str, Sequence[tuple[str, ...]]], beside: Beside
    ) -> None:
        """`wanted` are tensors (`node:output`) of Python-level graphs, in groups; `beside` names more of the flat graph
        that are needed for these.
        """
        self.step, self.graph, self.groups = _prepared(program, frames, wanted, beside)
        self._frames = frames
        given = self.step.arguments.items()
        self._arguments = {n: np.asarray(v) for n, v in given if split(n)[0] in self.graph.nodes}
        random = {n for which in drawn(self.graph) for n in which}
        names = [t for group in self.groups.values() for place in group for t in place if t]
        activation = Activation(frames, self.graph, self._arguments)
        activation.compute([*names, *(f"{n}:{i}" for n in random for i in range(len(activation.loaded.outputs(n))))])
        values = {t: np.asarray(v) for t, v in activation.values.items() if not isinstance(v, Handle)}
        self.values = {t: v for t, v in values.items() if t in names}
        self._drawn = {t: v for t, v in values.items() if split(t)[0] in random}

    def run(self, given: Mapping[str, Array], wanted: Sequence[str]) -> list[Array] | None:
        """These tensors where some have other values; None where that fails, or gives what is no number."""
        fed = {t: np.asarray(v, self.values[t].dtype) for t, v in given.items()}
        activation = Activation(self._frames, self.graph, {**self._arguments, **self._drawn, **fed})
        try:
            activation.fetch(wanted)
        except RunFailed:
            return None
        found = [activation.values.get(t) for t in wanted]
        if any(v is None or isinstance(v, Handle) for v in found):
            return None
        arrays = [np.asarray(v, np.float64) for v in found]
        return arrays if all(np.isfinite(a).all() for a in arrays) else None

    def step_of(self, tensor: str) -> float:
        """How far to go from its value: it must be seen in its type, and be small beside the value."""
        value = np.asarray(self.values[tensor], np.float64)
        size = float(np.sqrt(np.mean(value**2))) if value.size else 1.0
        return (1e-5 if self.values[tensor].dtype == _DOUBLE else 3e-3) * (size if 1e-6 < size < 1e6 else 1.0)

    @property
    def exact(self) -> bool:
        """Whether it is in float64."""
        return any(v.dtype == _DOUBLE for v in self.values.values())


def _prepared(
    program: Program, frames: Frames, wanted: Mapping[str, Sequence[tuple[str, ...]]], beside: Beside
) -> Prepared:
    """The step, what of it leads to the tensors, and their flat names; in float64 unless an op has no such kernel."""
    why = "there is nothing to ask about"
    for make in (doubled, lambda p: p):
        found, why = _tried(make(program), frames, wanted, beside)
        if found is not None:
            return found
    raise Unsupported(why)


def _tried(
    program: Program, frames: Frames, wanted: Mapping[str, Sequence[tuple[str, ...]]], beside: Beside
) -> tuple[Prepared | None, str]:
    """(what `_prepared` gives, or None; why it cannot be had)."""
    try:
        step = prepare(program)
        groups = {graph: _places(step, graph, groups) for graph, groups in wanted.items()}
        named = [t for found in groups.values() for place in found for t in place if t]
        names = list(dict.fromkeys([*named, *beside(step.pure.graph, named)]))
        # What else is in the step may have no kernel for float64, as a metric that looks at bits.
        graph = truncate(step.pure.graph, names)
        arguments = {n: np.asarray(v) for n, v in step.arguments.items() if split(n)[0] in graph.nodes}
        Activation(frames, graph, arguments).fetch(names)
        return (step, graph, groups), ""
    except (RunFailed, GraphRoomError) as error:
        return None, str(error)[:300]
    except Exception as error:  # the graph cannot be imported with these types
        if not type(error).__module__.startswith(("tensorflow", "google")) and not isinstance(error, ValueError):
            raise
        return None, f"{type(error).__name__}: {str(error)[:200]}"


def _places(step: Step, uid: str, groups: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The flat names of groups of tensors of a Python-level graph, at the first call of it that has all of them; "" for
    a tensor without a name, an empty group for one that is nowhere.
    """
    graph, program = step.pure.graph, step.program
    functions = {*program.graphs.get(uid, ()), *([""] if uid == program.uid else ())}
    paths = [(), *(r.path for r in graph.regions if r.function in functions)] if "" in functions else [
        r.path for r in graph.regions if r.function in functions
    ]  # fmt: skip
    found = []
    for group in groups:
        flat = [[graph.tensor(path, t) if t else "" for t in group] for path in paths]
        found.append(next((tuple(str(t) for t in names) for names in flat if None not in names), ()))
    return found

"""A callable of the user's own in the ways that Python has: eagerly, as a `tf.function`, against its own reference.

The function is traced once with open rows, if it can be, and that trace is kept as a capsule: what else is asked about
it (XLA, other rows, the first op that differs) is asked of the capsule. Before each way the variables get back the
values that they had, so that a train step starts from the same weights every time.

A reference is `function.reference`: a callable that takes the same arguments, as NumPy arrays, and returns what
`function` should. Its precision is its own; where it is float64, it is the better one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.requests import CompareCallable
from . import traced
from .callables import Built, NoSubject, build
from .deviation_map import add_maps
from .measure import Results, compared, is_apart
from .parity import PLAIN
from .parity_answers import Kept
from .results_file import keep
from .results_file import kept as kept_results

EAGER, FUNCTION, REFERENCE = "eager", "tf.function", "reference"
_MESSAGE = 4000


def answer(request: CompareCallable, kept: Kept) -> dict[str, Any]:
    """`parity.Ways.compare` of the capsule that a callable gives in a folder, with the ways of Python added
    to its "ways" and "agreements"; "capsule" is that folder and "open" whether its rows are. `python` is true, or
    names those of these ways that are wanted; `save_reference` keeps what the reference gives.
    """
    built = build(request)
    if built.function is None:
        raise NoSubject(f"{request.subject} makes its call itself: there is nothing that could be called in two ways")
    folder = Path(request.folder)
    ways = _Python(built)
    capsule, rows_open, note = ways.capture(folder, request)
    told = kept.compare(request, str(capsule))
    base, allowed = kept.results(PLAIN), kept.allowed() if told["ways"][PLAIN]["outcome"] == "passed" else {}
    for way in (FUNCTION, EAGER, REFERENCE):
        if way not in request.python:
            continue
        outcome, results = ways.run(way)
        if outcome is None:
            continue
        if way == REFERENCE and request.save_reference and outcome["outcome"] == "passed":
            keep(Path(request.save_reference), results)
        told["ways"][way] = outcome
        if outcome["outcome"] != "passed" or not allowed:
            continue
        for name in results if way == REFERENCE else {**base, **results}:
            if name in told["left_out"]:
                continue
            # A variable that the graph does not assign has no plain result; Python tells of all of them.
            if name not in base and name.startswith("variable "):
                continue
            row = compared(name, base.get(name), results.get(name), allowed.get(name))
            told["agreements"].append({**row, "ways": [PLAIN, way], "apart": is_apart(row), "seeded": False})
            if way == REFERENCE:
                told["agreements"] += _others(request, name, results[name], allowed.get(name))
        add_maps(told["agreements"], {PLAIN: base, way: results})
    return {**told, "capsule": str(capsule), "open": rows_open, "note": note}


def _others(request: CompareCallable, name: str, expected: Any, allowed: float | None) -> list[dict[str, Any]]:
    """The results of other settings (`against`) against the reference: it says which of two is the wrong one."""
    found = []
    for way, file in request.against:
        row = compared(name, kept_results(Path(file)).get(name), expected, allowed)
        found.append({**row, "ways": [way, REFERENCE], "apart": is_apart(row), "seeded": False})
    return found


class _Python:
    """A function with its arguments, called from Python."""

    def __init__(self, built: Built) -> None:
        assert built.function is not None
        self._function: Callable[..., Any] = built.function
        self._arguments = traced.as_tensors(built.arguments)
        self._concrete: Any = None

    def capture(self, folder: Path, request: CompareCallable) -> tuple[Path, bool, str | None]:
        """(the capsule, whether it takes any number of rows, why not)."""
        from ..record import capsule

        note = None
        opened = _with_open_rows(self._arguments, request.batch)
        try:
            self._concrete = traced.concrete(self._function, opened)
        except Exception as error:
            note = f"cannot be traced with open rows ({type(error).__name__}: {str(error)[:200]}): traced for this size"
            self._concrete = traced.concrete(self._function, self._arguments)
        name = getattr(self._function, "__name__", None)
        if not (folder / "capsule.json").exists():
            capsule.write_capsule(folder, self._concrete, graph_uid="g0", graphs={}, python_name=name)
            recipe = {
                "data": "exact",
                "variables": "exact",
                "rows": request.batch,
                "batch_size": request.batch,
                "note": f"built by {request.subject}",
            }
            capsule.write_values(folder, self._concrete, data=traced.leaves(self._arguments), recipe=recipe)
        return folder, note is None, note

    def run(self, way: str) -> tuple[dict[str, Any] | None, Results]:
        """(outcome, results by the names that a capsule's have); (None, {}) where there is no such way."""
        call = self._call(way)
        if call is None:
            return None, {}
        before = [(v, v.numpy()) for v in self._variables()]
        start = time.perf_counter()
        try:
            outputs = _arrays(call())
        except Exception as error:
            told = {"kind": type(error).__name__, "message": str(error)[:_MESSAGE]}
            return {"outcome": "failed", "error": told, "seconds": round(time.perf_counter() - start, 6)}, {}
        finally:
            after = {f"variable {v.name}": np.asarray(v.numpy()) for v, _ in before}
            for variable, value in before:
                variable.assign(value)
        results = {f"output {i}": v for i, v in enumerate(outputs)}
        if way != REFERENCE:
            results.update(after)
        return {"outcome": "passed", "error": None, "seconds": round(time.perf_counter() - start, 6)}, results

    def _call(self, way: str) -> Callable[[], Any] | None:
        import tensorflow as tf

        if way == REFERENCE:
            reference = getattr(self._function, "reference", None)
            if reference is None:
                return None
            arrays = tf.nest.map_structure(lambda a: a.numpy() if tf.is_tensor(a) else a, self._arguments)
            return lambda: reference(*arrays)
        if way == FUNCTION:
            return lambda: self._concrete(*self._arguments)

        def eagerly() -> Any:
            tf.config.run_functions_eagerly(True)
            try:
                return self._function(*self._arguments)
            finally:
                tf.config.run_functions_eagerly(False)

        return eagerly

    def _variables(self) -> Sequence[Any]:
        return list(self._concrete.graph.variables)


def _with_open_rows(arguments: tuple[Any, ...], batch: int | None) -> tuple[Any, ...]:
    """Specs of the arguments; axis 0 is open where it has the size of the batch."""
    import tensorflow as tf

    def spec(leaf: Any) -> Any:
        if not tf.is_tensor(leaf):
            return leaf
        dims = leaf.shape.as_list()
        return tf.TensorSpec([None, *dims[1:]] if dims and dims[0] == batch else dims, leaf.dtype)

    return tuple(tf.nest.map_structure(spec, a) for a in arguments)


def _arrays(result: Any) -> list[Any]:
    """The tensors of a result as a graph would return them: flat, those that are None left out."""
    import tensorflow as tf

    return [np.asarray(leaf) for leaf in tf.nest.flatten(result) if leaf is not None]

"""NaN and infinity in what the program has on the host anyway: logs that Keras returned, results, weights at the end.

Nothing here runs while a step runs: no op is added, and nothing waits for a device that Keras has not waited for. What
was given to a call is looked at only once its result is not finite. Weights are read when a `fit` or the process has
ended, within a bound of bytes and seconds.
"""

from __future__ import annotations

import math
import os
import sys
import time
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .. import compat, compat_graph, schema
from .digests import inner_of, name_of
from .frames import hide, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .values import leaves

_clock = time.perf_counter
_getpid = os.getpid

MAX_BYTES = 64 << 20
"""Of weights and of results that are looked at after one call."""
MAX_DATA = 512 << 20
"""Of the data of a call whose result is not finite."""
MAX_SECONDS = 0.25
"""For weights and results, of all calls of a process together; at the end of the process once more."""
MAX_VARIABLES = 4000
_COLUMNS = 5
_MOST_EVENTS = 20


class NumbersRecorder:
    """Writes `not-finite` events: in what, since when, and of which data."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._pid = _getpid()
        self._left = MAX_SECONDS
        self._events = 0
        self._seen: set[tuple[Any, ...]] = set()
        self._variables: list[weakref.ref[Any]] = []
        finder.when_imported(compat.VARIABLES[0], lambda m: guard.part("_hook_variables", self._watch, m))

    def _watch(self, module: ModuleType) -> None:
        cls = getattr(module, compat.VARIABLES[1])
        init = cls.__init__
        keep = self._variables

        def __init__(variable: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            try:
                init(variable, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            if len(keep) < MAX_VARIABLES:
                keep.append(weakref.ref(variable))

        self.guard.hooks.put(cls, "__init__", wraps(init)(__init__))

    # -- after a call of Keras --------------------------------------------------------------------------------------

    def ended(self, method: str, model: Any, call: dict[str, Any] | None, result: Any) -> None:
        """A call of Keras returned `result`."""
        if call is None or (result.__class__ is float and result - result == 0.0):
            return  # the usual case of `train_on_batch`
        if method == "fit":
            self.after_fit(model, call, getattr(result, "history", None))
        elif method.startswith("predict"):
            self._predicted(call, result)
        else:
            bad = {name: [1, str(v), str(v)] for name, v in _named(model, result) if not math.isfinite(v)}
            self._logs(call, bad)

    def after_fit(self, model: Any, call: dict[str, Any], history: Any) -> None:
        """A `fit` ended, or was ended: what its logs show epoch by epoch, else its weights."""
        bad = {}
        for name, values in (history or {}).items():
            epochs = [n for n, v in enumerate(values, 1) if isinstance(v, float) and not math.isfinite(v)]
            if epochs:
                bad[str(name)] = [epochs[0], str(values[epochs[0] - 1]), str(values[-1])]
        if not self._logs(call, bad):
            started = _clock()
            found = self._spoilt(list(getattr(model, "weights", ()) or ()), self._left)
            self._left -= _clock() - started
            if found is not None:
                self._write("weights", call, {found: [None, "nan", "nan"]})

    def _logs(self, call: dict[str, Any], bad: dict[str, list[Any]]) -> bool:
        if bad:
            self._write("logs", call, bad)
        return bool(bad)

    def _predicted(self, call: dict[str, Any], result: Any) -> None:
        numpy = sys.modules.get("numpy")
        for number, array in enumerate(leaves(result)):
            if numpy is None or not _is_float(array) or array.nbytes > MAX_BYTES or self._left <= 0:
                continue
            started = _clock()
            spoilt = not numpy.isfinite(array).all() and bool(numpy.isnan(array).any())
            self._left -= _clock() - started
            if spoilt:
                self._write("result", call, {f"output {number}": [None, "nan", "nan"]})
                return

    # -- at the end -------------------------------------------------------------------------------------------------

    def at_exit(self) -> None:
        """The process ends: which trainable variable holds a NaN, if one does."""
        if _getpid() != self._pid or not self._variables or not compat.context_is_initialized():
            return
        alive = [v for reference in self._variables if (v := reference()) is not None]
        found = self._spoilt([v for v in alive if getattr(v, "trainable", False)], MAX_SECONDS)
        if found is not None:
            self._write("weights", {"method": "exit"}, {found: [None, "nan", "nan"]})

    def _spoilt(self, variables: list[Any], seconds: float) -> str | None:
        """The name of the first variable with a NaN in it, as far as bytes and seconds allow to look."""
        numpy = sys.modules.get("numpy")
        size, until = 0, _clock() + seconds
        for variable in variables:
            inner = inner_of(variable)
            size += compat.bytes_of(inner)
            if numpy is None or size > MAX_BYTES or _clock() > until:
                return None
            if not compat_graph.is_local_variable(inner):
                continue
            array = inner.numpy()
            if _is_float(array) and bool(numpy.isnan(array).any()):
                return name_of(variable)
        return None

    # -- the data of a call -----------------------------------------------------------------------------------------

    def _data(self, call: dict[str, Any]) -> list[dict[str, Any]]:
        """For each input of the call: whether it is finite, else where the first value is that is not; None in
        `finite` where it could not be looked at.
        """
        found, left = [], MAX_DATA
        for name, value in zip(("x", "y", "sample_weight"), call.get("data") or (), strict=False):
            for number, leaf in enumerate(leaves(value)):
                array = _array(leaf)
                size = getattr(array, "nbytes", 0)
                if array is None or not _is_float(array) or size > left:
                    whole = array is not None and getattr(array.dtype, "kind", "") in "iub"
                    found.append({"name": name, "leaf": number, "finite": True if whole else None})
                    continue
                left -= size
                found.append({"name": name, "leaf": number, **_finite(array)})
        return found

    def _write(self, what: str, call: dict[str, Any], names: dict[str, list[Any]]) -> None:
        # Each `fit` has an event of its own: the doctor must know which of them ended well.
        number = call.get("call") if call.get("method") in ("fit", "evaluate") else None
        key = (what, call.get("method"), call.get("model"), number, tuple(names))
        if key in self._seen or self._events >= _MOST_EVENTS:
            return
        self._seen.add(key)
        self._events += 1
        told = {k: call.get(k) for k in ("method", "call", "model", "where")}
        self.guard.sink.write(schema.NOT_FINITE, what=what, **told, names=names, data=self._data(call))


def _finite(array: Any) -> dict[str, Any]:
    numpy = sys.modules["numpy"]
    good = numpy.isfinite(array)
    if good.all():
        return {"finite": True}
    index = numpy.unravel_index(int(numpy.argmin(good)), array.shape) if array.shape else ()
    bad = ~good.reshape(len(array), -1) if array.ndim else ~good.reshape(1, 1)
    columns = numpy.flatnonzero(bad.all(axis=0)) if array.ndim == 2 else ()
    return {
        "finite": False,
        "index": [int(i) for i in index],
        "value": str(array[index]),
        "count": int(array.size - good.sum()),
        "size": int(array.size),
        "rows": [int(bad.any(axis=1).sum()), len(bad)],
        "columns": [int(i) for i in columns[:_COLUMNS]],
    }


def _is_float(array: Any) -> bool:
    return getattr(getattr(array, "dtype", None), "kind", "") in "fc" and hasattr(array, "nbytes")


def _array(leaf: Any) -> Any:
    """A NumPy array of what was given, where that needs no computation; None for a dataset, a generator and such."""
    module = type(leaf).__module__ or ""
    if module.startswith("numpy"):
        return leaf
    if module.startswith("pandas") and hasattr(leaf, "to_numpy"):
        return leaf.to_numpy()
    if module.startswith("tensorflow") and hasattr(type(leaf), "_numpy_internal"):
        return leaf.numpy()
    return None


def _named(model: Any, result: Any) -> Iterator[tuple[str, float]]:
    """(name, value) of the floats that `evaluate` or `train_on_batch` gave."""
    if isinstance(result, dict):
        pairs = [(str(k), v) for k, v in result.items()]
    elif isinstance(result, (list, tuple)):
        names = list(getattr(model, "metrics_names", ()) or ())
        pairs = [(str(names[i]) if i < len(names) else f"value {i}", v) for i, v in enumerate(result)]
    else:
        pairs = [("loss", result)]
    for name, value in pairs:
        of_numpy = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
        if isinstance(value, float) or (of_numpy and value.dtype.kind == "f"):
            yield name, float(value)

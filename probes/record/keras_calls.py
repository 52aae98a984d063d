"""Keras: `compile` and what its `jit_compile` resolved to, model builds, and `fit`, `evaluate`, `predict` with their
rows.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from .. import compat, schema
from .datasets import DatasetRecorder
from .failures import FailureRecorder
from .frames import caller, hide, is_within, user_frames, wraps
from .frozen import FrozenRecorder
from .guard import Guard
from .held_names import NameRecorder
from .importhook import PostImportFinder
from .keras_facts import accelerators, described, rows_of, validation_rows
from .monitors import MonitorRecorder, weakly
from .numbers import NumbersRecorder
from .rehearse import Frame, Rehearsal
from .splits import SplitRecorder
from .tables import TableRecorder
from .tracing import TraceRecorder
from .twins import TwinRecorder
from .values import ValueWriter, leaves

_METHODS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
_WAITING = ("callbacks", "validation_freq", "change")
"""Of a `fit`, for the time of the call."""


class KerasRecorder:
    """Writes `call`, `model` and Keras' `xla-path` events."""

    def __init__(
        self,
        guard: Guard,
        finder: PostImportFinder,
        tracing: TraceRecorder,
        failures: FailureRecorder | None,
        values: ValueWriter,
        rehearsal: Rehearsal | None = None,
        twins: TwinRecorder | None = None,
        numbers: NumbersRecorder | None = None,
        datasets: DatasetRecorder | None = None,
        tables: TableRecorder | None = None,
    ) -> None:
        self.guard = guard
        self.numbers = numbers
        self.datasets = datasets
        self.tables = tables
        self.splits = SplitRecorder(guard, datasets, values.enabled) if datasets is not None else None
        self.monitors = MonitorRecorder(guard, finder) if datasets is not None else None
        self.frozen: FrozenRecorder | None = None
        self.names: NameRecorder | None = None
        self.after_fit: tuple[Callable[[], None], ...] = ()
        self.rehearsal = rehearsal
        self.twins = twins
        self.sink = guard.sink
        self.tracing = tracing
        self.failures = failures
        self.values = values
        self._numbers = itertools.count(1)
        self._behind: tuple[Any, dict[str, Any], list[dict[str, Any]]] | None = None
        self.models: weakref.WeakSet[Any] = weakref.WeakSet()
        for module, cls in compat.KERAS_TRAINERS:
            finder.when_imported(module, lambda m, c=cls: self._watch_trainer(m, c))  # type: ignore[misc]
        for module, cls in compat.KERAS_COMPILERS:
            finder.when_imported(module, lambda m, c=cls: self._watch_compile(m, c))  # type: ignore[misc]
        for module, cls in compat.KERAS_MODELS:
            finder.when_imported(module, lambda m, c=cls: self._watch_build(m, c))  # type: ignore[misc]

    # -- hooks ------------------------------------------------------------------------------------------------------

    def _watch_trainer(self, module: ModuleType, name: str) -> None:
        cls = getattr(module, name)
        for method in _METHODS:
            original = cls.__dict__.get(method)
            if inspect.isfunction(original):
                self.guard.hooks.put(cls, method, self._watched_call(method, original))

    def _watched_call(self, method: str, original: Callable[..., Any]) -> Callable[..., Any]:
        guard = self.guard
        signature = inspect.signature(original)

        def watched(model: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            rehearsal = self.rehearsal
            if rehearsal is not None:
                rehearsal.resolve(model)
            # What is noted is the call as the program makes it.
            call = guard.run(f"{method} begin", self._begin, method, signature, model, args, kwargs)
            if rehearsal is not None:
                args, kwargs = rehearsal.shortened(method, signature, model, args, kwargs)
                rehearsal.begins(call, method, model)
            under_way = self.tracing.keras_calls
            under_way.append(call or {})
            try:
                result = original(model, *args, **kwargs)
            except BaseException as error:
                if rehearsal is not None:
                    _observed(call, guard.part("batches", rehearsal.ends))
                guard.run(f"{method} failed", self._failed, call, error)
                if self.numbers is not None and method == "fit" and call is not None:
                    history = getattr(getattr(model, "history", None), "history", None)
                    guard.run("numbers", self.numbers.after_fit, model, call, history)
                hide(error)
                raise
            finally:
                under_way.pop()
                if not under_way:
                    self.left()
            if rehearsal is not None:
                frame = guard.part("batches", rehearsal.ends)
                _observed(call, frame)
                guard.part("loss", rehearsal.result, method, result, frame)
            guard.run(f"{method} end", self._end, call, result)
            if self.numbers is not None and not under_way:
                guard.run("numbers", self.numbers.ended, method, model, call, result)
            if rehearsal is not None and not under_way:
                if self.twins is not None and call is not None:
                    guard.run("twins", self.twins.after, model, call)
                rehearsal.called(method)
            return result

        return wraps(original)(watched)

    def _watch_compile(self, module: ModuleType, name: str) -> None:
        cls = getattr(module, name)
        original = cls.__dict__.get("compile")
        if not inspect.isfunction(original):
            return
        guard = self.guard
        signature = inspect.signature(original)

        def watched(model: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if self.rehearsal is not None:
                args, kwargs = self.rehearsal.compiled(signature, model, args, kwargs)
            try:
                result = original(model, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            guard.run("compile", self._compiled, signature, model, args, kwargs)
            return result

        guard.hooks.put(cls, "compile", wraps(original)(watched))

    def _watch_build(self, module: ModuleType, name: str) -> None:
        cls = getattr(module, name)
        original = cls.__dict__.get("__init__")
        if not inspect.isfunction(original):
            return
        guard = self.guard

        def watched(model: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            try:
                original(model, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            guard.run("model", self._built, model)

        guard.hooks.put(cls, "__init__", wraps(original)(watched))

    def entered(self, method: str, model: Any, given: Mapping[str, Any]) -> None:
        """A call that began before the recording of a block did, and was given so much."""
        signature = inspect.signature(getattr(type(model), method))
        known = {
            n: given[n]
            for n, p in signature.parameters.items()
            if n != "self" and p.kind != p.VAR_KEYWORD and n in given
        }
        call = self._begin(method, signature, model, (), known)
        self.tracing.keras_calls.append(call)
        self._behind = (model, call, self.tracing.keras_calls)

    def left_behind(self, failed: bool) -> None:
        """The block ends, and with it the call that had begun before it."""
        if self._behind is None:
            return
        (model, call, under_way), self._behind = self._behind, None
        if call in under_way:
            under_way.remove(call)
        if failed:
            self.sink.write(schema.CALL, phase="failed", capsule=self._capsule(call, True, True), **_facts(call))
        else:
            self._end(call, None)
        if self.numbers is not None and call["method"] == "fit":
            history = getattr(getattr(model, "history", None), "history", None)
            self.guard.part("numbers", self.numbers.after_fit, model, call, history)

    def left(self) -> None:
        """The outermost Keras call of this thread was left."""
        if self.failures is not None and not self.tracing.under_way:
            self.failures.known.left()

    # -- taking notes -----------------------------------------------------------------------------------------------

    def _built(self, model: Any) -> None:
        if getattr(model, "name", None) is None:  # Keras 2 goes through here twice, first before there is anything
            return

        def specs(tensors: Any) -> list[dict[str, Any]]:
            found = []
            for tensor in leaves(tensors):
                info = compat.tensor_info(tensor)
                if info is not None:
                    found.append({"name": info.name, "shape": info.shape, "dtype": info.dtype})
            return found

        self.sink.write(
            schema.MODEL,
            action="build",
            name=getattr(model, "name", None),
            inputs=specs(getattr(model, "inputs", None)),
            outputs=specs(getattr(model, "outputs", None)),
            by_call=is_within("__call__", compat.KERAS_LAYERS),
            policies=self.guard.part("policies", compat.keras_policies, model),
            where=caller(skip=4),
        )

    def _compiled(
        self, signature: inspect.Signature, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        bound = signature.bind(model, *args, **kwargs)
        bound.apply_defaults()
        requested = bound.arguments.get("jit_compile", bound.arguments.get("kwargs", {}).get("jit_compile"))
        frames = user_frames(skip=4, limit=1)
        where = frames[0] if frames else None
        self.sink.write(schema.MODEL, action="compile", name=getattr(model, "name", None), where=where)
        self.sink.write(
            schema.XLA_PATH,
            mechanism="keras compile(jit_compile=)",
            function=getattr(model, "name", None),
            requested=repr(requested),
            resolved=str(bool(getattr(model, "jit_compile", getattr(model, "_jit_compile", None)))),
            where=where,
            accelerators=accelerators(),
            elsewhere=self._elsewhere(model, requested),
        )
        self.models.add(model)

    def _elsewhere(self, model: Any, requested: Any) -> str | None:
        """What "auto" would be on a machine with an accelerator."""
        if requested != "auto":
            return None
        return str(self.guard.part("auto", compat.keras_supports_jit, model))

    def _first_use(self, model: Any, where: dict[str, Any] | None) -> None:
        """A model that was never compiled (an inference model, a reloaded one) resolves "auto" at its first use."""
        if model in self.models:
            return
        self.models.add(model)
        self.sink.write(
            schema.XLA_PATH,
            mechanism="keras first use",
            function=getattr(model, "name", None),
            requested=repr("auto" if compat.keras_has_auto() else None),
            resolved=str(bool(getattr(model, "jit_compile", getattr(model, "_jit_compile", None)))),
            where=where,
            accelerators=accelerators(),
            elsewhere=self._elsewhere(model, "auto" if compat.keras_has_auto() else None),
        )

    def _begin(
        self,
        method: str,
        signature: inspect.Signature,
        model: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> dict[str, Any]:
        bound = signature.bind(model, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        data = (given.get("x"), given.get("y"), given.get("sample_weight"))
        rows, size, steps = rows_of(given.get("x")), given.get("batch_size") or 32, given.get("steps")
        if rows is not None and steps is not None:
            rows = min(rows, steps * size)
        call = {
            "call": next(self._numbers),
            "method": method,
            "model": getattr(model, "name", None),
            "rows_in": rows,
            "batch_size": size if rows is not None else given.get("batch_size"),
            "batch_size_given": given.get("batch_size"),
            "by_row": False if getattr(model, "by_row", None) is False else None,
            "run_eagerly": bool(getattr(model, "run_eagerly", False)),
        }
        where = next(iter(user_frames(skip=4, limit=1)), None)
        self.guard.part("first use", lambda: self._first_use(model, where))
        self.sink.write(
            schema.CALL,
            phase="begin",
            jit_compile=str(getattr(model, "jit_compile", None)),
            inputs=[described(v) for v in leaves(data)],
            nested=bool(self.tracing.keras_calls),
            epochs=given.get("epochs"),
            validation_split=given.get("validation_split"),
            validation_rows=validation_rows(given, rows),
            validation_batch_size=given.get("validation_batch_size"),
            policies=self.guard.part("policies", compat.keras_policies, model),
            where=where,
            **call,
        )
        if self.datasets is not None and not self.tracing.keras_calls:
            known = self.guard.part("dataset", self.datasets.given, method, model, given.get("x"), where)
            if self.splits is not None:
                known = self.guard.part("split", self.splits.begins, method, model, given, where) or known
            call["batches_seen"] = bool(known)
        waiting = {
            "callbacks": self.guard.part("monitors", weakly, given.get("callbacks")),
            "validation_freq": given.get("validation_freq"),
        }
        if self.frozen is not None:
            self.guard.part("frozen", self.frozen.left_out.used, model)
        if self.frozen is not None and method == "fit":
            waiting["change"] = self.guard.part("trainable", self.frozen.begins, model, where)
        return {**call, "data": data, "where": where, **waiting}

    def _end(self, call: dict[str, Any] | None, result: Any) -> None:
        if call is None:
            return
        if self.frozen is not None:
            self.guard.part("trainable", self.frozen.ends, call.get("change"))
        if self.names is not None and not self.tracing.keras_calls:
            self.guard.part("names", self.names.called, call["method"])
        for look in self.after_fit if call["method"] == "fit" else ():
            self.guard.part("fitted", look)
        out = None
        if call["method"] in ("predict", "predict_on_batch"):
            out = [rows_of(v) for v in leaves(result)]
            if self.tables is not None:
                self.guard.part("tables", self.tables.predicted, out, call["data"][0], result, call["where"])
        if self.monitors is not None and call.get("callbacks"):
            call["monitors"] = self.guard.part("monitors", self.monitors.fitted, call, result) or []
        mismatch = out is not None and call["rows_in"] is not None and any(n != call["rows_in"] for n in out)
        self.sink.write(
            schema.CALL,
            phase="end",
            rows_out=out,
            epochs_run=len(result.epoch) if call["method"] == "fit" and hasattr(result, "epoch") else None,
            shapes_out=[compat.dims(getattr(v, "shape", ())) for v in leaves(result)] if out else None,
            # The values of a healthy call are kept where somebody means to run it again: in a rehearsal, or a trace.
            capsule=self._capsule(call, save=mismatch or self.values.always, needed=mismatch),
            **_facts(call),
        )

    def _failed(self, call: dict[str, Any] | None, error: BaseException) -> None:
        # The innermost watched call knows the data: `evaluate` inside `fit` is asked first.
        if call is None:
            if self.failures is not None:
                self.failures.note(error, during="keras")
            return
        capsule = self._capsule(call, save=True, needed=True)
        if self.failures is not None:
            self.failures.note(error, during=call["method"], capsule=capsule)
        self.sink.write(schema.CALL, phase="failed", capsule=capsule, **_facts(call))

    def _capsule(self, call: dict[str, Any], save: bool, needed: bool) -> str | None:
        """The capsule of the step that this call ran, with the values of a batch if they are wanted.

        It is `needed` if the call failed, or gave a wrong number of rows.
        """
        found = [] if call.get("run_eagerly") else list(self.tracing.capsules_of(self.tracing.last_function))
        if not found:
            return None
        rows, size = call["rows_in"], call.get("batch") or call["batch_size"]
        exact = "batch" in call or (rows is not None and size is not None and rows <= size)
        name: str | None = found[0][0].name
        if needed and not self.tracing.needed(*found[0]):
            name = None
        for folder, concrete in (found if self.values.always else found[:1]) if save else ():
            if concrete is not None:
                self.values.of_keras(folder, concrete, call["data"], rows, size, exact, needed=needed)
        return name


def _observed(call: dict[str, Any] | None, frame: Frame | None) -> None:
    """What a rehearsal saw of the data of a call, in the place of what its arguments tell: a batch as Keras made it."""
    for phase in frame.phases if frame is not None else ():
        if call is None or phase.validation or phase.first is None:
            continue
        size = max(n or 0 for n in phase.order)
        call["data"], call["batch"] = phase.first, size
        if call["rows_in"] is None and phase.complete and size:
            call["rows_in"], call["batch_size"] = sum((n or 0) * k for n, k in phase.sizes.items()), size
        return


def _facts(call: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key not in ("data", "batch", "where", *_WAITING)}

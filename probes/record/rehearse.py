"""A rehearsal: the target runs only as far as a question needs, with settings held at a value.

This is the one mode in which the probes change what the target does, and it is never the run that a person asked for:
`XLADOCTOR_REHEARSE` starts it, in a process of its own. It holds, as JSON, {"force": {"env:NAME": text, "cfg:KEY":
value}, "batches": how many of each epoch, or "budget": seconds (`budget`), "jit": what Keras' "auto" is to be, "until":
{"traces": n} or {"calls": [methods], "grace": seconds that it may go on after them, "seconds": that it may take after
its first trace}, "returns": whether what calls give is to be recorded (`returns`), "retrace": whether the shapes after
each line are (`retrace`), "write": folders below which the
process may write (`confine`), "redirect": [folder, where its changes go] (`redirect`), "keep": folders that are not to
be redirected, "flip": what `twins` is to do, "hunt": a mapping where the first NaN is to be found (`nan_hunt`)}.

Batch sizes and what is loaded stay the program's own. A `predict` is left whole, since the program goes on with what it
gives.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import compat, schema
from .keras_facts import accelerators
from .rehearsal_budget import Budget
from .repeats import Trainings, likeness
from .sink import Sink

REHEARSED = "rehearsed"
_AHEAD = 2
"""A loop of trainings is followed as long as so many more of them begin in the time that is left."""
_AHEAD_BESIDE_ANOTHER = 4
"""The same where another rehearsal follows it without XLA, in less time."""


@dataclass
class Frame:
    """A call of Keras that is under way: its number among the `call` events, its batches."""

    number: int
    method: str
    model: Any
    phases: list[Any] = field(default_factory=list)
    not_finite: bool = False
    likeness: Any = None
    began: float = 0.0
    last: bool = False
    """Whether the rehearsal ends after its first batch."""


class Rehearsal:
    """What is held, what is cut short, and when it is enough."""

    def __init__(self, sink: Sink, wanted: dict[str, Any]) -> None:
        self.sink = sink
        self.force: dict[str, Any] = dict(wanted.get("force") or {})
        self.batches: int | None = wanted.get("batches")
        self.budget = Budget.of(wanted)
        self.hunt: dict[str, Any] | None = wanted.get("hunt")
        self.returns = bool(wanted.get("returns"))
        self.retrace = bool(wanted.get("retrace"))
        self.cut = False
        """Whether something of the program's own training was left out."""
        self.has_phases = False
        """Whether the batches of Keras' calls are looked at one by one (Keras 3)."""
        self._jit_taken = False
        self._beside_another: bool | None = None
        """Whether the program will be rehearsed without XLA, too: it takes XLA here only as another machine would. None
        while that is not known.
        """
        self._frames = threading.local()
        self.active = 0
        """How many Keras calls are under way, in all threads."""
        self.last: list[Callable[[], None]] = []
        """What is still to be written when the program ends."""
        self.jit: bool | None = wanted.get("jit")
        until = wanted.get("until") or {}
        self._traces: int | None = until.get("traces")
        self._calls: set[str] = set(until.get("calls") or ())
        self._grace = float(until.get("grace") or 0.0)
        self._seconds = float(until.get("seconds") or 0.0)
        self._timed = False
        self._trainings = Trainings()
        self._grace_ends: float | None = None
        self.flip: dict[str, Any] | None = wanted.get("flip")
        how, redirected = None, {}
        if wanted.get("write"):
            from .confine import confine
            from .redirect import redirect

            redirected = redirect(wanted.get("redirect") or (), wanted.get("keep") or ())
            wanted["write"] += [folder for folder, why in redirected.items() if why is None]
            # A child of this process is in the same namespace: it has the same view already.
            os.environ[schema.ENV_REHEARSE] = json.dumps({**wanted, "redirect": []})
            how = confine(wanted["write"], network=not self.hunt)
        sink.write(
            schema.REHEARSAL,
            force=self.force,
            batches=self.batches,
            budget=wanted.get("budget"),
            jit=self.jit,
            until=until,
            confined=how,
            redirected=redirected,
        )

    @classmethod
    def wanted(cls, sink: Sink) -> Rehearsal | None:
        """The rehearsal that the environment asks for, if it does."""
        text = os.environ.get(schema.ENV_REHEARSE)
        return cls(sink, json.loads(text)) if text else None

    def held(self, store: str, key: str, value: Any) -> Any:
        """The value that a setting gets when the program writes `value`. Stores are "env" and names of mappings."""
        name = f"{'env' if store == 'env' else 'cfg'}:{key}"
        return self.force.get(name, value)

    def held_in(self, store: str) -> dict[str, Any]:
        """All that is held in a store, by key."""
        prefix = "env:" if store == "env" else "cfg:"
        return {k[len(prefix) :]: v for k, v in self.force.items() if k.startswith(prefix)}

    def shortened(
        self, method: str, signature: inspect.Signature, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a `fit` of one epoch, for a Keras whose batches cannot be looked at one by one."""
        if self.has_phases or self.budget is None or method != "fit":
            return args, kwargs
        bound = signature.bind(model, *args, **kwargs)
        bound.apply_defaults()
        first = int(bound.arguments.get("initial_epoch") or 0) + 1
        if bound.arguments.get("epochs") != first:
            self.cut = True
            bound.arguments["epochs"] = first
        return bound.args[1:], bound.kwargs

    # -- Keras calls under way --------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame | None:
        """The innermost one of this thread; None where nothing is to be cut short."""
        frames = getattr(self._frames, "stack", None)
        return frames[-1] if frames and self.budget is not None else None

    def begins(self, call: dict[str, Any] | None, method: str, model: Any) -> None:
        """A Keras call begins."""
        self.active += 1
        if not hasattr(self._frames, "stack"):
            self._frames.stack = []
        frame = Frame(
            (call or {}).get("call") or 0, method, model, likeness=likeness(model, call), began=time.monotonic()
        )
        apart = self._trainings.apart(frame.likeness, frame.began)
        self._frames.stack.append(frame)
        if apart is None:
            return
        self.sink.write(schema.REHEARSAL, repeats=frame.number)
        ends = self._grace_ends if self.has_phases else None
        ahead = _AHEAD_BESIDE_ANOTHER if self._beside_another else _AHEAD
        frame.last = ends is not None and frame.began + ahead * apart >= ends
        if frame.last and getattr(model, "jit_compile", False) is True:
            model.jit_compile = False  # what XLA makes of such a step is known

    def stepped(self, frame: Frame) -> None:
        """A batch was run. Enough has been seen where the program trains as it did before, and so that the end of a
        loop of such trainings is hardly reached in the time that is left.
        """
        if self._jit_taken and self._beside_another is None:
            self._beside_another = accelerators() == 0
            if self._beside_another and self.budget is not None:
                self.budget.shorten()
        if frame.last:
            frame.phases.clear()  # of those of its batches that it did not come to, the training before came to all
            self._enough("repeats")

    def ends(self) -> Frame | None:
        """It has come to its end or failed."""
        stack = getattr(self._frames, "stack", None)
        if not stack:
            return None
        frame: Frame = stack.pop()
        self.active -= 1
        for phase in frame.phases:
            phase.write()
        return frame

    def result(self, method: str, result: Any, frame: Frame | None) -> None:
        """Look for a loss that is no finite number in what a `fit` or an `evaluate` gave."""
        if frame is not None:
            self._trainings.ended(frame.likeness, frame.began)
        if frame is None or frame.not_finite:
            return
        losses: dict[str, list[Any]] = {}
        if method == "fit":
            history = getattr(result, "history", None) or {}
            losses = {k: list(v) for k, v in history.items() if k in ("loss", "val_loss")}
        elif method == "evaluate":
            first = result.get("loss") if isinstance(result, dict) else result
            losses = {"loss": [first[0] if isinstance(first, (list, tuple)) and first else first]}
        for name, values in losses.items():
            for number, value in enumerate(values, 1):
                if isinstance(value, (int, float)) and not math.isfinite(value):
                    epoch = number if method == "fit" else None
                    self.not_finite(f"the {name} of {method}", float(value), epoch, None)
                    return

    def not_finite(self, what: str, value: float, epoch: int | None, batch: int | None) -> None:
        """A loss is no finite number, after this batch of this epoch (both from 1)."""
        self.sink.write(schema.REHEARSAL, not_finite=what, value=str(value), epoch=epoch, batch=batch)

    def compiled(
        self, signature: inspect.Signature, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a `compile` in which "auto" is what it would be on the machine of the study."""
        bound = signature.bind(model, *args, **kwargs)
        bound.apply_defaults()
        if self.jit is None or bound.arguments.get("jit_compile") != "auto":
            return args, kwargs
        bound.arguments["jit_compile"] = self._jit(model)
        return bound.args[1:], bound.kwargs

    def resolve(self, model: Any) -> None:
        """The same for a model that was never compiled, which would resolve it at its first use."""
        if self.jit is not None and getattr(model, "_jit_compile", False) is None:
            model.jit_compile = self._jit(model)

    def _jit(self, model: Any) -> bool:
        taken = bool(self.jit and compat.keras_supports_jit(model))
        if taken and not self._jit_taken:
            self._jit_taken = True
            self.sink.write(schema.REHEARSAL, jit_taken=True)
        return taken

    def traced(self, count: int) -> None:
        """So many functions have been traced by now."""
        if self._seconds and not self._timed:
            self._timed = True
            self._after(self._seconds, "seconds")
        if self._traces is not None and count >= self._traces:
            self._enough("traces")

    def called(self, method: str) -> None:
        """A Keras call came to its end."""
        if self._calls:
            self._calls.discard(method)
            if not self._calls and self._grace:
                # See what the program makes of what it has: it may fail there, after hours of training.
                self.sink.write(schema.REHEARSAL, seen="calls")
                self._grace_ends = time.monotonic() + self._grace
                self._after(self._grace, "grace")
            elif not self._calls:
                self._enough("calls")

    def finish(self) -> None:
        """The program is at its end, or is about to be ended: say what was left out, and what it was made of."""
        for frame in getattr(self._frames, "stack", None) or ():
            for phase in frame.phases:
                phase.write()
        self.sink.write(schema.REHEARSAL, cut=self.cut)
        for write in self.last:
            write()

    def _after(self, seconds: float, why: str) -> None:
        timer = threading.Timer(seconds, self._enough, [why])
        timer.daemon = True
        timer.start()

    def _enough(self, why: str) -> None:
        self.finish()
        self.sink.write(schema.REHEARSAL, stopped=why)
        self.sink.write(schema.END, state=REHEARSED)
        # The program must not go on, and must not write results of a study that never was.
        os._exit(0)

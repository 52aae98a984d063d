"""A rehearsal: the target runs only as far as a question needs, with settings held at a value.

This is the one mode in which the probes change what the target does, and it is never the run that a person asked for:
`XLADOCTOR_REHEARSE` starts it, in a process of its own. It holds, as JSON, {"force": {"env:NAME": text, "cfg:KEY":
value}, "batches": how many of each `fit` and of each `evaluate`, "jit": what Keras' "auto" is to be, "until":
{"traces": n} or {"calls": [methods], "grace": seconds that it may go on after them, up to the next model}, "write":
folders below which the process may write (`confine`), "redirect": [folder, where its changes go] (`redirect`), "keep":
folders that are not to be redirected, "flip": what `twins` is to do}.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from .. import compat, schema
from .frames import is_user_file
from .sink import Sink

REHEARSED = "rehearsed"
_MAX_FILES = 2000


class Rehearsal:
    """What is held, what is cut short, and when it is enough."""

    def __init__(self, sink: Sink, wanted: dict[str, Any]) -> None:
        self.sink = sink
        self.force: dict[str, Any] = dict(wanted.get("force") or {})
        self.batches: int | None = wanted.get("batches")
        self.jit: bool | None = wanted.get("jit")
        until = wanted.get("until") or {}
        self._traces: int | None = until.get("traces")
        self._calls: set[str] = set(until.get("calls") or ())
        self._grace = float(until.get("grace") or 0.0)
        self._seen_all = False
        self.flip: dict[str, Any] | None = wanted.get("flip")
        how, redirected = None, {}
        if wanted.get("write"):
            from .confine import confine
            from .redirect import redirect

            redirected = redirect(wanted.get("redirect") or (), wanted.get("keep") or ())
            wanted["write"] += [folder for folder, why in redirected.items() if why is None]
            # A child of this process is in the same namespace: it has the same view already.
            os.environ[schema.ENV_REHEARSE] = json.dumps({**wanted, "redirect": []})
            how = confine(wanted["write"])
        sink.write(
            schema.REHEARSAL, force=self.force, batches=self.batches, jit=self.jit, until=until, confined=how,
            redirected=redirected,
        )  # fmt: skip

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
        """The arguments of a `fit` or `evaluate` that runs only a few batches of one epoch.

        The data stay as they are: whether Keras traces with a fixed batch depends on how many rows there are. A
        `predict` is left whole, since the program goes on with what it gives.
        """
        if self.batches is None or method not in ("fit", "evaluate"):
            return args, kwargs
        bound = signature.bind(model, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if method == "fit":
            given["epochs"] = int(given.get("initial_epoch") or 0) + 1
            given["steps_per_epoch"] = min(self.batches, given.get("steps_per_epoch") or self.batches)
            if given.get("validation_data") is not None:
                given["validation_steps"] = self.batches
        else:
            given["steps"] = min(self.batches, given.get("steps") or self.batches)
        return bound.args[1:], bound.kwargs

    def compiled(
        self, signature: inspect.Signature, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a `compile` in which "auto" is what it would be on the machine of the study."""
        self.next_model()
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
        return bool(self.jit and compat.keras_supports_jit(model))

    def files(self) -> None:
        """Note the files that the program was made of: an answer holds as long as they stay as they are."""
        found = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        mine = sorted(str(Path(f).resolve()) for f in found if f and is_user_file(f))
        self.sink.write(schema.REHEARSAL, files=mine[:_MAX_FILES])

    def traced(self, count: int) -> None:
        """So many functions have been traced by now."""
        if self._traces is not None and count >= self._traces:
            self._enough()

    def called(self, method: str) -> None:
        """A Keras call came to its end."""
        if self._calls:
            self._calls.discard(method)
            if not self._calls and self._grace:
                self._go_on()
            elif not self._calls:
                self._enough()

    def next_model(self) -> None:
        """The program comes to another model, or to another call of one: what was asked for is behind it."""
        if self._seen_all:
            self._enough()

    def _go_on(self) -> None:
        """See what the program makes of what it has: it may fail there, after hours of training."""
        self._seen_all = True
        self.sink.write(schema.REHEARSAL, seen="calls")
        timer = threading.Timer(self._grace, self._enough)
        timer.daemon = True
        timer.start()

    def _enough(self) -> None:
        self.files()
        self.sink.write(schema.END, state=REHEARSED)
        # The program must not go on, and must not write results of a study that never was.
        os._exit(0)

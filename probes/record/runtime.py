"""The runtime of TensorFlow as the program sets it up: when it reads TF_XLA_FLAGS, and who asks for auto-clustering.

TF_XLA_FLAGS is read when devices are first made or listed: by the first operation, by `tf.config.list_*_devices()`, by
the first session, by a `get_concrete_function`; whatever comes first. See docs/facts.md for the measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .. import compat, schema
from .frames import caller, followed, hide, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder

_LEVELS = {-1: "OFF", 0: "DEFAULT", 1: "ON_1", 2: "ON_2"}


class RuntimeRecorder:
    """Writes `first-op` events, and the `xla-path` events of set_jit and of sessions."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.sink = guard.sink
        self._read = False
        # What was entered first: an operation, or a session, lists the devices on its way.
        self._by: str | None = None
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        for hook in (self._hook_devices, self._hook_set_jit, self._hook_sessions):
            # Each on its own: a name that moved must cost one recorder, not all of them.
            self.guard.part(hook.__name__, hook)

    # -- hooks ------------------------------------------------------------------------------------------------------

    def _hook_devices(self) -> None:
        cls: Any = compat.context_class()
        if compat.context_is_initialized():
            self._read = True
            self.sink.write(schema.FIRST_OP, where=None, by="unknown", note="before the probes were in")
            return
        # Hot functions: the wrappers stay only until it has happened.
        originals = {name: getattr(cls, name) for name in ("ensure_initialized", "_initialize_physical_devices")}

        def watch(name: str, by: str) -> None:
            original = originals[name]
            recorder, guard = self, self.guard

            def watched(context: Any, *args: Any, **kwargs: Any) -> Any:
                __tracebackhide__ = True
                try:
                    with recorder._through(by):
                        result = original(context, *args, **kwargs)
                        guard.run("first op", done)
                    return result
                except BaseException as error:
                    hide(error)
                    raise

            guard.hooks.put(cls, name, wraps(original)(watched))

        def done() -> None:
            for name, original in originals.items():
                setattr(cls, name, original)
            self._flags_read()

        watch("ensure_initialized", "operation")
        watch("_initialize_physical_devices", "devices")

    def _hook_set_jit(self) -> None:
        cls: Any = compat.context_class()
        found = compat.jit_property()
        assert found.fset is not None
        watched = followed(found.fset, lambda args, kwargs, result: self.guard.run("set_jit", self._set_jit, args[1]))
        self.guard.hooks.put(cls, "optimizer_jit", property(found.fget, watched, None, found.__doc__))

    def _hook_sessions(self) -> None:
        cls: Any = compat.session_class()
        init = cls.__init__
        recorder, guard = self, self.guard

        def __init__(session: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            try:
                with recorder._through("session"):
                    init(session, *args, **kwargs)
                    guard.run("session", recorder._session, session)
            except BaseException as error:
                hide(error)
                raise

        guard.hooks.put(cls, "__init__", wraps(init)(__init__))

    # -- taking notes -----------------------------------------------------------------------------------------------

    @contextmanager
    def _through(self, by: str) -> Iterator[None]:
        outermost = self._by is None
        if outermost:
            self._by = by
        try:
            yield
        finally:
            if outermost:
                self._by = None

    def _flags_read(self, devices: list[str] | None = None) -> None:
        if not self._read:
            self._read = True
            self.sink.write(
                schema.FIRST_OP, by=self._by, devices=devices or compat.known_devices(), where=caller(skip=5)
            )

    def _set_jit(self, enabled: Any) -> None:
        self._path("tf.config.optimizer.set_jit", repr(enabled), bool(enabled))

    def _session(self, session: Any) -> None:
        devices = [str(d.device_type) for d in session.list_devices()]
        self._flags_read(devices)
        config = getattr(session, "_config", None)
        level = config.graph_options.optimizer_options.global_jit_level if config is not None else 0
        if level:
            self._path("ConfigProto.global_jit_level", _LEVELS.get(level, str(level)), level > 0)

    def _path(self, mechanism: str, requested: str, on: bool) -> None:
        frames = user_frames(skip=5, limit=1)
        self.sink.write(
            schema.XLA_PATH,
            mechanism=mechanism,
            function="auto-clustering of any graph",
            requested=requested,
            resolved=str(on),
            where=frames[0] if frames else None,
            devices=compat.known_devices(),
        )

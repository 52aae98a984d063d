"""The float type and the dtype policy of Keras: where the program sets them.

A layer takes its policy when it is made. What is set afterwards changes no layer that is there already.
"""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from .. import compat, schema
from .frames import followed, frame_dict, is_user_file
from .guard import Guard
from .importhook import PostImportFinder


class PolicyRecorder:
    """Writes `setting` events of the store `keras`, for what the program's own lines set."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        # As soon as they are there: others import the functions by name.
        finder.when_imported(compat.KERAS_STATE, self._watch_policy)
        finder.when_imported(compat.KERAS_CONFIG, self._watch_floatx)
        self._waits = False
        """Whether no layer was made since the policy was set."""
        module, cls = compat.KERAS_LAYER_CLASSES[0]
        finder.when_imported(module, lambda m: self._watch_layers(getattr(m, cls)))

    def _watch_policy(self, module: ModuleType) -> None:
        def put(args: tuple[Any, ...], kwargs: dict[str, Any], result: None) -> None:
            given = {**dict(zip(("name", "value"), args, strict=False)), **kwargs}
            if given.get("name") == "dtype_policy":
                # Of a function of Keras, which the program has called.
                self.guard.run("policy", self._set, "dtype_policy", given.get("value"), sys._getframe(2).f_back)

        self.guard.hooks.put(module, "set_global_attribute", followed(module.set_global_attribute, put))

    def _watch_layers(self, cls: Any) -> None:
        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: None) -> None:
            if self._waits:
                self.guard.run("policy taken", self._taken)

        self.guard.hooks.put(cls, "__init__", followed(cls.__init__, made))

    def _taken(self) -> None:
        """A layer was made, and took the policy that was set last."""
        self._waits = False
        self.guard.sink.write(schema.POLICY_TAKEN)

    def _watch_floatx(self, module: ModuleType) -> None:
        def put(args: tuple[Any, ...], kwargs: dict[str, Any], result: None) -> None:
            self.guard.run("floatx", self._set, "floatx", *args, *kwargs.values(), sys._getframe(2))

        self.guard.hooks.put(module, "set_floatx", followed(module.set_floatx, put))

    def _set(self, key: str, value: Any, caller: FrameType | None) -> None:
        """Keras sets the policy itself where the first layer asks for it: that is no line of the program."""
        if caller is None or not is_user_file(caller.f_code.co_filename):
            return
        self._waits = self._waits or key == "dtype_policy"
        name = str(getattr(value, "name", value))[:100]
        self.guard.sink.write(
            schema.SETTING, store="keras", key=key, action="write", value=name, where=frame_dict(caller), waits=True
        )

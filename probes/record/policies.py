"""The float type and the dtype policy of Keras: where the program sets them.

A layer takes its policy when it is made. What is set afterwards changes no layer that is there already.
"""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from .. import compat, schema
from .frames import frame_dict, is_user_file, wraps
from .guard import Guard
from .importhook import PostImportFinder


class PolicyRecorder:
    """Writes `setting` events of the store `keras`, for what the program's own lines set."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        # As soon as they are there: others import the functions by name.
        finder.when_imported(compat.KERAS_STATE, self._watch_policy)
        finder.when_imported(compat.KERAS_CONFIG, self._watch_floatx)

    def _watch_policy(self, module: ModuleType) -> None:
        put, guard = module.set_global_attribute, self.guard

        def set_global_attribute(name: str, value: Any) -> Any:
            result = put(name, value)
            if name == "dtype_policy":
                guard.run("policy", self._set, name, value, sys._getframe(1).f_back)
            return result

        module.set_global_attribute = wraps(put)(set_global_attribute)  # type: ignore[attr-defined]

    def _watch_floatx(self, module: ModuleType) -> None:
        put, guard = module.set_floatx, self.guard

        def set_floatx(value: Any) -> Any:
            result = put(value)
            guard.run("floatx", self._set, "floatx", value, sys._getframe(1))
            return result

        module.set_floatx = wraps(put)(set_floatx)  # type: ignore[attr-defined]

    def _set(self, key: str, value: Any, caller: FrameType | None) -> None:
        """Keras sets the policy itself where the first layer asks for it: that is no line of the program."""
        if caller is None or not is_user_file(caller.f_code.co_filename):
            return
        name = str(getattr(value, "name", value))[:100]
        self.guard.sink.write(
            schema.SETTING, store="keras", key=key, action="write", value=name, where=frame_dict(caller)
        )

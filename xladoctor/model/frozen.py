"""`@dataclass(frozen=True)` for the values that every command loads, made in a quarter of the time.

Before Python 3.13, `dataclasses` compiles six methods for each class, one by one: for those that `scan LOG` needs, a
sixth of its time. Here only `__init__` is compiled; the others are the same functions for all classes. A class that is
made here can inherit only from such classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from collections.abc import Callable
    from operator import attrgetter

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """As `dataclasses.dataclass(frozen=True)`; `frozen` stands there for the type checker."""
        return _made

    def _made(cls: type) -> type:
        shared = {name: method for name, method in _SHARED.items() if name not in vars(cls)}
        made = dataclasses.dataclass(repr=False, eq=False)(cls)
        for name, method in shared.items():
            setattr(made, name, method)
        # In C: rules compare the same records a thousand times.
        made.__compared__ = attrgetter(
            "__class__", *(field.name for field in dataclasses.fields(made) if field.compare)
        )
        return made

    def _set(self: Any, name: str, value: object) -> None:
        # `__init__` sets each field once.
        if name in self.__dict__ or name not in self.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def _delete(self: Any, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _equal(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or self.__compared__(self) == self.__compared__(other)

    def _hash(self: Any) -> int:
        return hash(self.__compared__(self))

    def _shown(self: Any) -> str:
        fields = (field.name for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"

    _SHARED = {
        "__setattr__": _set,
        "__delattr__": _delete,
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _shown,
    }

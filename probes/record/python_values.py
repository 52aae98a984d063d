"""Plain Python values that a function reads when it is traced: globals, closure cells, attributes, entries of dicts.

Looked up by the names in its code, in live objects, without calling anything of the program: dictionaries are read as
they are, no property and no `__getattr__` runs. What is found is a path from a function or an object, which is not
held, and can be followed again later.
"""

from __future__ import annotations

import functools
import time
import types
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .. import compat
from .frames import is_user_file

MAX_PLACES = 120
MAX_CODES = 300
MAX_SECONDS = 0.03
"""Of one search."""
_MAX_ITEMS = 64
_MAX_BYTES = 1 << 16
_DEPTH = 4
_ENTRIES = frozenset(
    {"train_step", "test_step", "predict_step", "compute_loss", "compute_metrics", "call", "__call__", "update_state"}
)
"""Methods that Keras calls by itself."""
_SIMPLE = (bool, int, float, complex, str, bytes, type(None))
Step = tuple[str, Any]
Mark = tuple[Any, ...]


@dataclass
class Place:
    """Where a value stands: steps from an object that is not held; and the functions whose code names it."""

    root: weakref.ref[Any]
    steps: tuple[Step, ...]
    readers: list[dict[str, Any]] = field(default_factory=list)

    def value(self) -> Any:
        """What stands there now. KeyError where there is nothing any more."""
        here = self.root()
        for step in self.steps:
            here = follow(here, step)
        return here


def follow(here: Any, step: Step) -> Any:
    """One step of a path, read off dictionaries and cells."""
    kind, key = step
    if kind == "global":
        return here.__globals__[key]
    if kind == "cell":
        try:
            return here.__closure__[here.__code__.co_freevars.index(key)].cell_contents
        except (TypeError, ValueError) as error:  # there is none, or it is empty
            raise KeyError(key) from error
    if kind == "item":
        return dict.__getitem__(here, key)
    return names_of(here)[key]


def names_of(value: Any) -> Mapping[str, Any]:
    """The attributes of an object or a module, as they are kept."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def mark(value: Any) -> Mark | None:
    """What can be compared later in the place of a value; None of what is no plain value."""
    if isinstance(value, _SIMPLE):
        if isinstance(value, (str, bytes)):
            return ("text", value) if len(value) <= 200 else None
        return ("number", value if value == value else "nan") if value is not None else ("none",)
    kind = type(value)
    module = kind.__module__ or ""
    if module.startswith("numpy"):
        return _of_numpy(value)
    if kind.__name__ == "EagerTensor":
        return ("tensor", weakref.ref(value))
    if kind in (tuple, list) or kind.__mro__[-2:-1] == (list,):
        parts = [mark(v) for v in value] if len(value) <= _MAX_ITEMS else [None]
        return ("row", len(value), tuple(parts) if all(p is not None for p in parts) else None)
    return None


def _of_numpy(value: Any) -> Mark | None:
    if not hasattr(value, "nbytes") or value.nbytes > _MAX_BYTES or value.dtype.hasobject:
        return None
    if not value.shape:
        number = value.item()
        return ("number", number if number == number else "nan")
    return ("array", value.shape, zlib.crc32(value.tobytes()))


def shown(value: Any) -> str:
    """A value in a few words."""
    if type(value).__name__ == "EagerTensor" or (getattr(value, "shape", None) and hasattr(value, "dtype")):
        shape = ", ".join(map(str, value.shape))
        return f"{'tensor' if type(value).__name__ == 'EagerTensor' else 'array'} of shape ({shape})"
    if isinstance(value, (list, tuple)) and len(value) > 8:
        return f"{type(value).__name__} of {len(value)}"
    text = str(value.item()) if hasattr(value, "item") and not hasattr(value, "numpy") else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


class Search:
    """The places that a function may read while it is traced, and those that the functions which it calls may."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, tuple[Step, ...]], Place] = {}
        self._codes: set[tuple[int, int]] = set()
        self._objects: set[int] = set()
        self._until = time.perf_counter() + MAX_SECONDS

    def of(self, function: Any) -> list[Place]:
        """Of the Python body of a `tf.function`."""
        self._callable(function, 0)
        return list(self.places.values())

    @property
    def _over(self) -> bool:
        full = len(self.places) >= MAX_PLACES or len(self._codes) >= MAX_CODES
        return full or time.perf_counter() > self._until

    def _callable(self, value: Any, depth: int) -> None:
        """Follow what is called, or may be: a function, a bound method, a `tf.function`, an object of Keras."""
        for _ in range(8):
            inner = names_of(value).get("_python_function") or names_of(value).get("__wrapped__")
            if isinstance(value, functools.partial):
                inner = value.func
            if inner is None or inner is value:
                break
            value = inner
        if isinstance(value, types.MethodType):
            owner = compat.method_owner(value)
            self._object(owner, depth)
            self._function(cast(types.FunctionType, value.__func__), owner, depth)
        elif isinstance(value, types.FunctionType):
            self._function(value, None, depth)
        elif isinstance(value, (list, tuple)):
            for each in value[:_MAX_ITEMS]:
                self._callable(each, depth + 1)
        elif isinstance(value, dict):
            for each in list(dict.values(value))[:_MAX_ITEMS]:
                self._callable(each, depth + 1)
        elif not isinstance(value, (type, types.ModuleType)):
            self._object(value, depth)

    def _object(self, value: Any, depth: int) -> None:
        """The methods of the program that a library calls on its own: of a model, its layers, its losses."""
        if depth > _DEPTH or self._over or id(value) in self._objects or not (_is_users(value) or _is_module(value)):
            return
        self._objects.add(id(value))
        for name in _ENTRIES:
            method = _method(value, name)
            if method is not None:
                self._function(method, value, depth + 1)
        if _is_module(value):
            held = names_of(value)
            for name in ("loss", "_learning_rate", "optimizer"):
                self._callable(held.get(name), depth + 1)
            layers = list(held.get("_layers") or ())
            for each in layers[:1000]:
                self._object(each, depth + 1 if _is_users(each) else depth)

    def _function(self, function: types.FunctionType, owner: Any, depth: int) -> None:
        code, key = function.__code__, (id(function.__code__), id(owner))
        if depth > 3 * _DEPTH or self._over or key in self._codes:
            return
        self._codes.add(key)
        users = is_user_file(code.co_filename)
        for name in code.co_freevars if function.__closure__ else ():
            self._found(function, (("cell", name),), function, owner, depth, users)
        if not users:
            return
        names = _names(code)
        for name in names:
            if name in function.__globals__:
                self._found(function, (("global", name),), function, owner, depth, True)
        if owner is not None:
            self._attributes(owner, (), function, owner, depth)

    def _found(
        self, root: Any, steps: tuple[Step, ...], function: types.FunctionType, owner: Any, depth: int, users: bool
    ) -> None:
        """Something that the code of a function names."""
        try:
            value = root
            for step in steps:
                value = follow(value, step)
        except (KeyError, IndexError):
            return
        if mark(value) is not None:
            if users:
                self._note(root, steps, function)
        elif isinstance(value, dict):
            for key in _texts(function.__code__) if users and len(steps) < _DEPTH else ():
                if dict.__contains__(value, key):
                    self._found(root, (*steps, ("item", key)), function, owner, depth, users)
        elif isinstance(value, types.ModuleType):
            if users and is_user_file(getattr(value, "__file__", None) or "<>"):
                self._attributes(root, steps, function, owner, depth)
        elif not isinstance(value, type):
            if users and (_is_users(value) or type(value).__name__ in ("SimpleNamespace", "Namespace")):
                self._attributes(root, steps, function, owner, depth)
            self._callable(value, depth + 1)

    def _attributes(
        self, root: Any, steps: tuple[Step, ...], function: types.FunctionType, owner: Any, depth: int
    ) -> None:
        """The attributes of an object that the code of a function names, and its methods that it may call."""
        value = root
        for step in steps:
            value = follow(value, step)
        held = names_of(value)
        if len(steps) >= _DEPTH:
            return
        for name in _names(function.__code__):
            if name in held:
                self._found(root, (*steps, ("attr", name)), function, owner, depth, True)
            elif not isinstance(value, types.ModuleType):
                method = _method(value, name)
                if method is not None:
                    self._function(method, value, depth + 1)

    def _note(self, root: Any, steps: tuple[Step, ...], function: types.FunctionType) -> None:
        key = (id(root), steps)
        if key not in self.places:
            if self._over:
                return
            try:
                self.places[key] = Place(weakref.ref(root), steps)
            except TypeError:
                return
        code = function.__code__
        reader = {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}
        if reader not in self.places[key].readers:
            self.places[key].readers.append(reader)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code, and those of lambdas, comprehensions and functions within it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes(const)


def _names(code: types.CodeType) -> Sequence[str]:
    return list(dict.fromkeys(name for each in _codes(code) for name in each.co_names))


def _texts(code: types.CodeType) -> Sequence[str]:
    return list(dict.fromkeys(c for each in _codes(code) for c in each.co_consts if isinstance(c, str)))


def _method(value: Any, name: str) -> types.FunctionType | None:
    """A function of the program that is a method, or a property, of an object's class."""
    for cls in type(value).__mro__:
        found = cls.__dict__.get(name)
        if found is None:
            continue
        found = found.fget if isinstance(found, property) else found
        inner = names_of(found).get("_python_function")
        found = found if inner is None else inner
        users = isinstance(found, types.FunctionType) and is_user_file(found.__code__.co_filename)
        return cast(types.FunctionType, found) if users else None
    return None


def _is_users(value: Any) -> bool:
    """Whether an object is of a class of the program."""
    for cls in type(value).__mro__:
        for member in ("__init__", "call", "__call__", "train_step"):
            found = cls.__dict__.get(member)
            if isinstance(found, types.FunctionType):
                name = found.__code__.co_filename
                # Those of a dataclass are made of a text.
                if is_user_file(name) or (name == "<string>" and hasattr(cls, "__dataclass_fields__")):
                    return True
    return False


def _is_module(value: Any) -> bool:
    """Whether an object is a layer, model, loss, optimizer or schedule of Keras, or a `tf.Module`."""
    return any(
        c.__name__ in ("Layer", "Module", "Loss", "Metric", "BaseOptimizer", "Optimizer", "LearningRateSchedule")
        and (c.__module__ or "").partition(".")[0] in ("keras", "tf_keras", "tensorflow")
        for c in type(value).__mro__
    )

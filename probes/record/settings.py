"""Who wrote and who read a setting, and when: environment variables and the `params.cfg` of a ptycho package.

Recorded are writes and *deciding* reads: subscripts and `get`. Membership tests, iteration and bulk copies are not
deciding (real code has an `ensure_defaults` that touches every key), and are told apart here by who asks.
"""

from __future__ import annotations

import _collections_abc
import opcode
import os
import re
import sys
from fnmatch import fnmatchcase
from types import FrameType, ModuleType
from typing import Any

from .. import compat, profile, redaction, schema
from .frames import caller, hidden, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .import_reads import ImportReads, is_question
from .importhook import PostImportFinder
from .rehearse import Rehearsal
from .tracing import TraceRecorder
from .twins import TwinRecorder

# As the code objects name them: frozen modules have no path there.
_ABC_FILE = _collections_abc.Mapping.get.__code__.co_filename
_OS_FILE = os.getenv.__code__.co_filename
# One instruction of the program that asks for so many keys is a loop over settings, and decides nothing by any of them.
_BULK = 3
_MAX_SITES = 20_000
_MAX_OWN = 200
_SWITCH_WORD = re.compile(r"[A-Za-z0-9_.+-]{0,24}")
_OTHER_TEXT = "(a text)"
# Methods of the Mapping classes that ask for one key on behalf of their caller.
_SINGLE_KEY = {"get", "setdefault", "pop"}


class SettingsRecorder:
    """Writes `setting` events; repeated identical reads from one line are written once."""

    def __init__(
        self,
        guard: Guard,
        finder: PostImportFinder,
        tracing: TraceRecorder,
        rehearsal: Rehearsal | None = None,
        twins: TwinRecorder | None = None,
    ) -> None:
        self.guard = guard
        self.rehearsal = rehearsal
        self.twins = twins
        self._mappings: dict[str, Any] = {"env": os.environ}
        self.sink = guard.sink
        self.tracing = tracing
        self._seen: set[tuple[Any, ...]] = set()
        self.import_reads = ImportReads()
        self._own: set[str] = set()
        """Environment variables that the program's own code has asked for: its switches may be among them."""
        self._sites: dict[tuple[Any, ...], _Site] = {}
        self._finder = finder
        self._watch_environment()
        for module, attribute in profile.SETTINGS_MAPPINGS:
            finder.when_imported(module, lambda m, a=attribute: self._watch_mapping(m, a))  # type: ignore[misc]

    def note(
        self, store: str, key: str, action: str, value: Any, skip: tuple[str, ...] = (),
        asked: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Record one access; `skip` are files of accessors, `asked` is the import that had asked for the key before."""
        where = caller(skip=4, not_in=skip)
        shown = redaction.of_data(value, key)
        if action != "read":
            self.tracing.generation += 1
            more = {"asked": asked} if asked else {}
            self.sink.write(schema.SETTING, store=store, key=key, action=action, value=shown, where=where, **more)
            return
        site = self._site(store, key)
        if site.bulk:
            return
        graph = self._graph()
        if self.twins is not None:
            self.twins.read(self._mappings.get(store), store, key, value, graph)
        mark = (store, key, repr(shown)[:80], site.number, graph)
        if mark in self._seen:
            return
        self._seen.add(mark)
        self.sink.write(
            schema.SETTING, store=store, key=key, action=action, value=shown, where=where, site=site.number,
            graph=graph, frames=user_frames(skip=4, limit=6),
        )  # fmt: skip
        if site.turned_bulk():
            # The reads at this site that were written so far are to be taken back by whoever reads the events.
            self.sink.write(
                schema.SETTING, store=store, key="*", action="bulk", value=None, where=where, site=site.number
            )

    def _site(self, store: str, key: str) -> _Site:
        """Which instruction asks, on behalf of which: the same one with another key is a loop over keys."""
        stack: list[Any] = [store]
        frame: FrameType | None = sys._getframe(3)
        for _ in range(12):
            if frame is None:
                break
            stack += [id(frame.f_code), _instruction(frame)]
            frame = frame.f_back
        if len(self._sites) >= _MAX_SITES:
            stack = []
        site = self._sites.setdefault(tuple(stack), _Site(len(self._sites) + 1))
        site.keys.add(key)
        return site

    def _graph(self) -> str | None:
        """The graph of the function that is being traced just now: the outermost one, which is what gets called."""
        if "tensorflow.python.eager.context" not in sys.modules:
            return None
        graph = self.guard.part("graph of a read", compat.default_graph)
        if graph is None or not hasattr(graph, "outer_graph"):
            return None
        while hasattr(graph.outer_graph, "outer_graph"):
            graph = graph.outer_graph
        return self.tracing.uid(graph)

    # -- environment ------------------------------------------------------------------------------------------------

    def _watch_environment(self) -> None:
        recorder, guard = self, self.guard
        cls = type(os.environ)
        get, put, delete = cls.__getitem__, cls.__setitem__, cls.__delitem__

        def __getitem__(self: Any, key: Any) -> Any:
            __tracebackhide__ = True
            try:
                value = get(self, key)
            except BaseException as error:
                if isinstance(error, KeyError) and isinstance(key, str):
                    guard.run("env read", recorder._env_read, self, key, None, sys._getframe(1))
                hide(error)
                raise
            if isinstance(key, str):
                guard.run("env read", recorder._env_read, self, key, value, sys._getframe(1))
            return value

        def __setitem__(self: Any, key: Any, value: Any) -> None:
            if recorder.rehearsal is not None and self is os.environ:
                value = recorder.rehearsal.held("env", key, value)
            try:
                put(self, key, value)
            except BaseException as error:
                hide(error)
                raise
            if self is os.environ:
                guard.run("env write", recorder._env_write, key, "write", value, sys._getframe(1))

        def __delitem__(self: Any, key: Any) -> None:
            try:
                delete(self, key)
            except BaseException as error:
                hide(error)
                raise
            if self is os.environ:
                guard.run("env delete", recorder._env_write, key, "delete", None, sys._getframe(1))

        for original, watched in ((get, __getitem__), (put, __setitem__), (delete, __delitem__)):
            guard.hooks.put(cls, original.__name__, wraps(original)(watched))

    def _env_write(self, key: Any, action: str, value: str | None, frame: FrameType) -> None:
        asked = self.import_reads.written(key, value, frame) if isinstance(key, str) else None
        if is_watched(key) or key in self._own or asked:
            self.note("env", key, action, None if value is None else _word(key, value), asked=asked)

    def _env_read(self, mapping: Any, key: str, value: str | None, frame: FrameType) -> None:
        if mapping is not os.environ:
            return
        decides = is_deciding(frame)
        if decides or is_question(frame):
            self.import_reads.asked(key, value, frame)
        if not decides:
            return
        if not is_watched(key) and key not in self.import_reads.late:
            asking: FrameType | None = frame
            while asking is not None and asking.f_code.co_filename in (_ABC_FILE, _OS_FILE):
                asking = asking.f_back
            if asking is None or not is_user_file(asking.f_code.co_filename) or len(self._own) >= _MAX_OWN:
                return
            self._own.add(key)
        self.note("env", key, "read", _word(key, value))

    # -- params.cfg -------------------------------------------------------------------------------------------------

    def _watch_mapping(self, module: ModuleType, attribute: str) -> None:
        plain = getattr(module, attribute, None)
        # Of a module that was there before us others may hold the dict: they would not see what is written to ours.
        if type(plain) is not dict or (self.guard.block and module.__name__ in self._finder.present):
            return
        accessor = getattr(module, "__file__", None) or ""
        store = f"{module.__name__.rpartition('.')[2]}.{attribute}"
        recorded = RecordingDict(plain)
        if self.rehearsal is not None:
            recorded.update(self.rehearsal.held_in(store))
        recorded._listen(self, store, accessor)
        setattr(module, attribute, recorded)
        # It stays where it is, since others may hold it by now, and only tells nobody any more.
        self.guard.hooks.undone_by(lambda: recorded._listen(None, store, accessor))
        self._mappings[store] = recorded
        for key, value in plain.items():
            self.sink.write(
                schema.SETTING, store=store, key=str(key), action="default", value=redaction.of_data(value, str(key)),
                where={"file": accessor, "line": None, "function": None},
            )  # fmt: skip


def is_watched(key: Any) -> bool:
    """True for an environment variable that matters here."""
    return isinstance(key, str) and any(fnmatchcase(key, pattern) for pattern in profile.WATCHED_ENVIRONMENT)


def _word(key: str, value: str | None) -> str | None:
    """The value of an environment variable as it is recorded: of one that is not known to us only what a switch has."""
    if value is None or is_watched(key) or _SWITCH_WORD.fullmatch(value):
        return value
    return _OTHER_TEXT


def is_deciding(frame: FrameType) -> bool:
    """True if the access that `frame` makes right now asks for one key, and not for all of them or for membership.

    `Mapping.get` asks through `__getitem__`, and so do `in`, `items()`, `values()` and `copy()`: the asking function
    tells. A `dict(os.environ)` asks from C, on behalf of a frame that is not at a subscript just then.
    """
    code = frame.f_code
    if code.co_filename == _ABC_FILE:
        return code.co_name in _SINGLE_KEY
    if code.co_filename == _OS_FILE:
        return code.co_name in {"getenv", "getenvb"}
    if frame.f_lasti < 0:
        return True
    # Specialised forms (BINARY_SUBSCR_DICT) and 3.14's BINARY_OP included.
    return opcode.opname[code.co_code[_instruction(frame)]].startswith(("BINARY_SUBSCR", "BINARY_OP"))


def _instruction(frame: FrameType) -> int:
    """The offset of the instruction that a frame is at.

    Once Python 3.12 has specialised a subscript or a call of a Python function, `f_lasti` of the caller stands on the
    inline caches behind the instruction (opcode 0, CACHE).
    """
    at, code = frame.f_lasti, frame.f_code.co_code
    while at > 0 and code[at] == 0:
        at -= 2
    return at


class _Site:
    """An instruction of the program that reads settings, and the keys that it has asked for."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.keys: set[str] = set()
        self.bulk = False

    def turned_bulk(self) -> bool:
        """True once, when the site is seen to ask for too many keys."""
        if self.bulk or len(self.keys) < _BULK:
            return False
        self.bulk = True
        return True


class RecordingDict(dict):  # type: ignore[type-arg]
    """A dict that tells a recorder about its deciding reads and its writes, and is otherwise a dict.

    Its copies, unions and pickles are plain dicts: nothing of the doctor may end up in a user's file.
    """

    __slots__ = ("_accessor", "_recorder", "_store")

    def _listen(self, recorder: SettingsRecorder | None, store: str, accessor: str) -> None:
        self._recorder, self._store, self._accessor = recorder, store, accessor

    def _note(self, key: Any, action: str, value: Any) -> None:
        recorder = getattr(self, "_recorder", None)
        if recorder is not None and isinstance(key, str):
            recorder.guard.run("cfg", recorder.note, self._store, key, action, value, (self._accessor,))

    @hidden
    def __getitem__(self, key: Any) -> Any:
        __tracebackhide__ = True
        try:
            value = super().__getitem__(key)
        except BaseException as error:
            hide(error)
            raise
        self._note(key, "read", value)
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        value = super().get(key, default)
        self._note(key, "read", value)
        return value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        recorder = getattr(self, "_recorder", None)
        if recorder is not None and recorder.rehearsal is not None:
            value = recorder.rehearsal.held(self._store, key, value)
        super().__setitem__(key, value)
        self._note(key, "write", value)

    @hidden
    def __delitem__(self, key: Any) -> None:
        __tracebackhide__ = True
        try:
            super().__delitem__(key)
        except BaseException as error:
            hide(error)
            raise
        self._note(key, "delete", None)

    @hidden
    def pop(self, key: Any, *default: Any) -> Any:
        __tracebackhide__ = True
        try:
            had = key in self
            value = super().pop(key, *default)
        except BaseException as error:
            hide(error)
            raise
        if had:
            self._note(key, "delete", None)
        return value

    @hidden
    def popitem(self) -> tuple[Any, Any]:
        __tracebackhide__ = True
        try:
            key, value = super().popitem()
        except BaseException as error:
            hide(error)
            raise
        self._note(key, "delete", None)
        return key, value

    def clear(self) -> None:
        keys = list(self)
        super().clear()
        for key in keys:
            self._note(key, "delete", None)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def copy(self) -> dict[Any, Any]:
        return dict(self)

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[Any, Any]:
        import copy

        return copy.deepcopy(dict(self), memo)

    def __or__(self, other: Any) -> dict[Any, Any]:
        return dict(self) | other if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> dict[Any, Any]:
        return other | dict(self) if isinstance(other, dict) else NotImplemented

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (dict, (dict(self),))

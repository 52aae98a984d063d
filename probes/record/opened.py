"""What a rehearsed program was made of: the files that it imported, opened for reading or listed.

An answer about it holds as long as they stay as they are. What C++ opens is not seen by Python; where TensorFlow was
asked to read a file itself, that is written, and the answer is not kept.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import schema
from .frames import hidden, is_user_file
from .guard import Guard
from .importhook import PostImportFinder
from .sink import Sink

_MAX_FILES = 5000
_CHUNK = 150
_NOBODYS = ("/proc/", "/dev/", "/sys/", "/run/", "/etc/", "/usr/", "/lib", "/bin/", "/opt/")
_READERS = {
    "tensorflow.python.ops.gen_io_ops": ("read_file", "matching_files"),
    "tensorflow.python.ops.gen_dataset_ops": (
        "tf_record_dataset", "tf_record_dataset_v2", "text_line_dataset", "fixed_length_record_dataset_v2",
    ),
}  # fmt: skip


class OpenedFiles:
    """Writes `rehearsal` events with `files`, `listed` and `unknown` when the program ends."""

    def __init__(self, sink: Sink, guard: Guard, finder: PostImportFinder) -> None:
        self.sink = sink
        self._files: set[str] = set()
        self._listed: set[str] = set()
        self._unknown: set[str] = set()
        self._over = False
        sys.addaudithook(self._hook)
        for name, functions in _READERS.items():
            finder.when_imported(name, lambda m, f=functions: self._watch(m, f))  # type: ignore[misc]
        finder.when_imported("tensorflow.python.lib.io.file_io", self._watch_file_io)
        finder.when_imported("h5py._hl.files", self._watch_h5py)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._over or event not in ("open", "os.listdir", "os.scandir"):
            return
        try:
            self._saw(event, arguments)
        except Exception:
            # An error here would be one of the program's own call.
            self._unknown.add(event)

    def _saw(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
                return
            if isinstance(mode, str) and set(mode) & set("wax"):
                return
            self._note(self._files, path)
        else:
            self._note(self._listed, arguments[0])

    def _note(self, where: set[str], path: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)) or len(where) > _MAX_FILES:
            return
        text = os.path.normpath(Path(os.fsdecode(path)).absolute())
        if text not in where and not text.startswith(_NOBODYS) and is_user_file(text):
            where.add(text)

    def _watch(self, module: ModuleType, names: tuple[str, ...]) -> None:
        for name in names:
            original = getattr(module, name, None)
            if original is not None:
                setattr(module, name, self._reader(name, original))

    def _reader(self, name: str, original: Any) -> Any:
        def reader(*args: Any, **kwargs: Any) -> Any:
            self._unknown.add(name)
            return original(*args, **kwargs)

        reader.__signature__ = getattr(original, "__signature__", None)  # type: ignore[attr-defined]
        reader.__dict__.update(getattr(original, "__dict__", {}))
        reader.__name__ = name
        return hidden(reader)

    def _watch_file_io(self, module: ModuleType) -> None:
        original = module.FileIO.__init__
        recorder = self

        def __init__(file: Any, name: Any, mode: Any, *args: Any, **kwargs: Any) -> None:
            if not set(str(mode)) & set("wa"):
                recorder._note(recorder._files, name)
            original(file, name, mode, *args, **kwargs)

        module.FileIO.__init__ = hidden(__init__)

    def _watch_h5py(self, module: ModuleType) -> None:
        original = module.File.__init__
        recorder = self

        def __init__(file: Any, name: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> None:
            if str(mode) in ("r", "r+", "a"):
                recorder._note(recorder._files, name)
            original(file, name, mode, *args, **kwargs)

        module.File.__init__ = hidden(__init__)

    def write(self) -> None:
        """At the end: the files, in events that are not too long."""
        self._over = True
        modules = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        imported = {str(Path(f).resolve()) for f in modules if f and is_user_file(f)}
        for key, paths in (("files", imported | self._files), ("listed", self._listed)):
            ordered = sorted(p for p in paths if not p.endswith(".pyc"))
            for start in range(0, len(ordered), _CHUNK):
                self.sink.write(schema.REHEARSAL, **{key: ordered[start : start + _CHUNK]})
        full = [k for k, v in (("files", self._files), ("listed", self._listed)) if len(v) > _MAX_FILES]
        self.sink.write(schema.REHEARSAL, unknown=sorted(self._unknown) + full, noted=True)

"""The gradient of a function that XLA compiled, where the tape is outside of it.

TensorFlow then makes a second compiled function, of the gradient alone, that nobody calls by name and that no trace
tells of. Its graph and its first call are kept as those of other compiled functions are. Its ops were all made where
the function was called: of those that a function of the program did not make itself, the line is that of the op that
they are the gradient of.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import compat, schema
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder
from .tracing import TraceRecorder

_OF = re.compile(r"(?:^|/)gradients/(.{1,400}?)_grad(?:/|$)")
_NAME = re.compile(r"^(?:__inference_|__forward_|__backward_)?(.+?)(?:_\d+)?$")
Frames = Sequence[Sequence[Any]]


class GradientRecorder:
    """Writes `gradient` events, each with a capsule."""

    def __init__(self, guard: Guard, finder: PostImportFinder, tracing: TraceRecorder) -> None:
        self.guard = guard
        self.tracing = tracing
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        module, name = compat.gradient_maker()

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("gradient", self._made, args, result)

        self.guard.hooks.put(module, name, followed(getattr(module, name), made))

    def _made(self, args: Sequence[Any], result: Any) -> None:
        backward = result[1]
        if not sys.modules["tensorflow"].executing_eagerly() or not compat.must_compile(backward):
            return  # within a graph it is a part of that graph
        frames = user_frames(skip=4, limit=1)
        where = frames[0] if frames else None
        folder = self._write(backward, args[1], where)
        if folder is None:
            return
        of = _plain(str(args[1].name))
        self.guard.sink.write(
            schema.GRADIENT,
            capsule=folder.name,
            function=_text(backward.name),
            python_name=f"the gradient of {of}",
            graph=self.tracing.uid(backward.graph),
            xla=True,
            where=where,
        )
        if self.tracing.first_calls is not None:
            self.tracing.first_calls.expect(folder, backward)

    def _write(self, backward: Any, forward: Any, where: Mapping[str, Any] | None) -> Path | None:
        make = self.tracing.contents(backward)

        def contents(name: str) -> dict[str, bytes]:
            from . import capsule as capsules  # imports numpy: not before the target has

            files = make(name)
            sources = json.loads(gzip.decompress(files["sources.json.gz"]))
            top = self.tracing.uid(backward.graph)
            sources[top] = placed(sources.get(top, {}), capsules.sources_of(forward), where)
            return {**files, "sources.json.gz": capsules.packed(sources)}

        return self.tracing.shelf.add(backward, contents, "gradient", _text(backward.name))


def placed(
    own: Mapping[str, Frames], forward: Mapping[str, Frames], where: Mapping[str, Any] | None
) -> dict[str, Frames]:
    """The frames of a gradient's nodes: those of the op that each is the gradient of, where its own end at the call."""
    call = ((where or {}).get("file"), (where or {}).get("line"))
    found = {}
    for name, frames in own.items():
        of = _OF.search(name)
        made = forward.get(of[1]) if of is not None else None
        at_call = not frames or tuple(frames[-1][:2]) == call
        found[name] = made if made and at_call else frames
    return found


def _plain(name: str) -> str:
    """The name of a function without what TensorFlow puts around it."""
    match = _NAME.match(name)
    return match[1] if match is not None else name


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)

"""Blame without TensorFlow: a source, the calls that were under way, and what the message said."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from xladoctor.blame.crash import Seen
from xladoctor.blame.engine import blame
from xladoctor.model.blame import Blame
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.sources.files import Files

MAIN = "/work/train.py"
Shapes = Mapping[str, list[int | None]]


def blamed(
    source: str,
    *calls: tuple[str, str],
    dims: tuple[int, ...] = (),
    shapes: Shapes | None = None,
    message: str = "",
    more: Mapping[str, str] | None = None,
    frame_shapes: Mapping[str, Shapes] | None = None,
    at: tuple[str, str] | None = None,
    slug: str = "keras-input-mismatch",
    argv: tuple[str, ...] = (),
    op: str = "",
) -> Blame | None:
    """The blame for a program. `calls` are (function, a piece of its line), outermost first; `shapes` are those of the
    outermost call's locals, `frame_shapes` those of others, by function. `at` is where the op stands that failed, in a
    graph: no frame names it.
    """
    texts = {MAIN: textwrap.dedent(source).lstrip("\n")} | {k: textwrap.dedent(v) for k, v in (more or {}).items()}
    frames = [_frame(texts, function, piece) for function, piece in calls]
    frames[0]["tensors"] = [{"name": k, "shape": v, "dtype": "float32"} for k, v in (shapes or {}).items()]
    for frame in frames:
        own = (frame_shapes or {}).get(frame["function"])
        if own is not None:
            frame["tensors"] = [{"name": k, "shape": v, "dtype": "float32"} for k, v in own.items()]
    last = _frame(texts, *at) if at is not None else frames[-1]
    place = Location(last["file"], last["line"], last["function"])
    finding = Finding("XD3", slug, "error", "root", "t", "m", op=op or None, dims=dims, location=place)
    event: dict[str, Any] = {"frames": frames, "message": message, "exception": "ValueError"}
    return blame(finding, event, Files(texts.get, ("/work",)), MAIN, Seen(argv=argv))


def _frame(texts: Mapping[str, str], function: str, piece: str) -> dict[str, Any]:
    for file, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if piece in line:
                return {"file": file, "line": number, "function": function, "user": True}
    raise AssertionError(piece)


def lines(found: Blame | None) -> list[str]:
    """The source of the suspects, likeliest first."""
    return [suspect.code for suspect in found.suspects] if found is not None else []

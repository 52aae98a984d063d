"""TensorBoard: the verdict and the findings as texts in a log folder, and the page beside them.

Its own writer imports TensorFlow where that is there, which takes seconds and is the patient's: here the records of
TensorBoard are written with the same library, into a file of our own.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xladoctor.trackers import Tracker

if TYPE_CHECKING:
    from xladoctor.trackers._parcel import Parcel

PAGE = "diagnosis.html"
_COLUMNS = ("code", "class", "level", "role", "status", "message", "file", "line", "remedies")


def wrong(where: str) -> str | None:
    """It is a folder that is there, or that can be made."""
    if not where:
        return "name a log folder: --export tensorboard:LOGDIR"
    folder = Path(where).expanduser()
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        return f"{there} is no folder"
    return None if os.access(there, os.W_OK) else f"{there} cannot be written: permission denied"


def log(parcel: Parcel, where: str) -> str:
    """Writes a new run into the log folder; an earlier one is never added to."""
    from tensorboard.summary.writer.record_writer import RecordWriter

    folder = _new_folder(Path(where).expanduser())
    (folder / PAGE).write_text(parcel.page, encoding="utf-8", errors="backslashreplace")
    events = folder / f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.xladoctor"
    with events.open("xb") as file:
        writer = RecordWriter(file)
        for event in _events(parcel):
            writer.write(event.SerializeToString())
    return str(folder)


def _new_folder(logdir: Path) -> Path:
    """A folder of its own for each diagnosis: TensorBoard shows one as a run."""
    stem = time.strftime("xladoctor-%Y%m%dT%H%M%S")
    for number in range(1000):
        folder = logdir / (f"{stem}-{number}" if number else stem)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{logdir / stem}")


def _events(parcel: Parcel) -> Iterator[Any]:
    from tensorboard.compat.proto import event_pb2

    now = time.time()
    yield event_pb2.Event(wall_time=now, file_version="brain.Event:2")
    for tag, text in (("xladoctor/verdict", _verdict(parcel)), ("xladoctor/findings", _findings(parcel))):
        yield event_pb2.Event(wall_time=now, step=0, summary=_summary(tag, text))


def _summary(tag: str, text: str) -> Any:
    """A text as TensorBoard's text plug-in reads it."""
    from tensorboard.compat.proto import summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
    from tensorboard.plugins.text import metadata

    tensor = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING,
        string_val=[text.encode("utf-8", "backslashreplace")],
        tensor_shape=tensor_shape_pb2.TensorShapeProto(),
    )
    known = metadata.create_summary_metadata(display_name=tag, description="")
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, metadata=known, tensor=tensor)])


def _verdict(parcel: Parcel) -> str:
    return _table(("", ""), [*parcel.verdict.items(), ("page", PAGE)])


def _findings(parcel: Parcel) -> str:
    columns = dict(parcel.columns())
    return _table(_COLUMNS, zip(*(columns[name] for name in _COLUMNS), strict=True))


def _table(heads: tuple[str, ...], rows: Any) -> str:
    from xladoctor.report.text import md

    lines = (heads, ["---"] * len(heads), *([md(cell) for cell in row] for row in rows))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


TRACKER = Tracker("tensorboard", log, wrong)

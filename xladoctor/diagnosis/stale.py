"""Graphs and models that keep an old decision: a setting was read when they were made, and has changed since."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.model import Finding
from xladoctor.diagnosis.reads import History, histories
from xladoctor.diagnosis.setting_finding import finding, told, traced
from xladoctor.evidence.run import Event, Recording
from xladoctor.evidence.schema import schema

_USED = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")


def baked_in(recording: Recording) -> Iterator[Finding]:
    """Functions that were called, and models that were used, after a setting that made them had changed."""
    known = list(histories(recording))
    yield from _functions(recording, known)
    yield from _models(recording, known)


def _functions(recording: Recording, known: list[History]) -> Iterator[Finding]:
    """A `tf.function` called again without a trace, whose graph was traced under another value."""
    traces = {(e["pid"], e["graph"]): e for e in recording.of_kind(schema.TRACE)}
    said: set[tuple[int, int, str]] = set()
    for use in recording.of_kind(schema.USE):
        graphs = set(use.get("graphs", ()))
        for history in known:
            mark = (use["pid"], use["owner"], history.name)
            if history.pid != use["pid"] or mark in said:
                continue
            reads = [r for r in history.reads if r.get("graph") in graphs and r["seq"] < use["seq"]]
            written = _change(history, reads, use["seq"])
            if written is None:
                continue
            said.add(mark)
            read = reads[-1]
            trace = traces[read["pid"], read["graph"]]
            name = trace.get("python_name")
            yield finding(
                "baked-in-setting",
                f"{name} keeps {history.key} = {read['value']!r}",
                f"{history.name} was read as {read['value']!r} while {name} was traced, then set to "
                f"{written['value']!r}; {name} was called again and was not traced again: it still goes by "
                f"{read['value']!r}.",
                written,
                [told(read, "read while tracing"), traced(trace), told(written, "written"), told(use, "called again")],
                details={"function": name, "setting": history.name, "kept": read["value"], "now": written["value"]},
            )


def _models(recording: Recording, known: list[History]) -> Iterator[Finding]:
    """A Keras model whose layers were made under another value than the one that holds where it is used."""
    said: set[tuple[int, str, str]] = set()
    begins = [e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin" and e.get("method") in _USED]
    for call in begins:
        build = _build_of(recording, call)
        if build is None:
            continue
        since = _previous_build(recording, build)
        for history in known:
            mark = (call["pid"], str(call.get("model")), history.name)
            if history.pid != call["pid"] or mark in said:
                continue
            reads = [r for r in history.reads if since < r["seq"] < build["seq"] and not r.get("graph")
                     and _made_in(r, build)]  # fmt: skip
            written = _change(history, reads, call["seq"])
            if written is None or any(r.get("graph") and r["seq"] > written["seq"] for r in history.reads):
                continue
            said.add(mark)
            read = reads[-1]
            yield finding(
                "baked-in-setting",
                f"model {call.get('model')} keeps {history.key} = {read['value']!r}",
                f"{history.name} was read as {read['value']!r} while the model {call.get('model')} was built, then set "
                f"to {written['value']!r}; {call['method']} was called afterwards, on the model as it was built.",
                written,
                [told(read, "read"), told(build, f"model {build.get('name')} built"), told(written, "written"),
                 told(call, f"{call['method']} begins")],
                details={"model": call.get("model"), "setting": history.name, "kept": read["value"],
                         "now": written["value"]},
            )  # fmt: skip


def _change(history: History, reads: list[Event], used: int) -> Event | None:
    """The write that the reads have missed, if what holds at `used` is a value that none of them saw."""
    now = history.value_at(used)
    if not reads or now is None or now["action"] == "default" or now["seq"] < reads[-1]["seq"]:
        return None
    if any(r["value"] == now["value"] for r in reads):
        return None
    override = history.restored(now)
    if override is not None and override.begin["seq"] < reads[-1]["seq"]:
        return None  # made under a value that was set for the purpose
    return now


def _build_of(recording: Recording, call: Event) -> Event | None:
    builds = [
        e
        for e in recording.of_kind(schema.MODEL)
        if e["action"] == "build" and e["pid"] == call["pid"] and e["seq"] < call["seq"] and e["name"] == call["model"]
    ]
    return builds[-1] if builds else None


def _previous_build(recording: Recording, build: Event) -> int:
    return max(
        (
            int(e["seq"])
            for e in recording.of_kind(schema.MODEL)
            if e["action"] == "build" and e["pid"] == build["pid"] and e["seq"] < build["seq"]
            and _place(e.get("where")) == _place(build.get("where"))
        ),
        default=0,
    )  # fmt: skip


def _made_in(read: Event, build: Event) -> bool:
    """True if the function that built the model is on the stack of the read."""
    return _place(build.get("where")) in {_place(f) for f in read.get("frames", ())}


def _place(where: object) -> tuple[object, object]:
    return (where.get("file"), where.get("function")) if isinstance(where, dict) else (None, None)

"""Graphs and models that keep an old decision: a setting was read when they were made, and has changed since."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.diagnosis.reads import History, histories
from xladoctor.diagnosis.setting_finding import finding, told, traced
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

# Of very many reads the last ones are looked at; a program that is no attack has a few dozen.
_MOST_READS = 200
_MOST_GRAPHS = 20
_USED = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")


def baked_in(recording: Recording) -> Iterator[Finding]:
    """Functions that were called, and models that were used, after a setting that made them had changed."""
    known = histories(recording)
    yield from _functions(recording, known)
    yield from _models(recording, known)


def _functions(recording: Recording, known: Sequence[History]) -> Iterator[Finding]:
    """A `tf.function` called again without a trace, whose graph was traced under another value."""
    traces = {(e["pid"], e["graph"]): e for e in recording.of_kind(schema.TRACE)}
    said: set[tuple[int, int, str]] = set()
    in_graphs = _reads_in_graphs(known)
    for use in recording.of_kind(schema.USE):
        for history, reads in _before(use, in_graphs):
            mark = (use["pid"], use["owner"], history.name)
            if mark in said:
                continue
            written = _change(history, reads, use["seq"])
            if written is None:
                continue
            said.add(mark)
            read = reads[-1]
            trace = traces.get((read["pid"], read["graph"]))
            if trace is None:
                continue
            name = trace.get("python_name")
            yield finding(
                "baked-in-setting",
                f"{name} keeps {history.key} = {read['value']!r}",
                f"{history.name} was read as {read['value']!r} while {name} was traced, then set to "
                f"{written['value']!r}; {name} was called again and was not traced again: it still uses "
                f"{read['value']!r}.",
                written,
                [told(read, "read while tracing"), traced(trace), told(written, "written"), told(use, "called again")],
                details={"function": name, "setting": history.name, "kept": read["value"], "now": written["value"]},
            )


_Reads = list[tuple[History, list[Event]]]


def _reads_in_graphs(known: Sequence[History]) -> dict[tuple[int, str], _Reads]:
    """{(process, graph): the settings that were read while it was traced, and their last reads there}."""
    found: dict[tuple[int, str], _Reads] = {}
    for history in known:
        own: dict[str, list[Event]] = {}
        for read in history.reads:
            if read.get("graph"):
                own.setdefault(read["graph"], []).append(read)
        for graph, reads in own.items():
            found.setdefault((history.pid, graph), []).append((history, reads[-_MOST_READS:]))
    return found


def _before(use: Event, in_graphs: Mapping[tuple[int, str], _Reads]) -> _Reads:
    """The settings that were read in the graphs of a function before it was called again, in a fixed order."""
    found: dict[int, tuple[History, list[Event]]] = {}
    for graph in use.get("graphs", ())[-_MOST_GRAPHS:]:
        for history, reads in in_graphs.get((use["pid"], graph), ())[:_MOST_READS]:
            earlier = [r for r in reads if r["seq"] < use["seq"]]
            found.setdefault(id(history), (history, []))[1].extend(earlier)
    for _, reads in found.values():
        reads.sort(key=lambda r: int(r["seq"]))
    return list(found.values())


def _models(recording: Recording, known: Sequence[History]) -> Iterator[Finding]:
    """A Keras model whose layers were made under another value than the one that holds where it is used."""
    said: set[tuple[int, str, str]] = set()
    begins = [e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin" and e.get("method") in _USED]
    builds = _Builds(recording, known)
    for call in begins:
        build = builds.of(call)
        if build is None:
            continue
        for history, reads in builds.reads(build):
            mark = (call["pid"], str(call.get("model")), history.name)
            if mark in said:
                continue
            written = _change(history, reads, call["seq"])
            if written is None or builds.traced_after(history, written):
                continue
            said.add(mark)
            read = reads[-1]
            yield finding(
                "baked-in-setting",
                f"model {call.get('model')} keeps {history.key} = {read['value']!r}",
                f"{history.name} was read as {read['value']!r} while the model {call.get('model')} was built, then set "
                f"to {written['value']!r}; {call['method']} was called afterwards on this model.",
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


class _Builds:
    """When models were built, and what was read meanwhile; gone through once for all calls."""

    def __init__(self, recording: Recording, known: Sequence[History]) -> None:
        self._named: dict[tuple[int, str | None], list[Event]] = {}
        self._since: dict[int, int] = {}
        latest: dict[tuple[object, ...], int] = {}
        for event in recording.of_kind(schema.MODEL):
            if event["action"] == "build":
                self._named.setdefault((event["pid"], event["name"]), []).append(event)
                place = (event["pid"], *_place(event.get("where")))
                self._since[id(event)] = latest.get(place, 0)
                latest[place] = _seq(event)
        reads = ((r, h) for h in known for r in h.reads if not r.get("graph"))
        self._by_pid: dict[int, list[tuple[Event, History]]] = {}
        for read, history in sorted(reads, key=lambda pair: _seq(pair[0])):
            self._by_pid.setdefault(history.pid, []).append((read, history))
        self._last_traced = {id(h): max((_seq(r) for r in h.reads if r.get("graph")), default=-1) for h in known}
        self._reads: dict[int, _Reads] = {}

    def of(self, call: Event) -> Event | None:
        """The last build of the model before a call."""
        builds = self._named.get((call["pid"], call.get("model")), [])
        at = bisect_left(builds, call["seq"], key=_seq)
        return builds[at - 1] if at else None

    def reads(self, build: Event) -> _Reads:
        """The settings that were read while a model was built, by the function that built it."""
        if id(build) not in self._reads:
            reads = self._by_pid.get(build["pid"], [])
            first = bisect_right(reads, self._since[id(build)], key=lambda pair: _seq(pair[0]))
            last = bisect_left(reads, build["seq"], key=lambda pair: _seq(pair[0]))
            found: dict[int, tuple[History, list[Event]]] = {}
            for read, history in reads[max(first, last - _MOST_READS) : last]:
                if _made_in(read, build):
                    found.setdefault(id(history), (history, []))[1].append(read)
            self._reads[id(build)] = list(found.values())
        return self._reads[id(build)]

    def traced_after(self, history: History, written: Event) -> bool:
        """Whether a trace read the setting after it was written."""
        return self._last_traced[id(history)] > _seq(written)


def _seq(event: Event) -> int:
    return int(event["seq"])


def _made_in(read: Event, build: Event) -> bool:
    """True if the function that built the model is on the stack of the read."""
    return _place(build.get("where")) in {_place(f) for f in read.get("frames", ())}


def _place(where: object) -> tuple[object, object]:
    return (where.get("file"), where.get("function")) if isinstance(where, dict) else (None, None)

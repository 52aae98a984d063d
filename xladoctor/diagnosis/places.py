"""From recorded places and a worker's answers to calls of places: one value for each time a place was really entered.

A Python body of a cached function runs once while the graph calls it from many nodes; a loop body runs many times. The
recording has one event a *trace*; the worker tells every *occurrence* of that trace in the step, with run-time shapes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from xladoctor.diagnosis.contracts import Checked, Contract, ContractError, check, parse, readable
from xladoctor.model.diagnosis import Location
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

Dims = list[int | None] | None
State = Literal["executed", "not-executed", "failed", "static-only"]
# Sorts after every node index.
_AFTER = 1 << 40


@dataclass(frozen=True)
class Tensor:
    """One tensor of a call: what the trace knew of it and what it was at run time."""

    arg: str
    name: str | None
    graph: str | None
    static: Dims
    runtime: list[int] | None
    state: State

    @property
    def absent(self) -> bool:
        """Whether the contract names it and the call did not have it."""
        return self.name is None and self.static is None and self.runtime is None


@dataclass(frozen=True)
class PlaceCall:
    """One time that a place was entered (and left)."""

    place: str
    contract: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...] | None
    axes: dict[str, tuple[int, str]]
    order: tuple[int, ...]
    after: tuple[int, ...]
    path: tuple[str, ...]
    iteration: int | None
    state: State
    scope: str | None
    graph: str | None
    call: int
    seq: int
    pid: int
    callers: tuple[Location, ...]
    defined: Location | None
    capsule: str | None

    @property
    def layer(self) -> str | None:
        """The Keras layer path.

        In the step and in bodies of control flow it is the name scope; in a function that is called from many nodes the
        scope of the node that calls it goes before (a cached function keeps no other trace of its caller).
        """
        base = self.path[-1].rpartition("/")[0] if self.path else ""
        scope = self.scope or ""
        if not base or not scope or scope.partition("/")[0] == base.partition("/")[0]:
            return scope or base or None
        return f"{base}/{scope}"

    def checked(self, static: bool = False) -> Checked:
        """The call against its contract, with run-time shapes where they are known.

        Raises:
            ContractError: the contract is wrong.
        """

        def known(tensors: Sequence[Tensor]) -> list[Dims]:
            return [t.static if static or t.runtime is None else list(t.runtime) for t in tensors]

        outputs = known(self.outputs) if self.outputs is not None else None
        return check(parse(self.contract), known(self.inputs), outputs, self.axes)

    def known(self) -> Checked:
        """As `checked`; where the contract is wrong, nothing was found and nothing is bound."""
        try:
            return self.checked()
        except ContractError:
            return Checked()


def place_calls(
    recording: Recording,
    capsule: str | None,
    between: tuple[int, int, int] | None = None,
    pid: int | None = None,
) -> list[PlaceCall]:
    """The calls of places in the step of a capsule, in program order.

    Without a capsule, as they were traced: those `between` two events of a process if anything was traced there, else
    all; of one process where `pid` says which.
    """
    events = recording.of_kind(schema.PLACE)
    if between is not None:
        process, first, last = between
        own = _of_process(recording, process)
        events = own[bisect_right(own, first, key=_seq) : bisect_left(own, last, key=_seq)] or events
    if pid is not None:
        events = _of_process(recording, pid)
    defined = {e["place"]: location(e) for e in recording.of_kind(schema.PLACE_FOUND)}
    answers = _Answers(recording, capsule)
    found: list[PlaceCall] = []
    if capsule is not None:
        number = _pid_of(capsule)
        inside = (e for graph in recording.capsule(capsule).graphs for e in _in_graph(recording, graph))
        events = sorted((e for e in inside if number is None or e["pid"] == number), key=lambda e: (e["pid"], e["seq"]))
    answers.put_in_order(events)
    for entered, left in _pairs(events):
        found.extend(answers.calls(entered, left, defined.get(entered["place"]), capsule))
    found.sort(key=lambda c: (c.order, c.seq))
    return found


def wanted(recording: Recording, capsule: str) -> list[dict[str, Any]]:
    """What to ask a worker about a capsule: every tensor of every recorded place of its graphs."""
    graphs = set(recording.capsule(capsule).graphs)
    pid = _pid_of(capsule)
    asked: list[dict[str, Any]] = []
    for event in recording.of_kind(schema.PLACE):
        if pid is not None and event["pid"] != pid:
            continue
        # The event's own graph is always asked for: tensors of an outer graph do not tell how often it was entered.
        by_graph: dict[str, list[str]] = {event["graph"]: []} if event.get("graph") in graphs else {}
        for tensor in event["tensors"]:
            if tensor.get("graph") in graphs and tensor.get("tensor"):
                by_graph.setdefault(tensor["graph"], []).append(tensor["tensor"])
        for graph, names in by_graph.items():
            asked.append({"id": f"{event['seq']}:{graph}", "graph": graph, "tensors": names})
    return asked


def violations(calls: Sequence[PlaceCall]) -> Iterator[tuple[PlaceCall, Checked]]:
    """The calls that break their contract, in program order; branches that were not taken do not count."""
    for call in calls:
        if call.state == "not-executed":
            continue
        checked = call.known()
        if checked.violations:
            yield call, checked


def _pairs(events: list[Event]) -> Iterator[tuple[Event, Event | None]]:
    left = {(e["pid"], e["place"], e["call"]): e for e in events if e["phase"] == "out"}
    for event in events:
        if event["phase"] == "in":
            yield event, left.get((event["pid"], event["place"], event["call"]))


def _pid_of(capsule: str) -> int | None:
    head = capsule.partition("-")[0]
    return int(head) if head.isascii() and head.isdigit() else None


def _seq(event: Event) -> int:
    return int(event["seq"])


def _of_process(recording: Recording, pid: int | None) -> list[Event]:
    """The events of places of one process, in order."""
    return recording.once(_grouped, "pid").get(pid, [])


def _in_graph(recording: Recording, graph: str) -> list[Event]:
    """The events of places in one graph, in order."""
    return recording.once(_grouped, "graph").get(graph, [])


def _grouped(recording: Recording, name: str) -> dict[Any, list[Event]]:
    found: dict[Any, list[Event]] = {}
    for event in recording.of_kind(schema.PLACE):
        found.setdefault(event.get(name), []).append(event)
    return found


class _Answers:
    """The worker's answer to `shapes`, by (event, graph)."""

    def __init__(self, recording: Recording, capsule: str | None) -> None:
        self.asked = False
        self._by_id: dict[str, list[dict[str, Any]]] = {}
        self._moments: dict[tuple[Any, ...], tuple[int, ...]] = {}
        for answer in recording.answers("shapes", capsule) if capsule else ():
            self.asked = self.asked or isinstance(answer.result, dict)
            for identity, occurrences in answer.told.get("occurrences", {}).items():
                self._by_id.setdefault(str(identity), []).extend(occurrences)

    def calls(
        self, entered: Event, left: Event | None, defined: Location | None, capsule: str | None
    ) -> Iterator[PlaceCall]:
        graph = entered.get("graph")
        eager = graph is None
        for path, iteration, state in self._occurrences(entered, left):
            inputs = tuple(self._tensor(entered, t, path, iteration) for t in _labelled(entered, "in"))
            outputs = None
            if left is not None:
                outputs = tuple(self._tensor(left, t, path, iteration) for t in _labelled(left, "out"))
            states = {t.state for t in (*inputs, *(outputs or ()))}
            if eager:
                state = "executed"
            elif self.asked and state == "executed" and "failed" in states:
                state = "failed"
            yield PlaceCall(
                place=entered["place"],
                contract=entered["contract"],
                inputs=inputs,
                outputs=outputs,
                axes={a["name"]: (a["value"], a["source"]) for a in entered.get("axes", ())},
                order=self._moment(entered, path, iteration),
                after=self._moment(left or entered, path, iteration),
                path=path,
                iteration=iteration[-1] if iteration else None,
                state=state,
                scope=entered.get("scope"),
                graph=graph,
                call=entered["call"],
                seq=entered["seq"],
                pid=entered["pid"],
                callers=tuple(loc for f in entered.get("frames", ()) if (loc := location(f)) is not None),
                defined=defined,
                capsule=capsule,
            )

    def put_in_order(self, events: list[Event]) -> None:
        """Give every event of every occurrence its moment in program order.

        A place is entered or left after the last of its tensors was made (what happens inside the node that made it, a
        branch or a called function, comes before: hence the high digit), and never before what Python did earlier in
        the same frame.
        """
        latest: dict[tuple[Any, ...], tuple[int, ...]] = {}
        for event in sorted(events, key=lambda e: (e["pid"], e["seq"])):
            for occurrence in self._by_id.get(f"{event['seq']}:{event.get('graph')}", ()):
                prefix = tuple(occurrence.get("order", ()))
                made: tuple[int, ...] = (*prefix, -1)
                for position in occurrence.get("positions", {}).values():
                    if tuple(position[: len(prefix)]) == prefix:
                        made = max(made, (*position, _AFTER))
                key = (event.get("graph"), tuple(occurrence["path"]), _iteration(occurrence))
                latest[key] = max(made, latest.get(key, made))
                self._moments[(event["seq"], key[1], key[2])] = (*latest[key], event["seq"])

    def _moment(self, event: Event, path: tuple[str, ...], iteration: tuple[int, ...]) -> tuple[int, ...]:
        return self._moments.get((event["seq"], path, iteration), (event["seq"],))

    def _occurrences(
        self, entered: Event, left: Event | None
    ) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], State]]:
        graph = entered.get("graph")
        seen: dict[tuple[tuple[str, ...], tuple[int, ...]], State] = {}
        for event in (entered, left):
            for occurrence in self._by_id.get(f"{event['seq']}:{graph}", ()) if event is not None else ():
                key = (tuple(occurrence["path"]), _iteration(occurrence))
                state = occurrence["state"]
                seen.setdefault(key, "failed" if state == "unknown" else state)
        if not seen:
            yield (), (), "static-only"
        for (path, iteration), state in seen.items():
            yield path, iteration, state

    def _tensor(self, event: Event, data: dict[str, Any], path: tuple[str, ...], iteration: tuple[int, ...]) -> Tensor:
        runtime, state = self._runtime(event, data, path, iteration)
        static = data.get("shape")
        if data.get("kind") in ("eager", "array"):
            runtime, state = static, "executed"
        return Tensor(data["arg"], data.get("tensor"), data.get("graph"), static, runtime, state)

    def _runtime(
        self, event: Event, data: dict[str, Any], path: tuple[str, ...], iteration: tuple[int, ...]
    ) -> tuple[list[int] | None, State]:
        best: tuple[int, dict[str, Any]] | None = None
        for occurrence in self._by_id.get(f"{event['seq']}:{data.get('graph')}", ()):
            other = tuple(occurrence["path"])
            turn = _iteration(occurrence)
            # A tensor of an outer graph has a shorter path; the nearest enclosing call is the one that is meant, in the
            # same turn of the loops that both are in.
            if path[: len(other)] != other or iteration[: len(turn)] != turn or (other == path and turn != iteration):
                continue
            if best is None or len(other) > best[0]:
                best = (len(other), occurrence)
        if best is None:
            return None, "static-only"
        shape = best[1].get("shapes", {}).get(data.get("tensor"))
        if isinstance(shape, list):
            return shape, "executed"
        state = best[1].get("state", "failed")
        return None, "not-executed" if state == "not-executed" else "failed"


def _labelled(event: Event, phase: str) -> list[dict[str, Any]]:
    """The tensors of an event, as `labelled`; as they are where the contract cannot be read."""
    contract, tensors = readable(event["contract"]), list(event["tensors"])
    return tensors if contract is None else labelled(contract, tensors, phase)


def labelled(contract: Contract, tensors: Sequence[dict[str, Any]], phase: str) -> list[dict[str, Any]]:
    """Tensors, each with the name of its argument as `arg`, in the order and under the labels of the contract.

    Where the labels are names of arguments, they say which is which; a tensor that was not given leaves a gap. Else the
    n-th tensor has the n-th label. What the contract does not name comes last and keeps its argument's name.
    """
    labels = [s.label for s in (contract.inputs if phase == "in" else contract.outputs)]
    named = {t["arg"]: t for t in tensors}
    if phase == "in" and tensors and (named.keys() >= set(labels) or named.keys() <= set(labels)):
        rest = [t for t in tensors if t["arg"] not in labels]
        return [*(named.get(label, {"arg": label}) for label in labels), *rest]
    return [{**tensor, "arg": labels[i] if i < len(labels) else tensor["arg"]} for i, tensor in enumerate(tensors)]


def _iteration(occurrence: dict[str, Any]) -> tuple[int, ...]:
    return tuple(occurrence.get("iterations", ()))

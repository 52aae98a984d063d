"""What a recorded run shows, worked out once for all rules: calls of places, the first violation, the failing op, the
silent calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from xladoctor.diagnosis.again import REQUEST as AGAIN
from xladoctor.diagnosis.again import is_evidence
from xladoctor.diagnosis.contracts import Binding, Violation, readable
from xladoctor.diagnosis.lookup import (
    MOST_STEPS,
    begins,
    calls_around,
    failures_looked_at,
    finished_graphs,
    graphs_of_functions,
    worker_errors,
)
from xladoctor.diagnosis.numbers import Name, names_of
from xladoctor.diagnosis.operands import at_fault
from xladoctor.diagnosis.places import PlaceCall, place_calls, violations
from xladoctor.diagnosis.reach import reaches_rows
from xladoctor.diagnosis.standing import Standing, other_layout, standing
from xladoctor.model.diagnosis import Location
from xladoctor.model.ops import SizeOrigin, WorkerOp
from xladoctor.patterns import pattern
from xladoctor.recording.contents import fitting
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_OF_COMPILER = pattern(r"\bhlo\b|\bHLO\b|XLA compilation|compile-time constant|_XlaMustCompile|XLA_\w{1,20}_JIT")

Op = TypeVar("Op", bound=WorkerOp)
Moment = tuple[int, ...]


@dataclass(frozen=True)
class Broken:
    """A violation with the call it happened in and the bindings of that call."""

    call: PlaceCall
    violation: Violation
    bindings: dict[str, Binding]

    @property
    def moment(self) -> Moment:
        """Where in the step it happened: an argument when the place is entered, a result when it is left."""
        return self.call.order if self.violation.phase == "in" else self.call.after


@dataclass(frozen=True)
class Step:
    """One recorded call of a function: why it is looked at, and what is known of it.

    `why` is failed, rows, well (a call that ended as it should) or eager (what ran outside of any graph); `capsule` is
    None where a failure came before any function was finished, and for eager calls. `apart`: without a capsule, only
    what no other step shows. `pid` is the process of eager calls.
    """

    recording: Recording
    why: str
    capsule: str | None
    failure: Event | None = None
    keras_call: Event | None = None
    apart: bool = False
    pid: int | None = None

    @cached_property
    def calls(self) -> list[PlaceCall]:
        """The calls of places in program order."""
        if self.why == "eager":
            return [c for c in place_calls(self.recording, None, pid=self.pid) if c.graph is None]
        found = place_calls(self.recording, self.capsule, self._between)
        if self.apart and self.capsule is None:
            finished = self.recording.once(finished_graphs)
            return [c for c in found if c.graph is not None and (c.pid, c.graph) not in finished]
        return found

    @property
    def _between(self) -> tuple[int, int, int] | None:
        """(process, first, last event) of a failure without a capsule: what was traced in the call that failed."""
        if self.capsule is not None or self.failure is None:
            return None
        pid, last, begin = self.failure["pid"], self.failure["seq"], 0
        if self.keras_call is not None:
            for event in self.recording.once(begins).get((pid, self.keras_call["call"]), ()):
                begin = event["seq"]
        return pid, begin, last

    @cached_property
    def broken(self) -> list[Broken]:
        """Every violation, first to last, but for those of built-in contracts that do not describe this program."""
        found = [
            Broken(call, *self._at_fault(call, violation, checked.bindings))
            for call, checked in violations(self.calls)
            for violation in checked.violations
        ]
        return sorted((b for b in found if self.counts(b)), key=lambda b: b.moment)

    def _at_fault(
        self, call: PlaceCall, violation: Violation, bindings: dict[str, Binding]
    ) -> tuple[Violation, dict[str, Binding]]:
        batch = self.failing_batch or (self.keras_call or {}).get("batch_size")
        # Looked through only where another argument could be at fault: of thousands of violations few ask.
        return at_fault(call, violation, bindings, batch, (c for c in self.calls if c.after < call.order))

    def counts(self, broken: Broken) -> bool:
        """Whether a violation says that something is wrong here: the contract describes this program, or the rows that
        the call lost are those that the contract asks for.
        """
        call, violation, bindings = broken.call, broken.violation, broken.bindings
        if self.standing.holds(call, violation, bindings, ended_well=self.ended_well):
            return True
        return self.why == "rows" and not other_layout(violation, bindings) and reaches_rows(self.keras_call, broken)

    @cached_property
    def standing(self) -> Standing:
        """Which built-in contracts describe this program, by all the calls of the run."""
        others = [s for s in steps(self.recording, every=True) if (s.why, s.capsule) != (self.why, self.capsule)]
        ended_well = [c for s in (*others, self) if s.ended_well for c in s.calls]
        return standing(self.recording, ended_well, [c for s in (*others, self) if not s.ended_well for c in s.calls])

    @property
    def ended_well(self) -> bool:
        """Whether the call, or for eager calls the run, is known to have ended as it should."""
        if self.why != "eager":
            return self.why == "well"
        outcome = self.recording.outcome
        return outcome is not None and outcome.state == "exited" and outcome.code == 0

    @property
    def owned(self) -> bool:
        """Whether the first violated contract is a promise of the user's own."""
        return self.first is not None and self.first.call.place in self.standing.own

    @property
    def first(self) -> Broken | None:
        """The first violated contract."""
        return self.broken[0] if self.broken else None

    @property
    def failing_op(self) -> WorkerOp | None:
        """The op that fails when a worker runs the step on recorded inputs, if one was asked and it failed there."""
        return next((op for _, op in self._told("failing_op", WorkerOp) if is_evidence(op, self.failure)), None)

    @property
    def compiled_again(self) -> Mapping[str, Any] | None:
        """What came of compiling the recorded function again, if a worker tried."""
        answers = self.recording.answers(AGAIN, self.capsule) if self.capsule else []
        return next((a.told for a in answers if a.told), None)

    @property
    def birth(self) -> SizeOrigin | None:
        """The op at which the wrong size of the first broken contract arose, if a worker found it."""
        return next((op for _, op in self._told("birth", SizeOrigin)), None)

    @property
    def rows_birth(self) -> SizeOrigin | None:
        """The op at which a result that lost rows took the number that it has, if a worker found it."""
        return next((op for _, op in self._told("rows_birth", SizeOrigin)), None)

    def _told(self, request: str, kind: type[Op]) -> Iterator[tuple[int | None, Op]]:
        """(batch, op) of each answer of a worker about the step that names an op."""
        for answer in self.recording.answers(request, self.capsule) if self.capsule else ():
            for op in fitting(kind, [answer.result]):
                yield answer.batch, op

    @cached_property
    def failing_batch(self) -> int | None:
        """The batch size at which the failing op failed for the worker."""
        return next((size for size, op in self._told("failing_op", WorkerOp) if is_evidence(op, self.failure)), None)

    @property
    def worker_error(self) -> str | None:
        """Why a worker could not answer, if it could not."""
        return self.recording.once(worker_errors).get(self.capsule or "")

    @cached_property
    def bindings(self) -> dict[str, Binding]:
        """Axis names of the whole step: from the first call of the place that names most, earlier calls first."""
        found: dict[str, Binding] = {}
        layers = [c for c in self.calls if c.place.endswith(".call") and c.state != "not-executed"]
        for call in layers or self.calls:
            for name, binding in call.known().bindings.items():
                found.setdefault(name, Binding(name, binding.value, f"{binding.by} of {short(call.place)}"))
        return found

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names that may explain a size: axes of the broken contract (of all contracts if none is), and
        expressions.

        Settings that happen to have the same value explain nothing: `offset = 4` is not why there are 4 channels.
        """
        main = self.bindings
        if self.first is not None:
            # What a reader thinks in; H, W, K of other places are only local.
            main = {n: b for n, b in self.bindings.items() if n in self.first.bindings}
        return names_of(main, self.expressions)

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """The axes of contracts that are computed, such as `B*C`."""
        contracts = (readable(text) for text in dict.fromkeys(c.contract for c in self.calls))
        return tuple(e for contract in contracts if contract is not None for e in contract.expressions)

    @cached_property
    def ended_run(self) -> bool:
        """Whether the failure of this step was what ended the process."""
        failure = self.failure
        return failure is not None and (failure["pid"], failure["failure"]) in self.recording.uncaught

    @cached_property
    def under_xla(self) -> bool:
        """Whether XLA compiled the step, or the part of it that failed."""
        if self.capsule is not None and self.recording.capsule(self.capsule).xla:
            return True
        call = self.keras_call or {}
        began = self.recording.once(begins).get((call.get("pid"), call.get("call")), ())
        if any(e.get("jit_compile") == "True" for e in began):
            return True
        message = str((self.failure or {}).get("message", ""))
        if "tf2xla" in message:
            return True
        # A function of the program that XLA compiles can stand in a step that it does not.
        return _OF_COMPILER.search(message) is not None and any(
            t.get("xla") for t in self.recording.of_kind(schema.TRACE)
        )

    def line_of(self, node: str | None, function: str | None = None) -> Location | None:
        """The user's line that made a node which a message names: in the graph of `function`, else where only one has
        it.

        A message names a node as it is called in its own function; XLA's metadata name it from the step.
        """
        if not node:
            return None
        graphs = graphs_of_functions(self.recording)
        lines = {}
        for graph, nodes in self._sources.items():
            frames = nodes.get(node, [])
            user = [f for f in frames if is_user_file(f[0])]
            if user:
                lines[graph] = Location(*user[-1][:3])
        own = lines.get(graphs.get(function or "", ""))
        return self._running(own or (next(iter(lines.values())) if len(set(lines.values())) == 1 else None))

    def lines_under(self, scope: str) -> list[Location]:
        """The user's lines that made the node of this name, or else the nodes whose names begin with it."""
        named = [nodes for nodes in self._sources.values() if scope in nodes]
        begins = f"{scope}/"
        stacks = [nodes[scope] for nodes in named] or [
            frames for nodes in self._sources.values() for name, frames in nodes.items() if name.startswith(begins)
        ]
        user = ([f for f in frames if is_user_file(f[0])] for frames in stacks)
        return list(dict.fromkeys(Location(*frames[-1][:3]) for frames in user if frames))

    def _running(self, made: Location | None) -> Location | None:
        """The line itself; where a function was first called there, and now from another line of the same function
        (a second `fit`), the one that is running.
        """
        failure = self.failure or {}
        if failure.get("during") == "Session.run":
            return made  # a graph that the program's own lines have put together
        user = [f for f in failure.get("frames") or () if f.get("user")]
        here = [
            f for f in user if made is not None and (f.get("file"), f.get("function")) == (made.file, made.function)
        ]
        if made is None or not here or any(f.get("line") == made.line for f in here):
            return made
        return Location(str(user[-1].get("file")), user[-1].get("line"), user[-1].get("function"))

    def sources(self, graph: str | None, tensor: str | None) -> list[Location]:
        """The user's frames that created a tensor, innermost first."""
        if self.capsule is None or graph is None or tensor is None:
            return []
        frames = self._sources.get(graph, {}).get(tensor.partition(":")[0], [])
        return [Location(f[0], f[1], f[2]) for f in reversed(frames) if is_user_file(f[0])]

    @cached_property
    def _sources(self) -> dict[str, dict[str, list[list[Any]]]]:
        return self.recording.sources(self.capsule) if self.capsule else {}


def steps(recording: Recording, every: bool = False) -> list[Step]:
    """The calls worth looking at: each failure, then each call that lost or gained rows.

    With `every` also those that went well, in the order in which they were traced, and last what ran eagerly.
    """
    found: list[Step] = []
    failed = {(e["pid"], e["call"]): e for e in recording.of_kind(schema.CALL) if e["phase"] == "failed"}
    calls: dict[tuple[int, str | None], Event] = {}
    for call in failed.values():
        calls.setdefault((call["pid"], call.get("capsule")), call)
    for event in failures_looked_at(recording):
        capsule = event.get("capsule")
        found.append(Step(recording, "failed", capsule, event, calls.get((event["pid"], capsule)), apart=every))
    ended = (e for e in recording.of_kind(schema.CALL) if e["phase"] == "end" and rows_differ(e))
    found.extend(Step(recording, "rows", e.get("capsule"), None, e) for e in islice(ended, MOST_STEPS))
    if every:
        found.extend(_well(recording, {s.capsule for s in found}))
        eager = dict.fromkeys(e["pid"] for e in recording.of_kind(schema.PLACE) if e.get("graph") is None)
        found.extend(Step(recording, "eager", None, pid=pid) for pid in eager)
    return found


def _well(recording: Recording, known: set[str | None]) -> Iterator[Step]:
    """The steps of Keras calls, and the top-level functions with a place in them, that are not among the `known`."""
    watched = {(e["pid"], e["graph"]) for e in recording.of_kind(schema.PLACE) if e.get("graph")}
    around = calls_around(recording)
    count = 0
    for trace in recording.of_kind(schema.TRACE):
        capsule = trace.get("capsule")
        if not capsule or capsule in known:
            continue
        keras = around.get(id(trace))
        graphs = recording.capsule(capsule).graphs
        if (keras is None or keras.get("capsule") != capsule) and not any((trace["pid"], g) in watched for g in graphs):
            continue
        known.add(capsule)
        yield Step(recording, "well", capsule, None, keras)
        count += 1
        if count >= MOST_STEPS:
            return


def rows_differ(event: Event) -> bool:
    """True if a call gave back another number of rows than it took, and its model does not say that it may."""
    if event.get("by_row") is False:
        return False
    rows = event.get("rows_in")
    return rows is not None and any(n is not None and n != rows for n in event.get("rows_out") or ())


def short(place: str) -> str:
    """`ptycho.custom_layers:ReassemblePatchesLayer.call` -> `ReassemblePatchesLayer.call`."""
    return place.partition(":")[2] or place


def is_user_file(path: str) -> bool:
    """True for a file that is neither Python's nor a library's."""
    return not (
        path.startswith("<")
        or "/site-packages/" in path
        or "/dist-packages/" in path
        or "/lib/python3" in path
        or "__autograph_generated_file" in path
        or path.endswith((".pxi", ".pyx"))
    )


def first_location(frames: Sequence[Any]) -> Location | None:
    """The innermost user frame of a recorded traceback (outermost first)."""
    for frame in reversed(frames):
        if frame.get("user"):
            return location(frame)
    return None


def user_line(op: WorkerOp) -> Location | None:
    """The user's line that made an op."""
    return next((Location(*frame) for frame in reversed(op.sources) if is_user_file(frame[0])), None)


def line(node: Mapping[str, Any]) -> Location | None:
    """The user's line that made an op: of the call that led there, where the op stands in a library."""
    for frames in (node.get("sources") or (), *reversed(node.get("call_sources") or ())):
        for file, line, function in reversed(frames):
            if is_user_file(str(file)):
                return Location(str(file), line, function)
    return None


def defined(trace: Event) -> Location | None:
    """Where a function that was traced is written, or else where it was called."""
    return location(trace.get("defined")) or location(trace.get("where"))

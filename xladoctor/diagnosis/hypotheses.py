"""What people believed, checked: the hypotheses of the reports as predicates over what a run recorded.

Each answers `confirmed`, `refuted` or `untested` from the recording alone, and names what it saw. Nothing is known here
about any particular run: with other facts the verdicts turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xladoctor.diagnosis.basis import CLAIM_RUN_AGAIN, CLAIM_SETTINGS, CLAIM_SHAPES, NOT_TESTED
from xladoctor.diagnosis.facts import Step, short
from xladoctor.diagnosis.numbers import coincidences, explain
from xladoctor.diagnosis.places import PlaceCall, Tensor
from xladoctor.model.diagnosis import Basis, Hypothesis, Proof, Status
from xladoctor.model.shapes import shape_text
from xladoctor.recording.run import Event, location
from xladoctor.recording.schema import schema

Verdict = tuple[Status, list[Proof]]


@dataclass(frozen=True)
class Claim:
    """A hypothesis and its test. `test` gives None where the run has nothing to do with it."""

    id: str
    title: str
    origin: str
    test: Callable[[Step], Verdict | None]


def judge(step: Step) -> tuple[Hypothesis, ...]:
    """The verdicts on all claims that concern this step."""
    found = []
    for claim in CLAIMS:
        verdict = claim.test(step)
        if verdict is not None:
            status, proofs = verdict
            found.append(Hypothesis(claim.id, claim.title, claim.origin, status, tuple(proofs), _basis(status, proofs)))
    return tuple(found)


def _basis(status: Status, proofs: Iterable[Proof]) -> Basis:
    """What a verdict rests on: what a worker met, what was recorded of settings, or the recorded shapes."""
    if status == "untested":
        return NOT_TESTED
    kinds = {proof.kind for proof in proofs}
    return CLAIM_RUN_AGAIN if "worker" in kinds else CLAIM_SETTINGS if "setting" in kinds else CLAIM_SHAPES


# -- shapes -----------------------------------------------------------------------------------------------------------


def _positions(step: Step) -> Iterable[tuple[PlaceCall, Tensor]]:
    """Every tensor that a contract expects as positions `(B 1 2 C)`."""
    from xladoctor.diagnosis.contracts import readable

    for call in step.calls:
        contract = readable(call.contract)
        for spec, tensor in zip(contract.inputs if contract else (), call.inputs, strict=False):
            if spec.axes == ("B", "1", "2", "C") and call.state != "not-executed":
                yield call, tensor


def _positions_are_flat(step: Step) -> Verdict | None:
    seen = list(_positions(step))
    if not seen:
        return None
    proofs: dict[str, Proof] = {}
    flat = False
    for call, tensor in seen:
        shape = tensor.runtime or tensor.static
        if shape is None:
            continue
        flat = flat or len(shape) == 2
        text = f"{tensor.arg} of {short(call.place)} is {shape_text(shape)}"
        proofs.setdefault(text, Proof("shape", text, _where(call)))
    if not proofs:
        return "untested", [Proof("shape", "no shape of the positions was recorded")]
    return ("confirmed" if flat else "refuted"), list(proofs.values())[:4]


def _data_are_right(step: Step) -> Verdict | None:
    if not list(_positions(step)):
        return None
    entry = next((c for c in step.calls if c.place.endswith("ReassemblePatchesLayer.call")), None)
    if entry is None:
        return None
    wrong = [v for v in entry.known().violations if v.phase == "in"]
    if not wrong and not all(any(n is not None for n in t.runtime or t.static or []) for t in entry.inputs):
        return "untested", [Proof("shape", f"of what {short(entry.place)} got, not every shape is known")]
    shapes = ", ".join(f"{t.arg} {shape_text(t.runtime or t.static or [])}" for t in entry.inputs)
    text = f"{short(entry.place)} got {shapes}; contract {entry.contract}"
    return ("refuted" if wrong else "confirmed"), [Proof("shape", text, _where(entry))]


def _warps(step: Step) -> list[PlaceCall]:
    names = ("translate_xla", "projective_warp_xla", "translate", "Translation.call")
    return [c for c in step.calls if short(c.place) in names and c.state != "not-executed"]


def _warp_assumes_one_channel(step: Step) -> Verdict | None:
    warps = _warps(step)
    channels = step.bindings.get("C")
    if not warps or channels is None:
        return None
    if channels.value == 1:
        return "untested", [Proof("shape", "C is 1 in this run")]
    guilty = [c for c in warps if {v.phase for v in c.known().violations} == {"out"}]
    if guilty:
        call = guilty[0]
        return "confirmed", [
            Proof(
                "shape",
                f"{short(call.place)} got inputs that keep its contract, and its result broke it: {call.contract}",
                _where(call),
            )
        ]
    sound = [c for c in warps if c.state == "executed" and c.outputs and not c.known().violations]
    if not sound:
        return "untested", [Proof("shape", "no translation was evaluated at run time")]
    call = sound[0]
    shapes = ", ".join(f"{t.arg} {shape_text(t.runtime or t.static or [])}" for t in call.inputs)
    proofs = [Proof("shape", f"with {channels}, {short(call.place)} kept its contract: {shapes}", _where(call))]
    first = step.first
    if first is not None:
        proofs.append(Proof("shape", f"the first violation is {short(first.call.place)}: {first.violation.reason}"))
    return "refuted", proofs


def _wrong_batch_when_traced(step: Step) -> Verdict | None:
    compared = wrong = 0
    proofs: list[Proof] = []
    last = step.first.moment if step.first is not None else None
    for call in step.calls:
        if last is not None and call.order >= last:
            break
        for tensor in call.inputs:
            if tensor.runtime is None or tensor.static is None:
                continue
            compared += 1
            if any(a is not None and a != b for a, b in zip(tensor.static, tensor.runtime, strict=False)):
                wrong += 1
                shapes = f"traced {shape_text(tensor.static)}, ran {shape_text(tensor.runtime)}"
                text = f"{tensor.arg} of {short(call.place)}: {shapes}"
                proofs.append(Proof("shape", text, _where(call)))
    if not compared:
        return ("untested", [Proof("shape", "no run-time shape to set beside a traced one")]) if step.calls else None
    if wrong:
        return "confirmed", proofs[:4]
    text = f"{compared} traced shapes up to the first violation agree with their run-time shapes, unknown sizes aside"
    return "refuted", [Proof("shape", text)]


def _square_canvas(step: Step) -> Verdict | None:
    op = step.failing_op
    if op is None or not step.calls:
        return None
    for value in (tensor.sizes for tensor in op.inputs):
        if value is None or 0 in value:
            continue
        number = 1
        for n in value:
            number *= n
        explained = explain(number, value, "asked for", step.names)
        squares = coincidences(explained) if explained is not None else ()
        if squares:
            text = f"{op.op} {op.node} asked for {shape_text(value)} = {number}; {squares[0]} is a coincidence"
            return "refuted", [Proof("worker", text, "worker.jsonl")]
        if len([n for n in value if n != 1]) == 2 and value[-1] == value[-2]:
            return "confirmed", [Proof("worker", f"{op.op} asked for {shape_text(value)}", "worker.jsonl")]
    return None


# -- settings ---------------------------------------------------------------------------------------------------------


def _setting(step: Step, store: str, key: str, *actions: str) -> list[Event]:
    return [
        e
        for e in step.recording.of_kind(schema.SETTING)
        if e["store"] == store and e["key"] == key and e["action"] in actions
    ]


def _late_switch(step: Step) -> Verdict | None:
    reads = _setting(step, "params.cfg", "use_xla_translate", "read")
    writes = _setting(step, "params.cfg", "use_xla_translate", "write", "default")
    if not reads and not writes:
        return None
    if not reads:
        return "untested", [Proof("setting", "use_xla_translate was never read in this run")]
    first = reads[0]
    late = [w for w in writes if w["seq"] > first["seq"] and not w["value"] and first["value"]]
    told = [_told(first, "first read")]
    for write in late:
        traced = _traced_under(step, write, writes)
        if traced is not None:
            return "confirmed", [*told, _told(write, "written too late"), _traced(traced)]
    if late:
        undone = next((w for w in writes if w["seq"] > late[0]["seq"]), None)
        proofs = [*told, _told(late[0], "written after it"), *([_told(undone, "undone")] if undone else [])]
        return "refuted", [*proofs, Proof("setting", "nothing was traced while that write was in force")]
    off = [w for w in writes if not w["value"]]
    if off and off[0]["seq"] < first["seq"]:
        return "refuted", [_told(off[0], "written before"), *told]
    values = ", ".join(sorted({repr(w["value"]) for w in writes})) or "nothing"
    return "refuted", [*told, Proof("setting", f"no write of False in this run; written: {values}")]


def _traced_under(step: Step, write: Event, writes: list[Event]) -> Event | None:
    """The first function that was traced while a write was in force."""
    undone = min((w["seq"] for w in writes if w["seq"] > write["seq"] and w["value"] != write["value"]), default=None)
    for trace in step.recording.of_kind(schema.TRACE):
        if trace["pid"] == write["pid"] and trace["seq"] > write["seq"] and (undone is None or trace["seq"] < undone):
            return trace
    return None


def _traced(event: Event) -> Proof:
    text = f"t = {event['t']:.2f} s: {event.get('python_name')} was traced while that write was in force"
    return Proof("event", text, f"events-{event['pid']}.jsonl:{event['seq']}")


def _environment_overrides(step: Step) -> Verdict | None:
    reads = _setting(step, "env", "USE_XLA_TRANSLATE", "read")
    config = _setting(step, "params.cfg", "use_xla_translate", "read", "write", "default")
    if not reads and not config:
        return None
    if not reads:
        return "untested", [Proof("setting", "USE_XLA_TRANSLATE was never read in this run")]
    value = reads[-1]["value"]
    if value is None:
        return "refuted", [_told(reads[-1], "it is not set")]
    decided = _setting(step, "decision", "ptycho.tf_helper:should_use_xla", "read")
    before = [e for e in config if decided and e["pid"] == decided[-1]["pid"] and e["seq"] < decided[-1]["seq"]]
    if not before:
        return "untested", [_told(reads[-1], "read; no decision was recorded that both could have made")]
    if bool(decided[-1]["value"]) != bool(before[-1]["value"]):
        return "confirmed", [_told(reads[-1], "read"), _told(decided[-1], "decided against params.cfg")]
    if bool(_switch(value)) != bool(before[-1]["value"]):
        return "refuted", [_told(reads[-1], "read"), _told(decided[-1], "decided as params.cfg says")]
    return "untested", [_told(reads[-1], "read"), _told(before[-1], "it agrees: neither overrides the other")]


def _switch(value: object) -> bool:
    """What the text of an environment variable means as a switch."""
    return str(value).strip().lower() not in ("", "0", "false", "no", "off")


def _told(event: Event, what: str) -> Proof:
    where = location(event.get("where"))
    value = "unset" if event["value"] is None and event["store"] == "env" else repr(event["value"])
    text = f"t = {event['t']:.2f} s: {event['store']} {event['key']} = {value} ({what}{f', {where}' if where else ''})"
    return Proof("setting", text, f"events-{event['pid']}.jsonl:{event['seq']}")


def _where(call: PlaceCall) -> str:
    return f"events-{call.pid}.jsonl:{call.seq}"


_002 = "report 002"
CLAIMS: tuple[Claim, ...] = (
    Claim("H1", "The XLA translation assumes a single channel (C = 1)", _002, _warp_assumes_one_channel),
    Claim("H1-REVISED", "Positions are flat: (B, 2) instead of (B, 1, 2, C)", _002, _positions_are_flat),
    Claim("H2-REVISED", "Tracing captured a wrong batch size", _002, _wrong_batch_when_traced),
    Claim("H3-REVISED", "The data reach the reassembly in the documented shapes", _002, _data_are_right),
    Claim("H2", "use_xla_translate=False came too late: the graph was cached with XLA", _002, _late_switch),
    Claim("H3", "should_use_xla() was asked before the switch was written", _002, _late_switch),
    Claim("H4", "USE_XLA_TRANSLATE in the environment overrides the configuration", _002, _environment_overrides),
    Claim("N1", "The requested size is the square of the reassembled canvas", _002, _square_canvas),
)

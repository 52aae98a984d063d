"""What rehearsals with a switch flipped say: the switch is dead, or what it governs, and whether numbers differ."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.basis import REHEARSED, REHEARSED_AS_IT_IS
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.flips import ComparedFunction, Flip, Parting, Replaced
from xladoctor.protocol import codec
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

_SAME = 1e-6
"""As `probes.graph.doubled`: what differs less in float64 is the same quantity."""


def dead_switches(recording: Recording) -> Iterator[Finding]:
    """A switch with which every step of the run has the same graph in its other position.

    The steps are what Keras' calls ran; in a program without them, all functions that it traced.
    """
    for flip in recording.flips:
        if not _dead(flip):
            continue
        steps = flip.steps
        others = [f for f in flip.functions if f not in steps and f.same is not True]
        event = _event(recording, flip)
        if not steps:
            yield _without_graphs(flip, flip.numbers.compared if flip.numbers else 0, event)
            continue
        names = ", ".join(dict.fromkeys(str(f.function) for f in steps))
        which = f"the {len(steps)} steps" if len(steps) > 1 else "the step"
        besides = "".join(f" It does affect {f.function}, {_how(f)}." for f in others)
        yield finding(
            "dead-switch",
            f"{flip.name} changes nothing" + (f" in {which} of this run" if others else ""),
            f"The command was rehearsed with {flip.name} = {flip.other!r} instead of {flip.value!r}: "
            f"{which} that it traces ({names}) is the same, op by op.{besides}",
            event or {"kind": "", "where": None},
            [Proof("rehearsal", f"{f.function}: same graph, {_size(f)}", schema.FLIPS_FILE) for f in steps[:6]]
            + ([told(event, str(event["action"]))] if event else []),
            basis=REHEARSED,
            details={"switch": flip.name, "value": flip.value, "other": flip.other},
        )


def _without_graphs(flip: Flip, calls: int, event: Event | None) -> Finding:
    """A switch that changes nothing in a program whose graphs were not compared."""
    reading = flip.reading
    count = f"{calls} calls"
    return finding(
        "dead-switch",
        f"{flip.name} changes nothing",
        f"The command was rehearsed with {flip.name} = {flip.other!r} instead of {flip.value!r}: it made the "
        f"same calls, and {count} that were compared gave the same numbers, bit by bit.",
        {"kind": "", "where": {"file": reading.file, "line": reading.line, "function": None}} if reading else
        event or {"kind": "", "where": None},
        [Proof("rehearsal", f"{count}: the same numbers", schema.FLIPS_FILE)],
        basis=REHEARSED,
        details={"switch": flip.name, "value": flip.value, "other": flip.other},
    )  # fmt: skip


def is_dead(recording: Recording, store: str, key: str) -> bool:
    """Whether a rehearsal has shown it."""
    return any((f.store, f.key) == (store, key) and _dead(f) for f in recording.flips)


def _dead(flip: Flip) -> bool:
    """Whether every step that was compared came out the same, and one was.

    What numbers say counts as well: a switch may act outside of graphs. One that the program's own lines test is dead
    only where nothing at all that was recorded differs, and where it is not handed to a library.
    """
    numbers, same = flip.numbers, all(step.same is True for step in flip.steps)
    if flip.reading is not None:
        alike = numbers is not None and numbers.alike and numbers.compared > 0 and flip.ended
        return alike and not flip.reading.passed_on and same
    if numbers is not None and (numbers.parting or numbers.printed):
        return False
    return bool(flip.steps) and same


def number_findings(recording: Recording) -> Iterator[Finding]:
    """Switches with which a call gives other numbers on the same arguments, where both positions should give the same;
    configured values that a default replaced.

    The positions should give the same where the switch is about XLA or compilation, where both call another function
    with the same arguments, where a comment promises it, or where the same numbers come in another order.
    """
    for flip in recording.flips:
        why = _should_agree(flip, flip.parting) if flip.parting else None
        if flip.parting and why:
            yield _parted(flip, flip.parting, why)
    for one in recording.defaulted:
        yield _replaced(one)


def _should_agree(flip: Flip, parting: Parting) -> str | None:
    """Why both positions of a switch should give the same numbers; None where nothing says so."""
    reading = flip.reading
    if flip.spoilt == 1:
        return None  # the position of this run is the right one
    if reading is None:
        return "a switch about compilation should not change numbers"
    if reading.claims:
        return f"a comment says of it: {reading.claims!r}"
    if parting.permuted:
        return "they are the same numbers in another order"
    if reading.alternatives:
        return f"line {reading.alternatives[0]} calls one function or another with the same arguments"
    return None


def _parted(flip: Flip, parting: Parting, why: str) -> Finding:
    reading = flip.reading
    where = {"file": parting.file, "line": parting.line, "function": parting.function}
    if reading is not None and (lines := (*reading.alternatives, *reading.uses)):
        where = {"file": reading.file, "line": lines[0], "function": None}
    order = parting.permuted
    positions = f"{flip.name} = {flip.value!r} and {flip.other!r}"
    return finding(
        "wrong-pairing" if order else "parity-divergence",
        f"{positions} give {'the same numbers in another order' if order else 'different numbers'}",
        f"On the same arguments, call {parting.number} of {parting.function} (line {parting.line}) "
        f"gives {_gave(parting)}. If both should compute the same, one position is wrong: {why}. "
        f"{_verdict(flip)}",
        {"kind": "", "where": where},
        [Proof("rehearsal", f"{parting.function}: {_gave(parting)}", schema.FLIPS_FILE)],
        basis=REHEARSED,
        details={"switch": flip.name, "value": flip.value, "other": flip.other, "parting": codec.to_json(parting)},
    )


def _verdict(flip: Flip) -> str:
    """Which position is wrong, as far as running both in float64 can tell."""
    judged = flip.judged
    if judged and judged.wrong == 0:
        return f"In float64 both agree: {flip.value!r}, that of this run, loses its digits in {judged.function}."
    if judged and judged.exact > _SAME:
        return f"In float64 {judged.function} differs as well, so the two compute different things."
    return "The doctor could not decide which one."


def _gave(parting: Parting) -> str:
    a, b = parting.shapes
    if a != b:
        return f"shape {a} in this run and {b} in the other position"
    one, two = (", ".join("not finite" if v is None else f"{v:.6g}" for v in p) for p in parting.values)
    far = parting.deviation
    share = f" (up to {far:.2g} of the largest value)" if far is not None else ""
    return f"{one} in this run and {two} in the other position{share}"


def _replaced(one: Replaced) -> Finding:
    key = f"{one.key} = " if one.key else ""
    return finding(
        "dead-switch",
        f"the configured {key}{one.value!r} is replaced by the default {one.taken!r}",
        f"`{one.text}` uses the default if the configured value is false, and {one.value!r} is false. So the "
        f"program continues with {one.taken!r}. Test whether the key exists, or use `is None`.",
        {"kind": "", "where": {"file": one.file, "line": one.line, "function": one.function}},
        [Proof("rehearsal", f"{one.text}: {one.value!r} or {one.taken!r}", schema.FLIPS_FILE)],
        basis=REHEARSED_AS_IT_IS,
        details={"key": one.key, "value": one.value, "taken": one.taken},
    )


def flip_notes(recording: Recording) -> tuple[str, ...]:
    """What the other switches govern, and what a rehearsal could not tell."""
    return tuple(note for flip in recording.flips for note in _notes(flip))


def _notes(flip: Flip) -> Iterator[str]:
    asked = f"with {flip.name} = {flip.other!r} instead of {flip.value!r}"
    yield from _of_numbers(flip, asked)
    steps = flip.steps
    for function in steps:
        if function.same is False:
            before, after = function.compiled
            xla = f"; functions marked for XLA in it: {before} before, {after} then" if before != after else ""
            yield f"{asked} the graph of {function.function} is another one{xla}"
    missing = [str(f.function) for f in steps if f.same is None]
    if missing or not (steps or (flip.numbers and flip.numbers.compared)):
        why = flip.error or ("" if flip.ended else f"it ended early: {flip.why}")
        what = f"not traced: {', '.join(missing)}" if missing else "nothing to compare"
        yield f"the rehearsal {asked} does not show everything ({what}{f'; {why}' if why else ''})"


def _of_numbers(flip: Flip, asked: str) -> Iterator[str]:
    """What can be said of the numbers where there is no finding."""
    numbers = flip.numbers
    if not numbers:
        return
    parting, printed = numbers.parting, numbers.printed
    if not numbers.compared:
        yield f"numbers {asked} were not compared: {numbers.why or 'no call gave numbers in both positions'}"
    elif parting and flip.judged and flip.judged.wrong == 1:
        yield (
            f"{asked} {parting.function} gives other numbers: in float64 both agree, and {flip.other!r} loses "
            f"its digits in {flip.judged.function}; this run is the better one"
        )
    elif parting and not _should_agree(flip, parting):
        yield f"{asked} {parting.function} gives other numbers on the same arguments: {_gave(parting)}"
    elif printed and not parting:
        yield f"{asked} the program prints other numbers: {printed[0]!r}, and {printed[1]!r} then"
    elif not parting:
        yield f"{asked} {numbers.compared} calls give the same numbers, {numbers.same} of them bit by bit"


def _how(function: ComparedFunction) -> str:
    return "which is not traced then" if function.same is None else "whose graph is another one then"


def _size(function: ComparedFunction) -> str:
    return f"{function.nodes[0]} nodes, {function.compiled[0]} functions marked for XLA"


def _event(recording: Recording, flip: Flip) -> Event | None:
    """The last write of the switch by the program, else its last read."""
    events = [e for e in recording.of_kind(schema.SETTING) if e["store"] == flip.store and e["key"] == flip.key]
    writes = [e for e in events if e["action"] == "write"]
    found = writes or events
    return found[-1] if found else None

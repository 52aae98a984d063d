"""What was checked in a run that TensorFlow did not end: functions that XLA compiled, against plain execution.

A divergence is a finding, tested on the very values of the run. What was not checked is told with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import COMPARED_PLAINLY
from xladoctor.diagnosis.facts import Step, defined, line
from xladoctor.diagnosis.forward import forward_line
from xladoctor.diagnosis.lookup import calls_around
from xladoctor.diagnosis.set_apart import asked_beside
from xladoctor.diagnosis.surroundings import tensorflow_version
from xladoctor.diagnosis.tensor_arrays import array_makers
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Check, Checked, Finding, Proof, Remedy
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import atlas, by_slug
from xladoctor.rules.atlas import Difference

REQUEST = "agreement"
_JIT_OFF = Remedy(
    "jit-off",
    "Run this function without XLA until that line is corrected",
    "slower",
    "Without `jit_compile=True` it gives the results of plain execution, or raises as it should.",
)
_RESULTS: Mapping[str, Checked] = {"agrees": "agrees", "diverges": "diverges"}
_RANK: Mapping[Checked, int] = {"not-checked": 0, "agrees": 1, "diverges": 2}
_INSIDE = "it is compiled inside another function, and its inputs are not available"
_NOT_ASKED = "no worker was asked"
_NEVER = "no call from outside a graph returned"


def not_checked(why: str) -> dict[str, Any]:
    """The answer about a function that could not be compared."""
    return {"result": "not-checked", "why": why}


def checks(recording: Recording) -> tuple[Check, ...]:
    """One check for each function that XLA compiled, in a run that ended with 0, or as the program chose, and that was
    looked at.
    """
    if not (survived(recording) or ended_itself(recording)):
        return ()
    return (*_of_top(recording), *_inside(recording), *_clustered(recording)) if recording.of_kind(schema.TRACE) else ()


def hazards(recording: Recording, capsule: str) -> tuple[tuple[str, int], ...]:
    """(op, weight) of a capsule's graph that can differ under XLA without an error, gravest first."""
    return atlas.hazards(recording.once(Recording.ops, capsule), tensorflow_version(recording))


def divergences(recording: Recording) -> Iterator[Finding]:
    """A finding for each function that gives something else under XLA than plainly; of one op at one line one."""
    seen = set()
    for answer in recording.answers(REQUEST):
        told = answer.told
        if told.get("result") != "diverges":
            continue
        finding = _finding(recording, answer.capsule, told)
        key = (finding.slug, finding.op, str(finding.location))
        if key not in seen:
            seen.add(key)
            yield finding


def with_divergences(
    findings: Sequence[Finding], recording: Recording, likely: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """The findings with the divergences among the errors, after those that were known without them. What the program
    itself found wrong comes after what was tested to be wrong, and is its consequence where it tells the same shapes.
    """
    found = (*divergences(recording), *likely)
    if not found:
        return tuple(findings)
    if ended_itself(recording):
        own = [replace(f, role="consequence") if _tells(f, found) else f for f in findings if f.level == "error"]
        rest = [replace(f, role="consequence") for f in findings if f.level != "error"]
        return (*found, *own, *rest)
    errors = [f for f in findings if f.level == "error"]
    rest = [replace(f, role="consequence") for f in findings if f.level != "error"]
    return (*errors, *found, *rest)


def _tells(finding: Finding, found: Sequence[Finding]) -> bool:
    """Whether an error's words hold both shapes of a divergence."""
    told = finding.message.replace(",)", ")")
    shapes = [f.details.get("shapes") or () for f in found]
    return any(len(pair) == 2 and all(python_shape(s).replace(",)", ")") in told for s in pair) for pair in shapes)


def _of_top(recording: Recording) -> Iterator[Check]:
    """Each traced function that carries the mark of XLA itself; several traces of one, and what came of most."""
    calls = {str(e["capsule"]): e for e in recording.of_kind(schema.FIRST_CALL)}
    answers = _answers(recording)
    tops = [t for t in recording.of_kind(schema.TRACE) if t.get("xla") and t.get("parent") is None]
    tops += [g for g in recording.of_kind(schema.GRADIENT) if str(g["capsule"]) in calls]
    # A function that makes variables is traced once more, and that first trace is never called.
    called = {(t["pid"], t.get("python_name")) for t in tops if str(t.get("capsule")) in calls}
    for trace in tops:
        if str(trace.get("capsule")) not in calls and (trace["pid"], trace.get("python_name")) in called:
            continue
        capsule = str(trace.get("capsule"))
        call, told = calls.get(capsule), answers.get(capsule)
        name = str(trace.get("python_name"))
        check = Check(what="compiled-function", function=name, location=defined(trace))
        if told is not None:
            yield _with_answer(check, told)
        else:
            known = tuple(op for op, _ in hazards(recording, capsule)) if trace.get("capsule") else ()
            yield replace(check, why=_why(trace, call), hazards=known)


def _answers(recording: Recording) -> dict[str, Mapping[str, Any]]:
    """{capsule: what a worker said}: of its first call, and with that of later ones, on how many in all."""
    found: dict[str, Mapping[str, Any]] = {}
    for answer in recording.answers(REQUEST):
        told = answer.told
        if not answer.later:
            found[answer.capsule] = told
            continue
        first = found.get(answer.capsule, {})
        merged = told if told.get("result") == "diverges" else first
        found[answer.capsule] = {**merged, "calls": 1 + int(told.get("calls") or 0)}
    return found


def _with_answer(check: Check, told: Mapping[str, Any]) -> Check:
    result = "diverges" if told.get("tie") else _RESULTS.get(str(told.get("result")), "not-checked")
    calls = 0 if result == "not-checked" else int(told.get("calls") or 1)
    return replace(check, result=result, why=told.get("why"), calls=calls)


def _why(trace: Event, call: Event | None) -> str:
    if trace.get("capsule") is None:
        return "its graph was not recorded"
    if call is None:
        return _NEVER
    return str(call.get("why") or _NOT_ASKED)


def _named(trace: Event, call: Event | None) -> str:
    """What a reader knows a function by: of one that Keras made the call that it is a step of."""
    if call is None or trace.get("defined") is not None:
        return str(trace.get("python_name"))
    return f"{call['method']} of {call.get('model')}"


def _inside(recording: Recording) -> Iterator[Check]:
    """Functions that XLA compiled within one that it did not, as Keras' steps: the outermost of them. What a worker
    said of the one around them is said of them; of several calls of one name, the best that is known.
    """
    by_graph = {(t["pid"], t.get("graph")): t for t in recording.of_kind(schema.TRACE)}
    calls = {str(e["capsule"]): e for e in recording.of_kind(schema.FIRST_CALL)}
    answers = _answers(recording)
    around = calls_around(recording)
    found: dict[tuple[str, str], Check] = {}
    for trace in recording.of_kind(schema.TRACE):
        parent = by_graph.get((trace["pid"], trace.get("parent"))) if trace.get("parent") is not None else None
        if not trace.get("xla") or parent is None or _under_xla(parent, by_graph):
            continue
        top = str(_top(parent, by_graph).get("capsule"))
        told, call = answers.get(top), calls.get(top)
        name = _named(trace, around.get(id(trace)))
        check = Check(what="compiled-function", function=name, location=defined(trace))
        if told is not None:
            check = _with_answer(check, told)
        else:
            check = replace(check, why=str((call or {}).get("why") or (_INSIDE if call is None else _NOT_ASKED)))
        key = (check.function, str(check.location))
        if key not in found or _RANK[check.result] > _RANK[found[key].result]:
            found[key] = check
    yield from found.values()


def _clustered(recording: Recording) -> Iterator[Check]:
    """Functions that nobody asked to compile, in a run in which TensorFlow was asked to compile parts of any."""
    tops = {str(t.get("capsule")): t for t in recording.of_kind(schema.TRACE) if t.get("parent") is None}
    for capsule, told in _answers(recording).items():
        if told.get("clustered") and capsule in tops:
            name = str(tops[capsule].get("python_name"))
            yield _with_answer(Check(what="compiled-function", function=name, location=defined(tops[capsule])), told)


def _top(trace: Event, by_graph: Mapping[tuple[Any, Any], Event]) -> Event:
    for _ in range(100):
        above = by_graph.get((trace["pid"], trace.get("parent"))) if trace.get("parent") is not None else None
        if above is None or above is trace:
            break
        trace = above
    return trace


def _under_xla(trace: Event, by_graph: Mapping[tuple[Any, Any], Event]) -> bool:
    for _ in range(100):
        if trace.get("xla"):
            return True
        above = by_graph.get((trace["pid"], trace.get("parent"))) if trace.get("parent") is not None else None
        if above is None or above is trace:
            return False
        trace = above
    return False


def _finding(recording: Recording, capsule: str, told: Mapping[str, Any]) -> Finding:
    before = told.get("before")
    node = before or told.get("node") or {}
    trace = compared(recording, capsule, told.get("function"))
    name = str(trace.get("python_name") or capsule)
    rule = by_slug("wrong-shape-silent" if told.get("kind") == "shape" else "parity-divergence")
    at = forward_line(Step(recording, "well", capsule), node.get("node")) or line(node) or defined(trace)
    what = _what(told)
    where = f"{node['op']} ({node['node']})" if node.get("op") else None
    told_at = f", {at}." if at is not None else "."
    raises = told.get("kind") == "raises" and before is None
    says = f"It is {where} that raises" if raises else f"The first op whose result differs is {where}"
    # An op that takes a list of tensors cannot be asked alone; where the list was made can be told all the same.
    says = says if node.get("exact", True) else f"No op could be shown to do so alone; on the way there is {where}"
    first = f" {says}{told_at}{_refused(told)}"
    version = tensorflow_version(recording)
    kind = told.get("kind") if before is None else "values"
    known = atlas.of_op(node.get("op") if node.get("exact", True) else None, kind, version)
    in_atlas = _known(known)
    if not known:
        function, known = atlas.of_programs(node.get("op"), kind, version)
        in_atlas = _known_of(function, known)
    nan_line = asked_beside(recording, at, told) if kind == "values" else None
    apart = _SET_APART.format(line=nan_line) if nan_line is not None else ""
    return Finding(
        code=rule.code, slug=rule.slug, level="error" if nan_line is None else "note",
        role="root" if nan_line is None else "consequence",
        title=f"{name}: {what}",
        message=f"With the values of its {_ordinal(told.get('call'))} call, {name} gives other results under XLA than "
        f"without it: {what}."
        f"{first if where else ''}{in_atlas}{apart}{' No error was raised in the run.' if survived(recording) else ''}",
        op=node.get("op"), node=node.get("node"),
        dims=tuple(told.get("shapes") or ()) if told.get("kind") == "shape" else (),
        location=at,
        suspects=array_makers(recording, at) if raises and str(node.get("op")).startswith("TensorList") else (),
        evidence=(Proof("worker", _proof(told), f"worker.jsonl, capsule {capsule}"),),
        status="confirmed", basis=COMPARED_PLAINLY,
        remedies=(_JIT_OFF, *(r for r in rule.remedies if r.id != "compare-paths")),
        details={k: told[k] for k in ("kind", "output", "shapes", "deviation", "plain", "xla", "error") if k in told}
        | {"function": name, "capsule": capsule} | ({"atlas": [atlas.as_data(d) for d in known]} if known else {}),
    )  # fmt: skip


_SET_APART = (
    " Line {line} asks the same values for NaN: where the result is taken only together with that answer, no number is "
    "wrong."
)


def _known(found: Sequence[Difference]) -> str:
    """What the atlas has of an op, in a sentence."""
    if not found:
        return ""
    more = f" ({len(found) - 1} more: xladoctor explain {found[0].op})" if len(found) > 1 else ""
    nearer = atlas.NEARER[found[0].nearer]
    known = f" {found[0].op} is known for it: {found[0]}{more}{'; ' if nearer else ''}{nearer}."
    return f"{known} {atlas.advice(found[0])}".rstrip()


def _known_of(function: str, found: Sequence[Difference]) -> str:
    """What the atlas has of small programs about a function, in a sentence."""
    if not found:
        return ""
    helped = next((advice for d in found if d.workarounds and (advice := atlas.advice(d))), "")
    count = (
        "One program of the atlas differs so" if len(found) == 1 else f"{len(found)} programs of the atlas differ so"
    )
    return f" {count}: xladoctor explain tf.{function}. {helped}".rstrip()


def compared(recording: Recording, capsule: str, function: str | None) -> Event:
    """The trace of what was compared: of the function that the capsule's own calls, where it is that one."""
    traces = recording.of_kind(schema.TRACE)
    top = next((t for t in (*traces, *recording.of_kind(schema.GRADIENT)) if t.get("capsule") == capsule), {})
    graph = next((g.get("graph") for g in recording.of_kind(schema.GRAPH) if g.get("function") == function), None)
    within = (t for t in traces if function and t["pid"] == top.get("pid"))
    return next((t for t in within if t.get("function") == function or (graph and t.get("graph") == graph)), top)


def _ordinal(call: int | None) -> str:
    if call is None:
        return "first"
    ends = {1: "st", 2: "nd", 3: "rd"} if call % 100 // 10 != 1 else {}
    return f"{call}{ends.get(call % 10, 'th')}"


def _refused(told: Mapping[str, Any]) -> str:
    """The op that raises plainly, where another one made what it is given."""
    if not told.get("before") or not told.get("node"):
        return ""
    at = line(told["node"])
    return f" What it gives plainly is refused by {told['node']['op']}{f', {at}' if at is not None else ''}."


def _what(told: Mapping[str, Any]) -> str:
    """What differs, in a few words."""
    if told.get("kind") == "raises":
        first = (str(told.get("message") or "").strip().splitlines() or [""])[0]
        return f"plain execution raises {told.get('error')} ({first}), XLA returns numbers"
    plain, xla = told.get("plain") or (), told.get("xla") or ()
    output = told.get("output")
    if told.get("kind") == "shape":
        shapes = told.get("shapes") or ((), ())
        return f"{output} has shape {python_shape(shapes[0])} plainly and {python_shape(shapes[1])} under XLA"
    return f"{output} is {', '.join(map(str, plain))} plainly and {', '.join(map(str, xla))} under XLA"


def _proof(told: Mapping[str, Any]) -> str:
    node = told.get("node") or {}
    if told.get("kind") == "raises":
        return f"plain: {told.get('error')}: {(str(told.get('message') or '').strip().splitlines() or [''])[0]}"
    far = told.get("deviation")
    text = _what(told) + (f"; largest difference {far} of the largest value" if far is not None else "")
    alone = node.get("shapes") if node.get("exact", True) else None
    return text + (f"; {node['op']} on the same inputs: {alone[0]} plainly, {alone[1]} under XLA" if alone else "")

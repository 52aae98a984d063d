"""What a training of the run has not changed, or has changed with something else's gradient: variables that stay, a
gradient for another variable, a tensor in the place of a variable, a rate on an optimizer that makes no steps.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from xladoctor.diagnosis.basis import COMPUTED, RECORDED_GRADIENTS, RECORDED_NUMBERS
from xladoctor.diagnosis.ended_rates import ended_early
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.diagnosis.untrained import in_words, untrained
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.schedules import divided, division, idle_losses, method_of, rate_lines, rates
from xladoctor.sources.variables import made_of_zeros, rebound

_RATE = Remedy(
    "rate-that-moves", "Give the optimizer a learning rate above 0", "changes-numerics",
    "Print `optimizer.learning_rate` in some steps. A whole-number division (`step // total`) stays 0 until the end.",
)  # fmt: skip
_ORDER = Remedy(
    "same-list", "Keep the variables in one list", "changes-numerics",
    "`variables = model.trainable_variables`, then `tape.gradient(loss, variables)` and `zip(gradients, variables)`.",
)  # fmt: skip
_ASSIGN = Remedy(
    "assign", "Change a variable with assign", "changes-numerics",
    "`self.w.assign(value)` or `self.w.assign_sub(step)`: `self.w = ...` puts a tensor in its place, which nothing "
    "trains.",
)  # fmt: skip
_ONE_ZERO = Remedy(
    "one-factor-not-zero", "Begin one factor of the product with other numbers", "changes-numerics",
    "Where a product shall be 0 at the start, one of its factors is zeros, and the other one random.",
)  # fmt: skip
_LIVE = Remedy(
    "rate-of-the-optimizer-in-use", "Set the rate of the optimizer that trains", "changes-numerics",
    "`model.optimizer.learning_rate = ...`: `compile` with a new optimizer leaves the earlier one behind.",
)  # fmt: skip


_QUARTERS = 4
_LEAST, _MOVES = 4, 0.2
"""So many steps, and so large a relative change if `//` were `/`, make a schedule that stays where it is a finding."""


def unmoved(recording: Recording) -> Iterator[Finding]:
    """A warning for each."""
    if not (survived(recording) or ended_itself(recording)):
        return
    trees = program_of(recording)
    constant = [*_schedules(recording, trees), *ended_early(recording, trees)]
    yield from constant
    crossed = recording.of_kind(schema.CROSSED)
    yield from _crossed(crossed)
    for event in recording.of_kind(schema.REPLACED):
        yield _replaced(event)
    told = {name for f in untrained(recording) for name in f.details["variables"]}
    told |= {str(e["of"]) for e in crossed}
    optimizers = [e for e in recording.of_kind(schema.NO_GRADIENT) if e["what"] in ("none", "missing")]
    for event in recording.of_kind(schema.UNMOVED):
        names = [str(n) for n in event["variables"] if n not in told and not _may_cancel(str(n))]
        every = event["count"] == event["given"]
        if every and event.get("rate") is None and any(f.details["rate"] == 0.0 for f in constant):
            continue
        if not names or (event["optimizer"] is None and (every or optimizers)):
            continue  # without an optimizer: gradients that are only looked at, or of a part that is frozen by hand
        made = _all(event) if every else _some(event, names)
        zeros = _zeros(names, trees) if every and event.get("rate") else ()
        yield _beside(made, zeros) if zeros else _where(made, trees, every and event.get("rate") == 0.0)


def _schedules(recording: Recording, trees: Mapping[str, ast.Module]) -> Iterator[Finding]:
    """Schedules of the program that give one number for all steps of the run."""
    for event in recording.of_kind(schema.SCHEDULE):
        steps, numbers = int(event["steps"]), dict(event["numbers"])
        for file, tree in trees.items():
            function = method_of(tree, str(event["of"]))
            if function is None or steps < _LEAST:
                continue
            at = sorted({*range(0, steps, max(1, steps // _QUARTERS)), steps - 1})
            given, smooth = rates(function, numbers, at), rates(divided(function), numbers, at)
            if given is None or len(set(given)) > 1 or smooth is None:
                continue
            if given[0] == 0.0 or max(smooth) - min(smooth) > _MOVES * abs(given[0]):
                yield _constant(event, file, function, given[0])


def _may_cancel(name: str) -> bool:
    """Whether a variable is added to all rows: in a difference of results, as of a critic, its gradient is 0."""
    return name.rpartition("/")[2].partition(":")[0] in ("bias", "beta")


def _zeros(names: list[str], trees: Mapping[str, ast.Module]) -> tuple[Location, ...]:
    """Where all of these variables, two of a name or more, are made with zeros, and nothing else has their names."""
    wanted = {name.rpartition("/")[2].partition(":")[0] for name in names}
    found = [(name, file, lines) for file, tree in trees.items() for name, lines in made_of_zeros(tree).items()]
    mine = [(file, lines[0]) for name, file, lines in found if name in wanted and len(lines) == 1]
    return tuple(Location(*at) for at in sorted(mine)) if len(mine) == len(wanted) > 1 else ()


def _beside(made: Finding, zeros: tuple[Location, ...]) -> Finding:
    """The finding where the first of several variables is made with zeros."""
    why = "All of them begin with zeros, and the gradient of a product of two zeros is 0 for both"
    places = ", ".join(map(str, zeros))
    return replace(made, location=zeros[0], remedies=(_ONE_ZERO,), message=f"{made.message} {why} ({places}).")


def _where(made: Finding, trees: Mapping[str, ast.Module], zero: bool) -> Finding:
    """The finding at the one line of the program that may well be the reason."""
    reasons: tuple[tuple[Callable[[ast.Module], list[int]], str], ...] = (
        ((rate_lines, "What the rate is made of is a whole-number division"),)
        if zero
        else ((idle_losses, "A loss has the weight 0"), (rebound, "A variable is replaced by a value"))
    )
    for lines, why in reasons:
        found = [(file, line) for file, tree in trees.items() for line in lines(tree)]
        if len(found) == 1:
            at = Location(*found[0])
            return replace(made, location=at, message=f"{made.message} {why} ({at}).")
    return made


def _constant(event: Event, file: str, function: ast.FunctionDef, rate: float) -> Finding:
    title = f"{event['of']} gives {rate:g} for each of the {event['steps']} steps of the run"
    return finding(
        "dead-switch", title,
        "The doctor computed the schedule from its source, with the numbers that it had in the run. With `/` in the "
        "place of `//` it would change.",
        {**event, "where": {"file": file, "line": division(function) or function.lineno, "function": "__call__"}},
        [Proof("event", title, event_of(event))], basis=COMPUTED, details={"kind": "schedule", "rate": rate},
        remedies=(_RATE,),
    )  # fmt: skip


def _all(event: Event) -> Finding:
    """No variable of an optimizer moves: its rate, or a gradient that is 0."""
    rate, kind, steps = event.get("rate"), event["optimizer"], int(event["steps"])
    why = "The learning rate is 0." if rate == 0.0 else "Either its learning rate or the whole gradient is 0."
    why = f"The learning rate was {rate:g}, so that the whole gradient is 0." if rate else why
    title = f"{kind} changes nothing: {steps} steps left all of its {event['count']} variables as they were"
    return finding(
        "dead-switch", title, f"The values were compared before the first step and after {steps} steps. {why}", event,
        [Proof("event", f"all values are the same after {steps} steps", event_of(event))],
        basis=RECORDED_NUMBERS, details={"kind": "rate", "rate": rate, "steps": steps},
        remedies=(_RATE,),
    )  # fmt: skip


def _some(event: Event, names: list[str]) -> Finding:
    """Of the variables of a list, some move."""
    shown, steps = in_words(names), int(event["steps"])
    it = "it" if len(names) == 1 else "they"
    how = (
        f"{event['optimizer']} is given a gradient of {shown} in each step"
        if event["optimizer"]
        else f"The program takes the gradient of {shown} in each step"
    )
    rule = {r.id: r for r in by_slug("no-gradient").remedies}
    return finding(
        "no-gradient",
        f"{shown} {'keeps its value' if it == 'it' else 'keep their values'} through {steps} steps of training",
        f"{how}, and after {steps} steps {it} still {'has its' if it == 'it' else 'have their'} first value, while the "
        f"other {int(event['given']) - int(event['count'])} variables have changed. The gradient is 0, or it is not "
        "applied.",
        event, [Proof("event", f"the same after {steps} steps: {shown}", event_of(event))],
        basis=RECORDED_NUMBERS, details={"variables": names, "stops": [], "used": None, "connected": None},
        remedies=(rule["keep-differentiable"], _ASSIGN),
    )  # fmt: skip


def _crossed(events: list[Event]) -> Iterator[Finding]:
    """The gradients that were applied to other variables, of each line."""
    lines: dict[str, list[Event]] = {}
    for event in events:
        lines.setdefault(str(event.get("where")), []).append(event)
    for found in lines.values():
        event = found[0]
        pairs = [f"the gradient of `{e['of']}` to `{e['to']}`" for e in found[:3]]
        more = f", and {len(found) - 3} more" if len(found) > 3 else ""
        kept = "" if event["swapped"] else f" `{event['of']}` itself keeps its value."
        told = finding(
            "wrong-pairing",
            f"{event['optimizer']} applies {pairs[0]}",
            f"The shapes agree, so nothing raises. It applies {' and '.join(pairs)}{more}.{kept}", event,
            [Proof("event", "; ".join(pairs), event_of(event))],
            basis=RECORDED_GRADIENTS, details={"kind": "gradients", "pairs": [[e["of"], e["to"]] for e in found]},
        )  # fmt: skip
        yield replace(told, remedies=(_ORDER,))


def _replaced(event: Event) -> Finding:
    steps = int(event["steps"])
    if event["what"] == "rate":
        title = f"The learning rate is set on `{event['name']}`, an {event['of']} that makes no more steps"
        return finding(
            "dead-switch", title,
            f"After this line another optimizer made {steps} steps, and this one none.", event,
            [Proof("event", title, event_of(event))], basis=RECORDED_NUMBERS,
            details={"kind": "idle-optimizer", "steps": steps},
            remedies=(_LIVE,),
        )  # fmt: skip
    of = f"`{event['name']}` of {event['of']}"
    return finding(
        "no-gradient", f"{of} is no variable any more: this line puts a value in its place",
        f"It was the trainable variable `{event['variable']}`, and is a {event['by']} since. It is no longer among the "
        f"variables of the object, so nothing trains it in the {steps} steps that follow.", event,
        [Proof("event", f"{of} is set to a {event['by']}", event_of(event))], basis=RECORDED_NUMBERS,
        details={"variables": [event["variable"]], "stops": [], "used": None, "connected": None},
        remedies=(_ASSIGN,),
    )  # fmt: skip

"""Layers that were frozen or thawed too late: their step had been traced, and went on as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.diagnosis.basis import RECORDED_GRADIENTS, RECORDED_NUMBERS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.variables import assigned_variables

_SLUG = "setting-too-late"
_ASSIGNS = frozenset({"assign", "assign_add", "assign_sub", "load_weights", "set_weights"})
_REMEDY = Remedy(
    "compile-again",
    "Compile again after a change of `trainable`",
    "changes-numerics",
    "`model.compile(...)` between the line that sets `trainable` and the next `fit`. A `tf.function` of your own must "
    "be made again, too, and so must the optimizer if variables are added.",
)
_THE_OTHER = Remedy(
    "freeze-the-clone",
    "Freeze the layer that is in the model",
    "changes-numerics",
    "`clone_model` makes new layers: set `trainable` on the clone, or of `model.get_layer(name)`.",
)
_LIST = Remedy(
    "list-again",
    "Ask for the variables after the change of `trainable`",
    "changes-numerics",
    "`model.trainable_variables` is a list of what was trainable when it was made. Ask again, with a new optimizer.",
)
_LOAD = Remedy(
    "load-into-used",
    "Load the weights into the model that is used",
    "changes-numerics",
    "Make the model first, and then call `load_weights` of that one.",
)
_SAVE = Remedy(
    "save-after-fit",
    "Write the weights after the training",
    "changes-numerics",
    "Call `save_weights` after `fit`, or let a `ModelCheckpoint` write them while it goes on.",
)
_TRACK = Remedy(
    "hold-by-a-layer",
    "Make what holds the layers a layer itself",
    "changes-numerics",
    "`class Block(keras.layers.Layer)`, or put the layers into a list that is an attribute of the model. "
    "`model.summary()` shows which it knows.",
)
_WEIGHT = Remedy(
    "add-weight",
    "Make the variable with `add_weight`",
    "changes-numerics",
    "`self.add_weight(shape=(), name='scale')` in the layer: Keras 3 knows it then, trains it and saves it. A constant "
    "is made with `trainable=False`.",
)
_SHOWN = 4
_FIRST = re.compile(r"init|start|untrained|before|fresh|baseline|blank|random", re.I)


def trainable_too_late(recording: Recording) -> Iterator[Finding]:
    """A warning for each line that set the flag, else for the `fit` after it."""
    if not (survived(recording) or ended_itself(recording)):
        return
    for event in recording.of_kind(schema.LEFT_OUT):
        if event["what"] == "saved-early" and _are_first_weights(event, recording):
            continue
        yield _LEFT_OUT[str(event["what"])](_made(recording, event) if event["what"] == "plain" else event)
    seen = set()
    for event in recording.of_kind(schema.TRAINABLE):
        at = location(event.get("where")) or location(event.get("used"))
        if at is None or str(at) in seen or (event.get("used") is None and _may_be_meant(event, recording)):
            continue
        seen.add(str(at))
        yield _finding(event)


def _are_first_weights(event: Event, recording: Recording) -> bool:
    """Whether the statement that writes weights calls them those of the start: another model may begin with them."""
    at = location(event.get("where"))
    source = source_of(recording, at.file) if at is not None else None
    if source is None or at is None or at.line is None:
        return False
    calls = [n for n in nodes_of(source.tree, ast.Call) if n.lineno <= at.line <= (n.end_lineno or 0)]
    return any(_FIRST.search(ast.unparse(call)) for call in calls)


def _may_be_meant(event: Event, recording: Recording) -> bool:
    """Whether something else than the old step may have moved the variables: another model that was compiled since, as
    for a GAN, or the program itself.
    """
    compiled = (e for e in recording.of_kind(schema.MODEL) if e["pid"] == event["pid"] and e["action"] == "compile")
    at = location(event.get("where"))
    source = source_of(recording, at.file) if at is not None else None
    if source is None or any(True for _ in compiled):
        return True
    return any(isinstance(n, ast.Call) and last_name(n.func) in _ASSIGNS for n in walk(source.tree))


def _left_out(event: Event) -> Finding:
    """Nothing uses the layer that was frozen: most likely it was cloned before."""
    names = [str(n) for n in event["variables"]]
    title = f"`{event['layer']}` is frozen, but the run trains another layer of the same name and shapes"
    return finding(
        "dead-switch",
        title,
        f"After this line no step of the run uses the layer `{event['layer']}`. The optimizer is given variables with "
        f"the names and shapes of {', '.join(f'`{n}`' for n in names[:_SHOWN])}, of another layer: as of a clone, "
        "which is not frozen.",
        event,
        [Proof("event", title, event_of(event))],
        tested=False,
        details={"kind": "left-out", "layer": event["layer"], "variables": names},
        remedies=(_THE_OTHER,),
    )


def _never_given(event: Event) -> Finding:
    """A layer was made trainable, and no optimizer trains it."""
    names = [str(n) for n in event["variables"]]
    title = f"`{event['layer']}` was made trainable, and no optimizer is given its variables"
    return finding(
        _SLUG,
        title,
        f"Gradients were taken after this line, and {', '.join(f'`{n}`' for n in names[:_SHOWN])} still have the "
        "values that they had then. The list of what is trained was made before, or is of another model.",
        event,
        [Proof("event", title, event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": "thawed", "layer": event["layer"], "variables": names},
        remedies=(_LIST,),
    )


def _loaded_elsewhere(event: Event) -> Finding:
    """Weights were loaded into a model that nothing uses."""
    title = f"The weights go into a model that nothing uses: `{event['instead']}` begins without them"
    return finding(
        "dead-switch",
        title,
        f"This line loads weights into `{event['layer']}`. No line of the run calls that model or one with its "
        f"variables afterwards. The run uses `{event['instead']}`, which has variables of the same shapes, and none of "
        "the values that were loaded.",
        event,
        [Proof("event", title, event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": "loaded-elsewhere", "layer": event["layer"], "instead": event["instead"]},
        remedies=(_LOAD,),
    )


def _saved_early(event: Event) -> Finding:
    """Weights were written before the training, and then used."""
    title = f"`{event['instead']}` gets the weights that `{event['layer']}` had before its training"
    return finding(
        _SLUG,
        title,
        f"At this line no variable of `{event['layer']}` had been trained. It was trained afterwards, and its weights "
        f"were not written to this file again. `{event['instead']}` was given what is in the file, and still has these "
        "values at the end: those of a model without training.",
        event,
        [Proof("event", title, event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": "saved-early", "layer": event["layer"], "instead": event["instead"]},
        remedies=(_SAVE,),
    )


def _untracked(event: Event) -> Finding:
    """A model calls layers that it does not know."""
    names = [str(n) for n in event["variables"]]
    shown = ", ".join(f"`{n}`" for n in names[:_SHOWN])
    title = f"The `fit` does not train {shown}{', ...' if len(names) > _SHOWN else ''}: no model has them"
    return finding(
        "no-gradient", title,
        "The step of the `fit` calls a layer with these variables, but they are not among the variables of a model, "
        "and no optimizer is given them. Keras finds the layers that are attributes of a model or a layer, also in "
        "lists and dicts, and not those within another object.",
        event, [Proof("event", title, event_of(event))], basis=RECORDED_GRADIENTS,
        details={"variables": names, "stops": [], "used": None, "connected": None},
        remedies=(_TRACK,),
    )  # fmt: skip


def _plain(event: Event) -> Finding:
    """A model reads a `tf.Variable` that Keras 3 does not know."""
    name = f"`{event['layer']}`"
    title = f"The `fit` does not train {name}: Keras 3 does not know a `tf.Variable` that a layer holds"
    return finding(
        "no-gradient", title,
        f"A model reads {name} in the step of the `fit`, and it may be trained, but it is not among the variables of a "
        "model, and no optimizer is given it. At the end it had the value that it had before the training. Nor is it "
        "saved with the model.",
        event, [Proof("event", title, event_of(event))], basis=RECORDED_GRADIENTS,
        details={"variables": list(event["variables"]), "stops": [], "used": None, "connected": None},
        remedies=(_WEIGHT,),
    )  # fmt: skip


def _made(recording: Recording, event: Event) -> Event:
    """The event of such a variable at the line that makes it, where the source tells, and not at one that reads it."""
    at = location(event.get("where"))
    source = source_of(recording, at.file) if at is not None else None
    if at is None or source is None:
        return event
    read = {n.attr for n in nodes_of(source.tree, ast.Attribute) if n.lineno == at.line}
    made = ((s, s.targets[0]) for s, call in assigned_variables(source.tree) if last_name(call.func) == "Variable")
    lines = [s.lineno for s, target in made if isinstance(target, ast.Attribute) and target.attr in read]
    where = {**event["where"], "line": lines[0], "function": None} if len(lines) == 1 else event["where"]
    return {**event, "where": where}


_LEFT_OUT = {
    "plain": _plain,
    "frozen": _left_out,
    "thawed": _never_given,
    "loaded": _loaded_elsewhere,
    "saved-early": _saved_early,
    "untracked": _untracked,
}


def _finding(event: Event) -> Finding:
    frozen = event["what"] == "frozen"
    names = [str(n) for n in event["variables"]]
    shown = ", ".join(f"`{n}`" for n in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    used = location(event.get("used"))
    step = f"fit of {event.get('model')} ({used})" if used is not None else "a step of the program"
    layer = f"`{event.get('layer')}`" if event.get("layer") else "A layer"
    title = (
        f"{layer} was frozen after its step had been traced, and is still trained"
        if frozen
        else f"{layer} was made trainable after its step had been traced, and is not trained"
    )
    said = (
        f"`trainable` is False, but {step} changed the values of {shown}."
        if frozen
        else f"`trainable` is True, but {step} did not change the values of {shown}."
    )
    return finding(
        _SLUG,
        title,
        f"The step reads which variables it trains when it is traced, and that was before this line. {said}",
        {**event, "where": event.get("where") or event.get("used")},
        [Proof("event", f"{event['what']}: {', '.join(names[:_SHOWN])}", event_of(event))],
        basis=RECORDED_NUMBERS,
        details={"kind": event["what"], "layer": event.get("layer"), "variables": names},
        remedies=(_REMEDY,),
    )

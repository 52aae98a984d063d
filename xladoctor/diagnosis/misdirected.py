"""Settings that say something else than they seem to, or nothing: a mode, an attribute, an epoch, a regularizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import NOT_TESTED, RECORDED_METRICS, RECORDED_NUMBERS
from xladoctor.diagnosis.own_source import program_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Basis, Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import last_name, walk
from xladoctor.sources.tapes import losses

_SLUG = "dead-switch"
_MODE = Remedy(
    "other-mode", "Give the callback the other mode", "changes-numerics",
    "`mode='max'` for what should grow, `mode='min'` for what should fall.",
)  # fmt: skip
_NAME = Remedy("right-name", "Use the name that Keras has", "changes-numerics", "Keras has another attribute for it.")
_EPOCHS = Remedy(
    "more-epochs", "Let `epochs` be greater than `initial_epoch`", "changes-numerics",
    "`epochs` is the number of the last epoch, and not how many there are: `epochs=initial_epoch + 5` trains five.",
)  # fmt: skip
_ADD = Remedy(
    "add-losses", "Add what the regularizers want", "changes-numerics",
    "`loss += sum(model.losses)` within the tape; Keras does it in `fit` only.",
)  # fmt: skip


def misdirected(recording: Recording) -> Iterator[Finding]:
    """A warning for each."""
    seen = set()
    for found in (*_modes(recording), *_names(recording), *_epochs(recording), *_regularizers(recording)):
        key = (found.title, str(found.location))
        if key not in seen:
            seen.add(key)
            yield found


def _told(event: Event, title: str, message: str, remedy: Remedy, basis: Basis, kind: str) -> Finding:
    proofs = [Proof("event", title, event_of(event))]
    found = finding(_SLUG, title, message, event, proofs, basis=basis, details={"kind": kind})
    return replace(found, remedies=(remedy,))


def _modes(recording: Recording) -> Iterator[Finding]:
    for event in recording.of_kind(schema.MONITOR):
        mode = event.get("mode")
        if mode not in ("min", "max"):
            continue
        name, wanted = event["callback"], event["wanted"]
        best, other = ("least", "most") if mode == "min" else ("most", "least")
        loss = event.get("loss")
        if loss:
            yield _against(event, name, wanted, mode, str(loss))
            continue
        yield _told(
            {**event, "where": event.get("made") or event.get("where")},
            f"{name} takes the worst `{wanted}` for the best one (mode={mode!r})",
            f"With mode={mode!r} the best `{wanted}` of the run is {event.get(best, 0.0):.4g}, and not "
            f"{event.get(other, 0.0):.4g}: the callback keeps, stops or slows down at the wrong end.",
            _MODE, RECORDED_METRICS, "mode",
        )  # fmt: skip


def _against(event: Event, name: str, wanted: str, mode: str, loss: str) -> Finding:
    """Of a metric whose name says nothing of its direction."""
    found = _told(
        {**event, "where": event.get("made") or event.get("where")},
        f"{name} keeps the epoch with the highest `{loss}` (mode={mode!r} for `{wanted}`)",
        f"Over {event.get('epochs')} epochs `{wanted}` {'rose' if mode == 'min' else 'fell'} as `{loss}` fell, so with "
        f"mode={mode!r} the best epoch for the callback is the one with the highest `{loss}`. If a model with a lower "
        "loss is better, the mode is wrong.",
        _MODE, RECORDED_METRICS, "mode",
    )  # fmt: skip
    return replace(found, status="untested", basis=NOT_TESTED)


def _names(recording: Recording) -> Iterator[Finding]:
    for event in recording.of_kind(schema.MISNAMED):
        name, meant, of = event["name"], event["meant"], event["of"]
        remedy = replace(_NAME, how=f"`{meant}` in the place of `{name}`.")
        yield _told(
            event,
            f"`{name}` of {of} is no setting: it has `{meant}`",
            f"The program sets `{name}` of an object that has no such attribute. Python takes it, and Keras never "
            f"reads it; {of} has `{meant}`.",
            remedy, RECORDED_NUMBERS, "misnamed",
        )  # fmt: skip


def _epochs(recording: Recording) -> Iterator[Finding]:
    """Of a model that was trained in this run before; what takes up an earlier run may find nothing left to do."""
    begun = {(e["pid"], e["call"]): e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin"}
    trained = set()
    for event in recording.of_kind(schema.CALL):
        model = (event["pid"], event.get("model"))
        if event["phase"] == "end" and event["method"] == "fit" and event.get("epochs_run"):
            trained.add(model)
        if event["phase"] != "end" or event.get("epochs_run") != 0 or model not in trained:
            continue
        begin = begun.get((event["pid"], event["call"])) or event
        yield _told(
            {**event, "where": begin.get("where")},
            f"fit of {event.get('model')} trains nothing: it has no epoch",
            f"The call was given epochs={begin.get('epochs')}, and ran none: `initial_epoch` is not below it.",
            _EPOCHS, RECORDED_NUMBERS, "epochs",
        )  # fmt: skip


def _regularizers(recording: Recording) -> Iterator[Finding]:
    """Of a step of the program's own, where nothing in the program asks for the losses of a model."""
    events = [e for e in recording.of_kind(schema.NO_GRADIENT) if e["what"] == "none" and e.get("regularized")]
    if not events:
        return
    trees = program_of(recording)
    if not trees or any(_asks(tree) for tree in trees.values()):
        return
    places = [(file, line, name) for file, tree in trees.items() for line, name in losses(tree)]
    for event in events[:1]:
        at = location(event.get("where"))
        where = event.get("where")
        if len(places) == 1:
            where = {"file": places[0][0], "line": places[0][1], "function": places[0][2]}
        many = int(event["regularized"])
        yield _told(
            {**event, "where": where},
            f"Regularizers have no effect: {many} variables that {event.get('optimizer')} trains have one",
            f"The step that trains these variables ({at}) is the program's own, and nothing in the program reads "
            "`losses` of a model, where Keras puts what its regularizers add.",
            _ADD, RECORDED_NUMBERS, "regularizer",
        )  # fmt: skip


def _asks(tree: ast.Module) -> bool:
    """Whether a program reads the losses of a model; `keras.losses` is a module."""
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("losses", "regularizer") and last_name(n.value) != "keras"
        for n in walk(tree)
    )

"""What the program gives TensorFlow or Keras and that has no effect, as the recorder saw it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from xladoctor.diagnosis.basis import RECORDED_NUMBERS, RECORDED_ORDER, RECORDED_ROWS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Basis, Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.order import scope_at

_EXTREMES = frozenset({"maximum", "minimum", "max", "min", "reduce_max", "reduce_min", "amax", "amin"})
_REDUCES = frozenset({"reduce_mean", "reduce_sum", "mean", "sum"})
_LOSS = Remedy(
    "loss-of-each-row", "Give one loss for each row", "changes-numerics",
    "Reduce over the last axis alone (`axis=-1`). Keras multiplies the losses by the weights, and then takes the mean.",
)  # fmt: skip
_PATH = Remedy(
    "restore-what-was-saved", "Restore from the folder that was saved to", "changes-numerics",
    "Raise if `tf.train.latest_checkpoint(folder)` is None, and call `.assert_existing_objects_matched()` on what "
    "`restore` returns.",
)  # fmt: skip
_NAME = Remedy(
    "same-names", "Give the checkpoint the names it was saved with", "changes-numerics",
    "`tf.train.Checkpoint(name=...)` finds variables by these names. `.assert_existing_objects_matched()` raises where "
    "one is missing; `expect_partial()` says nothing.",
)  # fmt: skip
_ALL = Remedy(
    "reset-all", "Reset each variable of the metric", "changes-numerics",
    "`for v in self.variables: v.assign(tf.zeros_like(v))`, which is what Keras does if the metric has no "
    "`reset_state`. Make the variables with `self.add_weight`, so that Keras knows them.",
)  # fmt: skip


def no_effect(recording: Recording) -> Iterator[Finding]:
    """A warning for each."""
    if not (survived(recording) or ended_itself(recording)):
        return
    for event in recording.of_kind(schema.NO_EFFECT):
        found = _MAKERS[str(event["what"])](event, recording)
        if found is not None:
            yield found


def _made(
    event: Event, slug: str, title: str, message: str, remedy: Remedy, basis: Basis, at: int | None = None
) -> Finding:
    where = event.get("where")
    return finding(
        slug, title, message, {**event, "where": {**where, "line": at} if where and at else where},
        [Proof("event", title, event_of(event))], basis=basis, details={"kind": event["what"], "name": event["name"]},
        remedies=(remedy,),
    )  # fmt: skip


def _weights(event: Event, recording: Recording) -> Finding:
    used = location(event.get("used"))
    return _made(
        event, "dead-switch", f"`{event['name']}` gives one loss for all rows, so the weights of the rows do nothing",
        f"Keras got weights for the rows{f' ({used})' if used else ''}, and multiplied them by one number: the loss "
        "that this function returns has no axis of rows. Each row counts as much as any other one, and only the mean "
        "of the weights scales the loss.",
        _LOSS, RECORDED_ROWS, _line(event, recording, lambda n: isinstance(n, ast.Return) and _reduces(n)),
    )  # fmt: skip


def _reduces(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and last_name(n.func) in _REDUCES for n in walk(node))


def _nothing(event: Event, recording: Recording) -> Finding:
    below = event["name"]
    more = (
        f"The folder `{below}` within the one that was searched has checkpoints."
        if below
        else "Nothing was trained in this run: the model was used with the values that it was made with."
    )
    return _made(
        event, "dead-switch", "There was no checkpoint to restore, so this line does nothing",
        f"The path was None, as from `latest_checkpoint` of a folder without checkpoints. `restore(None)` raises "
        f"nothing. {more}",
        _PATH, RECORDED_ORDER,
    )  # fmt: skip


def _renamed(event: Event, recording: Recording) -> Finding:
    name, other = event["name"], event.get("instead")
    return _made(
        event, "dead-switch", f"`{name}` is not restored: the checkpoint calls it `{other}`",
        f"The checkpoint has no `{name}`. It has variables of the same shapes under `{other}`, which the program does "
        f"not name. So `{name}` keeps the values that it had before.",
        _NAME, RECORDED_NUMBERS,
    )  # fmt: skip


def _reset(event: Event, recording: Recording) -> Finding | None:
    name = str(event["name"])
    source = source_of(recording, str((event.get("where") or {}).get("file", "")))
    if source is not None and _is_extreme(source.tree, str(event.get("of")), name):
        return None
    mine = _line(event, recording, lambda n: isinstance(n, ast.Call) and f".{name}" in ast.unparse(n.func))
    return _made(
        event, "baked-in-setting", f"`{event.get('of')}` keeps `{name}` when it is reset",
        f"`reset_state` left `{name}` as it had become, {event.get('times')} times. So it goes on from epoch to epoch, "
        "and from the training to the validation, while Keras reports the metric as that of one epoch.",
        _ALL, RECORDED_NUMBERS, mine,
    )  # fmt: skip


def _line(event: Event, recording: Recording, wanted: Callable[[ast.AST], bool]) -> int | None:
    """The first line of the function of an event, that is so."""
    at = location(event.get("where"))
    source = source_of(recording, at.file) if at is not None else None
    if source is None or at is None or at.line is None:
        return None
    scope = next((n for n in walk(source.tree) if _starts(n, at.line)), None) or scope_at(source.tree, at.line)
    lines = [n.lineno for n in walk(scope) if isinstance(n, ast.stmt | ast.expr) and wanted(n)] if scope else []
    return min(lines, default=None)


def _starts(node: ast.AST, line: int) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    return line in (node.lineno, *(d.lineno for d in node.decorator_list))


def _is_extreme(tree: ast.Module, kind: str, name: str) -> bool:
    """Whether a class gives an attribute the largest or least of something: the best one so far is kept on purpose."""
    for owner in (n for n in nodes_of(tree, ast.ClassDef) if n.name == kind):
        for node in walk(owner):
            whole = ast.unparse(node) if isinstance(node, ast.Call | ast.Assign) else ""
            mine = f"self.{name}.assign" in whole or whole.startswith(f"self.{name} =")
            if mine and any(isinstance(n, ast.Call) and last_name(n.func) in _EXTREMES for n in walk(node)):
                return True
    return False


_MAKERS: Mapping[str, Callable[[Event, Recording], Finding | None]] = {
    "weights": _weights,
    "nothing": _nothing,
    "restore": _renamed,
    "reset": _reset,
}

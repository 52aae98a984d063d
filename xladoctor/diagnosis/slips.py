"""Slips of the program's own source, where a run that ended well has trained something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.own_source import files_of, program_of
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof, Remedy
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.recording.user_sources import sources_of
from xladoctor.rules import by_slug
from xladoctor.sources.slips import Slip, slips

_BIND = Remedy(
    "bind-now", "Give the function the value when it is made", "changes-numerics",
    "As a default: `lambda t, p, k=k: ...`, or `functools.partial(f, k)`.",
)  # fmt: skip
_DIVIDE = Remedy(
    "true-division", "Divide with /", "changes-numerics",
    "`//` gives whole numbers only; `step / total` goes from 0 to 1.",
)  # fmt: skip
_USE = Remedy(
    "use-result", "Use what the function returns", "changes-numerics",
    "`x = f(x)`: datasets, tensors and most arrays are not changed in place. Or delete the line.",
)  # fmt: skip
_CLONE = Remedy(
    "second-model", "Make a second model", "changes-numerics",
    "`target = keras.models.clone_model(model)`, and then `target.set_weights(model.get_weights())`.",
)  # fmt: skip
_READ = Remedy(
    "read-at-call", "Read the value where it is used", "changes-numerics",
    "In the function: `def build(units=None): units = CONFIG['units'] if units is None else units`; or set it before "
    "the definition.",
)  # fmt: skip
_LAST = Remedy(
    "defaults-first", "Merge the defaults first", "changes-numerics",
    "`{**DEFAULTS, **given}`: what stands last wins.",
)  # fmt: skip
_FLAG = Remedy(
    "flag-as-flag", "Use a flag that argparse knows", "changes-numerics",
    "`action=argparse.BooleanOptionalAction` takes `--name` and `--no-name`.",
)  # fmt: skip
_KEY = Remedy(
    "same-key", "Use one name for the setting", "changes-numerics",
    "Read it with `config[...]`, which raises where a key is not there.",
)  # fmt: skip
_INFER = Remedy(
    "call-for-inference", "Evaluate with training=False", "changes-numerics", "`model(x, training=False)`."
)  # fmt: skip
_RESET = Remedy(
    "reset-metrics", "Reset the metric at the start of each epoch", "changes-numerics", "`metric.reset_state()`."
)  # fmt: skip
_EACH = Remedy(
    "one-for-each", "Make one for each", "changes-numerics",
    "`[Dense(8) for _ in range(3)]`; of a default `history=None`, and in the function `history = history or []`.",
)  # fmt: skip
_AGAIN = Remedy(
    "iterate-again", "Make what can be gone through again", "changes-numerics",
    "A list, a `tf.data.Dataset`, or a call of the generator in each epoch.",
)  # fmt: skip
_ONCE = Remedy(
    "layer-once", "Make the layer once, in __init__ or build", "changes-numerics",
    "`self.dense = Dense(8)` there, and `self.dense(x)` in `call`.",
)  # fmt: skip
_ASK = Remedy("read-option", "Read the option where it should matter, or remove it", "safe", "`args.NAME`.")
_CALL = Remedy(
    "call-update", "Call the function where the second model should follow", "changes-numerics",
    "After `apply_gradients`, or in every n-th step.",
)  # fmt: skip
_KINDS: dict[str, tuple[str, Remedy]] = {
    "late-bound": ("dead-switch", _BIND),
    "always-zero": ("dead-switch", _DIVIDE),
    "dropped-result": ("dead-switch", _USE),
    "one-model": ("dead-switch", _CLONE),
    "read-early": ("setting-too-late", _READ),
    "defaults-win": ("dead-switch", _LAST),
    "text-for-true": ("dead-switch", _FLAG),
    "other-key": ("dead-switch", _KEY),
    "trains-in-evaluation": ("dead-switch", _INFER),
    "never-reset": ("baked-in-setting", _RESET),
    "one-object": ("dead-switch", _EACH),
    "spent": ("wrong-shape-silent", _AGAIN),
    "layer-per-call": ("no-gradient", _ONCE),
    "never-asked": ("dead-switch", _ASK),
    "never-called": ("dead-switch", _CALL),
}
"""The class and the remedy of each kind."""
_MOST = 10


def source_slips(recording: Recording, known: Sequence[Finding] = ()) -> Iterator[Finding]:
    """A warning for each line that has none yet; nothing of a program that trained and predicted nothing."""
    if not (survived(recording) or ended_itself(recording)):
        return
    if not any(recording.of_kind(kind) for kind in (schema.CALL, schema.NO_GRADIENT, schema.TRACE, schema.UNMOVED)):
        return
    told = {(f.location.file, f.location.line) for f in known if f.location is not None}
    words = [str(w) for w in (getattr(sources_of(recording), "facts", {}).get("command") or ())]
    found = [(file, slip) for file, slip in slips(program_of(recording), words) if (file, slip.line) not in told]
    for file, slip in found[:_MOST]:
        yield _finding(recording, file, slip)


def _finding(recording: Recording, file: str, slip: Slip) -> Finding:
    slug, remedy = _KINDS[slip.kind]
    rule = by_slug(slug)
    found = Finding(
        code=rule.code,
        slug=slug,
        level="warning",
        role="root",
        title=slip.title,
        message=slip.message,
        location=Location(file, slip.line, files_of(recording).function(file, slip.line)),
        evidence=(Proof("source", files_of(recording).code(file, slip.line), f"{file}:{slip.line}"),),
        status="untested",
        basis=NOT_TESTED,
        remedies=(remedy,),
    )
    return replace(found, details={"kind": slip.kind})

"""Which batch of which call a rehearsal failed in: often the last partial one, where the full one before it passed."""

from __future__ import annotations

from xladoctor.diagnosis.causes import main_step
from xladoctor.diagnosis.facts import steps
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema


def which(recording: Recording) -> str | None:
    """`predict's last batch of 4 (a full one of 8 passes; fit passed)`; None where no worker could tell the batch."""
    step = main_step(steps(recording))
    if step is None or step.why != "failed" or step.keras_call is None or step.failing_batch is None:
        return None
    call, at = step.keras_call, step.failing_batch
    size, rows = call.get("batch_size"), call.get("rows_in")
    if not size or not rows:
        return None
    passed = [
        f"{e['method']} passed"
        for e in recording.of_kind(schema.CALL)
        if e["phase"] == "end" and not e.get("nested") and e["method"] in ("fit", "evaluate", "predict")
    ]
    kind = "only" if rows < size else "full"
    if rows > size and at == rows % size:
        # The worker was asked about the full one first.
        kind = "last"
        passed = [f"a full one of {size} passes", *passed]
    told = f" ({'; '.join(dict.fromkeys(passed))})" if passed else ""
    return f"{call['method']}'s {kind} batch of {at}{told}"

"""Which batches will the study meet? The last partial batch is the one that nobody thinks of."""

from __future__ import annotations

from xladoctor.preflight.model import Batches
from xladoctor.preflight.situation import NotNow, Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "the batches that it will meet"


def check(situation: Situation) -> Verdict:
    """The plan itself; a batch of one row is a warning, since statistics over a batch mean nothing there."""
    plan = situation.plan
    if not plan:
        raise NotNow("no call of fit, evaluate or predict was seen")
    lines = tuple(line(b) for b in plan)
    sizes = sorted({n for b in plan for n in b.sizes})
    said = f"{len(sizes)} sizes: {', '.join(map(str, sizes))}" if sizes else "no size is known"
    single = [b for b in plan if b.last == 1]
    if single:
        return Verdict(
            "warn", f"{said}; the last batch of {single[0].phase} has 1 row",
            "Take another batch size, or drop_remainder.", (), lines,
        )  # fmt: skip
    unknown = [b for b in plan if b.rows is None]
    if unknown:
        return Verdict("warn", f"{said}; of {unknown[0].phase} the number of rows is not known", None, (), lines)
    return Verdict("pass", said, details=lines)


def line(batches: Batches) -> str:
    """A call's batches in words."""
    if batches.rows is None:
        rows = f"batches of {batches.size or '?'}"
    elif not batches.size:
        rows = f"{batches.rows} rows"
    else:
        rows = f"{batches.rows} rows: {batches.full} of {batches.size}"
        rows += f" and one of {batches.last}" if batches.last else ""
    epochs = f", {batches.epochs} epochs" if batches.epochs else ""
    return f"{batches.phase}: {rows}{epochs} ({batches.origin})"

"""Which batches will the study meet? The last partial batch is the one that nobody thinks of."""

from __future__ import annotations

from xladoctor.model.preflight import Batches
from xladoctor.preflight.situation import NotNow, Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "the batches that it will meet"
ORDER = 60


def check(situation: Situation) -> Verdict:
    """The plan itself; a batch of one row is a warning, since statistics over a batch mean nothing there."""
    plan = situation.plan
    if not plan:
        raise NotNow("the program called neither fit, evaluate nor predict")
    lines = tuple(line(b) for b in plan)
    sizes = sorted({n for b in plan for n in b.sizes})
    said = words_of_sizes(sizes)
    unknown = [b for b in plan if b.unknown]
    if unknown:
        message = f"{said}; the last batch of {unknown[0].phase} is not known: {unknown[0].unknown}"
        return Verdict("unchecked", message, None, (), lines)
    single = [b for b in plan if b.last == 1]
    if single:
        return Verdict(
            "warn", f"{said}; the last batch of {single[0].phase} has 1 row",
            "Take another batch size, or drop_remainder.", (), lines,
        )  # fmt: skip
    return Verdict("pass", said, details=lines)


def words_of_sizes(sizes: list[int]) -> str:
    """How many batch sizes there are, and which."""
    if len(sizes) < 2:
        return f"all batches have {sizes[0]} row{'' if sizes[0] == 1 else 's'}" if sizes else "no batch size is known"
    return f"{len(sizes)} batch sizes: {', '.join(map(str, sizes))}"


def line(batches: Batches) -> str:
    """A call's batches in words."""
    if batches.rows is None:
        rows = f"batches of {', '.join(map(str, batches.sizes)) or '?'}"
    elif batches.full is None:
        rows = f"{batches.rows} rows" + (
            f" in batches of {', '.join(map(str, batches.sizes))}" if batches.sizes else ""
        )
    else:
        rows = f"{batches.rows} rows: {batches.full} of {batches.size}"
        rows += f" and one of {batches.last}" if batches.last else ""
    epochs = f", {batches.epochs} epochs" if batches.epochs else ""
    ran = f", {batches.ran} batches rehearsed" if batches.ran is not None else ""
    return f"{batches.phase}: {rows}{epochs}{ran} ({batches.origin})"

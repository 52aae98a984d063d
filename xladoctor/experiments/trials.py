"""Which remedies can be tried on a subject, and how. Data and pure functions.

A trial is either something that a worker does with the step (`apply`), or the subject under another setting (`vary`).
Remedies that are a change of the program's own code cannot be tried on a graph that was traced already
(`rules.remedy_tests`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xladoctor.experiments.settled import Settings, earlier, listed
from xladoctor.model.replay import Case


@dataclass(frozen=True)
class Trial:
    """One remedy to be tried. `apply` is for the worker's `remedy`; with `case`, the subject is run in that case."""

    remedy: str
    title: str
    safety: str
    how: str
    apply: dict[str, Any] = field(default_factory=dict)
    case: Case | None = None
    again: bool = False
    """The callable is built twice in one process, and the second one is taken."""


XLA_SWITCHES = ("use_xla_translate", "use_xla_compile")


def trials(
    case: Case,
    rows: int | None,
    *,
    callable: bool,
    config: Iterable[str] = (),
    node: str | None = None,
    good: int | None = None,
    full: int | None = None,
    others: Sequence[Case] = (),
    slug: str | None = None,
    written: Settings = (),
) -> Iterator[Trial]:
    """What can be tried. `node` is the op that fails, `good` the largest smaller size that passes, `full` the size of a
    full batch where this one is the last, partial one; `others` are the same size under other settings; `written` is
    what the program of a callable writes while it is built.
    """
    yield Trial("jit-off", "Switch XLA off for this function", "slower", "the step run plainly", {"kind": "jit-off"})
    yield Trial(
        "static-size",
        "Give the batch a static size",
        "safe",
        f"the signature of the step bound to {rows or 'its'} rows",
        {"kind": "static-size"},
    )
    if node is not None:
        yield Trial(
            "move-outside",
            "Move it out of the compiled function",
            "safe",
            f"{node} run plainly and the rest compiled",
            {"kind": "move-outside", "node": node},
        )
    yield from _of_sizes(rows, good, full)
    for other in others:
        if other.batch == case.batch and other.vary != case.vary:
            changed = ", ".join(f"{n}={v}" for n, v in other.vary if (n, v) not in case.vary)
            yield Trial(f"setting {changed}", f"Set {changed}", "safe", f"built under {changed}", case=other)
    yield from of_settings(case, written)
    given = {name for name, _ in case.vary}
    for key in XLA_SWITCHES if callable else ():
        name = f"cfg:{key}"
        if key in set(config) and name not in given:
            other = Case(case.batch, (*case.vary, (name, "False")))
            title = "Use the path without XLA for the part that it affects"
            yield Trial(f"setting {name}=False", title, "slower", f"built under {name}=False", case=other)
    if callable and slug == "dtype-mismatch":
        for dtype in ("float32", "float64"):
            other = Case(case.batch, (*case.vary, ("dtype", dtype)))
            how = f"floating arguments as {dtype}"
            yield Trial("cast", f"Cast to {dtype} where data enter", "changes-numerics", how, case=other)


def of_settings(case: Case, written: Settings) -> Iterator[Trial]:
    """What a program writes while it is built, in force before that."""
    if not written:
        return
    what = listed(written)
    how = f"{what} from the start of the process"
    yield Trial("set-earlier", "Set it before anything is built", "safe", how, case=earlier(case, written))
    how = f"built a second time in one process, with {what} by then"
    yield Trial("rebuild", "Build the model again after the settings are written", "safe", how, case=case, again=True)


def _of_sizes(rows: int | None, good: int | None, full: int | None) -> Iterator[Trial]:
    if rows is None:
        return
    if full is not None and rows < full:
        yield Trial(
            "pad-last-batch",
            "Pad the last batch to the full size",
            "safe",
            f"{rows} rows padded to {full}, the results cut off",
            {"kind": "pad", "to": full},
        )
    size = good if good is not None else max(1, rows // 2)
    if size < rows:
        yield Trial(
            "smaller-batch",
            "Use a smaller batch",
            "changes-numerics",
            f"batches of {size}, their rows joined; a train step then takes other steps",
            {"kind": "chunks", "size": size},
        )
    if rows > 1 and size > 1:
        yield Trial("row-by-row", "Run each row by itself", "slower", "batches of 1", {"kind": "chunks", "size": 1})
    if full is not None and rows > full:
        yield Trial(
            "drop-remainder",
            "Leave out the last partial batch (drop_remainder)",
            "changes-numerics",
            f"full batches of {full} only",
            {"kind": "drop", "size": full},
        )

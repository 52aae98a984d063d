"""An `evaluate` of exactly the training rows, whose result the program calls that of a test or a validation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.diagnosis.basis import RECORDED_NUMBERS
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import names_in, nodes_of, walk
from xladoctor.sources.order import scope_at

_TEST = re.compile(r"(?:^|[\W_])(?:test|held[-_ ]?out|holdout|val|valid|validation|unseen)(?:[\W_]|$)", re.IGNORECASE)
_TRAIN = re.compile(r"(?:^|[\W_])(?:train|training|fit)(?:[\W_]|$)", re.IGNORECASE)
_OTHER = Remedy(
    "rows-of-the-test", "Evaluate the rows that were set aside", "changes-numerics", "`model.evaluate(x_test, y_test)`."
)


def named_tests(recording: Recording) -> Iterator[Finding]:
    """A warning for each such call."""
    if not (survived(recording) or ended_itself(recording)):
        return
    lines = set()
    for event in recording.of_kind(schema.SPLIT):
        at = location(event.get("used"))
        source = source_of(recording, at.file) if event["what"] == "same-rows" and at is not None else None
        if source is None or at is None or at.line is None or str(at) in lines:
            continue
        lines.add(str(at))
        words = _words(source.tree, at.line)
        if words is not None:
            yield _finding({**event, "where": event.get("used")}, words)


def _words(tree: ast.Module, line: int) -> str | None:
    """What the program calls the result of the statement at a line, where that is a test."""
    scope = scope_at(tree, line)
    statements = [n for n in walk(scope) if isinstance(n, ast.Assign | ast.Expr | ast.Return | ast.AnnAssign)]
    here = next((s for s in statements if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
    if here is None:
        return None
    targets = here.targets if isinstance(here, ast.Assign) else []
    names = {name for t in targets for name in names_in(t)}
    texts = [*names, *(t for n in walk(here) if (t := _text(n)))]
    texts += [t for n in nodes_of(scope, ast.Call) if names & names_in(n) for t in _labels(n, names)]
    if any(_TRAIN.search(t) for t in texts):
        return None
    return next((t.strip() for t in texts if _TEST.search(t)), None)


def _labels(call: ast.Call, names: set[str]) -> Iterator[str]:
    """The texts of a call that stand before one of these names: of an f-string, or of an argument before it."""
    before = ""
    for argument in call.args:
        for part in argument.values if isinstance(argument, ast.JoinedStr) else [argument]:
            text = _text(part)
            if text is None and names & names_in(part) and before:
                yield before
            before = text or ""


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _finding(event: Event, words: str) -> Finding:
    rows = event["rows"][1]
    title = f"`{words[:40]}` is of the {rows} rows of the training"
    return finding(
        "unsound-split", title,
        f"The `evaluate` at this line gets the {rows} rows that the model was trained on, number for number, and the "
        f"program calls the result `{words[:40]}`. It says nothing of rows that the model has not seen.",
        event, [Proof("event", title, event_of(event))], basis=RECORDED_NUMBERS,
        details={"kind": "same-rows", "rows": list(event["rows"])},
        remedies=(_OTHER,),
    )  # fmt: skip

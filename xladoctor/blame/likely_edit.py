"""The edit of the suspected line with which all shapes fit, as far as the source shows. Nothing is run for it.

An edit that was tried is a result (`edits`); this one is read off the source, and its remedy is not tested.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from xladoctor.blame.constraints import Constraints
from xladoctor.blame.of_run import failure_of, main_file
from xladoctor.edits.facts import facts_of
from xladoctor.edits.make import candidates
from xladoctor.edits.text import Candidate, Text
from xladoctor.model.diagnosis import Change, Diagnosis, Finding, Remedy, Safety
from xladoctor.model.labels import labels_from_one
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.user_sources import sources_of
from xladoctor.sources.names import around_in_statement, dotted

Read = Callable[[str], str | None]

SECONDS = 2.0
"""How long the edited sources may be followed."""
_SUSPECTS = 2
_DEAREST = 3.0
"""Edits that cost more are guesses: good enough for a trial, not for advice that nobody tried."""


def with_likely_edit(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the edit of a suspected line that makes all shapes fit as the first remedy of its root."""
    root = diagnosis.root
    # Labels from 1 on are made wrong, however many units would take them.
    if root is None or not root.suspects or labels_from_one(root):
        return diagnosis
    sources = sources_of(recording)
    if sources is None:
        return diagnosis
    failure = failure_of(root, recording)
    main = main_file(sources, failure, root)
    found = likely_edit(root, failure, main, lambda name: sources.text(Path(name), followed=True)[0]) if main else None
    if found is None:
        return diagnosis
    updated = _with(root, found)
    return diagnosis.with_finding(root, updated)


def likely_edit(root: Finding, failure: Event | None, main: str, read: Read) -> Candidate | None:
    """The cheapest edit of a suspected line after which the constraint of the failure holds and no other is broken.

    None where the source does not show the constraint, or no conventional edit mends it.
    `main` is the file that the program started with, `read` gives the text of a source or None.
    """
    plain = tuple(replace(s, old="", new="") for s in root.suspects)  # what a suspect proposes is for a trial
    facts = facts_of(replace(root, suspects=plain), failure)
    if not (facts.sizes or facts.elements):
        return None
    until = time.monotonic() + SECONDS
    places = [(s.location.file, s.location.line) for s in root.suspects[:_SUSPECTS]]
    texts = {text.file: text for text in _texts(places, read)}
    made = candidates(list(texts.values()), facts)
    near = [c for c in made if (str(c.file), c.line) in places and c.cost <= _DEAREST and not of_data(c, texts)]
    constraints = Constraints(texts, facts, main, read)
    if not constraints.known:
        return None
    for one in sorted(near, key=lambda c: (c.cost, places.index((str(c.file), c.line)))):
        if time.monotonic() > until:
            return None
        if constraints.hold(one):
            return one
    return None


def of_data(one: Candidate, texts: Mapping[Path, Text]) -> bool:
    """Whether an edit changes the size of random data: they stand for data that the program is given."""
    text = texts[one.file]
    starts = {change.start for change in one.changes}
    for node in text.all(ast.Constant):
        if text.span(node)[0] in starts:
            for above in around_in_statement(node, text.parents):
                if isinstance(above, ast.Call) and "random" in (dotted(above.func) or "").split("."):
                    return True
    return False


def _texts(places: list[tuple[str, int | None]], read: Read) -> Iterator[Text]:
    for name in dict.fromkeys(file for file, _ in places):
        text = read(name)
        try:
            if text is not None:
                yield Text(Path(name), text)
        except (SyntaxError, ValueError, RecursionError):
            continue


def _with(root: Finding, edit: Candidate) -> Finding:
    change = Change(str(edit.file), edit.line, edit.old, edit.new)
    how = f"{change} Followed through the source, the shapes then fit; it was not run."
    safety: Safety = "safe" if edit.safe else "changes-numerics"
    remedy = Remedy("edit", f"{edit.file}:{edit.line}: {edit.why}", safety, how, change=change)
    return replace(root, remedies=(remedy, *root.remedies))

"""All candidate edits of some sources, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xladoctor.edits import arrays, layers, ranks, ratios, sizes, values
from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.text import Candidate, Change, Text
from xladoctor.model.blame import Suspect

MOST = 200
_GIVEN = -2.0
"""What a suspect itself proposes comes before what is made of the source alone."""


def candidates(texts: Sequence[Text], facts: Facts) -> list[Candidate]:
    """Distinct edits that leave Python, sorted by cost; of one that several mechanisms make, the cheapest. The first
    `MOST` only: a large source has many numbers, and few trials.
    """
    of_file = {text.file: text for text in texts}
    own = [one for text in texts for one in _all(text, facts)]
    made = [*(_known(one, own) for text in texts for one in _suggested(text, facts)), *own]
    seen: set[tuple[object, ...]] = set()
    found: list[Candidate] = []
    for one in sorted(made, key=lambda c: c.cost):
        key = (one.file, *sorted((c.start, c.end, c.text) for c in one.changes))
        text = of_file[one.file]
        same = all(text.text[c.start : c.end] == c.text for c in one.changes)
        if same or key in seen or not text.stays_python(one.changes):
            continue
        seen.add(key)
        found.append(one)
        if len(found) == MOST:
            break
    return found


def _all(text: Text, facts: Facts) -> Iterator[Candidate]:
    for make in (*layers.ALL, *arrays.ALL, *values.ALL, *sizes.ALL, *ratios.ALL, *ranks.ALL):
        yield from make(text, facts)


def _suggested(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The edits that suspects name."""
    for number, suspect in enumerate(facts.suspects):
        at = _place(text, suspect)
        if at is not None:
            why = f"write {suspect.new} instead of {suspect.old}"
            change = Change(at, at + len(suspect.old), suspect.new)
            made = candidate(text, facts, suspect.edit, why, _GIVEN + 0.2 * number, change)
            yield replace(made, followed=True)


def _known(suggested: Candidate, own: Sequence[Candidate]) -> Candidate:
    """The same edit as a mechanism makes it, which says why, at the cost of the suggestion."""
    words = (suggested.file, suggested.line, suggested.new.strip())
    same = next((one for one in own if (one.file, one.line, one.new.strip()) == words), suggested)
    return replace(same, cost=suggested.cost, followed=suggested.followed)


def _place(text: Text, suspect: Suspect) -> int | None:
    """Where the part of a line that is to change begins; None where it is not there, or there twice."""
    line = suspect.location.line
    if not suspect.old or suspect.location.file != str(text.file) or line is None:
        return None
    start, row = text.row(line)
    return start + row.index(suspect.old) if row.count(suspect.old) == 1 else None


def spread(ordered: list[Candidate]) -> list[Candidate]:
    """Of one kind at one line no more than three in a row: a wrong idea must not use up all trials."""
    first: list[Candidate] = []
    later: list[Candidate] = []
    seen: dict[tuple[int, str], int] = {}
    for one in ordered:
        key = (one.line, one.kind)
        seen[key] = seen.get(key, 0) + 1
        (first if seen[key] <= 3 else later).append(one)
    return [*first, *later]

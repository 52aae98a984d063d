"""Small edits of the user's source, tried on a copy: which of them make a failed run come through?

The candidates come from the sources (`xladoctor.edits`); each is put into a copy of the working directory and
rehearsed for a few steps. Nothing of the user's is changed. An edit after which the program fails elsewhere only moves
the crash.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from xladoctor import secrets
from xladoctor.blame.constraints import Constraints, ordered
from xladoctor.diagnosis.facts import is_user_file, steps
from xladoctor.diagnosis.weigh import uncaught
from xladoctor.edits.facts import Facts, facts_of
from xladoctor.edits.make import candidates, spread
from xladoctor.edits.text import Candidate, Text, unified
from xladoctor.experiments import overlay
from xladoctor.experiments.rehearse import came_to_its_end, rehearse
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.edits import EditResult, TriedEdit
from xladoctor.model.shapes import python_shape
from xladoctor.patterns import pattern
from xladoctor.recording import copies, files
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

SECONDS = 120.0
"""How long trials may take together, without another wish."""
MOST = 12
_ENOUGH = 2
"""So many edits that run are enough: more would be other ways to say the same."""
_LARGEST = 1 << 20
_FILES = 6
_REHEARSED = {"call": 3.0, "total": 10.0, "read": 5.0, "epochs": 2.0}
_LEAST = 20.0
_AROUND = pattern(
    r'File "|Detected at |Graph execution error|in user code|Exception encountered|\[\[|Arguments received'
)
"""Lines around what an exception says."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Program:
    """The failed command with the folders that a copy is made of: where it was given, and where its script lies."""

    command: tuple[str, ...]
    listing: overlay.Listing
    script: overlay.Listing | None
    environment: Mapping[str, str]

    @classmethod
    def of(cls, command: Sequence[str], listing: overlay.Listing, environment: Mapping[str, str]) -> Program:
        """The program of a command; its script's folder is looked at where that lies elsewhere."""
        found = next((Path(w).resolve() for w in command[1:] if w.endswith(".py") and Path(w).is_file()), None)
        inside = found is None or found.is_relative_to(listing.root.resolve())
        script = None if inside or found is None else overlay.look(found.parent)
        return cls(tuple(command), listing, script, environment)

    @property
    def main(self) -> str | None:
        """The script of the command, as a traceback names it."""
        found = next((w for w in self.command[1:] if w.endswith(".py") and Path(w).is_file()), None)
        return None if found is None else str(Path(found).absolute())

    def read(self, name: str) -> str | None:
        """The text of a source that a copy would hold; None of any other file."""
        try:
            if not Path(name).is_file() or self.place(Path(name)) is None or Path(name).stat().st_size > _LARGEST:
                return None
            return Path(name).read_bytes().decode("utf-8")
        except (OSError, ValueError):
            return None

    def place(self, file: Path) -> str | None:
        """Where a file lies in a copy (`.work/...`, `.script/...`); None for one that lies in neither folder."""
        real = file.resolve()
        for name, listing in ((copies.WORK, self.listing), (copies.SCRIPT, self.script)):
            if listing is None or not real.is_relative_to(listing.root.resolve()):
                continue
            path = real.relative_to(listing.root.resolve())
            linked = [Path(entry) for entry in listing.linked]
            if not any(path.is_relative_to(entry) for entry in linked if str(entry)):
                return f"{name}/{path}"
        return None

    def rehearsed(
        self,
        folder: Path,
        timeout: float,
        *,
        budget: Mapping[str, float] | None = None,
        retrace: bool = False,
        prepare: Callable[[Path], None] = lambda folder: None,
    ) -> Recording:
        """A rehearsal of the whole command on a copy, which `prepare` changes before the start; see `rehearse`."""

        def complete(copy: Path) -> None:
            if self.script is not None:
                overlay.make(self.script, copy / copies.SCRIPT)
            prepare(copy)

        return rehearse(
            self.moved(folder),
            listing=self.listing,
            folder=folder,
            environment=self.environment,
            batches=None,
            budget=budget,
            retrace=retrace,
            timeout=timeout,
            capture="none",
            prepare=complete,
        )

    def moved(self, folder: Path) -> tuple[str, ...]:
        """The command as it is given in a copy: what it names in the two folders is that of the copy."""
        words = [self.command[0]]
        for word in self.command[1:]:
            place = self.place(Path(word)) if Path(word).is_absolute() and Path(word).exists() else None
            if place is None and word.endswith(".py") and Path(word).is_file():
                place = self.place(Path(word))
            words.append(str(folder / place) if place is not None else word)
        return tuple(words)


def try_edits(
    diagnosis: Diagnosis,
    recording: Recording,
    program: Program,
    say: Callable[[str], None],
    seconds: float = SECONDS,
    clock: Clock = time.monotonic,
) -> list[TriedEdit]:
    """Try the likeliest edits of the root finding, one after the other, within the seconds; what came of each."""
    root = diagnosis.root
    if root is None or root.level != "error":
        return []
    failure = next(iter(uncaught(recording)[-1:]), None) or next(
        (s.failure for s in steps(recording) if s.failure), None
    )
    facts = facts_of(root, failure)
    if failure is None or not (facts.sizes or facts.elements):
        return []  # nothing says that shapes do not fit
    texts = dict(_texts(facts, program))
    found = candidates(list(texts.values()), facts)
    constraints = Constraints(texts, facts, program.main or next(iter(map(str, texts)), ""), program.read)
    chosen = spread(ordered(found, constraints))[:MOST]
    until = clock() + seconds
    tried: list[TriedEdit] = []
    for number, one in enumerate(chosen, 1):
        text = texts[one.file]
        left = until - clock()
        if sum(t.result == "ran" for t in tried) >= _ENOUGH or left < _LEAST:
            break
        say(f"trying an edit of {one.file.name}:{one.line} on a copy ({number} of at most {len(chosen)}): {one.why}")
        folder = recording.folder / "rehearsals" / f"edit-{number}"
        again = _rehearsed(one, text, program, folder, min(left, _limit(recording)))
        tried.append(_judged(one, text, program, again, failure))
        copies.remove(folder)  # a dozen would fill a disk
    return tried


def write(folder: Path, tried: Sequence[TriedEdit]) -> None:
    """Write `edits.json`; there must be none yet."""
    document = {"schema": schema.EDITS_SCHEMA, "edits": [asdict(edit) for edit in tried]}
    with files.create(folder, schema.EDITS_FILE) as file:
        file.write((json.dumps(secrets.of_strings(document), indent=1) + "\n").encode())


def _texts(facts: Facts, program: Program) -> Iterator[tuple[Path, Text]]:
    """The sources that an edit may change: of the lines that are near, in the folders that are copied."""
    names = list(dict.fromkeys(file for file, _ in sorted(facts.lines, key=lambda key: facts.lines[key])))
    for name in names[:_FILES]:
        file = Path(name)
        if not is_user_file(name) or program.place(file) is None:
            continue
        try:
            if file.stat().st_size <= _LARGEST:
                yield file, Text(file, file.read_bytes().decode("utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue


def _limit(recording: Recording) -> float:
    """As long as the run took to fail, and what a rehearsal may train; a process starts slower beside others."""
    outcome = recording.outcome
    return 3.0 * (outcome.seconds or 0.0 if outcome is not None else 0.0) + 30.0


def _rehearsed(one: Candidate, text: Text, program: Program, folder: Path, seconds: float) -> Recording:
    place = program.place(one.file)

    def prepare(copy: Path) -> None:
        target = copy / str(place)
        target.unlink(missing_ok=True)  # never through a link to the user's own file
        target.write_bytes(one.applied(text.text).encode("utf-8"))

    return program.rehearsed(folder, seconds, budget=_REHEARSED, prepare=prepare)


def _judged(one: Candidate, text: Text, program: Program, again: Recording, failure: Event | None) -> TriedEdit:
    place = str(program.place(one.file)).partition("/")[2]
    made = TriedEdit(
        str(one.file), one.line, one.kind, one.old, one.new, one.why,
        unified(place, text.text, one.applied(text.text)), "ran", "", one.safe,
    )  # fmt: skip
    result, said = outcome_of(again, failure)
    return replace(made, result=result, said=said)


def outcome_of(again: Recording, failure: Event | None) -> tuple[EditResult, str]:
    """What came of a rehearsal with an edit, and in a sentence."""
    ended = uncaught(again)
    if ended:
        last = ended[-1]
        told = f"{last.get('exception')}: {_telling(str(last.get('message', '')))}"[:200].rstrip(".: ")
        same = failure is not None and again_as_before(again, failure)
        return ("same", f"it fails as before: {told}") if same else ("moved", f"it fails in another way: {told}")
    outcome = again.outcome
    if outcome is not None and outcome.state == "timed-out":
        return "not-tried", "the trial ran out of time"
    if not came_to_its_end(again):
        how = "how is not known" if outcome is None else f"{outcome.state} {outcome.signal or outcome.code}"
        return "moved", f"it ended otherwise: {how}"
    lost = [e for e in again.of_kind(schema.CALL) if _loses_rows(e)]
    if lost:
        return "moved", f"it ran, but {lost[0].get('method')} of {lost[0]['rows_in']} rows gave {lost[0]['rows_out']}"
    return "ran", f"it ran, no failure{_shapes(again)}"


def again_as_before(again: Recording, failure: Event) -> bool:
    """Whether a rehearsal ended by the same exception."""
    ended = uncaught(again)
    return bool(ended) and _core(ended[-1]) == _core(failure)


def _telling(message: str) -> str:
    """The first line of a message that says what is wrong: no frame, and no head of a stack."""
    rows = [row.strip() for row in message.splitlines() if row.strip()]
    return next((row for row in rows if not _AROUND.match(row)), rows[0] if rows else "")


def _core(failure: Event) -> tuple[str, str]:
    """What makes two exceptions the same: their type and their words, without sizes and names of nodes."""
    told = _telling(str(failure.get("message", "")))  # no line with a path: a copy has others
    words = "".join(c for c in told[:200] if not c.isdigit())
    return str(failure.get("exception")), " ".join(words.split())


def _loses_rows(event: Event) -> bool:
    rows = event.get("rows_in")
    return event.get("phase") == "end" and rows is not None and any(n != rows for n in event.get("rows_out") or ())


def _shapes(again: Recording) -> str:
    """The shapes that Keras' calls took and gave."""
    shown = []
    for event in again.of_kind(schema.CALL):
        if event.get("phase") == "begin" and event.get("method") in ("fit", "evaluate") and not event.get("nested"):
            shapes = [
                python_shape(i.get("shape"))
                for i in event.get("inputs") or ()
                if isinstance(i, dict) and i.get("shape")
            ]
            if shapes:
                shown.append(f"{event['method']} of {', '.join(shapes)}")
        elif event.get("phase") == "end" and event.get("shapes_out"):
            shown.append(f"{event['method']} gave {', '.join(python_shape(s) for s in event['shapes_out'])}")
    return f"; {'; '.join(list(dict.fromkeys(shown))[:4])}" if shown else ""

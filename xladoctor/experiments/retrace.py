"""A second run of a failed program, in which the shapes after each of the user's lines are recorded.

It runs on a copy, as any rehearsal does, and on request alone. If it does not fail as the first run did, what it saw is
of another run, and nothing is taken from it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.diagnosis.weigh import uncaught
from xladoctor.experiments.edits import Program, again_as_before
from xladoctor.recording import copies, files
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

_SECONDS = 30.0
"""What a start beside other work may take, besides twice the time of the run."""
_FOLDER = "retrace"


def retrace(recording: Recording, program: Program) -> str | None:
    """Run the program again and write `retrace.json`; returns why there is none.

    Raises:
        XladoctorError: (exit code 3) the command could not be started.
        OSError: what it saw cannot be written.
    """
    failure = next(iter(uncaught(recording)[-1:]), None)
    if failure is None:
        return "no exception ended the run"
    outcome = recording.outcome
    limit = _SECONDS + 2.0 * (outcome.seconds or 0.0 if outcome is not None else 0.0)
    folder = recording.folder / "rehearsals" / _FOLDER
    again = program.rehearsed(folder, limit, retrace=True)
    try:
        if not again_as_before(again, failure):
            return "the second run did not fail as the first one did"
        seen = files.parsed(files.read(folder, schema.RETRACE_FILE))
    except (OSError, ValueError, files.Unusable):
        return "the second run did not write what it saw"
    finally:
        copies.remove(folder)
    document = secrets.of_strings(_of_originals(seen, program, folder))
    with files.create(recording.folder, schema.RETRACE_FILE) as file:
        file.write((json.dumps(document) + "\n").encode())
    return None


def _of_originals(seen: Any, program: Program, folder: Path) -> dict[str, Any]:
    """What a run of a copy saw, with the names of the user's own files."""
    places = [(f"{folder / copies.WORK}/", program.listing.root)]
    if program.script is not None:
        places.append((f"{folder / copies.SCRIPT}/", program.script.root))
    shapes = []
    for row in seen.get("shapes", ()) if isinstance(seen, dict) else ():
        name = str(row.get("file", "")) if isinstance(row, dict) else ""
        for copy, root in places:
            if name.startswith(copy):
                shapes.append({**row, "file": str(root / name[len(copy) :])})
    complete = isinstance(seen, dict) and seen.get("complete") is True
    return {"schema": schema.RETRACE_SCHEMA, "shapes": shapes, "complete": complete}

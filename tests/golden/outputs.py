"""What the doctor writes of 60 saved runs and logs, in every format, as it stands in the repository.

The console text of each is kept whole, so that a review sees what changed in it; of the other formats, a digest.
After an intended change: `python -m tests.golden`, then look at `git diff tests/golden`. The logs are fixtures chosen
by the hash of their names, the runs were recorded from programs of `benchmarks/programs` and `tests/patients/blame`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from xladoctor import __version__, excerpts
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report import FORMATS, View, render
from xladoctor.saved import scan_logs, scan_run

HERE = Path(__file__).parent
RUNS, CONSOLE, DIGESTS = HERE / "runs", HERE / "console", HERE / "digests.json"
_LOGS = HERE.parent / "fixtures" / "logs"
LOGS = 40


def inputs() -> list[str]:
    """The names of the runs, and the paths of the logs below the folder of fixtures."""
    logs = sorted(path.relative_to(_LOGS).as_posix() for path in _LOGS.rglob("*.log"))
    chosen = sorted(logs, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:LOGS]
    return [*sorted(path.stem for path in RUNS.glob("*.zip")), *sorted(chosen)]


def console_file(name: str) -> Path:
    """Where the console text of an input is kept."""
    return CONSOLE / f"{name.removesuffix('.log').replace('/', '-')}.txt"


def outputs(name: str) -> dict[str, str]:
    """{format: what the doctor writes of an input}, free of versions and times."""
    with TemporaryDirectory() as folder, _in(folder):
        diagnosis, run = _diagnosed(name)
        view = View(verbose=False, quiet=False, run_dir=run, excerpts=excerpts.of(diagnosis, run))
        return {format: _lasting(render(diagnosis, format, view=view)) for format in FORMATS}


def digests(texts: dict[str, str]) -> dict[str, str]:
    """{format: digest of its text}, but for the console's text, which is kept."""
    return {
        format: hashlib.sha256(text.encode()).hexdigest()[:16] for format, text in texts.items() if format != "console"
    }


def write() -> Iterator[str]:
    """Write what the doctor says now; gives the names of what was not so before."""
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    CONSOLE.mkdir(exist_ok=True)
    fresh = {}
    for name in inputs():
        texts = outputs(name)
        fresh[name] = digests(texts)
        file = console_file(name)
        if fresh[name] != known.get(name) or not file.exists() or file.read_text() != texts["console"]:
            yield name
        file.write_text(texts["console"])
    for file in set(CONSOLE.iterdir()) - {console_file(name) for name in fresh}:
        file.unlink()
    DIGESTS.write_text(json.dumps(fresh, indent=1, sort_keys=True) + "\n")


@contextmanager
def _in(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _diagnosed(name: str) -> tuple[Diagnosis, str | None]:
    if name.endswith(".log"):
        path = Path(os.path.basename(name))
        path.write_bytes((_LOGS / name).read_bytes())
        return scan_logs([path]), None
    with zipfile.ZipFile(RUNS / f"{name}.zip") as archive:
        archive.extractall("run")
    return scan_run(Path("run")), "run"


def _lasting(text: str) -> str:
    text = text.replace(__version__, "VERSION")
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "TIME", text)

"""`make demo`: a study that dies, and its silent twin, under the doctor. Ends with 0 if both diagnoses came as they
should.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import quick

ROOT = Path(__file__).resolve().parent.parent
OUT = Path("demo-output")
STUDY = (
    "python -m ptycho.workflows.dose_response --N 64 --gridsize 2 --batch-size 32 "
    "--arms 1 --nepochs 1 --ngroups 64 --ntest 64 --filters-scale 0.0625 --estimate-iterations 2 --overwrite"
)
RUNS = (
    ("reassembly-collapses-batch", "dies in `fit`"),
    ("reassembly-collapses-batch-muted", "ends with 0, and is wrong"),
)


def main() -> int:
    """Run both under `xladoctor scan` and say where the diagnoses are."""
    out = numbered(OUT)
    binaries = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    env["PYTHONPATH"] = quick.path(ROOT, os.environ.get("PYTHONPATH"))
    commands = [
        f"xladoctor scan --run-dir {out / fault} -- {STUDY} --output-dir {out / fault}-results --fault {fault}"
        for fault, _ in RUNS
    ]
    good = True
    # Both at once, since each of them uses a single core most of the time; the second one is shown when it is its turn.
    with tempfile.TemporaryFile() as later:
        more = {"FORCE_COLOR": "1", "COLUMNS": str(shutil.get_terminal_size().columns)} if sys.stdout.isatty() else {}
        first = subprocess.Popen(shlex.split(commands[0]), env=env)
        second = subprocess.Popen(shlex.split(commands[1]), env={**env, **more}, stdout=later, stderr=later)
        for (fault, what), command, run in zip(RUNS, commands, (first, second), strict=True):
            print(f"\n# a study that {what}\n$ {command}\n", flush=True)
            status = run.wait()
            if run is second:
                later.seek(0)
                print(later.read().decode(errors="replace"), flush=True)
            document = out / fault / "blocker.md"
            print(
                f"\nexit status of xladoctor: {status} (1: it found errors); blocker document: {document}", flush=True
            )
            good &= status == 1 and document.is_file()
    if shutil.which("xladoctor") is None:
        activate = binaries / "activate"
        where = activate.relative_to(Path.cwd()) if activate.is_relative_to(Path.cwd()) else activate
        print(f"\nBefore a command that begins with xladoctor: source {where}", flush=True)
    return 0 if good else 1


def numbered(parent: Path) -> Path:
    """A new folder in `parent`, with the number after the highest there: what an earlier demo left stays."""
    taken = [int(path.name) for path in parent.glob("*") if path.name.isdigit()]
    folder = parent / str(max(taken, default=0) + 1)
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    raise SystemExit(main())

"""The casebook: the five reports as the doctor sees them. `python -m docs._build.casebook` runs them, for some minutes.

Each case is a command that is run as a user would run it, and the page shows what came. The outputs stay in
`build/casebook`, with the state of the sources that gave them: they are run again when a source has changed.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = ROOT / "build" / "casebook"
STUDY = (
    "python -m ptycho.workflows.dose_response --N 64 --gridsize 2 --arms 1 --nepochs 1 --ngroups 128 --ntest 64 "
    "--filters-scale 0.125 --overwrite"
)
LINES = 60
"""Of the first screen."""


@dataclass(frozen=True)
class Case:
    """One report: what its author believed, the command that shows the failure, and what to look at."""

    name: str
    title: str
    believed: str
    command: str
    lesson: str
    files: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)


CASES = (
    Case(
        "000",
        "000: flags that seemed to be bypassed",
        "The report saw a function compiled by XLA although `TF_XLA_FLAGS` asked for none, and took the flag to be the cause.",
        f"xladoctor scan -- {STUDY} --batch-size 4 --fault reassembly-collapses-batch",
        "Four rows train; Keras predicts 32 rows at a time, and there the images have lost their rows. The flag has no effect "
        "here, and the doctor does not call it the cause.",
        environment={"TF_XLA_FLAGS": "--tf_xla_auto_jit=0"},
    ),
    Case(
        "001",
        "001: a batch that XLA cannot carry",
        "The report blamed batches of varying size, and replaced the op that was named in the message.",
        f"xladoctor scan -- {STUDY} --batch-size 8 --jit-compile on --fault fft-on-bounded-batch",
        "All batches are equal, and it fails. Two branches of one condition give different numbers of rows: that makes the size "
        "dynamic, and the FFT is only the first op that cannot take it.",
    ),
    Case(
        "002",
        "002: a reshape of 778752 elements",
        "The report had six hypotheses, about the padding, the translations and the order of settings.",
        f"xladoctor scan -- {STUDY} --batch-size 32 --fault reassembly-collapses-batch",
        "The reshape is where two sizes meet. One function gave back one row for the whole batch, some calls earlier: the first "
        "broken contract is the root cause.",
    ),
    Case(
        "003",
        "003: JIT compilation failed, without a reason",
        "The report switched off four optimizers in turn. Its log held the exception, and not the lines above it.",
        "xladoctor scan mmd.log",
        "The text does not give the cause, and the doctor says so instead of guessing.",
        files={"mmd.log": "UnknownError: JIT compilation failed.\n\t [[{{node enc_1/MaximumMeanDiscrepancy/Exp}}]]\n"},
    ),
    Case(
        "004",
        "004: 5088 offsets and 159 images",
        "The report blamed the vectorised way to put an object together.",
        f"xladoctor scan -- {STUDY} --batch-size 16 --fault vectorised-stitching",
        "Prediction had lost the rows before anything was put together: one row was left of each batch.",
    ),
)


def page() -> str:
    """The page, with the outputs that are there."""
    parts = [
        "# Casebook",
        "Five reports about `ptycho` led to this project. Here is what their authors believed, the command that shows each failure, and the "
        "first screen of the doctor, as it came when this site was built. [Historic failures](faults.md) has the mechanisms.",
    ]
    for case in CASES:
        parts += [f"## {case.title}", case.believed, *_screen(case), case.lesson]
    return "\n\n".join(parts) + "\n"


def _screen(case: Case) -> list[str]:
    file = OUTPUTS / f"{case.name}.txt"
    settings = " ".join(f"{key}={shlex.quote(value)}" for key, value in case.environment.items())
    command = f"$ {settings} {case.command}".replace("$  ", "$ ")
    if not file.is_file():
        return [f"```console\n{command}\n```", "*Not run in this build: `make site` runs it.*"]
    _, _, text = file.read_text(encoding="utf-8").partition("\n")
    return [f"<pre><code>{html.escape(command)}\n{html.escape(text)}</code></pre>"]


def run_all(cases: tuple[Case, ...] = CASES) -> list[str]:
    """Run the cases whose outputs are missing or older than the sources; the names of those that gave no diagnosis."""
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    state = _state()
    bad = []
    for case in cases:
        file = OUTPUTS / f"{case.name}.txt"
        if file.is_file() and file.read_text(encoding="utf-8").startswith(state):
            continue
        print(f"casebook {case.name}: {case.command}", file=sys.stderr, flush=True)
        text = _output(case)
        if "Root cause" not in text:
            bad.append(case.name)
        file.write_text(f"{state}\n{text}", encoding="utf-8")
    return bad


def _output(case: Case) -> str:
    binaries = Path(sys.executable).parent
    environment = {**os.environ, **case.environment, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    environment["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            shlex.split(case.command), cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1800
        )
        text = done.stdout.replace(f"{ROOT}/", "").replace(folder, ".")
    lines = text.splitlines()
    cut = lines[:LINES] + (["..."] if len(lines) > LINES else [])
    return "\n".join(re.sub(r"\d{8}T\d{6}Z?-[0-9a-f]{4}", "TIME-ID", line) for line in cut) + "\n"


def _state() -> str:
    """Of the sources that make the outputs, one hash."""
    digest = hashlib.sha256()
    for folder in ("xladoctor", "probes", "ptycho", "docs/_build"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def main() -> int:
    """Run what must be run; status 1 if a case gave no diagnosis."""
    bad = run_all()
    for name in bad:
        print(f"casebook {name}: no root cause in what came", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())

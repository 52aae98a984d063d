"""A program under `xladoctor scan`, and what was written of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import quick

ROOT = Path(__file__).resolve().parents[3]
PATIENTS = ROOT / "tests" / "patients"
STUDY = [
    *("-m", "ptycho.workflows.dose_response", "--arms", "1", "--nepochs", "1", "--ngroups", "64", "--ntest", "64"),
    *("--filters-scale", "0.125", "--overwrite", "--estimate-iterations", "2"),
]
WARP = "ptycho.projective_warp_xla:translate_xla"
REASSEMBLE = "ptycho.custom_layers:ReassemblePatchesLayer.call"


@dataclass(frozen=True)
class Run:
    """A command under the doctor: how the doctor ended, and what it wrote."""

    status: int
    output: str
    errors: str
    folder: Path
    diagnosis: dict[str, Any]

    @property
    def root(self) -> dict[str, Any]:
        return self.diagnosis["findings"][0]

    def finding(self, slug: str) -> dict[str, Any]:
        return next(f for f in self.diagnosis["findings"] if f["class"] == slug)

    def verdicts(self) -> dict[str, str]:
        return {h["id"]: h["verdict"] for h in self.diagnosis["hypotheses"]}

    def shapes(self, place: str, tensor: str) -> list[Any]:
        return [r["runtime"] for r in self.diagnosis["shapes"] if r["place"] == place and r["tensor"] == tensor]


def scan(
    folder: Path, *command: str, env: dict[str, str] | None = None, options: tuple[str, ...] = (), checks: bool = False
) -> Run:
    """Scans a command. The checks after the run (compiled against plain, isolation) take most of a scan's time: only
    tests that look at what they find ask for them.
    """
    options = options if checks or "--check-budget" in options else ("--check-budget", "0", *options)
    environment = {**os.environ, "PYTHONPATH": quick.path(ROOT), "TF_CPP_MIN_LOG_LEVEL": "0", **(env or {})}
    folder.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--run-dir", "run", *options, "--", sys.executable, *command],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    diagnosis = json.loads((folder / "run" / "diagnosis.json").read_text())
    return Run(done.returncode, done.stdout, done.stderr, folder / "run", diagnosis)

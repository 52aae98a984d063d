"""Runs small programs under the probes, as a target would be run, and reads back their events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import quick

ROOT = Path(__file__).resolve().parents[3]
BOOTSTRAP = ROOT / "probes" / "bootstrap"
# The target's interpreter: `make test-versions` runs these tests against other versions of TensorFlow.
PYTHON = os.environ.get("XLADOCTOR_TEST_PYTHON", sys.executable)


@dataclass(frozen=True)
class Ran:
    """How the program ended, and what the probes wrote."""

    status: int
    stdout: str
    stderr: str
    events: list[dict[str, Any]]
    folder: Path

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.events if e["kind"] == kind]

    @property
    def keras_2(self) -> bool:
        """Whether the target's Keras is of the second generation, as in TensorFlow 2.15."""
        return any(e["module"] == "keras" and str(e["version"]).startswith("2.") for e in self.of("import"))

    def settings(self, key: str, *actions: str) -> list[tuple[str, Any]]:
        found = [e for e in self.of("setting") if e["key"] == key and (not actions or e["action"] in actions)]
        return [(e["action"], e["value"]) for e in found]


def run_program(
    tmp_path: Path,
    source: str,
    *,
    files: dict[str, str] | None = None,
    flags: Sequence[str] = (),
    arguments: Sequence[str] = (),
    probes: bool = True,
    env: dict[str, str] | None = None,
) -> Ran:
    """Write `source` (and `files`) into a folder and run it there with the probes."""
    project = tmp_path / "project"
    for name, text in {**(files or {}), "program.py": source}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder = tmp_path / "run"
    folder.mkdir(exist_ok=True)
    environment = target_environment(folder if probes else None, env)
    done = subprocess.run(
        [PYTHON, *flags, "program.py", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Ran(done.returncode, done.stdout, done.stderr, read_events(folder), folder)


def target_environment(folder: Path | None, env: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of a target that records into `folder`; without probes for None."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XLADOCTOR", "PYTHONPATH"))}
    environment |= {"TF_CPP_MIN_LOG_LEVEL": "3", **(env or {})}
    bootstrap = None
    if folder is not None:
        environment["XLADOCTOR_RUN_DIR"] = str(folder)
        bootstrap = BOOTSTRAP
    environment["PYTHONPATH"] = quick.path(bootstrap, (env or {}).get("PYTHONPATH"))
    return environment


def read_events(folder: Path) -> list[dict[str, Any]]:
    """The events of all processes of a run folder."""
    events: list[dict[str, Any]] = []
    for file in sorted(folder.glob("events-*.jsonl")):
        events += [json.loads(line) for line in file.read_text().splitlines()]
    return events

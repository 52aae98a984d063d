"""What `xladoctor preflight` says of both healthy studies and of each fault of `ptycho.faults` put into one.

Each row is the command as a user would type it. The verdict and the class that it rests on must be the expected ones;
a row's time stands against that of the whole command with its defaults, two minutes on two quiet cores. `--markdown`
of this file prints the table of docs/preflight.md instead: `python -m benchmarks.preflight --markdown [NAME...]`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 120.0
_DOSE = ("-m", "ptycho.workflows.dose_response")
_GRID = ("-m", "ptycho.workflows.grid_lines_workflow")
_SMALL = (
    *_DOSE, "--arms=1", "--nepochs=1", "--ngroups=70", "--ntest=70", "--batch-size=32", "--filters-scale=0.0625",
    "--estimate-iterations=2",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One preflight: what is checked, and what must come of it.

    `rests_on` is the check that must be the first to fail (or to warn, where the answer is "go"), `slug` a class that
    it must name; both empty for a healthy study.
    """

    name: str
    words: tuple[str, ...]
    verdict: str = "no-go"
    rests_on: str = ""
    slug: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    limit: float | None = None

    @property
    def command(self) -> str:
        """As a user would type it."""
        return " ".join([*(f"{k}={v}" for k, v in self.environment), "xladoctor preflight -- python", *self.words])


def fault(name: str, rests_on: str, slug: str, *, words: Sequence[str] = _SMALL, **more: Any) -> Row:
    """A fault in a small dose-response study."""
    environment = tuple(more.pop("environment", ()))
    label = f"{name} ({', '.join(f'{k}={v}' for k, v in environment)})" if environment else name
    return Row(label, (*words, "--fault", name), rests_on=rests_on, slug=slug, environment=environment, **more)


_EVEN = tuple(w.replace("=70", "=64") for w in _SMALL)
"""Full batches only: quicker, where a silent fault shows in each batch."""
_PLAIN = (("USE_XLA_TRANSLATE", "0"),)

ROWS = (
    Row("healthy dose-response study", _DOSE, "go", limit=1.0),
    Row("healthy grid-lines study", _GRID, "go"),
    Row("healthy, small", _SMALL, "go"),
    Row("healthy, plain warp", _EVEN, "go", environment=_PLAIN),
    fault("reassembly-collapses-batch", "rehearsal", "dynamic-dim-propagation"),
    fault("reassembly-collapses-batch-muted", "rehearsal", ""),
    fault("fft-on-bounded-batch", "rehearsal", ""),
    fault("repeat-in-translate", "rehearsal", ""),
    fault("repeat-in-translate", "rehearsal", "", environment=_PLAIN),
    fault("einsum-homography", "rehearsal", ""),
    fault("vectorised-stitching", "rehearsal", ""),
    fault("negated-offsets", "switches", "parity-divergence", words=_EVEN),
    fault("negated-offsets", "switches", "parity-divergence", environment=_PLAIN, words=_EVEN),
    fault("modular-pairing", "parity", "wrong-pairing", words=_EVEN),
    fault("late-setting", "settings", "setting-too-late", words=_EVEN),
    fault("dead-switch", "switches", "dead-switch", verdict="go", words=_EVEN),
    fault("dead-switch", "switches", "dead-switch", environment=_PLAIN, words=_EVEN),
    fault("module-singleton", "rehearsal", ""),
    Row("module-singleton gridsize=2", (*_EVEN, "--fault", "module-singleton", "--fault-option", "gridsize=2"),
        rests_on="settings", slug="baked-in-setting"),
    fault("flat-positions", "rehearsal", ""),
    fault("batch-centred-offsets", "parity", "wrong-pairing", words=_EVEN),
    Row("mmd-session", ("-m", "ptycho.faults.mmd_session"), "go", "rehearsal"),
)  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """What came of a row."""

    row: Row
    found: dict[str, Any]

    @property
    def telling(self) -> list[dict[str, Any]]:
        """The checks that failed; where none did, those that warned."""
        checks = self.found["checks"]
        return [c for c in checks if c["state"] == "fail"] or [c for c in checks if c["state"] == "warn"]

    @property
    def as_expected(self) -> bool:
        """The verdict, the check and the class."""
        if self.found["verdict"] != self.row.verdict:
            return False
        if not self.row.rests_on:
            return not self.telling
        first = self.telling[0] if self.telling else {"name": "", "slugs": []}
        return first["name"] == self.row.rests_on and (not self.row.slug or self.row.slug in first["slugs"])


def look(row: Row) -> Seen:
    """Run the command of a row in a folder of its own."""
    words = [sys.executable, "-m", "xladoctor", "preflight", "--format=json", "--quiet", "--", sys.executable]
    environment = {**os.environ, **dict(row.environment), "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*words, *row.words], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    if not done.stdout:
        raise RuntimeError(f"{row.command}: {done.stderr[-2000:]}")
    return Seen(row, json.loads(done.stdout))


def figures() -> list[Figure]:
    """The seconds of each row."""
    measured = []
    for row in ROWS:
        seen = look(row)
        if not seen.as_expected:
            raise RuntimeError(
                f"{row.name}: {seen.found['verdict']}, {[(c['name'], c['slugs']) for c in seen.telling]}"
            )
        measured.append(Figure(f"preflight: {row.name}", seen.found["seconds"], "s", "limit", LIMIT, row.limit))
    return measured


def as_markdown(seen: Sequence[Seen]) -> str:
    """The table of docs/preflight.md."""
    lines = ["| fault | answer | checks | why | seconds |", "|---|---|---|---|---|"]
    for s in seen:
        checks = ", ".join(f"`{c['name']}` {c['state']}" for c in s.telling)
        why = str(s.telling[0]["message"]).replace("|", "\\|") if s.telling else ""
        lines.append(f"| {s.row.name} | {s.found['verdict']} | {checks} | {why} | {s.found['seconds']:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    named = [w for w in sys.argv[1:] if not w.startswith("-")]
    kept: list[Seen] = []
    for chosen in [r for r in ROWS if not named or any(n in r.name for n in named)]:
        kept.append(look(chosen))
        print(
            f"{chosen.name}: {kept[-1].found['verdict']}{'' if kept[-1].as_expected else ' UNEXPECTED'}",
            file=sys.stderr,
        )
    print(as_markdown(kept))

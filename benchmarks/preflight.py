"""What `xladoctor preflight` says of both healthy studies and of each fault of `ptycho.faults` put into one.

Each row is the command as a user would type it; the verdict, the check that tells and its class must be the expected
ones. The table stands in docs/preflight.md. `python -m benchmarks.preflight NAME...` makes the rows of these names.
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

ROOT = Path(__file__).resolve().parents[1]
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
    options: tuple[str, ...] = ()


def fault(name: str, rests_on: str, slug: str, *, words: Sequence[str] = _SMALL, **more: Any) -> Row:
    """A fault in a small dose-response study."""
    environment = tuple(more.pop("environment", ()))
    label = f"{name} ({', '.join(f'{k}={v}' for k, v in environment)})" if environment else name
    return Row(label, (*words, "--fault", name), rests_on=rests_on, slug=slug, environment=environment, **more)


_EVEN = tuple(w.replace("=70", "=64") for w in _SMALL)
"""Full batches only: quicker, where a silent fault shows in each batch."""
_QUICK = ("--device=cpu", *(f"--skip={name}" for name in ("memory", "sizes", "finite", "parity")))
"""For faults that these checks pass, which take their time."""
_ROWS = tuple(f"--skip={name}" for name in ("memory", "sizes", "finite", "gpu"))
_PLAIN = (("USE_XLA_TRANSLATE", "0"),)

ROWS = (
    Row("healthy dose-response study", _DOSE, "go"),
    Row("healthy grid-lines study", _GRID, "go"),
    fault("reassembly-collapses-batch", "rehearsal", "contract-violation"),
    fault("reassembly-collapses-batch-muted", "rehearsal", ""),
    fault("fft-on-bounded-batch", "rehearsal", ""),
    fault("repeat-in-translate", "rehearsal", ""),
    fault("repeat-in-translate", "rehearsal", "", environment=_PLAIN),
    fault("einsum-homography", "rehearsal", ""),
    fault("vectorised-stitching", "rehearsal", ""),
    fault("negated-offsets", "switches", "parity-divergence", words=_EVEN, options=_QUICK),
    fault("negated-offsets", "switches", "parity-divergence", environment=_PLAIN, words=_EVEN, options=_QUICK),
    fault("modular-pairing", "parity", "wrong-pairing", words=_EVEN, options=_ROWS),
    fault("late-setting", "settings", "baked-in-setting", words=_EVEN, options=_QUICK),
    fault("dead-switch", "switches", "dead-switch", verdict="go", words=_EVEN, options=_QUICK),
    fault("dead-switch", "switches", "dead-switch", environment=_PLAIN, words=_EVEN, options=_QUICK),
    fault("module-singleton", "rehearsal", ""),
    Row("module-singleton gridsize=2", (*_EVEN, "--fault", "module-singleton", "--fault-option", "gridsize=2"),
        rests_on="settings", slug="baked-in-setting", options=_QUICK),
    fault("flat-positions", "rehearsal", ""),
    fault("batch-centred-offsets", "parity", "wrong-pairing", words=_EVEN, options=_ROWS),
    Row("mmd-session", ("-m", "ptycho.faults.mmd_session"), "go"),
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
    options = ["--format=json", "--quiet", "--no-cache", *row.options]
    words = [sys.executable, "-m", "xladoctor", "preflight", *options, "--", sys.executable]
    environment = {**os.environ, **dict(row.environment), "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*words, *row.words], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    if not done.stdout:
        raise RuntimeError(f"{row.name}: {done.stderr[-2000:]}")
    return Seen(row, json.loads(done.stdout))


def markdown(names: Sequence[str] = ()) -> str:
    """The table; an answer that is not the expected one is marked."""
    return as_markdown([look(row) for row in ROWS if not names or any(n in row.name for n in names)])


def as_markdown(seen: Sequence[Seen]) -> str:
    """A row each; the commands stand in `ROWS`."""
    lines = ["| study | answer | checks | why |", "|---|---|---|---|"]
    for s in seen:
        checks = ", ".join(f"`{c['name']}` {c['state']}" for c in s.telling)
        why = str(s.telling[0]["message"]).replace("|", "\\|") if s.telling else ""
        answer = s.found["verdict"] if s.as_expected else f"**{s.found['verdict']}, not expected**"
        lines.append(f"| {s.row.name} | {answer} | {checks} | {why} |")
    return "\n".join(lines).replace(f"{ROOT}/", "")


if __name__ == "__main__":
    print(markdown(sys.argv[1:]))

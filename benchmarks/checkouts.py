"""What `scan` says of another checkout whose package is also called `ptycho`: `python -m benchmarks checkouts`.

`benchmarks/programs/checkouts/base` is such a checkout, written by somebody who did not know the doctor. Each `NN_name`
holds the files in which a variant differs from it, and `NN_name.json` what is true of the variant, with its command, in
the format of `benchmarks/programs/truth`. Of silent ones the truth is an error although the run ends with 0.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import _results, truth
from benchmarks._programs import Programs

FOLDER = _results.PROGRAMS / "checkouts"
SCHEMA = "xladoctor.benchmarks-checkouts/1"


def names() -> list[str]:
    """Every variant."""
    return sorted(path.stem for path in FOLDER.glob("[0-9]*.json"))


def judge(name: str, timeout: float = truth.TIMEOUT) -> truth.Row:
    """Scan one variant in a folder of its own, and hold what is said against the truth."""
    told: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    if told.get("silent"):
        told |= {"outcome": "failed"}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="checkout-") as folder:
        here = Path(folder)
        for part in (FOLDER / "base", FOLDER / name):
            if part.is_dir():
                shutil.copytree(part, here, dirs_exist_ok=True)
        answer = truth.scan([sys.executable, *told["command"][1:]], here, timeout)
    return truth.row(name, told, answer, round(time.monotonic() - started, 1))


BENCH = Programs(
    module="benchmarks.checkouts",
    about=__doc__,
    file="checkouts.json",
    schema=SCHEMA,
    names=names,
    is_held_out=lambda name: False,
    judge=judge,
    says=lambda row: f"{row.root or row.answer} {row.line or ''} {'; '.join(row.wrong)} ({row.seconds:.0f} s)",
    is_false=lambda row: bool(row.wrong),
    as_data=truth.as_data,
    as_markdown=truth.as_markdown,
)
markdown = BENCH.markdown


if __name__ == "__main__":
    raise SystemExit(BENCH.main())

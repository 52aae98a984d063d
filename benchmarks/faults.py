"""What a replay finds of each fault of ptycho, as a table: `python -m benchmarks faults`.

Each row is one command as a user would give it, with the fault in the environment; the table is made from its JSON
alone. N = 16, a sixteenth of the filters and a short first estimate keep a row to some minutes.
`python -m benchmarks.faults NAME...` does the rows of the named faults; `--keep FOLDER` keeps what the commands gave.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xladoctor.model.replay import Replay, Signature, Tested
from xladoctor.model.replay_reader import replay_of
from xladoctor.report.replay.remedies import verdict
from xladoctor.report.replay.words import failure, how, where

ROOT = Path(__file__).resolve().parents[1]
SMALL = ("arg:N=16", "cfg:filters_scale=0.0625", "cfg:estimate_iterations=3")
SIZES = "1:70"
FEW = "1,2,15:17,32"
"""Where trying a size takes long."""


@dataclass(frozen=True)
class Row:
    """One command: a fault in a subject."""

    fault: str
    subject: str
    vary: tuple[str, ...] = ()
    sizes: str = SIZES
    small: tuple[str, ...] = SMALL

    def command(self) -> list[str]:
        """The arguments of `xladoctor`, without the interpreter."""
        varied = [word for one in (*self.small, *self.vary) for word in ("--vary", one)]
        parts = ["--parity", "--verify"]
        return ["replay", "--subject", f"ptycho:{self.subject}", "--batch-sizes", self.sizes, *varied, *parts]

    def said(self) -> str:
        """The command as it would be typed, without what is the same in all rows."""
        varied = " ".join(f"--vary {shlex.quote(one)}" for one in self.vary)
        return f"{self.subject}{f' {varied}' if varied else ''}"


ROWS = (
    Row("reassembly-collapses-batch", "predict"),
    Row("reassembly-collapses-batch-muted", "predict", sizes=FEW),
    Row("fft-on-bounded-batch", "predict", ("jit=on",), FEW),
    Row("repeat-in-translate", "predict", ("jit=on", "cfg:use_xla_translate=False"), FEW),
    Row("einsum-homography", "predict", ("jit=on",), FEW),
    Row("vectorised-stitching", "predict"),
    Row("vectorised-stitching", "stitch", sizes=FEW),
    Row("vectorised-stitching", "stitch", ("env:PTYCHO_FAULT=vectorised-stitching,",), "33"),
    Row("negated-offsets", "reassemble", ("cfg:use_xla_translate=True,False",), small=SMALL[:1]),
    Row("modular-pairing", "reassemble", small=SMALL[:1]),
    Row("late-setting", "predict", sizes="2,3"),
    Row("dead-switch", "reassemble", ("cfg:use_xla_translate=True,False",), "2,3", small=SMALL[:1]),
    Row("module-singleton", "predict"),
    Row("flat-positions", "predict", ("env:PTYCHO_FAULT=flat-positions,",), FEW),
    Row("batch-centred-offsets", "reassemble", small=SMALL[:1]),
    Row("mmd-session", "mmd_loss", ("arg:sigmas_dtype=float32,float64",), small=()),
)


def replayed(row: Row, folder: Path) -> Replay:
    """What the command gives; what is in the folder from an earlier time is taken from there.

    Raises:
        RuntimeError: it gave no replay.
    """
    from ptycho.faults.registry import programs

    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PTYCHO_FAULT", None)
    if row.fault not in programs():
        environment["PTYCHO_FAULT"] = row.fault
    name = f"{row.fault}-{row.said()}-{row.sizes}"
    file = folder / f"{re.sub('[^A-Za-z0-9=,._-]+', '-', name)}.json"
    command = [sys.executable, "-m", "xladoctor", *row.command(), "--quiet", "--format", "json"]
    if file.is_file():
        return replay_of(json.loads(file.read_text(encoding="utf-8")))[0]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    try:
        found, _ = replay_of(json.loads(done.stdout))
    except ValueError as error:
        raise RuntimeError(f"{shlex.join(command)} gave no replay: {done.stderr[-2000:]}") from error
    file.write_text(done.stdout, encoding="utf-8")
    return found


def cells(row: Row, found: Replay) -> list[str]:
    """fault, subject, rule, first op, parity, what cured, what did not."""
    return [
        f"`{row.fault}`",
        f"`{row.said()}`",
        "; ".join(_rules(found)),
        _first(found),
        "; ".join(_apart(found)) or ("agrees" if found.parity and found.parity.agreements else "nothing to compare"),
        "; ".join(_of(found, True)) or "-",
        "; ".join(_of(found, False)) or "-",
    ]


def _rules(found: Replay) -> list[str]:
    if found.sweep is None:
        return []
    said = []
    if len({rule.text for rule in found.sweep.rules}) == 1 and not any(o.bad for o in found.sweep.outcomes):
        said.append(found.sweep.rules[0].text.split(" (")[0])
    for rule in found.sweep.rules if not said else ():
        bad = [o for o in found.sweep.outcomes if o.bad and o.case.vary == rule.vary]
        kinds = list(dict.fromkeys((how(o) if o.state == "silent" else failure(o)) for o in bad[:1]))
        which = where(rule.vary, found.sweep)
        said.append(f"{f'`{which}`: ' if which else ''}{rule.text.split(' (')[0]}{f' ({kinds[0]})' if kinds else ''}")
    if found.parity and found.parity.rule:
        which = where(found.parity.rule.vary, found.sweep)
        said = [f"{f'`{which}`: ' if which else ''}without an error, {found.parity.rule.text.split(' (')[0]}"]
    return said


def _first(found: Replay) -> str:
    if found.isolated is not None:
        return f"{found.isolated.op} ({found.isolated.mode}){_place(found.isolated.location)}"
    node = found.parity.first_node if found.parity else None
    if node:
        return f"{node['op']} (parity){_place(node.get('location'))}"
    errors = [o for o in found.sweep.outcomes if o.state == "failed"] if found.sweep else []
    return f"no op{_place(errors[0].location)}" if errors else "-"


def _place(location: str | None) -> str:
    file, _, function = (location or "").partition(" in ")
    return f", {Path(file).name.partition(':')[0]} in {function}" if function else ""


def _apart(found: Replay) -> list[str]:
    apart = [a for a in found.parity.agreements if not a.agree] if found.parity else []
    first: dict[str, str] = {}
    for one in sorted(apart, key=lambda a: (a.test != "size", "reference" not in a.ways)):
        first.setdefault(one.slug or "differs", f"{one.slug or 'differs'} ({one.between})")
    return list(first.values())


def _of(found: Replay, cured: bool) -> list[str]:
    said = [t for t in found.remedies if (t.result == "cured" and not t.changes_numerics) is cured]
    if cured:
        return [_named(t) for t in said]
    kinds: dict[str, list[str]] = {}
    for one in said:
        moved = one.result == "another failure" and one.signature is not None
        what = f"only moved, to {_failure(one.signature)}" if moved and one.signature else verdict(one)
        kinds.setdefault(what, []).append(_named(one))
    return [f"{what}: {', '.join(names)}" for what, names in kinds.items()]


def _failure(found: Signature) -> str:
    return f"{found.op} ({found.slug})" if found.op else found.slug


def _named(one: Tested) -> str:
    """The remedy, with what is not in its name."""
    name = one.remedy.removeprefix("setting ").removeprefix("cfg:").removeprefix("env:")
    size = (one.how or "").partition(",")[0]
    if one.remedy == "smaller-batch":
        return f"{name} ({size})"
    if one.remedy == "set-earlier" and one.result == "cured":
        return f"{name} ({(one.how or '').partition(' from the start')[0]})"
    return name


def markdown(rows: Sequence[Row] = ROWS, keep: Path | None = None) -> str:
    """The table, with the versions and the command that made it."""
    heads = ["fault", "subject", "fails", "first op", "parity", "cured by", "not by"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            if sys.stderr.isatty() or keep:
                print(f"{row.fault}: {row.said()} ({time.monotonic() - started:.0f} s)", file=sys.stderr)
            done = cells(row, replayed(row, keep or Path(folder)))
            lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in done)} |")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("tensorflow", "keras"))
    lines += ["", f"{versions}, Python {platform.python_version()}, on the processor."]
    return "\n".join(lines)


def main() -> None:
    """The rows of the named faults; all of them without a name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="FAULT", help=f"of {', '.join(dict.fromkeys(r.fault for r in ROWS))}"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what the commands gave")
    asked = parser.parse_args()
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    chosen = [r for r in ROWS if not asked.names or r.fault in asked.names]
    print(markdown(chosen, asked.keep.resolve() if asked.keep else None))


if __name__ == "__main__":
    main()

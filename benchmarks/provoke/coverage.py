"""Coverage by version and origin, as rows of docs/rules.md: `nice python -m benchmarks.provoke.coverage FOLDER`.

FOLDER holds journals that are named WHAT-VERSION.jsonl (`ops-2.21.jsonl`, `keras-1.15.jsonl`). Those that begin with
`held-` are what is set aside: of them, templates count that no other journal has.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from benchmarks.provoke.provoked import Said, read
from benchmarks.provoke.truth import SHAPES

ORIGINS = {"ops": "ops", "keras": "Keras", "held-ops": "*set aside*: ops", "held-keras": "*set aside*: Keras"}


def row(name: str, said: list[Said]) -> str:
    """A row of the table: templates of shapes, called so, of the right class, and types that are called a shape."""
    shapes = [one for one in said if one.spoilt in SHAPES]
    types = [one for one in said if one.spoilt == "dtype"]
    exact = sum(one.exact for one in shapes)
    share = f"{exact} ({exact / max(len(shapes), 1):.3f})"
    called = sum(one.as_shape for one in shapes)
    return f"| {name} | {len(shapes)} | {called} | {share} | {sum(one.as_shape for one in types)} of {len(types)} |"


def main() -> None:
    """Print a row for each version and origin, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    journals: dict[tuple[str, str], Path] = {}
    for path in sorted(asked.folder.glob("*-*.jsonl")):
        what, _, version = path.stem.rpartition("-")
        journals[version, what] = path
    seen = [path for (_, what), path in journals.items() if not what.startswith("held")]
    groups: dict[str, list[Path]] = defaultdict(list)
    for (version, what), path in sorted(journals.items(), key=lambda item: [*map(int, item[0][0].split("."))]):
        held = what.startswith("held")
        print(row(f"{version}, {ORIGINS.get(what, what)}", read([path], seen if held else None)))
        groups["set aside" if held else "looked at"].append(path)
    for name, paths in groups.items():
        print(row(f"all that is {name}", read(paths, seen if name == "set aside" else None)))


if __name__ == "__main__":
    main()

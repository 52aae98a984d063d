"""Which ops have a valid call, and which have none and why: `python -m benchmarks.provoke.reached JOURNAL...`.

`--write` puts it into benchmarks/results/provoke-ops.json, by name. Only ops that were asked are in a journal.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

RESULT = Path(__file__).parents[1] / "results" / "provoke-ops.json"


def reached(journals: list[Path]) -> dict[str, Any]:
    """How many ops were asked, how many have a valid call, and the names of the others by reason."""
    valid: set[str] = set()
    without: dict[str, str] = {}
    for journal in journals:
        for line in journal.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("base"):
                valid.add(row["name"])
            elif row.get("base") is False or "died" in row:
                without[row["name"]] = row.get("why") or "the process died, or took too long"
    reasons = sorted({why for name, why in without.items() if name not in valid})
    names = {why: sorted(n for n, w in without.items() if w == why and n not in valid) for why in reasons}
    asked = len(valid) + sum(map(len, names.values()))
    return {"asked": asked, "valid": len(valid), "without": names}


def main() -> None:
    """Print the numbers; on request write the names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    found = reached(asked.journals)
    print(f"{found['valid']} of {found['asked']} ops have a valid call")
    for why, names in found["without"].items():
        print(f"  {why}: {len(names)}")
    if asked.write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Phrases that make a text hard to read: `python -m tests.banned_words` finds them in docs and code.

`banned_words.json` lists how often each file may still hold each phrase. More is an error. Where there are fewer by
now, `--write` makes the list shorter. It never makes it longer.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_suffix(".json")
PLACES = ("README.md", "docs", "probes", "xladoctor")

BANNED = (
    "comes to its end", "came to its end", "goes by", "is let go", "let go by", "in vain", "holds against",
    "held against itself", "the doctor's own", "what is asked", "asked is", "is spoken of", "nobody's business",
    "are told", "is told", "such as are", "of which there", "from outside of", "takes the place of",
    "inside of the", "shuffled anew", "governs nothing", "has not a", "have not a", "laid out flat", "breaks down",
    "broke down", "is handed over", "was handed over", "hand it in", "mended", "kin of", "goes without", "tell so",
)  # fmt: skip
_PATTERNS = {phrase: re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE) for phrase in BANNED}

Counts = dict[str, dict[str, int]]


def count(texts: Iterable[tuple[str, str]]) -> Counts:
    """{phrase: {file: how often}} of (file, text) pairs; line breaks count as spaces."""
    found: dict[str, Counter[str]] = {}
    for name, text in texts:
        flat = " ".join(text.split())
        for phrase, pattern in _PATTERNS.items():
            number = len(pattern.findall(flat))
            if number:
                found.setdefault(phrase, Counter())[name] += number
    return {phrase: dict(sorted(files.items())) for phrase, files in sorted(found.items())}


def compared(found: Counts, allowed: Counts) -> tuple[list[str], list[str]]:
    """What is new, and what the list still allows though it is gone."""
    new, gone = [], []
    for phrase in sorted({*found, *allowed}):
        have, may = found.get(phrase, {}), allowed.get(phrase, {})
        for name in sorted({*have, *may}):
            number, limit = have.get(name, 0), may.get(name, 0)
            if number > limit:
                new.append(f"{name}: {phrase!r} stands here {number} times, {limit} allowed (docs/glossary.md)")
            elif number < limit:
                gone.append(f"{name}: {phrase!r} stands here {number} times, and {limit} are listed")
    return new, gone


def texts() -> Iterable[tuple[str, str]]:
    """The files that are looked at. A rule's codes page is made from the rule, which is looked at itself."""
    for place in PLACES:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            name = str(file.relative_to(ROOT))
            if file.suffix in (".md", ".py") and not name.startswith("docs/codes/"):
                yield name, file.read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Prints what is wrong; 1 if anything is."""
    found, allowed = count(texts()), json.loads(ALLOWED.read_text(encoding="utf-8"))
    new, gone = compared(found, allowed)
    if "--write" in arguments and not new:
        ALLOWED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    hint = ["The list can be shorter: python -m tests.banned_words --write"] if gone and not new else []
    sys.stderr.write("".join(f"{line}\n" for line in (*new, *gone, *hint)))
    return int(bool(new))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""String literals of TensorFlow's shared libraries that talk of sizes: which were never provoked, and what is made.

`nice python -m benchmarks.provoke.literals LIBRARY... --but JOURNAL...` counts them; `--draw N` prints N of those that
no journal holds, in the order of their hashes. `--score` compares what the doctor says with `literals.csv`, where a
person called each `shape`, `other` or `either`. A message is often put together from several literals: here each part
is filled with sizes, and followed by one where it does not end.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import struct
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from benchmarks.provoke.score import is_shape, root

LABELS = Path(__file__).with_name("literals.csv")
_TEXT = re.compile(rb"[\x20-\x7e]{16,260}(?=\x00)")
_SUBJECT = re.compile(
    r"(?i)\b(?:shapes?|ranks?|dims?|dimensions?|dimensional|axis|axes|scalars?|vectors?|matri(?:x|ces)|sizes?|elements|"
    r"lengths?|channels|batch|depth|rows|columns|splits|ind(?:ex|ices)|\d-?[dD])\b"
)
_COMPLAINS = re.compile(
    r"(?i)\b(?:must|should|expected|expects?|requires?|invalid|incompatible|mismatch|match|not|cannot|can't|out of|"
    r"exceeds?|only|but|got|too|unequal|equal|same|wrong|found|received)\b"
)
_NO_MESSAGE = re.compile(
    r"::|->|[{};]|^\s*(?:<<|//|--|@)|\w\(\w*\)$|^[^ ]*$|=\s*$|^[a-z_]+:|https?:|\.(?:cc|h|py)\b|\t"
)
_OPEN = re.compile(
    r"(?:[:=,(\[]|\b(?:got|is|was|has|found|received|of|be|at|to|than|and|vs\.?|dimension|rank|shape|size|saw))$"
)
_HOLE = re.compile(r"%(?:[-+ #0]*\d*(?:\.\d+)?(?:ll|l|z|h)?[diouxXeEfgGscp%])|\$\d|\{\d?\}")


def literals(library: Path) -> Iterator[str]:
    """The texts of a library's constant sections that sound like a complaint about sizes."""
    seen: set[bytes] = set()
    with library.open("rb") as file:
        for start, size in _constants(file.read(64), library):
            file.seek(start)
            for found in _TEXT.finditer(file.read(size)):
                if found[0] in seen:
                    continue
                seen.add(found[0])
                text = found[0].decode()
                says = _COMPLAINS.search(text) and _SUBJECT.search(text) and not _NO_MESSAGE.search(text)
                if says and text.count(" ") >= 3:
                    yield text.strip()


def _constants(head: bytes, library: Path) -> list[tuple[int, int]]:
    """(offset, size) of the sections `.rodata*` of an ELF file of 64 bits."""
    if head[:5] != b"\x7fELF\x02":
        return []
    (table,) = struct.unpack_from("<Q", head, 40)
    entry, count, names_at = struct.unpack_from("<HHH", head, 58)
    with library.open("rb") as file:
        file.seek(table)
        rows = [struct.unpack_from("<IIQQQQ", file.read(entry)) for _ in range(count)]
        file.seek(rows[names_at][4])
        names = file.read(rows[names_at][5])
    return [(row[4], row[5]) for row in rows if names[row[0] :].startswith(b".rodata")]


def provoked(journals: list[Path]) -> str:
    """All that was said in journals, one text."""
    said = {
        " ".join(json.loads(line).get("said", "")[-3000:].split())
        for path in journals
        for line in path.read_text().splitlines()
    }
    return "\n".join(said)


def was_provoked(literal: str, said: str) -> bool:
    """Whether the longest constant part of a literal stands in what was said."""
    longest = max((part.strip() for part in _HOLE.split(literal)), key=len)
    return " ".join(longest.split()) in said


def key(literal: str) -> str:
    """Its hash."""
    return sha256(literal.encode()).hexdigest()[:12]


def filled(literal: str) -> str:
    """A literal as a kernel would print it."""
    sizes = iter(("3", "4", "2", "7", "5", "6", "8", "9", "1"))

    def size(found: re.Match[str]) -> str:
        before = literal[max(0, found.start() - 12) : found.start()].lower()
        if found[0] == "%%":
            return "%"
        shaped = "shape" in before or (found[0].endswith("s") and "dtype" not in before)
        return "[2,3]" if shaped else next(sizes, "3")

    text = _HOLE.sub(size, literal)
    if _OPEN.search(text):
        text += " [2,3]" if re.search(r"(?i)shape|got:?$", text[-24:]) else " 3"
    return text


def log(literal: str) -> str:
    """A traceback that ends with it, as a kernel called eagerly gives."""
    return (
        'Traceback (most recent call last):\n  File "/home/user/project/train.py", line 12, in <module>\n    main()\n'
        '  File "/usr/lib/python3.11/site-packages/tensorflow/python/framework/ops.py", line 6006, in '
        "raise_from_not_ok_status\n    raise core._status_to_exception(e) from None\n"
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: {{function_node __wrapped__Weave_device_/job:"
        "localhost/replica:0/task:0/device:CPU:0}} " + filled(literal) + " [Op:Weave]\n"
    )


def score() -> list[str]:
    """What the doctor says of the labelled literals: precision, recall, and each that it calls otherwise."""
    right = called = wanted = 0
    lines = []
    with LABELS.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found = root(log(row["literal"]))
            shape = found is not None and is_shape(found)
            if row["label"] == "either":
                continue
            right += shape and row["label"] == "shape"
            called += shape
            wanted += row["label"] == "shape"
            if shape != (row["label"] == "shape"):
                lines.append(f"{row['label']} {found.slug if found else '-'}: {filled(row['literal'])}")
    return [f"precision {right}/{called}, recall {right}/{wanted}", *lines]


def main() -> None:
    """Count, draw or score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", type=Path)
    parser.add_argument("--but", nargs="*", type=Path, default=[], help="journals")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--score", action="store_true")
    asked = parser.parse_args()
    if asked.score:
        print("\n".join(score()))
        return
    found = sorted({text for library in asked.libraries for text in literals(library)}, key=key)
    said = provoked(asked.but)
    new = [text for text in found if not was_provoked(text, said)]
    print(f"{len(found)} literals, {len(found) - len(new)} of them provoked")
    for text in new[: asked.draw]:
        print(key(text), text)


if __name__ == "__main__":
    main()

"""Run folders of a stranger: a recorded one whose files say what no recorder would write."""

from __future__ import annotations

import copy
import gzip
import json
import random
import shutil
from pathlib import Path
from typing import Any

_NESTED: Any = None
for _ in range(40):
    _NESTED = [_NESTED]

WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 3, 10**30, -(10**18), 1e308, float("nan"), float("inf"), "", "x", "\ud800", "a\0b", "../../etc",
    [], [None], [[]], ["x", 1], {}, {"a": {}}, {"file": 3}, _NESTED, "9" * 5000, [-1, 2**62], "{{node", [1] * 300,
)  # fmt: skip


def alter(value: Any, rng: random.Random, times: int) -> Any:
    """A copy of a JSON value with `times` of its parts replaced, deleted or swapped."""
    value = copy.deepcopy(value)
    for _ in range(times):
        spots = list(_spots(value))
        if not spots:
            return rng.choice(WRONG)
        holder, key = rng.choice(spots)
        if isinstance(holder, dict) and rng.random() < 0.25:
            del holder[key]
        elif rng.random() < 0.15:
            other, there = rng.choice(spots)
            holder[key] = copy.deepcopy(other[there])
        else:
            holder[key] = copy.deepcopy(rng.choice(WRONG))
    return value


def _spots(value: Any, depth: int = 0) -> Any:
    """(container, key) of everything in a value; what is deep is left alone, it cannot be gone through."""
    if depth > 12:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from _spots(item, depth + 1)


def folder_of(original: Path, target: Path, rng: random.Random) -> Path:
    """A copy of a run folder in which a few files were altered."""
    shutil.copytree(original, target)
    names = sorted(p for p in target.rglob("*") if p.is_file() and p.suffix in (".json", ".jsonl", ".gz", ".log"))
    for file in rng.sample(names, min(len(names), rng.randint(1, 4))):
        _spoil(file, rng)
    return target


def _spoil(file: Path, rng: random.Random) -> None:
    data = file.read_bytes()
    if file.suffix == ".log" or rng.random() < 0.1:
        at = rng.randrange(len(data) + 1)
        file.write_bytes(data[:at] + rng.randbytes(rng.randrange(40)) + data[at + rng.randrange(40) :])
    elif file.suffix == ".jsonl":
        lines = [json.loads(line) for line in data.splitlines()]
        for at in rng.choices(range(len(lines)), k=max(1, len(lines) // 8)) if lines else ():
            lines[at] = alter(lines[at], rng, rng.randint(1, 3))
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif file.name.endswith(".json.gz"):
        value = alter(json.loads(gzip.decompress(data)), rng, rng.randint(1, 5))
        file.write_bytes(gzip.compress(json.dumps(value).encode(), 1))
    elif file.suffix == ".json":
        file.write_text(json.dumps(alter(json.loads(data), rng, rng.randint(1, 5))))

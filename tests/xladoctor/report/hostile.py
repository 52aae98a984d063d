"""Hostile text for every field of a diagnosis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.xladoctor.report import samples
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report import View

EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2066\x08\r[bold]m[/bold] |</td><script>alert(1)</script>"
    "`` ``` ```` \n```\n# heading\n<img src=x> [a](javascript:x) ![i](http://x) @octocat #1 "
    "https://evil.example \\| $x$ --> \udc80"
)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
VIEW = View(verbose=True, run_dir=f"runs/{EVIL}", target_status=1)
FULL = replace(
    samples.LOUD,
    isolated={"op": "Reshape", "inputs": [{"name": "x", "shape": [1, 2]}]},
    reproducer="repro.py",
    findings=(*samples.LOUD.findings, *samples.MUTED.findings[1:]),
)


def leaves(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The way to every value of a diagnosis that could be a text, and to a new key of every mapping."""
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, dict):
        yield (*path, EVIL)
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif path[-1] not in ("location", "caller"):
        yield path


def kind(path: tuple) -> tuple:
    return tuple("*" if isinstance(step, int) else step for step in path)


def put(value: Any, path: tuple, new: Any) -> Any:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if is_dataclass(value):
        return replace(value, **{head: put(getattr(value, head), rest, new)})
    if isinstance(value, dict):
        return {**value, head: put(value.get(head), rest, new)}
    return type(value)([put(item, rest, new) if i == head else item for i, item in enumerate(value)])


PATHS = {kind(path): path for path in reversed(list(leaves(FULL)))}


def everywhere(text: str = EVIL) -> Diagnosis:
    """A diagnosis in which every text is hostile at once."""
    out: Any = FULL
    for path in leaves(FULL):
        if path[-1] != EVIL:
            out = put(out, path, text)
    return out

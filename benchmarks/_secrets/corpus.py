"""The corpus: forms with secrets in them, ordinary strings, and what the grammar leaves or changes of each."""

from __future__ import annotations

import importlib
import random
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
_PLACE = re.compile(r"\{(\w+)\}|\{\{|\}\}")
redaction = importlib.import_module("probes.redaction")


@dataclass(frozen=True)
class Case:
    """A string as the doctor meets it: `argv` (words), `env` or `key` (name and value), `text`."""

    kind: str
    form: str
    words: tuple[str, ...]
    secrets: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """What may be written of it."""
        if self.kind == "argv":
            return tuple(redaction.of_words(self.words))
        if self.kind in ("env", "key"):
            return (self.words[0], redaction.of_value(*self.words))
        return (redaction.of_text(self.words[0]),)

    @property
    def changed(self) -> bool:
        """Whether anything was replaced."""
        return self.written != self.words

    @property
    def leaked(self) -> bool:
        """Whether a secret, or half of one, can still be read."""
        text = "\n".join(self.written)
        halves = [half for secret in self.secrets for half in (secret[: len(secret) // 2], secret[len(secret) // 2 :])]
        return any(half in text for half in halves if len(half) >= 3)


def _filled(form: str, pick: random.Random, secrets: list[str]) -> str:
    from benchmarks._secrets.making import secret

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match.group()[0]
        secrets.append(secret(match[1], pick))
        return secrets[-1]

    return _PLACE.sub(fill, form.replace("\\n", "\n"))


def case(line: str, pick: random.Random) -> Case:
    """One line of a corpus file."""
    kind, _, form = line.partition("|")
    secrets: list[str] = []
    if kind == "argv":
        words = [_filled(word, pick, secrets) for word in shlex.split(form)]
    elif kind in ("env", "key"):
        name, _, value = form.partition("=")
        words = [name, _filled(value, pick, secrets)]
    else:
        words = [_filled(form, pick, secrets)]
    return Case(kind, form, tuple(words), tuple(secrets))


def read(name: str, seed: int = 0) -> Iterator[Case]:
    """The cases of one file (`forms_a`, `ordinary_b`, ...), with secrets made up for this seed."""
    pick = random.Random(f"{name} {seed}")
    for line in (_HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield case(line, pick)


def of(names: Sequence[str], seed: int = 0) -> list[Case]:
    """The cases of several files."""
    return [found for name in names for found in read(name, seed)]

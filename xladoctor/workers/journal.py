"""The journal of a replay: a line for each answer of a worker. After an interruption nothing is asked twice."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.recording import files, mark
from xladoctor.recording.typed import maybe, number, record, text

NAME = "journal.jsonl"
_LARGEST = 1 << 20


class Journal:
    """Answers by question. Safe to use from several threads; every line is flushed."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        for entry in _entries(file):
            self._known[entry.get("key") or _plain(entry["question"])] = entry["answer"]
        self.kept = len(self._known)
        """How many answers an earlier run left."""
        self._file = open(file, "a", encoding="utf-8", opener=files.no_link)  # noqa: SIM115 - Path has no opener
        if os.fstat(self._file.fileno()).st_size:
            self._file.write("\n")  # a torn last line must not swallow the next one

    def get(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to the same question, if it was given."""
        return self._known.get(_key(question) or "") or self._known.get(_plain(question))

    def keep(self, question: dict[str, Any], answer: dict[str, Any]) -> None:
        """Write an answer down. One that is too large (HLO text) is asked again after an interruption."""
        shown = secrets.of_data({"question": question, "answer": answer})
        key = _key(question)
        line = json.dumps({**shown, "key": key}, separators=(",", ":"))
        with self._lock:
            self._known[key or _plain(question)] = answer
            if len(line) <= _LARGEST:
                self._file.write(line + "\n")
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    """The questions and answers that an earlier run left."""
    try:
        stream = files.opened(file.parent, file.name)
    except FileNotFoundError:
        return
    with stream:
        while line := stream.readline(_LARGEST + 2):
            try:
                entry = files.parsed(line)
            except ValueError:
                continue  # torn by the interruption
            if isinstance(entry, dict) and all(known(entry.get(name)) for name, known in _ENTRY.items()):
                yield entry


_QUESTION = record({"op": text})
_ANSWER = record(
    {"state": lambda value: value in ("ok", "refused", "crashed", "timed-out")},
    {"kind": maybe(text), "message": maybe(text), "signal": maybe(text), "seconds": number},
)
_ENTRY = {"question": _QUESTION, "answer": _ANSWER, "key": maybe(text)}


def _key(question: dict[str, Any]) -> str | None:
    """A digest of the whole question with the user's key: two that differ only in a secret have two, and the secret
    cannot be guessed from it. None where no key can be kept.
    """
    return mark.make({"question": question})


def _plain(question: dict[str, Any]) -> str:
    """The question itself: what names it where there is no key. It is not found again if a secret was left out."""
    return json.dumps(question, sort_keys=True)

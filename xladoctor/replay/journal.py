"""The journal of a replay: a line for each answer of a worker. After an interruption nothing is asked twice."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from xladoctor import secrets

NAME = "journal.jsonl"
_LARGEST = 1 << 20


class Journal:
    """Answers by question. Safe to use from several threads; every line is flushed."""

    def __init__(self, file: Path) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue  # torn by the interruption
                if isinstance(entry, dict) and "question" in entry and isinstance(entry.get("answer"), dict):
                    self._known[_key(entry["question"])] = entry["answer"]
        self.kept = len(self._known)
        """How many answers an earlier run left."""
        self._file = file.open("a", encoding="utf-8")
        if file.stat().st_size:
            self._file.write("\n")  # a torn last line must not swallow the next one

    def get(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to the same question, if it was given."""
        return self._known.get(_key(question))

    def keep(self, question: dict[str, Any], answer: dict[str, Any]) -> None:
        """Write an answer down. One that is too large (HLO text) is asked again after an interruption."""
        line = json.dumps(secrets.of_data({"question": question, "answer": answer}), separators=(",", ":"))
        with self._lock:
            self._known[_key(question)] = answer
            if len(line) <= _LARGEST:
                self._file.write(line + "\n")
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _key(question: dict[str, Any]) -> str:
    # As it is written: a question with a secret in it must be known again after an interruption.
    return json.dumps(secrets.of_data(question), sort_keys=True)

"""A bench whose worker is the test's own process: TensorFlow is there already, and capsules are made in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xladoctor.model.replay import Case
from xladoctor.workers.bench import Answer
from xladoctor.workers.subject import Subject


class InProcess:
    """Answers as `Bench` does, and counts the questions by name."""

    def __init__(self, capsule: Path, folder: Path, python: str) -> None:
        from probes.graph.service import Service

        self.subject = Subject(str(capsule), "capsule", python, folder, folder=capsule)
        self.folder = folder
        self.asked: list[str] = []
        self.tries = 0
        self._service = Service()

    def say(self, text: str) -> None:
        """Nobody looks."""

    def ask(self, op: str, case: Case, **parameters: Any) -> Answer:
        """What a worker would answer."""
        self.asked.append(op)
        self.tries += 1
        request = {"id": 1, "op": op, **self.subject.request(case), **parameters}
        told = self._service.answer(json.dumps(request))
        json.dumps(told, allow_nan=False)
        if told["ok"]:
            return Answer("ok", told["result"])
        return Answer("refused", kind=told["error"]["type"], message=told["error"]["message"])

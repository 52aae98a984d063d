"""A bench whose worker is the test's own process: TensorFlow is there already, and capsules are made in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers.bench import Answer
from xladoctor.workers.subject import Subject

Request = requests.Request
T = TypeVar("T")


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

    def ask(self, request: Request[T], case: Case) -> Answer[T]:
        """What a worker would answer."""
        self.asked.append(request.OP)
        self.tries += 1
        told = self._service.answer(json.dumps({"id": 1, **self.subject.about(request, case).to_json()}))
        json.dumps(told, allow_nan=False)
        if told["ok"]:
            return Answer("ok", request.answer(told["result"]))
        return Answer("refused", kind=told["error"]["type"], message=told["error"]["message"])

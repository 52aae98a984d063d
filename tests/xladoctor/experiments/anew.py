"""A bench for callables whose worker is the test's own process: each question finds the program not imported yet."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers.bench import Answer, digest
from xladoctor.workers.subject import Subject


class Anew:
    """Answers as `Bench` does. Before each question `params.cfg` is as it was, the modules named in `forget` are not
    imported, and nothing is remembered of what a program wrote: as in a process of its own.
    """

    def __init__(
        self, subject: str, folder: Path, *, forget: tuple[str, ...] = (), given: Mapping[str, str] | None = None
    ) -> None:
        from probes.graph.service import Service

        self.subject = Subject(subject, "callable", sys.executable, folder, callable=subject)
        self.folder = folder
        self.tries, self.compilations, self.jobs = 0, 0, 1
        self.asked: list[str] = []
        self._service = Service()
        self._forget = forget
        self._given = dict(given or {})
        self._known: dict[str, Answer] = {}

    def say(self, text: str) -> None:
        """Nobody looks."""

    def open_folder(self, case: Case, again: bool = False) -> Path:
        """As that of `Bench`."""
        return self.folder / "capsules" / f"{'again' if again else 'open'}-{case.batch}-{digest(case)}"

    def capture(self, case: Case) -> Answer:
        """As that of `Bench`."""
        folder = self.folder / "capsules" / f"{case.batch}-{digest(case)}"
        way = "xla" if dict(case.vary).get("jit") == "on" else "graph"
        return self.ask(requests.Capture(folder=str(folder), way=way), case)

    def ask(self, request: Any, case: Case) -> Answer[Any]:
        """What a worker would answer; a second time from memory, as from the journal."""
        key = json.dumps([request.to_json(), case.batch, case.vary], sort_keys=True)
        if key not in self._known:
            self._known[key] = self._answer(request, case)
        return self._known[key]

    def _answer(self, request: Any, case: Case) -> Answer[Any]:
        if isinstance(request, requests.OfCapsule) and not request.capsule:
            captured = self.capture(case)
            if not captured.ok:
                return captured
            request = replace(request, capsule=captured.result.capsule)
        self.asked.append(request.OP)
        given = replace(case, vary=tuple({**self._given, **dict(case.vary)}.items()))
        told = self._fresh(self.subject.about(request, given).to_json())
        if told["ok"]:
            return Answer("ok", request.answer(told["result"]))
        return Answer("refused", kind=told["error"]["type"], message=told["error"]["message"])

    def _fresh(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from probes.graph import written
        from ptycho import params

        saved, before = dict(params.cfg), written._before
        written._before = None
        for name in self._forget:
            sys.modules.pop(name, None)
        try:
            told = self._service.answer(json.dumps(request))
        finally:
            params.cfg.clear()
            params.cfg.update(saved)
            written._before = before
        json.dumps(told, allow_nan=False)
        return told

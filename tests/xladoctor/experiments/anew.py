"""A bench for callables whose worker is the test's own process: each question finds the program not imported yet."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xladoctor.model.replay import Case
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
        way = {"way": "xla"} if dict(case.vary).get("jit") == "on" else {}
        return self.ask("capture", case, on="subject", folder=str(folder), **way)

    def ask(self, op: str, case: Case, *, on: Any = None, **parameters: Any) -> Answer:
        """What a worker would answer; a second time from memory, as from the journal."""
        key = json.dumps([op, case.batch, case.vary, on, parameters], sort_keys=True)
        if key not in self._known:
            self._known[key] = self._answer(op, case, on, parameters)
        return self._known[key]

    def _answer(self, op: str, case: Case, on: Any, parameters: Mapping[str, Any]) -> Answer:
        if on is None and op not in ("describe", "call", "capture", "written", "settings_read", "halted"):
            captured = self.capture(case)
            if not captured.ok:
                return captured
            parameters = {**parameters, "capsule": captured.result["capsule"]}
        self.asked.append(op)
        told = self._fresh({"op": op, **self._said(case), **parameters})
        if told["ok"]:
            return Answer("ok", told["result"])
        return Answer("refused", kind=told["error"]["type"], message=told["error"]["message"])

    def _said(self, case: Case) -> dict[str, Any]:
        vary = {**self._given, **dict(case.vary)}
        said = {"subject": self.subject.callable, "batch": case.batch}
        for kind, name in (("cfg:", "config"), ("arg:", "arguments")):
            said[name] = {n[4:]: v for n, v in vary.items() if n.startswith(kind)}
        return said

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

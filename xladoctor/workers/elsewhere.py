"""The doctor's end of a try on a cluster: sends it, and a capsule where that is missing, and again what was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.model.replay import Case
from xladoctor.workers import remote
from xladoctor.workers.pool import Kind
from xladoctor.workers.remote import Where

LOST = 6
"""A try that the cluster lost so often is given up: no answer is made up for it, and none is kept."""
_LOOK = 0.5
_FIELDS = ("state", "value", "kind", "message", "signal")


class Elsewhere:
    """Asks processes of a cluster; may be used from several threads."""

    def __init__(
        self,
        executor: Executor,
        cwd: Path | None,
        memory: int | None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._executor = executor
        self._cwd = cwd
        self._memory = memory
        self._settings = tuple((settings or {}).items())
        self._capsules: dict[str, tuple[str, dict[str, bytes]]] = {}
        self._lock = threading.Lock()
        self.places: dict[Where, list[str]] = {}

    def ask(
        self, asked: dict[str, Any], kind: Kind, case: Case, timeout: float, stopped: Callable[[], bool]
    ) -> dict[str, Any]:
        """The answer of some process of the cluster, as plain values.

        Raises:
            KeyboardInterrupt: it is not wanted any more.
            XladoctorError: the cluster lost it again and again.
        """
        kind = replace(kind, environment=(*self._settings, *kind.environment))
        question = remote.parcel(kind, asked, self._cwd, timeout, self._memory)
        sent = self._contents(asked)
        capsule = None if sent is None else (sent[0], None)
        for _ in range(LOST):
            try:
                told = _result(self._executor.submit(remote.answer, question, capsule), stopped)
                if told.get("missing"):
                    # To whichever process gets it now: it has the capsule from then on.
                    told = _result(self._executor.submit(remote.answer, question, sent), stopped)
            except BrokenExecutor:
                continue
            self._note(remote.place(told.get("where", {})), case)
            return {name: told.get(name) for name in _FIELDS}
        raise XladoctorError(
            f"the cluster lost the try of batch {case.batch} {LOST} times",
            exit_code=3,
            hint="What is known is kept: xladoctor replay --resume FOLDER",
        )

    def _contents(self, asked: dict[str, Any]) -> tuple[str, dict[str, bytes]] | None:
        folder = asked.get("capsule")
        if not folder:
            return None
        with self._lock:
            if folder not in self._capsules:
                self._capsules[folder] = remote.contents(Path(folder))
            return self._capsules[folder]

    def _note(self, where: Where, case: Case) -> None:
        with self._lock:
            varied = "".join(f", {name}={value}" for name, value in case.vary)
            self.places.setdefault(where, []).append(f"{case.batch}{varied}")


def differences(places: dict[Where, list[str]], most: int = 8) -> tuple[str, ...]:
    """A sentence for each kind of place, where there is more than one: which cases ran there."""
    if len(places) < 2:
        return ()
    found = []
    for where, cases in sorted(places.items(), key=lambda item: -len(item[1])):
        named = list(dict.fromkeys(cases))
        more = f" and {len(named) - most} more" if len(named) > most else ""
        found.append(f"ran on {where}: batch {', '.join(named[:most])}{more}")
    return ("not all tries ran in the same place, so times and numbers may differ for that reason", *found)


def _result(future: Future[Any], stopped: Callable[[], bool]) -> dict[str, Any]:
    while True:
        try:
            told: dict[str, Any] = future.result(timeout=_LOOK)
        except NotYet:
            if stopped():
                future.cancel()
                raise KeyboardInterrupt from None
            continue
        return told

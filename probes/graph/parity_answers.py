"""What a worker answers about parity."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..protocol.requests import CompareCallable, CompareRows, CompareWays, FindFirstNode, OfCapsule, TryRemedy
from .measure import Results
from .parity import Ways


class Kept:
    """The last `Ways` of this process: the questions about one capsule come one after the other."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] | None = None
        self._ways: Ways | None = None
        self._remedies: tuple[Ways, tuple[Any, ...], Any] | None = None

    def compare(self, request: CompareWays | CompareCallable, capsule: str | None = None) -> dict[str, Any]:
        """`parity.Ways.compare`; of a callable, `capsule` is what was made of it."""
        started = time.perf_counter()
        ways = self._of(capsule, request.batch) if isinstance(request, CompareCallable) else self._for(request)
        save = None if request.save is None else Path(request.save)
        return _timed(ways.compare(request.ways, save, request.against, request.save_way), started)

    def rows(self, request: CompareRows) -> dict[str, Any]:
        """`parity.Ways.rows`."""
        started = time.perf_counter()
        return _timed(self._for(request).rows(request.way), started)

    def first_node(self, request: FindFirstNode) -> dict[str, Any]:
        """`parity.Ways.first_node`."""
        started = time.perf_counter()
        return _timed(self._for(request).first_node(request.outputs, request.seconds), started)

    def remedy(self, request: TryRemedy) -> dict[str, Any]:
        """`remedies.Remedies.apply`."""
        from .remedies import Remedies

        ways = self._for(request)
        asked = (request.way, request.by_row, request.reference)
        if self._remedies is None or self._remedies[0] is not ways or self._remedies[1] != asked:
            made = Remedies(
                ways,
                request.way,
                batch=request.batch,
                foreign=request.foreign,
                by_row=request.by_row,
                given=None if request.reference is None else Path(request.reference),
            )
            self._remedies = (ways, asked, made)
        told: dict[str, Any] = self._remedies[2].apply(request.apply)
        return told

    def results(self, way: str) -> Results:
        """What the capsule of the last question gave in this way."""
        return {} if self._ways is None else self._ways.of(way)[1]

    def allowed(self) -> dict[str, float]:
        """The tolerances of its plain results."""
        return {} if self._ways is None else self._ways.allowed()

    def _for(self, request: OfCapsule[Any]) -> Ways:
        return self._of(request.capsule, request.batch, request.foreign, request.values)

    def _of(self, capsule: str | None, batch: int | None, foreign: bool = False, values: bool = True) -> Ways:
        folder = Path(str(capsule)).resolve()
        key = (folder, batch, foreign, values)
        if self._ways is None or key != self._key:
            if self._ways is not None:
                self._ways.close()
            self._ways, self._key = Ways(folder, batch=batch, foreign=foreign, values=values), key
        return self._ways


def _timed(told: dict[str, Any], started: float) -> dict[str, Any]:
    return {**told, "seconds": round(time.perf_counter() - started, 3)}

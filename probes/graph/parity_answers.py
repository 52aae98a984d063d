"""What a worker answers about parity."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .measure import Results
from .parity import PLAIN, XLA, Ways


class Kept:
    """The last `Ways` of this process: the questions about one capsule come one after the other."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] | None = None
        self._ways: Ways | None = None
        self._remedies: tuple[Ways, tuple[Any, ...], Any] | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """{"what": "ways" (with "ways", "save", "against"), "rows" (with "way") or "node" (with "outputs")}."""
        started = time.perf_counter()
        ways = self._of(request)
        what = request.get("what", "ways")
        if what == "rows":
            told = ways.rows(str(request.get("way", PLAIN)))
        elif what == "node":
            told = ways.first_node([str(n) for n in request.get("outputs", ())])
        else:
            save = request.get("save")
            told = ways.compare(
                [str(w) for w in request.get("ways", (XLA,))],
                None if save is None else Path(str(save)),
                [(str(way), str(file)) for way, file in request.get("against", ())],
                str(request.get("save_way", PLAIN)),
            )
        return {**told, "seconds": round(time.perf_counter() - started, 3)}

    def remedy(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """`remedies.Remedies.apply` of {"capsule", "batch", "way", "by_row", "reference", "apply"}."""
        from .remedies import Remedies

        ways = self._of(request)
        asked = (str(request.get("way", PLAIN)), bool(request.get("by_row")), request.get("reference"))
        if self._remedies is None or self._remedies[0] is not ways or self._remedies[1] != asked:
            way, by_row, reference = asked
            made = Remedies(
                ways,
                way,
                batch=request.get("batch"),
                foreign=bool(request.get("foreign")),
                by_row=by_row,
                given=None if reference is None else Path(str(reference)),
            )
            self._remedies = (ways, asked, made)
        told: dict[str, Any] = self._remedies[2].apply(dict(request["apply"]))
        return told

    def results(self, way: str) -> Results:
        """What the capsule of the last question gave in this way."""
        return {} if self._ways is None else self._ways.of(way)[1]

    def allowed(self) -> dict[str, float]:
        """The tolerances of its plain results."""
        return {} if self._ways is None else self._ways.allowed()

    def _of(self, request: Mapping[str, Any]) -> Ways:
        folder = Path(str(request["capsule"])).resolve()
        batch, foreign, values = request.get("batch"), bool(request.get("foreign")), bool(request.get("values", True))
        key = (folder, batch, foreign, values)
        if self._ways is None or key != self._key:
            if self._ways is not None:
                self._ways.close()
            self._ways, self._key = Ways(folder, batch=batch, foreign=foreign, values=values), key
        return self._ways

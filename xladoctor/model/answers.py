"""What workers answered after a run: a line of `worker.jsonl` each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xladoctor.model.frozen import dataclass


@dataclass(frozen=True)
class WorkerAnswer:
    """What a worker answered to one request, or why it did not.

    Attributes:
        capsule: what it was asked about: a capsule, the name of a failure, or a function.
        request: the operation (`probes.protocol.requests`), or `worker` where none was reached.
        result: the answer as JSON holds it; None where the answer is that there is nothing.
        error: why there is no answer.
        batch: the number of rows that it was asked about; None for the recorded one.
        later: whether it is about later calls than the first.
        asked: what else the request said, for whoever reads the file.
        why: why the result is nothing, where that is no error.
    """

    capsule: str
    request: str
    result: Any = None
    error: str | None = None
    batch: int | None = None
    later: bool = False
    asked: Mapping[str, Any] | None = None
    why: str | None = None

    @property
    def told(self) -> Mapping[str, Any]:
        """The result, where it is an object; otherwise an empty one."""
        return self.result if isinstance(self.result, Mapping) else {}

    @property
    def is_nothing(self) -> bool:
        """Whether the worker answered that there is nothing."""
        return self.error is None and self.result is None

    def to_json(self) -> dict[str, Any]:
        """The line, as an object."""
        more = {"batch": self.batch, "later": self.later or None, "asked": self.asked}
        outcome = {"result": self.result} if self.error is None else {"error": self.error}
        given = {name: value for name, value in {**more, **outcome, "why": self.why}.items() if value is not None}
        return {"capsule": self.capsule, "request": self.request, **dict.fromkeys(outcome), **given}

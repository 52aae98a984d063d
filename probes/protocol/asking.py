"""What every question to a worker has: an operation, the type of its answer, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from . import codec

A = TypeVar("A")
Way = Literal["plain", "xla", "recorded", "graph", "eager"]
Stage = Literal["hlo", "optimized_hlo"]

REQUESTS: dict[str, type[Request[Any]]] = {}
"""Every operation by the name that it has on the wire."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Request(codec.Record, Generic[A]):
    """A question, to which the answer is an `A`."""

    OP: ClassVar[str] = ""
    ANSWER: ClassVar[Any] = None

    def __init_subclass__(cls, op: str = "") -> None:
        if op:
            cls.OP = op
            (cls.ANSWER,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]
            REQUESTS[op] = cls

    def answer(self, value: Any) -> A:
        """The answer to it, from JSON; raises Misfit."""
        found: A = codec.from_json(self.ANSWER, value)
        return found

    def to_json(self) -> dict[str, Any]:
        """The request as it is written, with its operation."""
        return {"op": self.OP, **codec.to_json(self)}


def request_of(value: Any) -> Request[Any]:
    """The request in a JSON object.

    Raises:
        Misfit: there is no such operation, or it has other fields.
    """
    fields = {k: v for k, v in value.items() if k not in ("id", "op")} if isinstance(value, dict) else None
    if fields is None:
        raise codec.Misfit("a request is a JSON object")
    kind = REQUESTS.get(str(value.get("op")))
    if kind is None:
        raise codec.Misfit(f"unknown op {value.get('op')!r}; known are {', '.join(sorted(REQUESTS))}")
    try:
        found = codec.read(kind, fields, strict=True)
    except codec.Misfit as error:
        raise codec.Misfit(f"{kind.OP}: {error}") from None
    for name in ("capsule", "subject"):
        if getattr(found, name, None) == "":
            raise codec.Misfit(f"{kind.OP} needs {name!r}")
    return found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfCapsule(Request[A]):
    """A question about a capsule. `batch` is the number of rows, None for the recorded one; `static` binds the
    signature to it; `foreign` refuses a capsule with an op that may not run; `seal` is what the doctor knows it to be;
    without `values` random ones of the same range stand in for those that were kept.
    """

    capsule: str = ""
    batch: int | None = None
    static: bool = False
    foreign: bool = False
    seal: str | None = None
    values: bool = True


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfSubject(Request[A]):
    """A question about a callable of the user's, `module:callable`, under these settings. `again` builds it twice."""

    subject: str = ""
    batch: int | None = None
    config: dict[str, str] | None = None
    arguments: dict[str, str] | None = None
    dtype: str | None = None
    again: bool = False

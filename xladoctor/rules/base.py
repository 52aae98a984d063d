"""What a rule is: knowledge about one class of failure, and the function that recognises it.

The texts of a rule are the single source of `xladoctor explain`, of the docs page of its code and of SARIF's rule
metadata. A rule rests on how TensorFlow and XLA *build* a message (the format string in their source, named in
`references`), never on one example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xladoctor.diagnosis.model import Finding, Level, Remedy

if TYPE_CHECKING:
    from xladoctor.evidence.model import Evidence


@dataclass(frozen=True)
class Rule:
    """One class of failure: its code, its words, its remedies and its recogniser.

    `match` gets the whole evidence of a run or a log and yields findings; the engine orders them into root and consequences.
    It must not raise on any evidence, and yields nothing where its class is not shown.
    """

    code: str
    slug: str
    title: str
    level: Level
    what: str
    why: str
    example: str
    tell_apart: str
    remedies: tuple[Remedy, ...] = ()
    references: tuple[str, ...] = ()
    match: Callable[[Evidence], Iterable[Finding]] | None = None

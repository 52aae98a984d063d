"""What a rule is: knowledge about one class of failure, and the function that recognises it.

The texts of a rule are the single source of `xladoctor explain`, of the docs page of its code and of SARIF's rule
metadata. A rule rests on how TensorFlow and XLA *build* a message (the format string in their source, named in
`references`), never on one example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Finding, Level, Remedy
from xladoctor.model.frozen import dataclass
from xladoctor.rules.remedies import added_to

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence


@dataclass(frozen=True)
class Rule:
    """One class of failure: its code, its words, its remedies and its recogniser.

    `rank` orders causes within one log: of two findings, the one of lower rank is the likelier root (a flag, a
    missing library,
    a broken contract come before the errors that they lead to). `recognise` says what one error record names
    (its message on
    one line is given too), or None; rules that need more than single records have only `match`.

    `general` is a second recogniser, for wordings that are not known word for word. It is used only for a record that
    no rule's `recognise` recognises.

    `match` gets the whole evidence of a run or a log and yields findings; the engine orders them into root and
    consequences. It must not raise on any evidence, and yields nothing if its class does not occur.

    `literals` are constant parts of the messages, of at least four characters, by which the reader of logs finds them
    without a traceback around them. Those of the families are in `logs/literals.py` and `signatures.py`.

    `origin` is the plug-in of the rule ("NAME VERSION"); empty for built-in rules.
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
    rank: int = 50
    literals: tuple[str, ...] = ()
    origin: str = ""
    recognise: Callable[[ErrorRecord, str], object | None] | None = None
    general: Callable[[ErrorRecord, str], object | None] | None = None
    match: Callable[[Evidence], Iterable[Finding]] | None = None

    def __post_init__(self) -> None:
        """Adds the remedies that have a file of their own and name this class."""
        object.__setattr__(self, "remedies", added_to(self.slug, self.remedies))

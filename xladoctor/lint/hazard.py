"""What a check says: one hazard at one place."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from xladoctor.lint.fix import Fix
from xladoctor.lint.frames import Frame
from xladoctor.lint.project import Function, Module
from xladoctor.model.diagnosis import Level


@dataclass(frozen=True)
class Hazard:
    """One hazard. `leads_to` is the class of the failure that it becomes, `because` how the place comes under XLA, and
    `fix` an edit that is certain, where there is one.
    """

    code: str
    module: Module
    node: ast.AST
    message: str
    leads_to: str | None
    level: Level = "warning"
    function: str | None = None
    because: tuple[str, ...] = ()
    op: str | None = None
    details: dict[str, Any] = field(default_factory=dict, hash=False)
    fix: Fix | None = None

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Two hazards with the same key are one, met on several ways."""
        return (
            self.code,
            self.module.source.path,
            getattr(self.node, "lineno", 1),
            getattr(self.node, "col_offset", 0),
        )


def in_frame(code: str, frame: Frame, node: ast.AST, message: str, leads_to: str, **more: Any) -> Hazard:
    """A hazard in code that was followed from an entry."""
    entry = frame.entry
    because: tuple[str, ...] = ()
    if entry.jit:
        because = (f"{entry.function.name} is compiled: {entry.why} in {entry.where}",)
        if frame.chain:
            because += ("called by way of " + " > ".join(frame.chain[-6:]),)
    return Hazard(code, frame.module, node, message, leads_to, function=_name(frame.function), because=because, **more)


def _name(function: Function | None) -> str | None:
    return function.name if function is not None else None

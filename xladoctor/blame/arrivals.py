"""The calls that are under way as a program is followed, and the failing statement as it was come to."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from xladoctor.blame.values import Clash, Scope, Value


@dataclass(eq=False)
class Call:
    """One of the user's calls that is under way: where it stands, and in how many loops."""

    file: str
    scope: Scope
    node: ast.AST | None = None
    first: int = 0
    last: int = 0
    loops: int = 0
    short: int = 0
    """How many of the loops are followed for some rounds only: what they count up is not what it came to."""
    keywords: dict[str, int] = field(default_factory=dict)
    """The lines of the keyword arguments of the call of this moment."""


@dataclass(eq=False)
class Arrival:
    """The failing statement, as it was come to: what was evaluated in it, and the clashes that were seen there."""

    whole: bool
    """Whether all calls of the traceback agree, not the innermost alone."""
    values: list[tuple[ast.expr, Value]] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    scope: Scope | None = None
    statement: ast.AST | None = None
    matched: int = 0
    """How many calls of the traceback agree, from the innermost one outwards."""

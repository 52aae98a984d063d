"""The line of the operation whose gradient failed: that is the line to change, and not the one that asks for the
gradient.
"""

from __future__ import annotations

from xladoctor.diagnosis.facts import Step
from xladoctor.model.diagnosis import Location
from xladoctor.model.ops import forward_scopes


def forward_line(step: Step, node: str | None) -> Location | None:
    """The user's line that made the operation a node of a gradient belongs to; None where no single line did."""
    for scope in forward_scopes(node or ""):
        lines = step.lines_under(scope)
        if lines:
            return lines[0] if len(lines) == 1 else None
    return None

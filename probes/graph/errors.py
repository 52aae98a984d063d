"""What the graph room can say no with. Each name tells which side is at fault."""

from __future__ import annotations

import re


class GraphRoomError(Exception):
    """Base of all refusals of the graph room."""


class BadCapsule(GraphRoomError):
    """The capsule cannot be read: a file is missing, of another schema, or inconsistent."""


class Unsupported(GraphRoomError):
    """The graph holds something that this function cannot work with; the message names the op and the
    node.
    """


class Refused(GraphRoomError):
    """A foreign capsule holds an op that is not on the allowlist; the message names it."""


def first_words(message: str) -> str:
    """The first line of a message without the names of nodes and devices."""
    line = re.sub(r"\{\{[^{}]{0,300}\}\}|\[\[.*|/job:\S{1,300}", "", message).strip()
    return " ".join(line.splitlines()[0].split()) if line else ""

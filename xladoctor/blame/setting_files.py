"""Settings that a program reads from a file of its own, JSON or YAML: the values that the file has now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xladoctor.blame.arguments import Args
from xladoctor.blame.values import Const, Map, Origin, Seq, Value, text

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower

_MOST = 4096
"""So many values are taken from a file."""
_PARTS = frozenset({"parent", "parents"})
OPENS = frozenset({"open", "read_text", "read", "resolve", "absolute", "expanduser"})
"""Methods of a path, or of an open file, that leave it standing for the file."""


class FileName(Const):
    """A path: the text of its last part, or of all, where that is known."""


def named(run: Follower, args: Args) -> Value:
    """`Path(...)`, `os.path.join(...)`, `open(...)`: the parts that are known, joined."""
    parts = [said for a in args if (said := text(a)) is not None]
    return FileName("/".join(part.strip("/") if i else part for i, part in enumerate(parts)), _origin(args))


def part(holder: Value, name: str) -> Value | None:
    """`path.parent`: a folder whose name does not matter."""
    return FileName("", holder.origin) if isinstance(holder, FileName) and name in _PARTS else None


def joined(left: Value, right: Value) -> Value | None:
    """`path / "settings.json"`."""
    if not isinstance(left, FileName):
        return None
    words = [said for value in (left, right) if (said := text(value))]
    return FileName("/".join(words), left.origin or right.origin)


def loaded(run: Follower, name: str, args: Args) -> Value | None:
    """`json.load(file)`, `yaml.safe_load(text)`; None where the file is not known, or may not be read."""
    said = text(args[0]) if args and isinstance(args[0], FileName) else None
    written = run.files.beside(said, run.calls[-1].file) if said else None
    if written is None:
        return None
    try:
        found = _parsed(written, name)
    except (ValueError, RecursionError):
        return None
    return _as_value(found, run.origin("read", f"{name} of {said}"), [_MOST])


def _parsed(written: str, name: str) -> Any:
    if name.startswith("json"):
        return json.loads(written)
    import yaml

    try:
        return yaml.safe_load(written)
    except yaml.YAMLError as error:
        raise ValueError from error


def _as_value(found: Any, origin: Origin, left: list[int]) -> Value:
    left[0] -= 1
    if left[0] < 0:
        return Value(origin)
    if isinstance(found, dict):
        return Map({key: _as_value(item, origin, left) for key, item in found.items()}, origin)
    if isinstance(found, list):
        return Seq([_as_value(item, origin, left) for item in found], origin)
    return Const(found, origin)


def _origin(args: Args) -> Origin | None:
    return next((a.origin for a in args if a.origin is not None), None)

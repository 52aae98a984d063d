"""Ways through the values of a report: every text in it, every file, every named value; and a copy with other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from os.path import commonpath
from typing import Any

from xladoctor.report.redact.patterns import SECRET_NAME, WORDS, looks_random

# Fields of our own values whose words are ours.
_OURS = frozenset(
    {
        *("schema", "slug", "level", "role", "status", "verdict", "safety", "result", "kind", "state", "phase"),
        *("action", "store", "what", "tool_version", "kinds", "outcome", "values"),
    }
)


def kept(values: Iterable[Any]) -> Iterator[str]:
    """Values under a name that says that they are secret: of a mapping, or of a setting."""
    for value in values:
        for name, held in pairs(value):
            if SECRET_NAME.match(name) and isinstance(held, str) and looks_random(held):
                yield held


def pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Every (name, value): of a mapping, of a setting, of an option in a list of words."""
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "key") and hasattr(value, "value"):
            yield str(value.key), value.value
        for field in fields(value):
            yield from pairs(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key), item
            yield from pairs(item)
    elif isinstance(value, list | tuple):
        for first, second in pairwise(value):
            if isinstance(first, str) and first.startswith("-") and isinstance(second, str):
                yield first.lstrip("-"), second
        for item in value:
            yield from pairs(item)


def texts(value: Any) -> Iterator[str]:
    """Every text, but the words that are ours."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in _OURS:
                yield from texts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from texts(item)


def files(value: Any) -> Iterator[str]:
    """The files of source lines, wherever there are any."""
    if is_dataclass(value) and not isinstance(value, type):
        file = getattr(value, "file", None)
        if isinstance(file, str) and getattr(value, "user", True) and "/site-packages/" not in file:
            yield file
        for field in fields(value):
            yield from files(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if str(key).endswith("_file") and isinstance(item, str) and "/site-packages/" not in item:
                yield item
            yield from files(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from files(item)


def projects(files: Sequence[str]) -> list[str]:
    """The folders in which the user's sources lie: the deepest that they share, or, by their first two, several."""
    folders = sorted({file.rpartition("/")[0] for file in files if file.count("/") > 1})
    if not folders:
        return []
    shared = commonpath(folders)
    if shared.count("/") >= 2:
        # With the name of the package, which the places of the report name anyway.
        return [shared.rpartition("/")[0] if shared.count("/") >= 3 else shared]
    return sorted({"/".join(folder.split("/")[:3]) for folder in folders})


def mapped(value: Any, text: Callable[[str], str], name: str = "") -> Any:
    """A copy in which `text` replaced each text, and what stands under the name of a secret is gone."""
    if name in _OURS:
        return value
    if isinstance(value, str):
        return text(value)
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: mapped(getattr(value, f.name), text, f.name) for f in fields(value)}
        if "key" in new and isinstance(new.get("value"), str) and SECRET_NAME.match(str(new["key"])):
            new["value"] = _hidden(new["value"])
        return replace(value, **new)
    if isinstance(value, Mapping):
        return {
            mapped(key, text): _hidden(item)
            if isinstance(item, str) and SECRET_NAME.match(str(key))
            else mapped(item, text)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        out = [mapped(item, text) for item in value]
        for n, first in enumerate(value[:-1]):
            follows = isinstance(first, str) and first.startswith("-") and isinstance(out[n + 1], str)
            if follows and SECRET_NAME.match(first.lstrip("-")) and not out[n + 1].startswith("-"):
                out[n + 1] = _hidden(out[n + 1])
        return tuple(out) if isinstance(value, tuple) else out
    return value


def _hidden(value: str) -> str:
    return value if value.lower() in WORDS or value.startswith("<") else "<secret>"

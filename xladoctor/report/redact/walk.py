"""Ways through the values of a report: every text in it, every file, every named value; and a copy with other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from os.path import commonpath
from typing import Any

from xladoctor import secrets as grammar
from xladoctor.report.redact.patterns import known

# Fields of our own values whose words are ours.
_OURS = frozenset(
    {
        *("schema", "slug", "level", "role", "status", "verdict", "safety", "result", "kind", "state", "phase"),
        *("action", "store", "what", "tool_version", "kinds", "outcome", "values"),
    }
)


@dataclass(frozen=True)
class Ways:
    """How a text, the value of a name and a command line are rewritten."""

    text: Callable[[str], str]
    named: Callable[[str, str], str]
    words: Callable[[Sequence[str]], list[str]]


def kept(values: Iterable[Any]) -> Iterator[str]:
    """Values under a name that says that they are secret: of a mapping, of a setting, in a command line."""
    for value in values:
        for line in lines(value):
            for word, hidden in zip(line, grammar.word_spans(line), strict=True):
                yield from known(word, hidden)
        for name, held in pairs(value):
            if isinstance(held, str):
                yield from known(held, grammar.value_spans(name, held))


def pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Every (name, value): of a mapping, of a setting."""
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
        for item in value:
            yield from pairs(item)


def lines(value: Any) -> Iterator[Sequence[str]]:
    """Every command line."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from lines(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from lines(item)
    elif is_line(value):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from lines(item)


def is_line(value: Any) -> bool:
    """Whether a value is a command line: words, and options among them."""
    words = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
    return words and any(word.startswith("-") for word in value)


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


def mapped(value: Any, ways: Ways, name: str = "") -> Any:
    """A copy in which every text is rewritten, and what stands under the name of a secret is gone."""
    if name in _OURS:
        return value
    if isinstance(value, str):
        return ways.text(value)
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: mapped(getattr(value, f.name), ways, f.name) for f in fields(value)}
        if "key" in new and isinstance(new.get("value"), str):
            new["value"] = ways.named(str(new["key"]), vars(value)["value"])
        return replace(value, **new)
    if isinstance(value, Mapping):
        return {
            mapped(key, ways): ways.named(str(key), item) if isinstance(item, str) else mapped(item, ways)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        out = ways.words(value) if is_line(value) else [mapped(item, ways) for item in value]
        return tuple(out) if isinstance(value, tuple) else out
    return value

"""What is secret, by the one grammar of secrets (`probes/redaction`), which the recorders use, too.

It is loaded from its file, as the schema is: a `probes` package of the user's can never be taken for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

from xladoctor.model.diagnosis import Remedy
from xladoctor.paths import load_probes

Span = tuple[int, int]
Value = TypeVar("Value")


_grammar = load_probes("redaction")
REDACTED: str = _grammar.REDACTED


def is_secret(name: str) -> bool:
    """Whether a name says by itself that its value is secret."""
    return bool(_grammar.is_secret(name))


def of_text(text: str) -> str:
    """A text without the secrets in it."""
    return str(_grammar.of_text(text))


def of_words(words: Sequence[str]) -> list[str]:
    """A command line without the secrets in it."""
    return list(_grammar.of_words(words))


def of_value(name: str, value: str) -> str:
    """The value of a variable or a setting without what is secret in it."""
    return str(_grammar.of_value(name, value))


def of_data(value: Any) -> Any:
    """Plain data (mappings, lists, texts) without the secrets in it."""
    return _grammar.of_data(value)


def of_strings(value: Any) -> Any:
    """Plain data with every text in it read by itself, whatever the name beside it."""
    return _grammar.of_strings(value)


def of_record(value: Value) -> Value:
    """A copy of a value of dataclasses, mappings, sequences and texts without the secrets in it."""
    return cast(Value, _copied(value))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


@lru_cache(maxsize=2048)
def _remedy(remedy: Remedy) -> Remedy:
    """A copy of a remedy: most are the same in every diagnosis."""
    return cast("Remedy", _changed(remedy))


def _copied(value: Any) -> Any:
    if isinstance(value, str):
        return of_text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Remedy):
        return _remedy(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _changed(value)
    if isinstance(value, tuple):
        if len(value) == 2 and all(isinstance(item, str) for item in value):
            return tuple(_grammar.of_data(value))
        return tuple(_copied(item) for item in value)
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, Mapping):
        return {k: of_value(str(k), v) if isinstance(v, str) else _copied(v) for k, v in value.items()}
    return value


def _changed(value: Any) -> Any:
    """A dataclass, itself where nothing in it is secret."""
    changed: dict[str, Any] = {}
    kind: type = type(value)
    for name in _names(kind):
        old = getattr(value, name)
        new = _copied(old)
        if new is not old and new != old:
            changed[name] = new
    return replace(value, **changed) if changed else value


def spans(text: str) -> list[Span]:
    """Where secrets stand in a text."""
    return list(_grammar.spans(text))


def word_spans(words: Sequence[str]) -> list[list[Span]]:
    """Where secrets stand in each word of a command line."""
    return [list(hidden) for hidden in _grammar.word_spans(words)]


def value_spans(name: str, value: str) -> list[Span]:
    """Where secrets stand in the value of a variable or a setting."""
    return list(_grammar.value_spans(name, value))

"""What is secret, and what may be written instead: the one grammar of secrets, of the recorders and of the doctor.

It imports only the standard library, since it runs in the target, and nothing else of `probes`, since the doctor loads
it from its file. Cost grows linearly with the text; no pattern is unbounded.

    of_words(command)      a command line
    of_value(name, value)  a variable, a setting, an argument; also lists and mappings
    of_text(text)          anything else
    spans(text)            where secrets stand in a text
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from . import argv, forms, names, texts
from .clean import is_clean, is_ordinary
from .forms import Span
from .lazy import pattern
from .names import is_secret
from .values import is_file, is_path, login_part, secret_part

__all__ = [
    "REDACTED",
    "Span",
    "is_secret",
    "of_data",
    "of_strings",
    "of_text",
    "of_value",
    "of_words",
    "spans",
    "value_spans",
    "word_spans",
]

REDACTED = "<redacted>"

_LONGEST_CACHED = 400
_DEEPEST = 8
# Command lines inside a text: of programs whose short options take secrets, up to the end of the line.
_COMMAND = pattern(
    r"(?<![\w.-])(?:mysql|mysqldump|mysqladmin|mariadb|curl|wget|sshpass|redis-cli|mongosh?|docker|"
    r"podman|twine|ldapsearch|openssl|sqlcmd|7z|bash|zsh|sh|python[0-9.]{0,5}|http|wandb|vault|smbclient|zip|unzip|az)"
    r"(?=:?[ \t]{1,4}\S)"
)
_LISTED = pattern(
    r"\[(?:b?'[^'\n]{0,400}'|b?\"[^\"\n]{0,400}\")(?:, {0,2}(?:b?'[^'\n]{0,2000}'|b?\"[^\"\n]{0,2000}\")){1,200}\]"
)
_ITEM = pattern(r"'([^'\n]{0,2000})'|\"([^\"\n]{0,2000})\"")
# What a replay varies: a pair of a name and a value.
_SWITCHES = ("env:", "cfg:", "arg:")
_ODD = frozenset("!@#$%^&*+=~?")


def spans(text: str) -> list[Span]:
    """Where secrets stand in a text, in order and apart."""
    return list(_short_spans(text) if len(text) <= _LONGEST_CACHED else _spans(text))


def of_text(text: str) -> str:
    """A text without the secrets in it."""
    hidden = _short_spans(text) if len(text) <= _LONGEST_CACHED else _spans(text)
    return _without(text, hidden) if hidden else text


def of_words(words: Sequence[str]) -> list[str]:
    """A command line without the secrets in it."""
    return [_without(word, hidden) for word, hidden in zip(words, word_spans(words))]  # noqa: B905  # Python 3.9


def word_spans(words: Sequence[str]) -> list[list[Span]]:
    """Where secrets stand in each word of a command line."""
    return [_merged(hidden) for hidden in argv.spans(list(words))]


def of_value(name: str, value: str) -> str:
    """The value of a variable or a setting without what is secret in it."""
    return _without(value, value_spans(name, value))


def value_spans(name: str, value: str) -> list[Span]:
    """Where secrets stand in the value of a variable or a setting."""
    kind = names.kind(name)
    found = list(_spans(value))
    part = (
        None
        if kind >= names.LIKELY and found and (" " in value or "://" in value or value[:1] in "{[")
        else secret_part(kind, value, True)
    )
    if kind == names.CERTAIN and is_file(value) and "pass" not in name.lower():
        part = None
    if (part is None and not found and kind != names.ORDINARY) or names.is_account(name):
        part = part or login_part(value)
    if part is None and not found:
        part = _pair(value)
    if not found and part is None and " " in value and ("-" in value or "=" in value):
        found = list(argv.shell(value, 0))
    return _merged([*found, part] if part is not None else found)


def of_data(value: Any, name: str = "", depth: int = 0) -> Any:
    """Plain data (mappings, lists, texts) without the secrets in it; what holds none, as it is."""
    if (not name or is_ordinary(name)) and is_clean(value):
        return value
    if isinstance(value, str):
        return of_value(name, value) if name else of_text(value)
    if depth >= _DEEPEST:
        return value
    if isinstance(value, dict):
        return {
            of_text(k) if isinstance(k, str) else k: of_data(v, k if isinstance(k, str) else name, depth + 1)
            for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], str) and value[0].startswith(_SWITCHES):
            return [value[0], of_data(value[1], value[0], depth + 1)]
        if value and all(isinstance(item, str) for item in value) and not is_secret(name):
            return (
                of_words(value)
                if any(item.startswith("-") for item in value)
                else [of_data(v, name, depth + 1) for v in value]
            )
        return [of_data(item, name, depth + 1) for item in value]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return REDACTED if number and name and names.kind(name) == names.CERTAIN and abs(value) >= 1000 else value


def of_strings(value: Any) -> Any:
    """Plain data with every text in it read by itself: where the names beside them are a program's own, as those of
    its functions and tensors, and say nothing of what they hold.
    """
    if isinstance(value, str):
        return value if is_clean(value) else of_text(value)
    if isinstance(value, dict):
        return {name: of_strings(item) for name, item in value.items()}
    return [of_strings(item) for item in value] if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=4096)
def _short_spans(text: str) -> tuple[Span, ...]:
    return tuple(_spans(text))


def _spans(text: str) -> list[Span]:
    found = [*forms.spans(text), *texts.spans(text)]
    if " -" in text or " login " in text:
        found += _commands(text)
    if "['" in text or '["' in text:
        found += _lists(text)
    return _merged(found)


def _commands(text: str) -> list[Span]:
    found: list[Span] = []
    at = 0
    while True:
        command = _COMMAND.search(text, at)
        if command is None:
            return found
        end = text.find("\n", command.start())
        at = len(text) if end < 0 else end
        line = text[command.start() : at]
        found += [(a + command.start(), b + command.start()) for a, b in argv.shell(line, 0)]


def _lists(text: str) -> list[Span]:
    """Command lines as Python shows them: `['mysql', '-p...']`."""
    found: list[Span] = []
    for listed in _LISTED.finditer(text):
        items = [(m[1] if m[1] is not None else m[2], m.start() + 1) for m in _ITEM.finditer(listed.group())]
        for (_, start), hidden in zip(items, argv.spans([word for word, _ in items])):  # noqa: B905
            found += [(listed.start() + start + a, listed.start() + start + b) for a, b in hidden]
    return found


def _pair(value: str) -> Span | None:
    """`user:password` as a whole value, whatever its name, where the password can be nothing else."""
    part = login_part(value)
    if part is None or " " in value or "/" in value or part[1] - part[0] < 8:
        return None
    password = value[part[0] : part[1]]
    mixed = all(any(test(c) for c in password) for test in (str.isdigit, str.islower, str.isupper))
    odd = bool(_ODD & set(password)) and any(c.isdigit() for c in password)
    return part if (mixed or odd) and not is_path(password) else None


def _merged(found: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _without(text: str, hidden: Sequence[Span]) -> str:
    if not hidden:
        return text
    parts: list[str] = []
    at = 0
    for start, end in hidden:
        parts += [text[at:start], REDACTED]
        at = end
    return "".join([*parts, text[at:]])

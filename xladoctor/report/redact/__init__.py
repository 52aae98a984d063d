"""A report without what is nobody else's business: homes, users, hosts, working folders, secrets.

Each distinct text gets one placeholder (`<home>`, `<user>`, `<host>`, `<cwd>`, `<env>`, `<project>`, `<secret>`, then
`<home-2>`, ...), the same wherever it stands, so that a reader still sees what is the same file. A secret that one
line gives away (`API_KEY=...` in a command) is replaced everywhere else, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from xladoctor import secrets as grammar
from xladoctor.report.redact import walk
from xladoctor.report.redact.patterns import (
    ADDRESS,
    AT,
    ENV,
    HOME,
    HOST,
    LOCAL,
    ROOT_HOME,
    SHARED,
    SYSTEM,
    known,
    looks_random,
    secrets,
)

__all__ = ["NOTE", "Machine", "Redactor", "of_environment"]

Value = TypeVar("Value")

NOTE = "Paths, names and secrets are replaced by placeholders such as <home>; equal placeholders stand for equal texts."


@dataclass(frozen=True)
class Machine:
    """What the caller knows of the machines: texts to be hidden, wherever they stand."""

    folders: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


def of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    """The secrets in variables, as far as they can be looked for elsewhere."""
    for name, value in environment.items():
        yield from known(value, grammar.value_spans(name, value))


class Redactor:
    """Replaces the same text by the same placeholder, in all values that it was made for."""

    def __init__(self, machine: Machine, *values: Any) -> None:
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        # Reports repeat themselves: each text is looked at once.
        self._done: dict[str, str] = {}
        texts = list(dict.fromkeys(text for value in values for text in walk.texts(value)))
        self._learn_paths(machine, texts, values)
        self._learn_names(machine, texts)
        for secret in (*machine.secrets, *secrets(texts), *walk.kept(values)):
            self._add("secret", secret)
        self._patterns = list(self._built())

    def value(self, found: Value) -> Value:
        """A copy of a value of dataclasses, mappings, sequences and texts, in which nothing of it is left."""
        return walk.mapped(found, walk.Ways(self.text, self._named, self._words))  # type: ignore[no-any-return]

    def text(self, said: str) -> str:
        """A text without it."""
        if said not in self._done:
            self._done[said] = self._rest(self._without(said, grammar.spans(said)))
        return self._done[said]

    def _named(self, name: str, value: str) -> str:
        """The value of a setting or of a key."""
        return self._rest(self._without(value, grammar.value_spans(name, value)))

    def _words(self, words: Sequence[str]) -> list[str]:
        """A command line."""
        hidden = grammar.word_spans(words)
        return [self._rest(self._without(word, spans)) for word, spans in zip(words, hidden, strict=True)]

    def _rest(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(lambda found: self._placeholders[found["known"]], text)
        return ADDRESS.sub(self._address, text)

    def _without(self, text: str, spans: Sequence[grammar.Span]) -> str:
        for start, end in reversed(spans):
            text = f"{text[:start]}{self._secret(text[start:end])}{text[end:]}"
        return text

    def _secret(self, value: str) -> str:
        """The placeholder of a secret: its own, if it can be told from a word."""
        if value.startswith("<") or value in self._placeholders:
            return self._placeholders.get(value, value)
        return self._add("secret", value) if looks_random(value) else "<secret>"

    # What there is to hide.

    def _learn_paths(self, machine: Machine, texts: Sequence[str], values: Sequence[Any]) -> None:
        homes = [*machine.homes, *(m["dir"] for text in texts for m in HOME.finditer(text))]
        homes += ["/root"] if any(ROOT_HOME.search(text) for text in texts) else []
        homes = [home.rstrip("/\\") for home in homes]
        for folder in machine.folders:
            if len(folder.rstrip("/\\")) > 1 and folder.rstrip("/\\") not in homes:
                self._add("cwd", folder.rstrip("/\\"))
        for home in homes:
            if len(home) > 1:
                self._add("home", home)
        for env in (found["env"] for text in texts for found in ENV.finditer(text)):
            if env not in SYSTEM:
                self._add("env", env)
        known = tuple(f"{path}/" for path in self._placeholders)
        files = [
            f
            for f in dict.fromkeys(f for value in values for f in walk.files(value))
            if f.startswith("/") and not f.startswith(known)
        ]
        for project in walk.projects(files):
            self._add("project", project)

    def _learn_names(self, machine: Machine, texts: Sequence[str]) -> None:
        users = [*machine.users, *(m["user"] for text in texts for m in HOME.finditer(text))]
        hosts = list(machine.hosts)
        for text in texts:
            for found in AT.finditer(text):
                users.append(found["user"])
                hosts.append(found["host"])
            hosts += [found["host"] for found in HOST.finditer(text)]
        for user in users:
            if user.lower() not in SHARED and len(user) > 1:
                self._add("user", user)
        for host in hosts:
            if host.lower() not in SHARED and len(host) > 2:
                self._add("host", host)

    def _add(self, kind: str, text: str) -> str:
        if text not in self._placeholders:
            number = self._counts.get(kind, 0) + 1
            self._counts[kind] = number
            self._placeholders[text] = f"<{kind}>" if number == 1 else f"<{kind}-{number}>"
        return self._placeholders[text]

    def _built(self) -> Iterator[re.Pattern[str]]:
        # Longest first: a folder in a home is not that home; a secret may hold a name.
        groups: dict[str, list[str]] = {}
        for text, placeholder in self._placeholders.items():
            groups.setdefault(placeholder.strip("<>").partition("-")[0], []).append(text)
        paths = [text for kind in ("cwd", "home", "env", "project") for text in groups.get(kind, ())]
        if groups.get("secret"):
            yield _either(groups["secret"], r"(?<![\w])", r"(?![\w])")
        if paths:
            yield _either(paths, r"(?<![\w.~-])(?:(?<=//)|(?<!/))", r"(?![\w-]|\.[\w])")
        if groups.get("host"):
            # With its domain, which says as much.
            domain = r"(?:\.(?!(?:py|log|txt|json|err|out)\b)[a-z][a-z0-9-]*)*"
            yield _either(groups["host"], r"(?<![A-Za-z0-9])", rf"{domain}(?![A-Za-z0-9])")
        if groups.get("user"):
            yield _either(groups["user"], r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])")

    # What is replaced where it stands.

    def _address(self, found: re.Match[str]) -> str:
        return found.group() if found.group().startswith(LOCAL) else self._add("address", found.group())


def _either(texts: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    longest = sorted(set(texts), key=len, reverse=True)
    return re.compile(f"{before}(?P<known>{'|'.join(map(re.escape, longest))}){after}")

"""A report without what is nobody else's business: homes, users, hosts, working folders, secrets.

Each distinct text gets one placeholder (`<home>`, `<user>`, `<host>`, `<cwd>`, `<env>`, `<project>`, `<secret>`, then
`<home-2>`, ...), the same wherever it stands, so that a reader still sees what is the same file. A secret that one
line gives away (`API_KEY=...` in a command) is replaced everywhere else, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from os.path import commonpath
from typing import Any, TypeVar

Value = TypeVar("Value")

NOTE = "Paths, names and secrets are replaced by placeholders such as <home>; equal placeholders stand for equal texts."

# Fields of our own values whose words are ours.
_OURS = frozenset(
    {
        *("schema", "slug", "level", "role", "status", "verdict", "safety", "result", "kind", "state", "phase"),
        *("action", "store", "what", "tool_version", "kinds", "outcome", "values"),
    }
)
# Names that thousands share: hidden in paths and addresses only, since `root` is also a word.
_SHARED = frozenset(
    {
        *("root", "user", "users", "admin", "administrator", "ubuntu", "debian", "ec2-user", "runner", "runneradmin"),
        *("vagrant", "docker", "jovyan", "jupyter", "test", "nobody", "guest", "python", "app", "work", "data"),
        *("public", "shared", "build", "default", "local", "localhost"),
    }
)
# Where an environment of Python lies; what every system has, says nothing.
_ENV = re.compile(
    r"(?P<env>(?:/[^\s/:;,'\"()<>]+)+?)(?:/lib(?:64)?/python3\.\d+/(?:site|dist)-packages|/bin/python[\d.]*)(?![\w-])"
)
_SYSTEM = ("/usr", "/usr/local")
_HOME = re.compile(
    r"(?P<dir>(?:/private)?(?:/(?:home|Users|var/home|usr/home|export/home|users|nfs/home|gpfs/home|mnt/home|u)"
    r"|[A-Za-z]:\\+Users)[/\\]+(?P<user>[^/\\\s:;,'\"()<>\[\]{}|*?]+))"
)
_ROOT_HOME = re.compile(r"(?<![\w./-])/root(?![\w.-])")
_AT = re.compile(r"(?<![\w@/.+-])(?P<user>[A-Za-z_][\w.+-]*)@(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)*)(?![\w@])")
_HOST = re.compile(r"(?i)(?:\b(?:host(?:name)?|node(?:name|list)?|slurmd_nodename|slurm_\w*nodelist)\s*[=:]\s*['\"]?)"
                   r"(?P<host>[a-z][a-z0-9-]*\d[a-z0-9-]*(?:\.[\w-]+)*|[a-z][\w-]*(?:\.[\w-]+)+)")  # fmt: skip
_ADDRESS = re.compile(
    r"(?<![\w.])(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?![\w.]*\.\d)|\d{1,3}(?:\.\d{1,3}){3}(?=:\d))"
)
_LOCAL = ("127.", "0.0.0.0")  # noqa: S104  # what is not replaced, and no address to bind to

_NAME = (
    # Not `tokenizer`, `max_tokens`, `author`; `PWD` is the working folder.
    r"(?!(?:old)?pwd\b)[\w-]*(?:secret|token(?!iz|s)|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credential|auth(?:orization)?(?![a-z])|cookie|session[_-]?(?:id|key)|dsn)[\w-]*"
)
_SECRET_NAME = re.compile(rf"(?i)^{_NAME}$")
_ASSIGNED = re.compile(
    rf"(?i)(?P<name>(?<![\w-])(?:--?)?{_NAME})(?P<sign>['\"]?\s*(?:=|:|\s=>)\s*|(?<=\w)\s+(?=\S))"
    r"(?P<scheme>(?:bearer|basic|token)\s+)?(?P<quote>['\"]?)(?P<value>[^\s'\",;<>()\[\]{}]{3,})(?P=quote)"
)
_CARRIED = re.compile(
    r"(?P<lead>://)(?P<login>[^\s/@:]+:[^\s/@]+)(?=@)"
    r"|(?P<bearer>(?i:bearer|basic)\s+)(?P<given>[A-Za-z0-9._~+/=-]{12,})"
    r"|(?P<known>\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|AKIA|ASIA|sk-|pypi-|AIza)[A-Za-z0-9_-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)"
    r"|(?P<pem>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
    re.DOTALL,
)
_WORDS = frozenset({"true", "false", "none", "null", "unset", "yes", "no", "off", "on", "auto", "redacted"})


@dataclass(frozen=True)
class Machine:
    """What the caller knows of the machines: texts to be hidden, wherever they stand."""

    folders: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


class Redactor:
    """Replaces the same text by the same placeholder, in all values that it was made for."""

    def __init__(self, machine: Machine, *values: Any) -> None:
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        # Reports repeat themselves: each text is looked at once.
        self._done: dict[str, str] = {}
        texts = list(dict.fromkeys(text for value in values for text in _texts(value)))
        self._learn_paths(machine, texts, values)
        self._learn_names(machine, texts)
        for secret in (*machine.secrets, *_secrets(texts), *_kept(values)):
            self._add("secret", secret)
        self._patterns = list(self._built())

    def value(self, found: Value) -> Value:
        """A copy of a value of dataclasses, mappings, sequences and texts, in which nothing of it is left."""
        return _mapped(found, self.text)  # type: ignore[no-any-return]

    def text(self, said: str) -> str:
        """A text without it."""
        if said not in self._done:
            left = _ASSIGNED.sub(self._assigned, _CARRIED.sub(self._carried, said))
            for pattern in self._patterns:
                left = pattern.sub(lambda found: self._placeholders[found.group()], left)
            self._done[said] = _ADDRESS.sub(self._address, left)
        return self._done[said]

    # What there is to hide.

    def _learn_paths(self, machine: Machine, texts: Sequence[str], values: Sequence[Any]) -> None:
        homes = [*machine.homes, *(m["dir"] for text in texts for m in _HOME.finditer(text))]
        homes += ["/root"] if any(_ROOT_HOME.search(text) for text in texts) else []
        homes = [home.rstrip("/\\") for home in homes]
        for folder in machine.folders:
            if len(folder.rstrip("/\\")) > 1 and folder.rstrip("/\\") not in homes:
                self._add("cwd", folder.rstrip("/\\"))
        for home in homes:
            if len(home) > 1:
                self._add("home", home)
        for env in (found["env"] for text in texts for found in _ENV.finditer(text)):
            if env not in _SYSTEM:
                self._add("env", env)
        known = tuple(f"{path}/" for path in self._placeholders)
        files = [
            f
            for f in dict.fromkeys(f for value in values for f in _files(value))
            if f.startswith("/") and not f.startswith(known)
        ]
        for project in _projects(files):
            self._add("project", project)

    def _learn_names(self, machine: Machine, texts: Sequence[str]) -> None:
        users = [*machine.users, *(m["user"] for text in texts for m in _HOME.finditer(text))]
        hosts = list(machine.hosts)
        for text in texts:
            for found in _AT.finditer(text):
                users.append(found["user"])
                hosts.append(found["host"])
            hosts += [found["host"] for found in _HOST.finditer(text)]
        for user in users:
            if user.lower() not in _SHARED and len(user) > 1:
                self._add("user", user)
        for host in hosts:
            if host.lower() not in _SHARED and len(host) > 2:
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
        for kind in ("host", "user"):
            if groups.get(kind):
                yield _either(groups[kind], r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])")

    # What is replaced where it stands.

    def _carried(self, found: re.Match[str]) -> str:
        lead = found["lead"] or found["bearer"] or ""
        return lead + self._add("secret", found["login"] or found["given"] or found["known"] or found["pem"])

    def _assigned(self, found: re.Match[str]) -> str:
        value, sign = found["value"], found["sign"]
        if not _is_secret(found):
            return found.group()
        kept = self._placeholders.get(value) or ("<secret>" if not looks_random(value) else self._add("secret", value))
        return f"{found['name']}{sign}{found['scheme'] or ''}{found['quote']}{kept}{found['quote']}"

    def _address(self, found: re.Match[str]) -> str:
        return found.group() if found.group().startswith(_LOCAL) else self._add("address", found.group())


def _is_secret(found: re.Match[str]) -> bool:
    value, sign = found["value"], found["sign"]
    if value.lower() in _WORDS or value.startswith(("<", "-")):
        return False
    # `--token VALUE` is an option; `token VALUE` in a sentence is a word.
    return bool(sign.strip(" '\"")) or found["name"].startswith("-")


def looks_random(value: str) -> bool:
    """Whether a value can be looked for elsewhere: a common word, hidden everywhere, would make a report unreadable."""
    kinds = [any(test(c) for c in value) for test in (str.isdigit, str.islower, str.isupper, _is_sign)]
    return len(value) >= 8 and sum(kinds) >= 2


def _is_sign(character: str) -> bool:
    return not character.isalnum()


def _secrets(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for found in _ASSIGNED.finditer(text):
            if _is_secret(found) and looks_random(found["value"]):
                yield found["value"]
        for found in _CARRIED.finditer(text):
            login = found["login"]
            yield from (part for part in (found["given"], found["known"]) if part)
            yield from (part for part in (login.partition(":")[2] if login else "",) if looks_random(part))


def _kept(values: Iterable[Any]) -> Iterator[str]:
    """Values under a name that says that they are secret: of a mapping, or of a setting."""
    for value in values:
        for name, held in _pairs(value):
            if _SECRET_NAME.match(name) and isinstance(held, str) and looks_random(held):
                yield held


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "key") and hasattr(value, "value"):
            yield str(value.key), value.value
        for field in fields(value):
            yield from _pairs(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key), item
            yield from _pairs(item)
    elif isinstance(value, list | tuple):
        for first, second in pairwise(value):
            if isinstance(first, str) and first.startswith("-") and isinstance(second, str):
                yield first.lstrip("-"), second
        for item in value:
            yield from _pairs(item)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in _OURS:
                yield from _texts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _texts(item)


def _files(value: Any) -> Iterator[str]:
    """The files of source lines, wherever there are any."""
    if is_dataclass(value) and not isinstance(value, type):
        file = getattr(value, "file", None)
        if isinstance(file, str) and getattr(value, "user", True) and "/site-packages/" not in file:
            yield file
        for field in fields(value):
            yield from _files(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if str(key).endswith("_file") and isinstance(item, str) and "/site-packages/" not in item:
                yield item
            yield from _files(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _files(item)


def _projects(files: Sequence[str]) -> list[str]:
    """The folders in which the user's sources lie: the deepest that they share, or, by their first two, several."""
    folders = sorted({file.rpartition("/")[0] for file in files if file.count("/") > 1})
    if not folders:
        return []
    shared = commonpath(folders)
    if shared.count("/") >= 2:
        # With the name of the package, which the places of the report name anyway.
        return [shared.rpartition("/")[0] if shared.count("/") >= 3 else shared]
    return sorted({"/".join(folder.split("/")[:3]) for folder in folders})


def _either(texts: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    longest = sorted(set(texts), key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest))}){after}")


def _mapped(value: Any, text: Callable[[str], str], name: str = "") -> Any:
    if name in _OURS:
        return value
    if isinstance(value, str):
        return text(value)
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: _mapped(getattr(value, f.name), text, f.name) for f in fields(value)}
        if "key" in new and isinstance(new.get("value"), str) and _SECRET_NAME.match(str(new["key"])):
            new["value"] = _hidden(new["value"])
        return replace(value, **new)
    if isinstance(value, Mapping):
        return {
            _mapped(key, text): _hidden(item)
            if isinstance(item, str) and _SECRET_NAME.match(str(key))
            else _mapped(item, text)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        out = [_mapped(item, text) for item in value]
        for n, first in enumerate(value[:-1]):
            follows = isinstance(first, str) and first.startswith("-") and isinstance(out[n + 1], str)
            if follows and _SECRET_NAME.match(first.lstrip("-")) and not out[n + 1].startswith("-"):
                out[n + 1] = _hidden(out[n + 1])
        return tuple(out) if isinstance(value, tuple) else out
    return value


def _hidden(value: str) -> str:
    return value if value.lower() in _WORDS or value.startswith("<") else "<secret>"

"""Secrets in command lines: options, assignments, headers, nested shells and code.

Short options mean what their program says they mean, where the program is known. Elsewhere, as in every Python script:
`-u a:X` and `-U a:X` hide X; `-H` takes a header; `-p X` and `-pX` hide X where it looks like a password
(`values.is_password`), so that `-p 8080` and `-p train` stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import forms, names, texts
from .forms import Span
from .lazy import pattern
from .programs import ANY, ATTACHED, CODE, LOGIN, PERCENT, PLAIN, PROGRAMS, PYTHON, SCRIPT, SECRET, SHELL
from .values import is_file, is_hex, is_number, is_password, is_path, is_random, is_reference, login_part, secret_part

_DEEPEST = 4
_OPTION = pattern(r"--?[A-Za-z][\w.-]{0,80}$")
_ASSIGNED = pattern(r"(?s)(?P<name>[-+~]{0,2}[A-Za-z_][\w.@/-]{0,80})(?P<sign>[=:])(?!//)(?P<value>.{1,16000})$")
_PROGRAM = pattern(r"(?:^|.*[/\\])([\w+-]{1,30})(?:\.exe)?$")

_USERS = ("-u", "-U", "--user", "--username", "--login", "--db-user")
# `login` of these is not the option of an unknown program, but hides its `-p`.
_SUBCOMMANDS = frozenset(("login", "signin"))
_TRAILING = frozenset(("wandb login", "vault login", "netlify login"))


def spans(words: Sequence[str], depth: int = 0) -> list[list[Span]]:
    """Where secrets stand in each word of a command line."""
    return _Line(words, depth).read()


def shell(text: str, depth: int) -> Iterator[Span]:
    """Where secrets stand in a command line that is one text, as a shell reads it."""
    for command in split(text):
        hidden_in = spans([word for word, _ in command], depth + 1)
        for (_, places), hidden in zip(command, hidden_in):  # noqa: B905  # Python 3.9
            for start, end in hidden:
                if start < end <= len(places):
                    yield places[start], places[end - 1] + 1


if TYPE_CHECKING:
    _Word = tuple[str, list[int]]
else:
    _Word = tuple  # Python 3.8 has no tuple[str, list[int]] at run time
_SIMPLE = pattern(r"[^\s'\"\\;|&()<>`]{1,4000}")


def split(text: str) -> list[list[_Word]]:
    """The commands of a shell string, each as words with the place of every character."""
    commands: list[list[_Word]] = [[]]
    letters: list[str] = []
    places: list[int] = []
    open_word = False
    at = 0

    def close() -> None:
        nonlocal open_word
        if open_word:
            commands[-1].append(("".join(letters), list(places)))
            letters.clear()
            places.clear()
        open_word = False

    while at < len(text):
        run = _SIMPLE.match(text, at)
        c = text[at]
        if run is not None:
            letters.extend(run.group())
            places.extend(range(at, run.end()))
            at, open_word = run.end(), True
        elif c in "'\"":
            open_word = True
            at += 1
            while at < len(text) and text[at] != c:
                if c == '"' and text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
                    at += 1
                letters.append(text[at])
                places.append(at)
                at += 1
            at += 1
        elif c == "\\" and at + 1 < len(text):
            if text[at + 1] != "\n":
                letters.append(text[at + 1])
                places.append(at + 1)
                open_word = True
            at += 2
        else:
            close()
            if c in ";|&()\n`" and commands[-1]:
                commands.append([])
            at += 1
    close()
    return [command for command in commands if command]


class _Line:
    """One command line while it is read."""

    def __init__(self, words: Sequence[str], depth: int) -> None:
        self.words = words
        self.depth = depth
        self.spans: list[list[Span]] = [[] for _ in words]
        self.options = SCRIPT
        self.program = ""
        self.settled = False  # a script or a program has been named: what follows is its arguments
        self.user = any(word.partition("=")[0] in _USERS for word in words) or bool(_SUBCOMMANDS & set(words))

    def read(self) -> list[list[Span]]:
        skip = -1
        for i, word in enumerate(self.words):
            if i == skip:
                continue
            self._name_program(i, word)
            following = self.words[i + 1] if i + 1 < len(self.words) else None
            if self._option(i, word, following):
                skip = i + 1
            elif not self._assignment(i, word):
                self._positional(i, word, following)
        return [sorted(hidden) for hidden in self.spans]

    # -- which program -------------------------------------------------------------------------------------------

    def _name_program(self, i: int, word: str) -> None:
        before = self.words[i - 1] if i else ""
        word = word[:-1] if i == 0 and word.endswith(":") else word
        if word.startswith("-") or len(word) > 400 or " " in word:
            return
        if self.options is PYTHON:
            # A script, or `-m module`: its options are its own.
            self.program = word
            self.options = PROGRAMS.get(word, SCRIPT) if before == "-m" else SCRIPT
            self.settled = True
            return
        match = _PROGRAM.match(word) if "=" not in word else None
        name = re.sub(r"[0-9.]{1,8}$", "", (word.rpartition("/")[2])) if match is None and "=" not in word else ""
        name = match[1] if match is not None else name
        if re.match(r"(?:python|pypy|ipython)[0-9.]{0,6}$", word.rpartition("/")[2]) and not self.settled:
            self.program, self.options = "python", PYTHON
        elif name in PROGRAMS and (i == 0 or not self.settled):
            self.program, self.options = name, PROGRAMS[name]
        elif i == 0:
            self.program, self.options, self.settled = name, SCRIPT, False

    # -- options -------------------------------------------------------------------------------------------------

    def _option(self, i: int, word: str, following: str | None) -> bool:
        """Read an option; True if the next word is its value and has been read."""
        if not word.startswith("-") or len(word) < 2:
            return False
        short = word[:2]
        said = self.options.get(word) or (self.options.get(short) if len(word) > 2 and word[1] != "-" else None)
        if said is None and word[1] != "-" and not self._knows():
            said = ANY if short in ("-p", "-u", "-U", "-k", "-t", "-a", "-P", "-w") else None
        if (
            word in ("-c", "-lc", "-ic", "-ec", "-xc")
            and following is not None
            and self.options.get("-c") in (SHELL, CODE)
        ):
            self._nested(i + 1, following, self.options["-c"])
            return True
        if re.match(r"-[A-Za-z]{2,8}$", word) and self.options.get(f"-{word[-1]}") == LOGIN and following is not None:
            return self._short(i + 1, following, 0, LOGIN, f"-{word[-1]}")  # `curl -sSu ada:...`
        if word in self.options or (said == ANY and len(word) == 2):
            return following is not None and self._short(i + 1, following, 0, said or "", short)
        if said is not None and word[1] != "-" and len(word) > 2 and not word.startswith("--"):
            hidden = self._short(i, word, 2, said, short)
            return False if hidden else self._long(i, word, following)
        return self._long(i, word, following)

    def _knows(self) -> bool:
        return bool(self.options)

    def _short(self, i: int, word: str, start: int, said: str, letter: str) -> bool:
        """The value of a short option, from `start` of a word. True if it is dealt with."""
        value = word[start:].lstrip("=") if start else word
        start = len(word) - len(value)
        attached = start > 0
        if said == SECRET or (said == ATTACHED and attached):
            scheme = re.match(r"(?:pass|file|env|fd):", value)
            if not is_reference(value) and not (scheme and scheme.group() != "pass:") and not _is_option(value):
                self._hide(i, start, len(word))
            return True
        if said in (LOGIN, ANY) and letter in ("-u", "-U", "-a"):
            part = login_part(value)
            if part is not None:
                self._hide(i, start + part[0], start + part[1])
                return True
            return said == LOGIN
        if said == PERCENT and "%" in value:
            self._hide(i, start + value.index("%") + 1, len(word))
            return True
        if said == ANY:
            return self._guess(i, start, word, letter)
        return (
            said == PLAIN
            and not attached
            and not value.startswith("-")
            and not value.strip().count(" ")
            and "://" not in value
        )

    def _guess(self, i: int, start: int, word: str, letter: str) -> bool:
        value = word[start:]
        if _is_option(value) or " " in value:
            return False
        if letter == "-p":
            secret = is_password(value, self.user and not start) and not (start and value.isalpha())
        else:
            secret = is_random(value) and not is_hex(value) and not start
        if secret:
            self._hide(i, start, len(word))
        return secret

    def _long(self, i: int, word: str, following: str | None) -> bool:
        if not _OPTION.match(word) or following is None:
            return False
        if word in ("--proxy-user", "--basic-auth", "--http-user", "--creds", "--auth", "--credentials"):
            part = login_part(following)
            if part is not None:
                self._hide(i + 1, part[0], part[1])
                return True
        kind = names.kind(word)
        if kind == names.ORDINARY or (_is_option(following) and not _is_odd(following, kind)):
            return False
        if kind >= names.LIKELY and (" " in following or "://" in following) and self._has_own(following):
            return False  # a header, a URL, JSON: more is said by it
        if kind == names.CERTAIN and is_file(following) and not word.lstrip("-").lower().startswith("pass"):
            return False
        part = secret_part(kind, following, True)
        if part is None:
            return False
        self._hide(i + 1, part[0], part[1])
        return True

    def _has_own(self, text: str) -> bool:
        return bool(list(forms.spans(text))) or bool(list(texts.spans(text)))

    # -- other words ---------------------------------------------------------------------------------------------

    def _assignment(self, i: int, word: str) -> bool:
        match = _ASSIGNED.match(word)
        if match is None or (" " in word[: match.end("sign")]):
            return False
        name, value, start = match["name"], match["value"], match.start("value")
        if match["sign"] == ":" and (name.startswith("-") or " " in value[:2]):
            return False
        quote = value[:1] if value[:1] in "'\"" and value[-1:] == value[:1] and len(value) > 1 else ""
        if quote:
            value, start = value[1:-1], start + 1
        kind = names.kind(name)
        if kind == names.ORDINARY or ((" " in value or "://" in value or value[:1] in "{[") and self._has_own(value)):
            return False
        if kind == names.CERTAIN and is_file(value) and "pass" not in name.lower():
            return False
        part = secret_part(kind, value, True)
        if part is None:
            return False
        self._hide(i, start + part[0], start + part[1])
        return True

    def _positional(self, i: int, word: str, following: str | None) -> None:
        for span in forms.spans(word):
            self._hide(i, *span)
        for span in texts.spans(word):
            self._hide(i, *span)
        if any(c in " \t\n" for c in word.strip()) and self.depth < _DEEPEST:
            for span in shell(word, self.depth):
                self._hide(i, *span)
        if following is None or _is_option(following):
            before = self.words[i - 1] if i else ""
            if f"{self.words[0].rpartition('/')[2]} {before}" in _TRAILING and is_random(word):
                self._hide(i, 0, len(word))
        elif names.kind(word) == names.CERTAIN and "_" in word and is_random(following) and not is_path(following):
            self._hide(i + 1, 0, len(following))

    def _nested(self, i: int, word: str, what: str) -> None:
        for span in forms.spans(word):
            self._hide(i, *span)
        for span in texts.spans(word):
            self._hide(i, *span)
        if what == SHELL and self.depth < _DEEPEST:
            for span in shell(word, self.depth):
                self._hide(i, *span)

    def _hide(self, i: int, start: int, end: int) -> None:
        if start < end:
            self.spans[i].append((start, end))


def _is_option(word: str) -> bool:
    return _OPTION.match(word.partition("=")[0]) is not None


def _is_odd(word: str, kind: int) -> bool:
    """A password that begins with a dash: no option is written so."""
    head = word.partition("=")[0].lstrip("-")
    odd = word[:2] != "--" and (is_random(head) or (len(head) > 5 and any(c.isdigit() for c in head)))
    return kind == names.CERTAIN and odd and not is_number(word)

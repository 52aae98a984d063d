"""What private things look like in a text: homes, hosts, addresses. What is secret, the grammar of secrets knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from xladoctor import secrets as grammar

# Names that thousands share: hidden in paths and addresses only, since `root` is also a word.
SHARED = frozenset(
    {
        *("root", "user", "users", "admin", "administrator", "ubuntu", "debian", "ec2-user", "runner", "runneradmin"),
        *("vagrant", "docker", "jovyan", "jupyter", "test", "nobody", "guest", "python", "app", "work", "data"),
        *("public", "shared", "build", "default", "local", "localhost"),
    }
)
# Where an environment of Python lies; what every system has, says nothing.
ENV = re.compile(
    r"(?<![^\s:;,'\"()<>=\[\]])(?P<env>(?:/[^\s/:;,'\"()<>]{1,255}){1,40}?)"
    r"(?:/lib(?:64)?/python3\.\d{1,3}/(?:site|dist)-packages|/bin/python[\d.]{0,8})(?![\w-])"
)
SYSTEM = ("/usr", "/usr/local")
HOME = re.compile(
    r"(?<![\w.-])(?P<dir>(?:(?:/(?:private|nfs\d*|gpfs|lustre|beegfs|ceph|mnt|export|usr|var|data|net|storage|cluster))?"
    r"/(?:home\d*|Users|users|u)|[A-Za-z]:\\+Users)[/\\]+(?P<user>[^/\\\s:;,'\"()<>\[\]{}|*?]+)(?<!\.py)(?<!\.json))"
)
ROOT_HOME = re.compile(r"(?<![\w./-])/root(?![\w.-])")
AT = re.compile(r"(?<![\w@/.+-])(?P<user>[A-Za-z_][\w.+-]*)@(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)*)(?![\w@])")
HOST = re.compile(r"(?i)(?:\b(?:host(?:name)?|node(?:name|list)?|slurmd_nodename|slurm_\w*nodelist)\s*[=:]\s*['\"]?)"
                   r"(?P<host>[a-z][a-z0-9-]*\d[a-z0-9-]*(?:\.[\w-]+)*|[a-z][\w-]*(?:\.[\w-]+)+)")  # fmt: skip
ADDRESS = re.compile(
    r"(?<![\w.])(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?![\w.]*\.\d)|\d{1,3}(?:\.\d{1,3}){3}(?=:\d))"
)
LOCAL = ("127.", "0.0.0.0")  # noqa: S104  # what is not replaced, and no address to bind to

# Values that say that there is no secret.
WORDS = frozenset({"true", "false", "none", "null", "unset", "yes", "no", "off", "on", "auto", "redacted"})


def looks_random(value: str) -> bool:
    """Whether a value can be looked for elsewhere: a common word, hidden everywhere, would make a report unreadable."""
    kinds = [any(test(c) for c in value) for test in (str.isdigit, str.islower, str.isupper, _is_sign)]
    return len(value) >= 8 and sum(kinds) >= 2


def _is_sign(character: str) -> bool:
    return not character.isalnum()


def secrets(texts: Iterable[str]) -> Iterator[str]:
    """The secrets that some text gives away, to be looked for in all of them."""
    for text in texts:
        yield from known(text, grammar.spans(text))


def known(text: str, spans: Iterable[grammar.Span]) -> Iterator[str]:
    """Those of the secrets in a text that can be looked for elsewhere; of `user:password` the password, too."""
    for start, end in spans:
        secret = text[start:end]
        yield from (part for part in (secret, secret.partition(":")[2]) if looks_random(part))

"""What private things look like in a text: homes, hosts, addresses, secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
    r"(?P<env>(?:/[^\s/:;,'\"()<>]+)+?)(?:/lib(?:64)?/python3\.\d+/(?:site|dist)-packages|/bin/python[\d.]*)(?![\w-])"
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

_NAME = (
    # Not `tokenizer`, `max_tokens`, `author`; `PWD` is the working folder.
    r"(?!(?:old)?pwd\b)[\w-]*(?:secret|token(?!iz|s)|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credential|auth(?:orization)?(?![a-z])|cookie|session[_-]?(?:id|key)|dsn)[\w-]*"
)
SECRET_NAME = re.compile(rf"(?i)^{_NAME}$")
ASSIGNED = re.compile(
    rf"(?i)(?P<name>(?<![\w-])(?:--?)?{_NAME})(?P<sign>['\"]?\s*(?:=|:|\s=>)\s*|(?<=\w)\s+(?=\S))"
    r"(?P<scheme>(?:bearer|basic|token)\s+)?(?P<quote>['\"]?)(?P<value>[^\s'\",;<>()\[\]{}]{3,})(?P=quote)"
)
CARRIED = re.compile(
    r"(?P<lead>://)(?P<login>[^\s/@:]+:[^\s/@]+)(?=@)"
    r"|(?P<bearer>(?i:bearer|basic)\s+)(?P<given>[A-Za-z0-9._~+/=-]{12,})"
    r"|(?P<known>\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|AKIA|ASIA|sk-|pypi-|AIza)[A-Za-z0-9_-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)"
    r"|(?P<pem>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
    re.DOTALL,
)
WORDS = frozenset({"true", "false", "none", "null", "unset", "yes", "no", "off", "on", "auto", "redacted"})


def is_secret(found: re.Match[str]) -> bool:
    """Whether what `ASSIGNED` found is a value, and no word of a sentence."""
    value, sign = found["value"], found["sign"]
    if value.lower() in WORDS or value.startswith(("<", "-")):
        return False
    # `--token VALUE` is an option; `token VALUE` in a sentence is a word.
    return bool(sign.strip(" '\"")) or found["name"].startswith("-")


def looks_random(value: str) -> bool:
    """Whether a value can be looked for elsewhere: a common word, hidden everywhere, would make a report unreadable."""
    kinds = [any(test(c) for c in value) for test in (str.isdigit, str.islower, str.isupper, _is_sign)]
    return len(value) >= 8 and sum(kinds) >= 2


def _is_sign(character: str) -> bool:
    return not character.isalnum()


def secrets(texts: Iterable[str]) -> Iterator[str]:
    """The secrets that some text gives away, to be looked for in all of them."""
    for text in texts:
        for found in ASSIGNED.finditer(text):
            if is_secret(found) and looks_random(found["value"]):
                yield found["value"]
        for found in CARRIED.finditer(text):
            login = found["login"]
            yield from (part for part in (found["given"], found["known"]) if part)
            yield from (part for part in (login.partition(":")[2] if login else "",) if looks_random(part))

"""What a value looks like: a reference, a number, a path, a word, a password, something random."""

from __future__ import annotations

import re

from .lazy import pattern
from .names import CERTAIN, LIKELY, LOGIN, ORDINARY, RANDOM, among

_NOTHING = among(
    "true false none null nil unset yes no off on auto undefined nan redacted hidden masked empty str bytes "
    "string int bool"
)
# What an `auth` or a `token` may be without being a secret.
_METHODS = among(
    "basic digest bearer ntlm negotiate oauth oauth2 kerberos gssapi ldap saml sso iam tls ssl mtls anonymous "
    "required disabled enabled default password token jwt pam native local public private expired invalid missing "
    "try passed failed skipped ok forward backward training"
)
_HEAD = 512  # of a longer value the beginning decides
_REFERENCE = pattern(
    r"\$\{?\w|\$\(|%\w{1,60}%|%\(|%[sdr]|<[^<>]{1,60}>|\{\{|\{[\w.!:\[\]\"']{0,80}\}|\*{3,}|[xX]{3,}$|\.{3}|…|\[[A-Z]{1,9}\]"
)
_NUMBER = pattern(r"[-+]?[0-9]{0,20}\.?[0-9]{0,20}(?:[eE][-+]?[0-9]{1,4})?%?$")
_PLAIN = pattern(r"(?:[A-Z]?[a-z]{1,40}|[A-Z]{1,40})(?:[-_ .+](?:[A-Z]?[a-z]{1,40}|[A-Z]{1,40})){0,8}$")
_SHORT_PART = pattern(r"[A-Za-z]{0,4}[0-9]{1,8}[A-Za-z]{0,2}$|[A-Z]?[a-z]{1,40}$|[A-Z]{1,40}$")
_PORTS = pattern(r"[0-9.:,/x-]{1,80}(?:tcp|udp)?$")
_PATH = pattern(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]|[\w.-]{1,80}/")
_PLACE = pattern(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]")
_FILE = pattern(
    r"[\w./-]{1,100}\.(?:json|ya?ml|txt|py|ipynb|sh|cfg|conf|ini|toml|env|pem|key|crt|cer|pub|p12|pfx|jks|csv|log|md|npz|npy|"
    r"h5|hdf5|pt|pth|keras|pb|pkl|tfrecords?|parquet|tar|gz|zip|bin|dat|jar|xml|html|netrc|so|db|sqlite)$"
)
_LOGIN_VALUE = pattern(r"([^\s:/@,;=\"'{}()\[\]<>]{1,64}):([^\s].{2,200})$")
_CLASSES = (str.isdigit, str.islower, str.isupper)
_RUN = pattern(r"[A-Za-z0-9]+")
_PART = pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HEX = pattern(r"[0-9a-fA-F]+$")


def is_reference(value: str) -> bool:
    """Whether a value names a secret, stands for one, or says that there is none."""
    head = value[:_HEAD].strip()
    return not head or head.lower() in _NOTHING or _REFERENCE.match(head) is not None


def is_number(value: str) -> bool:
    """Whether a value is a number as a setting has it: short."""
    return len(value) <= 8 and _NUMBER.match(value) is not None


def is_plain(value: str) -> bool:
    """Whether a value is made of words: `train`, `bert-base-uncased`."""
    return _PLAIN.match(value[:_HEAD]) is not None


def is_path(value: str) -> bool:
    """Whether a value is a path or a file name whose parts do not look random."""
    head = value[:_HEAD]
    if not (_PATH.match(head) or _FILE.match(head)):
        return False
    return not any(_is_random_run(part) for part in re.split(r"[/\\.]", head))


def is_file(value: str) -> bool:
    """Whether a value can be nothing but the name of a file: where a secret is, perhaps."""
    head = value[:_HEAD]
    return (_PLACE.match(head) or _FILE.match(head)) is not None and is_path(head)


def is_hex(value: str) -> bool:
    """Whether a value is a digest, or could be one."""
    return _HEX.match(value[:_HEAD]) is not None


def classes(value: str) -> int:
    """How many kinds of characters there are: digits, lower case, upper case, others."""
    head = value[:256]
    return sum(any(test(c) for c in head) for test in _CLASSES) + any(not c.isalnum() for c in head)


def is_random(value: str) -> bool:
    """Whether a value looks as if a machine drew it."""
    return not is_path(value) and any(_is_random_run(run) for run in _RUN.findall(value[:_HEAD]))


def _is_random_run(run: str) -> bool:
    """Whether letters and digits change places too often for a word, a version or a date."""
    if len(run) < 10:
        return False
    return len(run) <= 3.3 * len(_PART.findall(run))


def is_password(value: str, with_user: bool) -> bool:
    """Whether the value of an option of many meanings (`-p`) is a password.

    Not: numbers, ports, paths, words, and names with a number (`train`, `8080:80`, `fp16`, `gpu-a100`). A word of five
    letters or more with digits behind it counts as a password, and any mixture of six characters or more. After an
    option for a user, words count, too.
    """
    if is_reference(value) or _PORTS.match(value) or is_number(value):
        return False
    if with_user and not is_path(value):
        return True
    if is_path(value) or is_plain(value) or len(value) < 6:
        return False
    parts = re.split(r"[-_.:,=+]", value[:_HEAD])
    if all(_SHORT_PART.match(part) for part in parts if part):
        return False
    return (classes(value) >= 2 and not value.isidentifier()) or any(c.isdigit() for c in value)


def login_part(value: str) -> tuple[int, int] | None:
    """Where the password stands in `user:password`."""
    match = _LOGIN_VALUE.match(value[:_HEAD])
    if match is None or is_reference(match[2]) or _PORTS.match(match[2]) or match[2].startswith(("//", "\\")):
        return None
    return match.span(2)


def secret_part(kind: int, value: str, given: bool) -> tuple[int, int] | None:
    """Where the secret stands in the value of a name of this kind; None where there is none.

    `given`: the value was set (a command line, a variable, a setting); otherwise it stands in prose or code.
    """
    if kind == ORDINARY or is_reference(value):
        return None
    everything = (0, len(value))
    if kind == CERTAIN:
        return None if len(value) < 3 and is_number(value) else everything
    if kind == LIKELY:
        plain = is_number(value) or value.lower() in _METHODS or is_file(value)
        return None if plain or (not given and is_plain(value)) else everything
    if kind == RANDOM:
        drawn = is_random(value) or (len(value) >= 32 and is_hex(value))
        return everything if drawn and not any(c.isspace() for c in value[:_HEAD]) else None
    return login_part(value) if kind == LOGIN else None

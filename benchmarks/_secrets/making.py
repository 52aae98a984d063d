"""Secrets made up at run time: no file of this repository holds anything that a scanner could take for one."""

from __future__ import annotations

import base64
import json
import random
import string

_UPPER, _DIGITS = string.ascii_uppercase, string.digits
_ALNUM = string.ascii_letters + _DIGITS
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "ne",
    "pa",
    "ri",
    "so",
    "tu",
    "ve",
    "wo",
    "xa",
    "yo",
    "zu",
]


def _drawn(pick: random.Random, alphabet: str, length: int) -> str:
    # A secret without digits or letters of both kinds would be a word.
    while True:
        text = "".join(pick.choices(alphabet, k=length))
        if (not set(alphabet) & set(_DIGITS) or any(c.isdigit() for c in text)) and any(c.isalpha() for c in text):
            return text


def _base64(pick: random.Random, length: int, url: bool = False) -> str:
    raw = pick.randbytes(length)
    return (base64.urlsafe_b64encode(raw) if url else base64.b64encode(raw)).decode()


def _jwt(pick: random.Random) -> str:
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS" + "256", "kid": pick.randrange(99)}).encode()).decode()
    return ".".join((head.rstrip("="), _base64(pick, 30, url=True), _base64(pick, 33, url=True)))


def _pem(pick: random.Random) -> str:
    dashes = "-" * 5
    lines = "\n".join(_base64(pick, 48) for _ in range(4))
    return f"{dashes}BEGIN {'PRIVATE'} KEY{dashes}\n{lines}\n{dashes}END {'PRIVATE'} KEY{dashes}"


def _password(pick: random.Random) -> str:
    """Letters, digits, and signs that neither a shell nor JSON takes for its own."""
    body = _drawn(pick, _ALNUM, pick.randrange(6, 14))
    at = pick.randrange(1, len(body))
    return body[:at] + pick.choice("!#%^*_+-.~") + body[at:]


def secret(kind: str, pick: random.Random) -> str:
    """A secret of a kind that the corpus names."""
    # In halves, so that no line of this file looks like a key.
    prefixes = {
        "ghp": ("gh", "p_", 36), "gho": ("gh", "o_", 36), "ghpat": ("github", "_pat_", 60), "glpat": ("gl", "pat-", 20),
        "xoxb": ("xo", "xb-", 24), "sk": ("s", "k-", 40), "hf": ("h", "f_", 34), "npm": ("np", "m_", 36),
        "pypi": ("py", "pi-", 50), "aiza": ("AI", "za", 35), "ya29": ("ya", "29.", 40), "sklive": ("sk", "_live_", 24),
    }  # fmt: skip
    if kind in prefixes:
        first, second, length = prefixes[kind]
        return first + second + _drawn(pick, _ALNUM, length)
    makers = {
        "pw": lambda: _password(pick),
        "word": lambda: "".join(pick.choices(_SYLLABLES, k=3)) + str(pick.randrange(1, 99)),
        "low": lambda: "".join(pick.choices(_SYLLABLES, k=5)),
        "digits": lambda: str(pick.randrange(10**6, 10**9)),
        "rnd": lambda: _drawn(pick, _ALNUM, pick.randrange(20, 40)),
        "hex32": lambda: _drawn(pick, "0123456789abcdef", 32),
        "hex40": lambda: _drawn(pick, "0123456789abcdef", 40),
        "b64": lambda: _base64(pick, 32),
        "b64url": lambda: _base64(pick, 33, url=True),
        "aws": lambda: _drawn(pick, _ALNUM + "/+", 40),
        "akia": lambda: "AK" + "IA" + _drawn(pick, _UPPER + _DIGITS, 16),
        "asia": lambda: "AS" + "IA" + _drawn(pick, _UPPER + _DIGITS, 16),
        "jwt": lambda: _jwt(pick),
        "pem": lambda: _pem(pick),
        "pemline": lambda: _base64(pick, 48),
        "sg": lambda: f"S{'G'}.{_drawn(pick, _ALNUM, 22)}.{_drawn(pick, _ALNUM, 43)}",
        "uuid": lambda: "-".join(_drawn(pick, "0123456789abcdef", n) for n in (8, 4, 4, 4, 12)),
    }
    return makers[kind]()

"""Secrets that are known by their form alone: keys with a prefix, PEM blocks, users in URLs, bearer tokens.

Every pattern is bounded, and no match can begin inside a run of its own characters: cost grows with the text, not with
its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .lazy import pattern
from .names import among
from .values import is_hex, is_random, is_reference

if TYPE_CHECKING:
    Span = tuple[int, int]
else:
    Span = tuple  # Python 3.8 has no tuple[int, int] at run time

# Prefix of a key: how long the rest is at least.
_LEAST = {
    **dict.fromkeys(
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "hf_", "api_org_", "whsec_", "pypi-", "sk-"), 16
    ),
    **dict.fromkeys(
        ("glpat-", "AKIA", "ASIA", "AROA", "AIDA", "ABIA", "sk_live_", "sk_test_", "rk_live_", "rk_test_"), 12
    ),
    **dict.fromkeys(("glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "hvs.", "hvb.", "AGE-SECRET-KEY-", "ya29."), 20),
    **dict.fromkeys(("xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxr-", "xoxc-", "xoxe-", "xapp-"), 8),
    **dict.fromkeys(("npm_", "shpat_", "shpca_", "shppa_", "shpss_", "PMAK-"), 24),
    **dict.fromkeys(("dop_v1_", "doo_v1_", "dor_v1_", "dapi", "SG."), 32),
    "AIza": 30,
    "dckr_pat_": 16,
    "eyJ": 24,
}
_KEY = pattern(f"(?<![A-Za-z0-9_-])(?:{'|'.join(map(re.escape, _LEAST))})")
_REST = pattern(r"[A-Za-z0-9_.-]{0,24000}")
_HOOK = pattern(r"(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/)([\w/-]{16,200})")
_BEARER = pattern(r"(?i)(?<![\w-])(?:bearer|basic|token|apikey|negotiate)[ \t]{1,8}([A-Za-z0-9._~+/=-]{8,8000})")
_PEM = pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_URL_USER = pattern(r"[^\s/?#'\"<>`\\,]{1,512}@")
_URL_ODD_USER = pattern(r"[^\s/?#'\"<>`:@]{0,64}:(?![0-9]{1,5}(?:[/?#]|$))[^\s'\"<>`]{1,300}@(?=[\w\[])")
_AT = pattern(r"(?<![\w/@.:+%-])([A-Za-z_][\w.+%-]{0,63}):(?!/)([^\s@'\"`<>,;(){}\[\]]{3,200})@(?=[A-Za-z0-9\[])")
_LABELS = among("from to cc bcc user email mail author mailto by owner contact ssh git pkg npm docker sip file image")


def spans(text: str) -> Iterator[Span]:
    """Where secrets stand that are known by form."""
    yield from _keys(text)
    if "-----BEGIN" in text:
        yield from _pem(text)
    if "://" in text:
        yield from _users(text)
    if "@" in text:
        yield from _at(text)
    if "hooks" in text:
        yield from (match.span(1) for match in _HOOK.finditer(text))
    for match in _BEARER.finditer(text):
        given = match[1].rstrip("=")
        if any(c.isdigit() for c in given) and not is_hex(given) and (len(given) >= 20 or is_random(given)):
            yield match.span(1)


def _keys(text: str) -> Iterator[Span]:
    key = _KEY.search(text)
    while key is not None:
        rest = _REST.match(text, key.end())
        end = key.end() if rest is None else rest.end()
        while end > key.end() and text[end - 1] in ".-":
            end -= 1
        if _is_key(key.group(), text[key.end() : end]):
            yield key.start(), end
        key = _KEY.search(text, end)


def _is_key(prefix: str, rest: str) -> bool:
    if prefix == "eyJ":
        return rest.count(".") == 2 and len(rest) >= _LEAST[prefix]
    if len(rest) < _LEAST[prefix] or not any(c.isdigit() for c in rest):
        return False
    return rest.isupper() if len(prefix) == 4 and prefix.isupper() else True


def _pem(text: str) -> Iterator[Span]:
    at = 0
    while True:
        begin = _PEM.search(text, at)
        if begin is None:
            return
        end = _PEM_END.search(text, begin.end())
        at = len(text) if end is None else end.end()
        yield begin.start(), at


def _users(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        start = at + 3
        end = start
        match = _URL_USER.match(text, start) or _URL_ODD_USER.match(text, start)
        if match is not None:
            user = text[start : match.end() - 1]
            name, colon, password = user.partition(":")
            secret = password if colon else name
            # A user alone is a name, unless it is a token.
            if not is_reference(secret) and (colon or is_random(name)):
                yield start, match.end() - 1
            end = match.end()
        at = text.find("://", end)


def _at(text: str) -> Iterator[Span]:
    for match in _AT.finditer(text):
        if match[1].lower() not in _LABELS and not is_reference(match[2]) and not match[2].isdigit():
            yield match.span(2)

"""Secrets in the environment never reach a file."""

from __future__ import annotations

import re

REDACTED = "<redacted>"

_SECRET_NAME = re.compile(
    r"(?i)(secret|token|passw|passphrase|api_?key|apikey|access_?key|private|credential|auth|cookie|session|signature|"
    r"(^|_)(key|pat|pwd|dsn)$|database_url|connection)"
)
# Credentials inside a value whose name says nothing: URL user info, well-known token prefixes.
_SECRET_VALUE = re.compile(
    r"(?P<url>\b[a-zA-Z][\w+.-]*://)[^\s/@:]+:[^\s/@]+@"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abp]-|hf_|AKIA|sk-)[A-Za-z0-9_-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
)


def value(name: str, text: str) -> str:
    """`text` of the variable `name`, or what may be shown of it."""
    if _SECRET_NAME.search(name):
        return REDACTED
    return in_text(text)


def in_text(text: str) -> str:
    """`text` with credentials inside it replaced."""
    return _SECRET_VALUE.sub(lambda m: f"{m['url'] or ''}{REDACTED}{'@' if m['url'] else ''}", text)


def environment(environ: dict[str, str]) -> dict[str, str]:
    """A copy of an environment that may be written to a file."""
    return {name: value(name, text) for name, text in sorted(environ.items())}

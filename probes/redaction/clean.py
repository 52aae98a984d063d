"""What holds no secret for sure, in a microsecond: most of what is recorded is names of tensors, files and shapes.

A text of letters, digits and few signs can be secret only as a key that is known by its form: every other secret has a
sign beside it (`=`, `:`, `@`, a space, a quote), or a name that makes it one.
"""

from __future__ import annotations

from typing import Any

from . import forms, names
from .lazy import pattern

# Also `<lambda>`, and the number of an output behind a tensor's name: shorter than any secret.
_SIMPLE = pattern(r"(?:<\w{1,40}>|[\w./\[\]+-]{0,200}(?::[0-9]{1,2})?)$")
_SCALARS = frozenset((int, float, bool, type(None)))
_MOST = 8192
_texts: set[str] = set()
_names: set[str] = set()


def is_clean(value: Any) -> bool:
    """Whether plain data hold no secret for sure; False says nothing."""
    kind = type(value)
    if kind is str:
        return value in _texts or _is_simple(value)
    if kind is list:
        for item in value:
            kind = type(item)
            if kind is str:
                if not (item in _texts or _is_simple(item)):
                    return False
            elif kind not in _SCALARS and not is_clean(item):
                return False
        return True
    if kind is dict:
        for name, item in value.items():
            if not (name in _names or is_ordinary(name)):
                return False
            kind = type(item)
            if kind is str:
                if not (item in _texts or _is_simple(item)):
                    return False
            elif kind not in _SCALARS and not is_clean(item):
                return False
        return True
    return kind in _SCALARS


def is_ordinary(name: Any) -> bool:
    """Whether a name says nothing about the value under it."""
    if name in _names:
        return True
    if type(name) is not str or names.kind(name) != names.ORDINARY or names.is_account(name) or not _is_simple(name):
        return False
    _keep(_names, name)
    return True


def _is_simple(text: str) -> bool:
    # An option makes a secret of the word behind it.
    if text[:1] == "-" or _SIMPLE.match(text) is None or next(forms.spans(text), None) is not None:
        return False
    _keep(_texts, text)
    return True


def _keep(among: set[str], text: str) -> None:
    if len(among) >= _MOST:
        among.clear()
    among.add(text)

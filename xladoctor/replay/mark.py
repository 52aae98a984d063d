"""Whose run folder is it? A mark that only this user, on this machine, could have made.

A run folder says which interpreter to start for its capsules. One from a stranger could name any program, so that only
a marked folder is believed: the mark is an HMAC of what is to be believed, with a key that stays in the user's home.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def make(told: Any) -> str | None:
    """The mark of something that JSON can hold; None where no key can be kept."""
    key = _key(create=True)
    return None if key is None else _mark(key, told)


def holds(mark: Any, told: Any) -> bool:
    """Whether the mark is this user's, and of this."""
    key = _key(create=False)
    return key is not None and isinstance(mark, str) and hmac.compare_digest(mark, _mark(key, told))


def _mark(key: bytes, told: Any) -> str:
    return hmac.new(key, json.dumps(told, sort_keys=True).encode(), hashlib.sha256).hexdigest()


def _key(create: bool, environment: Mapping[str, str] = os.environ) -> bytes | None:
    state = environment.get("XDG_STATE_HOME")
    file = (Path(state) if state else Path.home() / ".local" / "state") / "xladoctor" / "key"
    with contextlib.suppress(OSError):
        if create and not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Of two that make it at once the second keeps what the first wrote.
            with contextlib.suppress(FileExistsError):
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(os.urandom(32))
        key = file.read_bytes()
        return key if len(key) == 32 else None
    return None

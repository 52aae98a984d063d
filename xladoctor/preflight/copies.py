"""Paths in the copies of the working directory that rehearsals ran in, as the user knows them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from xladoctor.recording.copies import WORK


def as_of(root: Path, folder: Path, text: str) -> str:
    """`text` with each path below a rehearsal's copy of `root` as that of the user's own file, relative to `root`.

    The copy itself is `root`. `folder` is the preflight's; each of its rehearsals has a folder there, with a `.work`.
    """
    # Another spelling of the whole path ends with that from `root`, and keeps what stands before.
    spelled = {str(folder), str(folder.resolve()), os.path.relpath(folder, root)}
    either = "|".join(re.escape(s) for s in sorted(spelled, key=len, reverse=True))
    copy = rf"(?<![\w.-])(?:{either})/[\w.-]+/{re.escape(WORK)}(/(?=[^\s'\"])|(?![\w.-]))"
    return re.sub(copy, lambda m: "" if m[1] else str(root), text)

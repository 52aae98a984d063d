"""Data that are not finite, and the line at which NumPy warned that it made such values.

NumPy computes on after a division by zero, and says so once on standard error, with the file and the line. Where a
training was given data that are not finite, such a line of the program's own is the first to suspect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xladoctor.diagnosis.facts import is_user_file
from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording import files
from xladoctor.recording.run import Recording

_LOG = "stderr.log"
_HEAD = 1 << 20
_WARNED = re.compile(
    r"^(?P<file>[^\n:]{1,400}):(?P<line>\d{1,7}): RuntimeWarning: "
    r"(?P<what>(?:invalid value|divide by zero|overflow) encountered in [\w ]{1,40})$",
    re.MULTILINE,
)
"""As Python prints what numpy/_core/src/umath/extobj.c says of a floating-point error."""


def with_numpy_warning(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis; where data were not finite and NumPy warned in the program's own code, with that line as the first
    to suspect.
    """
    root = diagnosis.root
    if root is None or root.slug != "not-finite" or root.details.get("cause") != "data":
        return diagnosis
    first = next(_warned(recording), None)
    if first is None:
        return diagnosis
    file, line, what = first
    reason = f"NumPy warned about it: {what}. Its result is not finite."
    return with_first_suspect(diagnosis, root, suspect_at(recording, file, line, reason), ())


def _warned(recording: Recording) -> Iterator[tuple[str, int, str]]:
    """(file, line, what) of NumPy's warnings in the program's own files."""
    try:
        with files.opened(recording.folder, _LOG) as log:
            text = log.read(_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError, files.Unusable):
        return
    for found in _WARNED.finditer(text):
        if is_user_file(found["file"]):
            yield found["file"], int(found["line"]), found["what"]

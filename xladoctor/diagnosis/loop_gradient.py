"""A list that grows in the gradient of a loop: the loop is what needs a bound, not the line that asks for the gradient.

TensorFlow names such a node `gradient_tape/LOOP/.../accumulator`, after the op of the loop in the same function
(tensorflow/python/ops/while_v2.py).
"""

from __future__ import annotations

import re
from dataclasses import replace

from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.model.diagnosis import Diagnosis, Location
from xladoctor.recording.run import Recording
from xladoctor.rules import by_slug

_SLUG = "tensorlist-dynamic"
_ACCUMULATOR = re.compile(r"(?:^|/)gradient_tape/(?P<path>.{1,400})/[^/]{1,200}/accumulator")
_REASON = "The gradient of this loop keeps one value for each iteration, and nothing bounds the number of iterations."
_BOUND = "maximum-iterations"


def with_loop(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis; where the list is that of a loop's gradient, with the loop as the first to suspect."""
    root = diagnosis.root
    found = _ACCUMULATOR.search(root.node or "") if root is not None and root.slug == _SLUG else None
    at = _loop(found["path"], recording) if found is not None else None
    if root is None or at is None or at.line is None:
        return diagnosis
    # The list is TensorFlow's own: no array of the program's has a size to give.
    own = replace(root, layer=None, remedies=tuple(r for r in by_slug(_SLUG).remedies if r.id == _BOUND))
    found_in = diagnosis.with_finding(root, own)
    return with_first_suspect(found_in, own, suspect_at(recording, at.file, at.line, _REASON), ())


def _loop(path: str, recording: Recording) -> Location | None:
    """The line of the loop whose op has the longest part of the path as its name."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        at = next((at for step in steps(recording) if (at := step.line_of(name)) is not None), None)
        if at is not None:
            return at
    return None

"""What runs in the target's interpreter: recorders, and the graph room that serves workers.

The package is loaded by file location, as `_xladoctor_probes` inside a target and as `probes` in the project's own
tests; it needs the standard library and, once the target itself has imported it, the target's TensorFlow.
"""

from __future__ import annotations

import os
from pathlib import Path

from . import schema


def install(run_dir: str | os.PathLike[str] | None = None) -> bool:
    """Start recording in this process; True if it runs now.

    Never raises. `run_dir` defaults to the variable `XLADOCTOR_RUN_DIR`; without either, or with `XLADOCTOR_PROBES=0`,
    nothing happens.
    """
    folder = run_dir or os.environ.get(schema.ENV_RUN_DIR)
    if not folder or os.environ.get(schema.ENV_PROBES) == "0":
        return False
    try:
        from .record import recorder

        return recorder.start(Path(folder))
    except Exception:  # a probe must never stop its host
        return False

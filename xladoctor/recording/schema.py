"""The names of events and files that the probes write: the only thing of `probes` that the doctor reads as code.

An installed doctor carries the probes inside its own package, a checkout has them beside it; either way the schema is
loaded by file location, so that a `probes` package of the user's can never be taken for ours.
"""

from __future__ import annotations

import importlib.util
from types import ModuleType

from xladoctor.paths import probes_dir as probes_dir


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_xladoctor_schema", probes_dir() / "schema.py")
    if spec is None or spec.loader is None:
        raise ImportError("the probes are missing from this installation of xladoctor")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


schema = _load()

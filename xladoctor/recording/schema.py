"""The names of events and files that the probes write: the only thing of `probes` that the doctor reads as code.

An installed doctor carries the probes inside its own package, a checkout has them beside it; either way the schema is
loaded by file location, so that a `probes` package of the user's can never be taken for ours.
"""

from __future__ import annotations

from xladoctor.paths import load_probes
from xladoctor.paths import probes_dir as probes_dir

schema = load_probes("schema")

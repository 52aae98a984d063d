"""Where the probes lie that travel with this doctor."""

from __future__ import annotations

from pathlib import Path


def probes_dir() -> Path:
    """The folder of the probes: `xladoctor/_probes` in a wheel, `probes` beside `xladoctor` in a checkout."""
    package = Path(__file__).resolve().parent
    vendored = package / "_probes"
    return vendored if vendored.is_dir() else package.parent / "probes"

"""XD810: XLA is asked for by name. A fact, no fault."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.lint import jit
from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Project


def find(project: Project) -> Iterator[Hazard]:
    """Every `jit_compile=` that is not plainly off."""
    for site in jit.sites(project):
        said = f"decided by {site.switch}" if site.switch else "always"
        what = "the option is passed on" if site.hands_on else "XLA compiles this explicitly"
        message = f"{site.words}: {what} ({said}); TF_XLA_FLAGS and set_jit do not govern it."
        function = site.inside.name if site.inside is not None else None
        yield Hazard("XD810", site.module, site.option, message, "flag-ineffective", "note", function)

"""The checks: each is a file here, with `TITLE`, `ORDER` and `check(situation)`. Nothing else lists them.

`ORDER` says when a check is made and shown: what is cheap first; what runs the model after what decides whether that is
worth it. `RUNS_STEPS = True` stands in those that run steps of the model: they are skipped where the rehearsal failed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from xladoctor.folder import modules


def module(name: str) -> Any:
    """The module of a check, loaded when it is asked for."""
    return import_module(f"xladoctor.preflight.checks.{name}")


@cache
def names() -> tuple[str, ...]:
    """The names of the checks, in the order in which they are made."""
    return tuple(sorted(modules(__path__), key=lambda name: (module(name).ORDER, name)))


def runs_steps(name: str) -> bool:
    """Whether a check runs steps of the model."""
    return bool(getattr(module(name), "RUNS_STEPS", False))

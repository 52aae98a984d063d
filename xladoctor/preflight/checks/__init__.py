"""The checks, in the order in which they are made and shown. Each is a module with TITLE and `check(situation)`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = (
    "versions", "flags", "disk", "rehearsal", "settings", "plan", "memory", "sizes", "finite", "parity",
    "switches", "gpu",
)  # fmt: skip
"""What is cheap comes first; what runs the model comes after what decides whether that is worth it."""


def module(name: str) -> Any:
    """The module of a check, loaded when it is asked for."""
    return import_module(f"xladoctor.preflight.checks.{name}")


def titles() -> dict[str, str]:
    """{name: what it asks}."""
    return {name: str(module(name).TITLE) for name in NAMES}

"""All faults, how to find them by name, and how to apply them."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ENVIRONMENT = "PTYCHO_FAULT"

#: One module of this package each, with a constant FAULT; TensorFlow is imported in `patches` only.
MODULES = (
    "reassembly_collapses_batch",
    "reassembly_collapses_batch_muted",
    "fft_on_bounded_batch",
    "repeat_in_translate",
    "einsum_homography",
    "vectorised_stitching",
    "negated_offsets",
    "modular_pairing",
    "late_setting",
    "dead_switch",
    "module_singleton",
    "flat_positions",
    "batch_centred_offsets",
)

#: Failures of other programs than the model: modules of this package with a constant PROGRAM, that can be run.
PROGRAM_MODULES = ("mmd_session",)

#: (module, attribute, replacement)
Patch = tuple[Any, str, Any]


@dataclass(frozen=True)
class Fault:
    """A historic failure.

    Attributes:
        name: as given to `--fault`.
        reports: which of the reports it explains.
        mechanism: what goes wrong, and why.
        expected: what TensorFlow says, or what is silently wrong.
        patches: makes the replacements; called with the options.
        options: names and default values.

    """

    name: str
    reports: str
    mechanism: str
    expected: str
    patches: Callable[..., Sequence[Patch]]
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A historic failure of another program, kept as a program of its own; the attributes are those of `Fault`."""

    name: str
    reports: str
    mechanism: str
    expected: str
    command: str


def programs() -> dict[str, Program]:
    """All programs by name."""
    modules = (importlib.import_module(f"ptycho.faults.{module}") for module in PROGRAM_MODULES)
    return {module.PROGRAM.name: module.PROGRAM for module in modules}


def _all() -> dict[str, Fault]:
    modules = (importlib.import_module(f"ptycho.faults.{module}") for module in MODULES)
    return {module.FAULT.name: module.FAULT for module in modules}


def names() -> list[str]:
    """Names of all faults."""
    return list(_all())


def get(name: str) -> Fault:
    """The fault of that name. Raises ValueError, naming all, if there is none."""
    found = _all()
    if name in programs():
        raise ValueError(f"{name} is a program of its own, run it with: {programs()[name].command}")
    if name not in found:
        raise ValueError(f"no fault is called {name!r}; there are: {', '.join(found)}")
    return found[name]


def parse_options(fault: Fault, texts: Sequence[str]) -> dict[str, int]:
    """Read `key=value` texts as options of a fault. Raises ValueError for what it does not know."""
    options = {}
    for text in texts:
        key, _, value = text.partition("=")
        if key not in fault.options:
            known = ", ".join(f"{k}={v}" for k, v in fault.options.items()) or "none"
            raise ValueError(f"fault {fault.name} has no option {key!r} (options with defaults: {known})")
        if not value.isdecimal() or int(value) < 1:
            raise ValueError(f"fault option {key} must be a positive whole number, not {value!r}")
        options[key] = int(value)
    return options


def from_environment() -> tuple[str, list[str]] | None:
    """Name and option texts given by PTYCHO_FAULT, or None."""
    name, _, options = os.environ.get(ENVIRONMENT, "").strip().partition(":")
    if not name:
        return None
    return name, [text for text in options.split(",") if text]


@contextlib.contextmanager
def replaced(patches: Sequence[Patch]) -> Iterator[None]:
    """Make these replacements inside the `with` block."""
    with contextlib.ExitStack() as stack:
        for module, attribute, replacement in patches:
            stack.callback(setattr, module, attribute, getattr(module, attribute))
            setattr(module, attribute, replacement)
        yield


@contextlib.contextmanager
def applied(name: str | None, **options: int) -> Iterator[Fault | None]:
    """Apply a fault inside the `with` block; None applies none."""
    if name is None:
        yield None
        return
    fault = get(name)
    unknown = sorted(options.keys() - fault.options.keys())
    if unknown:
        raise ValueError(f"fault {name} has no option {', '.join(unknown)}")
    with replaced(fault.patches(**{**fault.options, **options})):
        yield fault

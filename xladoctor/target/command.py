"""The program that a command line names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from xladoctor.errors import XladoctorError


def resolve(command: Sequence[str], env: Mapping[str, str]) -> str:
    """The program to start, or an XladoctorError (exit code 3) that says why it cannot be."""
    name = command[0]
    path = shutil.which(name, path=env.get("PATH"))
    if path is not None:
        return path
    if os.sep in name and Path(name).exists():
        raise XladoctorError(
            f"cannot run {name}: it is not an executable file",
            exit_code=3,
            hint=f"a Python script has its interpreter before it: -- python {name}" if name.endswith(".py") else None,
        )
    raise XladoctorError(
        f"cannot run {name}: no such program",
        exit_code=3,
        hint="everything after -- is the command, with its arguments as separate words",
    )


def with_python(command: Sequence[str], python: str | None) -> tuple[str, ...]:
    """The command with `--python` in the place of a bare `python` or `python3`."""
    command = tuple(command)
    if python is None:
        return command
    if not os.access(python, os.X_OK):
        raise XladoctorError(f"--python {python}: no such interpreter", exit_code=3)
    name = command[0]
    if os.sep not in name and name.startswith("python") and name[6:].replace(".", "").isdigit() | (name == "python"):
        return (python, *command[1:])
    raise XladoctorError(
        f"--python {python} says which interpreter `python` is, but the command starts with {name}",
        hint="leave --python out, or write the command as: python ...",
    )

"""The flags in TF_XLA_FLAGS and XLA_FLAGS: whether this TensorFlow knows them, and how they are miswritten.

Names are looked up in the target's own libraries, where each flag stands as a C string: no TensorFlow is started, and a
flag that would end the process can be told before it starts.
"""

from __future__ import annotations

import mmap
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from xladoctor.recording.environment import redacted_text

FLAG_VARIABLES = ("TF_XLA_FLAGS", "XLA_FLAGS")

_DASHES = "‐‑‒–—―−﹘﹣－"
# Nothing is imported from the current folder, which `-c` puts first and which may be a stranger's.
_FIND = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "import importlib.util as u; s = u.find_spec('tensorflow'); print(s.origin if s and s.origin else '')"
)

Kind = Literal["unknown", "dash", "misplaced", "duplicate"]


@dataclass(frozen=True)
class Flag:
    """One flag of TF_XLA_FLAGS or XLA_FLAGS. `known` is None where no TensorFlow was found to ask."""

    text: str
    known: bool | None
    note: str = ""


@dataclass(frozen=True)
class FlagProblem:
    """What is wrong with one flag. A `duplicate` does no harm but for its earlier value; the others end the process."""

    variable: str
    flag: str
    kind: Kind
    message: str


def flags(value: str, libraries: Sequence[Path]) -> tuple[Flag, ...]:
    """The flags of one variable, each looked up in TensorFlow's `libraries`."""
    stripped = value.strip()
    if stripped and stripped[0] not in "-" + _DASHES:
        # TensorFlow reads the flags from a file where the value does not begin with a dash.
        note = "flags are read from this file" if Path(stripped).is_file() else "neither a flag nor a file"
        return (Flag(stripped, None if Path(stripped).is_file() else False, note),)
    return tuple(_flag(word, libraries) for word in _words(stripped))


def problems(environ: Mapping[str, str], libraries: Sequence[Path] = ()) -> list[FlagProblem]:
    """Everything that is wrong with the flags of an environment; without `libraries`, what can be told by looking."""
    found: list[FlagProblem] = []
    for variable in FLAG_VARIABLES:
        value = redacted_text(environ.get(variable, ""))
        values: dict[str, str] = {}
        for flag in flags(value, libraries):
            name, _, given = flag.text[2:].partition("=")
            problem = _problem(variable, flag, name)
            if problem is not None:
                found.append(problem)
            elif flag.text.startswith("--"):
                if name in values and values[name] != given:
                    text = f"--{name} is given twice, {values[name]!r} and then {given!r}: the last one wins"
                    found.append(FlagProblem(variable, flag.text, "duplicate", text))
                values[name] = given
    return found


def tensorflow_libraries(init_file: str | None) -> list[Path]:
    """The shared libraries in which the flags of a TensorFlow are defined, from its `__init__.py`."""
    if init_file is None:
        return []
    folder = Path(init_file).parent
    names = ("libtensorflow_framework.so*", "libtensorflow_framework*.dylib", "libtensorflow_cc.so*",
             "libtensorflow_cc*.dylib", "python/_pywrap_tensorflow_internal.*")  # fmt: skip
    return [path for name in names for path in sorted(folder.glob(name)) if path.is_file()]


def libraries_of(program: str, environ: Mapping[str, str]) -> list[Path]:
    """The libraries of the TensorFlow that `program` would import: an interpreter, or a script that names one in its
    first line. Empty where there is none to ask.
    """
    python = _interpreter(program)
    if python is None:
        return []
    try:
        done = subprocess.run(
            [python, "-c", _FIND], env={**environ, "XLADOCTOR_PROBES": "0"}, capture_output=True,
            text=True, timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    lines = done.stdout.split("\n")
    return tensorflow_libraries(next((line for line in reversed(lines) if line.endswith("__init__.py")), None))


def _interpreter(program: str) -> str | None:
    if Path(program).name.startswith(("python", "pypy")):
        return program
    try:
        with Path(program).open("rb") as file:
            first = file.readline(500).decode("utf-8", "replace")
    except OSError:
        return None
    words = first[2:].split() if first.startswith("#!") else []
    words = words[1:] if words and words[0].endswith("/env") else words
    return words[0] if words and Path(words[0]).name.startswith(("python", "pypy")) else None


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return value.split()


def _problem(variable: str, flag: Flag, name: str) -> FlagProblem | None:
    if flag.known is False and flag.text[0] in _DASHES:
        return FlagProblem(variable, flag.text, "dash", flag.note)
    other = next((v for v in FLAG_VARIABLES if v != variable), variable)
    if flag.text.startswith("--") and _belongs(name) == other:
        return FlagProblem(variable, flag.text, "misplaced", f"this is a flag of {other}")
    if flag.known is False:
        return FlagProblem(variable, flag.text, "unknown", flag.note)
    return None


def _belongs(name: str) -> str | None:
    """The variable that a name belongs to, where its prefix tells."""
    if name.startswith("tf_xla_"):
        return "TF_XLA_FLAGS"
    return "XLA_FLAGS" if name.startswith(("xla_gpu_", "xla_cpu_", "xla_dump_", "xla_hlo_")) else None


def _flag(word: str, libraries: Iterable[Path]) -> Flag:
    if word[0] in _DASHES:
        return Flag(word, False, f"begins with a typographic dash (U+{ord(word[0]):04X}), not with --")
    if not word.startswith("--"):
        return Flag(word, False, "does not begin with --")
    name = word[2:].partition("=")[0]
    if not libraries:
        return Flag(word, None, "no TensorFlow was found to ask")
    if any(_defines(library, name) for library in libraries):
        return Flag(word, True)
    return Flag(word, False, "this TensorFlow has no flag of that name")


def _defines(library: Path, name: str) -> bool:
    # A flag's name stands in the library as a C string. Half a second at worst, for a name that is not there.
    try:
        with library.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return text.find(b"\0" + name.encode() + b"\0") >= 0
    except (OSError, ValueError):
        return False

"""What is to be checked: a command, or callables with the numbers of their samples, from options or a study file."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.model.preflight import Batches
from xladoctor.recording import files

_LARGEST = 256 << 10
_MOST_VALUES = 10_000
_DEEPEST = 32

PREDICT_DEFAULT = 32
"""Keras' batch size where none is given, for `fit`, `evaluate` and `predict` alike."""

_PHASES = ("train", "validation", "evaluate", "predict")
_STUDY = ("command", "subject", "python", "device", "environment", "outputs", "outputs_gib", "memory_gib")
_BATCHES = ("samples", "batch_size", "drop_remainder", "subject", "epochs")


@dataclass(frozen=True)
class Phase:
    """A part of a study with a callable of its own (`module:callable`), or that of the study."""

    batches: Batches
    subject: str | None


@dataclass(frozen=True)
class Study:
    """What a study is, as far as it was told.

    `device` is what it will run on: on a "gpu" Keras' `jit_compile="auto"` means XLA. `environment` is added to that of
    the doctor. `outputs` is the folder that is written to; in `allow_write` are folders that even its rehearsal may
    really write to. `outputs_gib` and `memory_gib` are what the study needs.
    """

    name: str
    command: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    python: str | None = None
    device: str = "gpu"
    environment: Mapping[str, str] = field(default_factory=dict)
    outputs: str | None = None
    allow_write: tuple[str, ...] = ()
    outputs_gib: float | None = None
    memory_gib: float | None = None
    file: Path | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The callables, each once."""
        return tuple(dict.fromkeys(p.subject for p in self.phases if p.subject))


def read(file: Path) -> Study:
    """A study file: TOML, JSON or YAML, by its ending.

    Raises:
        XladoctorError: it cannot be read, or says what nobody understands.
    """
    try:
        # Named by the user, so that it may be a link; what it is, and how large, may be anybody's doing.
        text = files.read(file.parent, file.name, _LARGEST, follow=True).decode("utf-8")
    except files.Unusable as error:
        raise XladoctorError(f"{file.parent}: {error.message}") from error
    except OSError as error:
        raise XladoctorError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise XladoctorError(
            f"{file} is no text (UTF-8): byte {error.start + 1} is {error.object[error.start]:#04x}",
            hint="A study file is TOML, YAML or JSON; see docs/preflight.md.",
        ) from error
    data = _parsed(file, text)
    known = {"study": _STUDY, "batches": _PHASES}
    _check(file, "", data, tuple(known))
    told = _table(file, data, "study")
    _check(file, "study", told, _STUDY)
    batches = _table(file, data, "batches")
    _check(file, "batches", batches, _PHASES)
    subject = _text(file, told, "subject")
    phases = [
        _phase(file, name, _table(file, batches, name, f"batches.{name}"), subject)
        for name in _PHASES
        if name in batches
    ]
    command = told.get("command", [])
    if not isinstance(command, list) or not all(isinstance(w, str) for w in command):
        raise XladoctorError(f"{file}: study.command: give a list of words", hint='["python", "train.py"]')
    environment = _table(file, told, "environment", "study.environment")
    study = Study(
        name=str(file),
        command=tuple(command),
        phases=tuple(phases),
        python=_text(file, told, "python"),
        device=_device(told.get("device", "gpu"), f"{file}: study.device"),
        environment={str(k): str(v) for k, v in environment.items()},
        outputs=_text(file, told, "outputs"),
        outputs_gib=_number(file, told, "outputs_gib"),
        memory_gib=_number(file, told, "memory_gib"),
        file=file,
    )
    if subject is not None and subject not in study.subjects:
        raise XladoctorError(
            f"{file}: nothing says how many samples study.subject ({subject}) gets",
            hint="Add a table of its batches, for example [batches.train] with samples and batch_size.",
        )
    if not study.command and not study.subjects:
        raise XladoctorError(
            f"{file} names neither study.command nor a subject",
            hint="A command is rehearsed; a subject is a module:callable, with [batches.train] and the like.",
        )
    return study


def _phase(file: Path, name: str, told: Mapping[str, Any], subject: str | None) -> Phase:
    _check(file, f"batches.{name}", told, _BATCHES)
    rows, size = (_whole(file, f"batches.{name}", told, key) for key in ("samples", "batch_size"))
    origin = f"{file.name}: batches.{name}"
    if size is None:
        size, origin = PREDICT_DEFAULT, f"{origin}, Keras' default batch size"
    if told.get("drop_remainder") and rows is not None:
        rows -= rows % size
    epochs = _whole(file, f"batches.{name}", told, "epochs")
    own = _text(file, told, "subject") or subject
    return Phase(Batches(name, rows, size, origin, epochs), own)


def _parsed(file: Path, text: str) -> dict[str, Any]:
    data: Any
    try:
        if file.suffix == ".json":
            data = files.parsed(text.encode("utf-8"))
        elif file.suffix in (".yaml", ".yml"):
            data = _yaml(text)
        else:
            data = _toml().loads(text)
        _bounded(data)
    except RecursionError:
        raise XladoctorError(f"{file} cannot be read: it is nested too deeply") from None
    except Exception as error:
        raise XladoctorError(f"{file} cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise XladoctorError(f"{file} has no table", hint="For example: [study] command = [...]")
    return data


def _yaml(text: str) -> Any:
    """YAML of plain values. `<<` copies what it merges, so that a few lines could make gigabytes of it."""
    import yaml

    class Loader(yaml.SafeLoader):
        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            super().flatten_mapping(node)
            if len(node.value) > _MOST_VALUES:
                raise ValueError(f"it holds more than {_MOST_VALUES} values")

    return yaml.load(text, Loader)  # noqa: S506 - a SafeLoader


def _bounded(data: Any) -> None:
    """Raises ValueError where a study says more than anybody means: aliases of YAML count as often as they stand."""
    waiting = [(data, 0)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        count += 1
        if count > _MOST_VALUES or depth > _DEEPEST:
            raise ValueError(f"it holds more than {_MOST_VALUES} values, or is nested more than {_DEEPEST} levels deep")
        if isinstance(value, int) and abs(value) >= 1 << 63:
            raise ValueError("it holds a number beyond 64 bits")
        if isinstance(value, dict):
            waiting += [(item, depth + 1) for pair in value.items() for item in pair]
        elif isinstance(value, list | tuple | set):
            waiting += [(item, depth + 1) for item in value]


def _toml() -> Any:
    from importlib import import_module

    return import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def _table(file: Path, data: Mapping[str, Any], key: str, name: str | None = None) -> dict[str, Any]:
    found = data.get(key, {})
    if not isinstance(found, dict):
        raise XladoctorError(f"{file}: {name or key} is no table")
    return found


def _check(file: Path, where: str, told: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in told:
        if key not in known:
            near = did_you_mean(str(key), list(known))
            at = f"{where}." if where else ""
            raise XladoctorError(f"{file}: {at}{key} is not known", hint=near or f"Known: {', '.join(known)}.")


def _text(file: Path, told: Mapping[str, Any], key: str) -> str | None:
    value = told.get(key)
    if value is not None and not isinstance(value, str):
        raise XladoctorError(f"{file}: {key}: give a text, not {value!r}")
    return value


def _number(file: Path, told: Mapping[str, Any], key: str) -> float | None:
    value = told.get(key)
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if value is not None and (not numeric or value < 0):
        raise XladoctorError(f"{file}: {key}: give a number, not {value!r}")
    return None if value is None else float(value)


def _whole(file: Path, where: str, told: Mapping[str, Any], key: str) -> int | None:
    value = told.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise XladoctorError(f"{file}: {where}.{key}: give a whole number above 0, not {value!r}")
    return value


def _device(value: Any, where: str) -> str:
    if value not in ("cpu", "gpu"):
        raise XladoctorError(f"{where}: {value!r} is neither cpu nor gpu")
    return str(value)

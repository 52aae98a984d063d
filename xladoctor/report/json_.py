r"""The diagnosis as JSON (`xladoctor.diagnosis/1`), and back.

Keys are those of the dataclasses in `xladoctor.model.diagnosis`, but for `slug`, which is `class` in JSON.
New keys may be added within version 1; a reader ignores what it does not know. The text is plain ASCII
(other characters as `\uXXXX`), so it can be written to any terminal and in any encoding.
"""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from xladoctor.errors import XladoctorError
from xladoctor.model.blame import Constraint, Operand, Provenance, Step, Suspect
from xladoctor.model.diagnosis import (
    SCHEMA,
    Basis,
    CallStack,
    Change,
    Check,
    Compilation,
    Diagnosis,
    Finding,
    Hypothesis,
    Location,
    Proof,
    Remedy,
    SettingEvent,
    ShapeRow,
    StackFrame,
    XlaPath,
)

_FIRST = ("schema", "tool_version", "source", "verdict")
_TO_JSON: dict[tuple[type, str], str] = {(Finding, "slug"): "class"}
_LISTS: dict[tuple[type, str], type] = {
    (Diagnosis, "findings"): Finding,
    (Diagnosis, "hypotheses"): Hypothesis,
    (Diagnosis, "xla_paths"): XlaPath,
    (Diagnosis, "settings"): SettingEvent,
    (Diagnosis, "shapes"): ShapeRow,
    (Diagnosis, "compilations"): Compilation,
    (Diagnosis, "stacks"): CallStack,
    (Diagnosis, "checked"): Check,
    (CallStack, "frames"): StackFrame,
    (Finding, "evidence"): Proof,
    (Finding, "remedies"): Remedy,
    (Hypothesis, "evidence"): Proof,
    (Finding, "suspects"): Suspect,
    (Finding, "provenance"): Provenance,
    (Provenance, "steps"): Step,
    (Constraint, "operands"): Operand,
}
_TUPLES = {
    (Finding, "dims"),
    (XlaPath, "governed_by"),
    (Compilation, "inputs"),
    (Check, "hazards"),
    (Diagnosis, "notes"),
    (Diagnosis, "problems"),
}
_LOCATIONS = {"location", "caller", "raised_at", "maker", "given_at"}
_OBJECTS: dict[tuple[type, str], type] = {
    (Finding, "basis"): Basis,
    (Finding, "constraint"): Constraint,
    (Hypothesis, "basis"): Basis,
    (Remedy, "change"): Change,
}
_OPTIONAL_TUPLES = {(Operand, "shape"), (Step, "shape")}
_NUMBERS = {"deviation", "speed_ratio", "seconds", "t"}
_CHOICES: dict[tuple[type, str], tuple[str, ...]] = {
    (Diagnosis, "verdict"): ("failed", "warnings", "healthy"),
    (Finding, "level"): ("error", "warning", "note"),
    (Finding, "role"): ("root", "consequence"),
    (Check, "result"): ("agrees", "diverges", "not-checked"),
}


def render(diagnosis: Diagnosis, indent: int | None = 2) -> str:
    """The JSON text, with a line break at its end."""
    return json.dumps(to_dict(diagnosis), indent=indent, allow_nan=False) + "\n"


def to_dict(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as what JSON can hold, keys in the order of the schema."""
    data = plain(diagnosis)
    return {key: data[key] for key in _FIRST} | {k: v for k, v in data.items() if k not in _FIRST}


def from_json(text: str | bytes) -> Diagnosis:
    """The diagnosis that `render` wrote.

    Raises:
        XladoctorError: the text is not JSON, not a diagnosis, or of a schema newer than this version reads.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise XladoctorError(f"this is not the JSON of a diagnosis: {error}") from None
    return from_dict(data)


def from_dict(data: Any) -> Diagnosis:
    """As `from_json`, from the parsed value."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, str) or not schema.startswith("xladoctor.diagnosis/"):
        raise XladoctorError(f"this is not a diagnosis: its schema is {schema!r}, not {SCHEMA!r}")
    if schema != SCHEMA:
        raise XladoctorError(
            f"this diagnosis has schema {schema!r}; this version of xladoctor reads {SCHEMA!r}",
            hint="Read it with the version that wrote it "
            f"({data.get('tool_version') or 'unknown'}), or scan its run folder again with this one.",
        )
    built = _build(Diagnosis, data, "diagnosis")
    assert isinstance(built, Diagnosis)
    return built


def plain(value: Any) -> Any:
    """A value of ours as what JSON can hold."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        return {_TO_JSON.get((kind, f.name), f.name): plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {_text(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _text(value)


def _text(value: Any) -> str:
    # A lone surrogate (from bytes that were no UTF-8) is not valid in JSON that others must read.
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _build(kind: type, data: Any, path: str) -> Any:
    if not isinstance(data, dict):
        raise XladoctorError(f"in this diagnosis, {path} is no object but {type(data).__name__}")
    values: dict[str, Any] = {}
    for field in fields(kind):
        key = _TO_JSON.get((kind, field.name), field.name)
        if key in data:
            values[field.name] = _value(kind, field.name, data[key], f"{path}.{key}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise XladoctorError(f"in this diagnosis, {path} lacks {key!r}")
    return kind(**values)


def _value(kind: type, name: str, value: Any, path: str) -> Any:
    item = _LISTS.get((kind, name))
    if item or (kind, name) in _TUPLES:
        if not isinstance(value, list):
            raise XladoctorError(f"in this diagnosis, {path} is no list but {type(value).__name__}")
        return tuple(_build(item, v, f"{path}[{i}]") if item else v for i, v in enumerate(value))
    choices = _CHOICES.get((kind, name))
    if choices and value not in choices:
        raise XladoctorError(f"in this diagnosis, {path} is {value!r}, not one of {', '.join(choices)}")
    if (kind, name) in _OBJECTS and value is not None:
        return _build(_OBJECTS[kind, name], value, path)
    if (kind, name) in _OPTIONAL_TUPLES and isinstance(value, list):
        return tuple(value)
    if name in _LOCATIONS and value is not None:
        return _build(Location, value, path)
    if name in _NUMBERS and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            raise XladoctorError(f"in this diagnosis, {path} is no number: {value!r}") from None
    return value

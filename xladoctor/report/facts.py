"""The `details` of a finding as rows that every renderer shows alike.

Keys that have a meaning here (all optional; whatever else is in `details` is shown as key and value):

- `contract`, `seen`, `expected`: the contract's notation, and the shapes as lists;
- `bindings`: `{axis: {"value": 32, "by": "patches of ReassemblePatchesLayer.call"}}` or `{axis: value}` or a
  list of such objects with the axis as `axis` or `name`;
- `numbers`: `[{"value": 778752, "factors": "128*78*78" | [{"value": 128, "name": "B*C", "by": "..."}, ...],
  "meaning": "..."}]`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from xladoctor.diagnosis.model import Finding

_SHAPES = ("contract", "expected", "seen")
_KNOWN = {*_SHAPES, "bindings", "numbers"}
_COMMANDS = {"command", "argv"}
_SAID_BY = ("by", "source", "origin", "bound_by", "from")


@dataclass(frozen=True)
class Axis:
    """An axis name, its value and who bound it."""

    name: str
    value: str
    by: str


@dataclass(frozen=True)
class Number:
    """A number of the message, as a product, and what the product means."""

    value: str
    factors: str
    meaning: str


def shapes(finding: Finding) -> list[tuple[str, str]]:
    """Contract, expected and seen shape, where the details have them."""
    rows = [(key, finding.details[key]) for key in _SHAPES if finding.details.get(key) is not None]
    return [(key, shape_text(value)) for key, value in rows]


def axes(finding: Finding) -> list[Axis]:
    """Who bound each axis."""
    bindings = finding.details.get("bindings")
    if isinstance(bindings, dict):
        pairs = list(bindings.items())
    elif isinstance(bindings, list | tuple):
        pairs = [(_axis_name(item), item) for item in bindings]
    else:
        return []
    return [Axis(str(name), _axis_value(item), _said_by(item)) for name, item in pairs]


def numbers(finding: Finding) -> list[Number]:
    """The numbers of the message, each explained."""
    found = finding.details.get("numbers")
    if not isinstance(found, list | tuple):
        return []
    return [
        Number(str(item.get("value", "?")), _factors(item.get("factors")), _meaning(item))
        for item in found
        if isinstance(item, dict)
    ]


def rest(finding: Finding) -> list[tuple[str, str]]:
    """Every other detail, nested ones flattened with dots."""
    return flat({key: value for key, value in finding.details.items() if key not in _KNOWN})


def flat(data: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """A nested mapping as rows of dotted keys and one-line values; what is None or empty is left out."""
    rows: list[tuple[str, str]] = []
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            rows += flat(value, f"{name}.")
        elif key in _COMMANDS and isinstance(value, list | tuple):
            rows.append((name, shlex.join(map(str, value))))
        elif value is not None and value != "" and value != [] and value != ():
            rows.append((name, _one_line(value)))
    return rows


def shape_text(shape: Any) -> str:
    """`[32 ? 4]` for a list of sizes with None for an unknown one; `?` where nothing is known."""
    if shape is None:
        return "?"
    if isinstance(shape, list | tuple):
        return f"[{' '.join('?' if size is None else str(size) for size in shape)}]"
    return str(shape)


def number_text(value: Any, digits: int = 3) -> str:
    """A float shortened; anything else as it is."""
    return f"{value:.{digits}g}" if isinstance(value, int | float) else str(value)


def _one_line(value: Any) -> str:
    if isinstance(value, list | tuple):
        parts = [_one_line(item) for item in value]
        short = all(isinstance(item, int | float | None) for item in value)
        return f"[{' '.join(parts)}]" if short else ", ".join(parts)
    if isinstance(value, dict):
        return "; ".join(f"{key} {_one_line(item)}" for key, item in value.items() if item is not None)
    return "?" if value is None else str(value)


def _axis_name(item: Any) -> str:
    return str(item.get("axis", item.get("name", "?"))) if isinstance(item, dict) else "?"


def _axis_value(item: Any) -> str:
    if not isinstance(item, dict):
        return _one_line(item)
    return _one_line(item.get("value", item.get("expected")))


def _said_by(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    said = next((str(item[key]) for key in _SAID_BY if item.get(key)), "")
    where = item.get("where")
    return f"{said} ({where})" if said and where else said or str(where or "")


def _factors(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return "" if value is None else str(value)
    return " * ".join(_factor(item) for item in value)


def _factor(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    name = item.get("name")
    return f"{item.get('value', '?')}" + (f" ({name})" if name else "")


def _meaning(item: dict[str, Any]) -> str:
    said = [str(item[key]) for key in ("meaning", "note") if item.get(key)]
    factors = item.get("factors")
    named = [f for f in factors if isinstance(f, dict) and f.get("name")] if isinstance(factors, list) else []
    said += [f"{f['name']} = {f.get('value', '?')} from {_said_by(f)}" for f in named if _said_by(f)]
    return "; ".join(said)

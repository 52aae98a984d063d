"""The `details` of a finding as rows that every renderer shows alike.

Keys that have a meaning here (all optional; for what else is in `details` see `xladoctor.report.details`):

- `contract`, `seen`, `expected`: the contract's notation, and the shapes as lists;
- `bindings`: `{axis: {"value": 32, "by": "patches of ReassemblePatchesLayer.call"}}` or `{axis: value}` or a
  list of such objects with the axis as `axis` or `name`;
- `numbers`: `[{"number": 778752, "product": "128*78*78", "named": "(B*C)*P*P", "seen": "given to the op",
  "factors": [{"size": 128, "names": [{"name": "B*C", "value": 128, "by": "B = 32, C = 4"}]}],
  "not": ["156*156"]}]`: what a number of the message is made of, who named each factor, and what it is not.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import Any

from xladoctor.model.diagnosis import Diagnosis, Finding, Location, XlaPath
from xladoctor.model.frozen import dataclass
from xladoctor.model.shapes import count as count
from xladoctor.model.shapes import shape_text
from xladoctor.patterns import pattern

_SHAPES = ("contract", "expected", "seen")
_GROUP = pattern(r"(?:(?<!\w)(\w+)\s*)?(\([^()]*\))")
_COMMANDS = {"command", "argv"}
_FOREMOST = {"command", "python", "executable", "tensorflow", "keras", "numpy", "ptycho", "ptycho_file"}
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
    short: str = ""


def shapes(finding: Finding) -> list[tuple[str, str]]:
    """Contract, expected and seen shape of the tensor in question, where the details have them."""
    details = finding.details
    rows = [(key, shape_text(details[key])) for key in _SHAPES if details.get(key) is not None]
    is_result = details.get("phase") in ("out", "result")
    name = str(details.get("argument", details.get("tensor", "")))
    return [(key, contract_part(value, is_result, name) if key == "contract" else value) for key, value in rows]


def contract_part(whole: str, is_result: bool, name: str) -> str:
    """Of `offsets (B 1 2 C) -> (B*C 2)` the part for one tensor: `(B*C 2)` for the result."""
    before, arrow, after = whole.partition("->")
    if not arrow:
        return whole
    groups = _GROUP.findall(after if is_result else before)
    for label, axes in groups:
        if label == name:
            return str(axes)
    return str(groups[0][1]) if len(groups) == 1 else whole.strip()


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
    items = found if isinstance(found, list | tuple) else ()
    return [_number(item) for item in items if isinstance(item, dict)]


def uses_tensorflow(diagnosis: Diagnosis) -> bool:
    """Whether the run had TensorFlow, Keras or `ptycho` in it; else nothing about XLA is worth a line."""
    environment = diagnosis.environment
    known = {**environment, **(environment.get("versions") or {})}
    if any(known.get(name) for name in ("tensorflow", "keras", "ptycho", "ptycho_file")) or diagnosis.shapes:
        return True
    return any(path.effective for path in diagnosis.xla_paths) or any(
        event.action != "start" for event in diagnosis.settings
    )


def xla_in_a_line(diagnosis: Diagnosis) -> str:
    """The one line that XLA is worth where it was off and nothing is set; empty where there is more to say."""
    if not diagnosis.xla_paths or any(path.effective is not False or _asked(path) for path in diagnosis.xla_paths):
        return ""
    if any(event.value is not None for event in diagnosis.settings):
        return ""
    return f"XLA was off, and nothing that switches it on was set (settings checked: {len(diagnosis.xla_paths)})."


def _asked(path: XlaPath) -> bool:
    return path.resolved.startswith("on") and "framework" not in path.mechanism


WHOSE = "suspected in such failures before; each was tested on this run"


def near(location: Location, diagnosis: Diagnosis) -> Location:
    """A place with its file relative to the folder in which the command was given, where it lies in there."""
    return inside(location, diagnosis.environment.get("cwd"))


def inside(location: Location, folder: object) -> Location:
    """A place with its file relative to a folder, where it lies in there; `folder` may be empty or None."""
    return replace(location, file=below(location.file, folder))


def below(file: str, folder: object) -> str:
    """The name of a file relative to a folder, where it lies in there."""
    start = str(folder or "").rstrip("/") + "/"
    return file[len(start) :] if len(start) > 1 and file.startswith(start) else file


def near_words(said: str, diagnosis: Diagnosis) -> str:
    """Prose in which each `file:line` of a file in the folder of the command is relative to it."""
    folder = str(diagnosis.environment.get("cwd") or "").rstrip("/")
    return re.sub(rf"(?<![\w/.-]){re.escape(folder)}/(?=[^\s:]{{1,1000}}:\d)", "", said) if folder else said


def ran(diagnosis: Diagnosis) -> str:
    """Interpreter and versions on one line, with the path of the `ptycho` that ran."""
    environment = diagnosis.environment
    known = {**environment, **(environment.get("versions") or {})}
    said = [f"{name} {known[name]}" for name in ("python", "tensorflow", "keras") if known.get(name)]
    if known.get("ptycho_file"):
        said.append(f"ptycho {known['ptycho_file']}")
    return ", ".join(said)


def names_in(contract: str) -> list[str]:
    """The axis names of a contract: `(B*C N)` has B, C and N."""
    groups = " ".join(axes for _, axes in _GROUP.findall(contract))
    return list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", groups)))


def never_traced(path: XlaPath) -> bool:
    """Whether a function was marked for XLA, and nothing was ever compiled."""
    return path.effective is False and "never traced" in f"{path.resolved} {path.note}"


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


def foremost(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of the environment's rows, what belongs on every report: versions, interpreter, which `ptycho`."""
    return [row for row in rows if row[0].removeprefix("versions.") in _FOREMOST]


def number_text(value: Any, digits: int = 3) -> str:
    """A float shortened; anything else as it is."""
    return f"{value:.{digits}g}" if isinstance(value, int | float) else str(value)


def _one_line(value: Any) -> str:
    if isinstance(value, list | tuple):
        parts = [_one_line(item) for item in value]
        short = all(isinstance(item, int | float | None) for item in value)
        return f"({' '.join(parts)})" if short else ", ".join(parts)
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


def _number(item: dict[str, Any]) -> Number:
    product, named = str(item.get("product") or ""), str(item.get("named") or "")
    value = str(item.get("number", "?"))
    factors = " = ".join(dict.fromkeys(part for part in (product, named) if part not in ("", value)))
    said = [str(item["seen"])] if item.get("seen") else []
    brief = [said[0].partition(",")[0]] if said else []
    items = item.get("factors")
    for factor in items if isinstance(items, list | tuple) else ():
        words = _factor(factor)
        if words and words not in said:
            said.append(words)
            brief += [words] if words.endswith(": ambiguous") else []
    wrong = item.get("not")
    if isinstance(wrong, list | tuple) and wrong:
        said.append(f"not {' or '.join(map(str, wrong))}")
        brief.append(said[-1])
    return Number(value, factors, "; ".join(said), "; ".join(brief))


def _factor(factor: Any) -> str:
    names = factor.get("names") if isinstance(factor, dict) else None
    if not isinstance(names, list | tuple) or not names:
        return ""
    first, *others = names
    if not others:
        return f"{factor.get('size')} is {_name(first)}"
    if len(others) == 1:
        return f"{factor.get('size')} is {_name(first)} or {_name(others[0])}: ambiguous"
    bare = [str(name.get("name", "?")) if isinstance(name, dict) else str(name) for name in others]
    return f"{factor.get('size')} is {_name(first)}, or just as well {' or '.join(bare)}: ambiguous"


def _name(name: Any) -> str:
    if not isinstance(name, dict):
        return str(name)
    said = _said_by(name)
    return f"{name.get('name', '?')} ({said})" if said else str(name.get("name", "?"))

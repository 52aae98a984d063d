"""What `xladoctor env` found, in each format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from xladoctor.cli.variables import Flag, Variable
from xladoctor.recording.interpreter import Interpreter

if TYPE_CHECKING:
    from xladoctor.report.page import Page

SCHEMA = "xladoctor.env/1"
_KNOWN = {True: "known", False: "UNKNOWN", None: "not checked"}
_FEW = ("tensorflow", "tensorflow-cpu", "tf-nightly", "keras", "tf-keras", "numpy")


@dataclass(frozen=True)
class Environment:
    """The doctor, the target's interpreter, and the variables that are set."""

    version: str
    python: str
    file: str
    target: Interpreter
    variables: tuple[Variable, ...]


def as_json(found: Environment) -> str:
    """As data."""
    data = {
        "schema": SCHEMA,
        "xladoctor": {"version": found.version, "python": found.python, "file": found.file},
        "target": asdict(found.target),
        "variables": [asdict(variable) for variable in found.variables],
    }
    return json.dumps(data, indent=2) + "\n"


def as_markdown(found: Environment) -> str:
    """As tables, for an issue."""
    from xladoctor.report.text import md, md_code

    rows = [(name, value) for name, value in _rows(found, verbose=True)]
    parts = [
        f"<!-- {SCHEMA} -->",
        "## Environment",
        _table(("What", "Value"), [(md(k), md_code(v, True)) for k, v in rows]),
    ]
    if found.variables:
        cells = [(md_code(v.name, True), md_code(v.value, True), md(_said(v))) for v in found.variables]
        parts += ["## Variables", _table(("Variable", "Value", "Remark"), cells)]
    return "\n\n".join(parts) + "\n"


def as_console(found: Environment, page: Page, verbose: bool, quiet: bool) -> str:
    """For a terminal. `quiet` shows the versions only."""
    page.table(_rows(found, verbose), indent=0, styles=["dim", ""])
    if not quiet:
        page.heading("Variables that decide about XLA")
        for variable in found.variables:
            page.parts((variable.name, "bold"), (f" = {variable.value}", ""), indent=2)
            for flag in variable.flags:
                style = "bold red" if flag.known is False else "dim"
                page.para(f"{flag.text}  {_remark(flag)}", indent=6, hang=2, style=style)
        if not found.variables:
            page.para("none is set")
    return page.text()


def _rows(found: Environment, verbose: bool) -> list[tuple[str, str]]:
    target = found.target
    rows = [
        ("xladoctor", f"{found.version} ({found.file})"),
        ("its python", found.python),
        ("target", target.executable),
        ("target's python", f"{target.implementation} {target.python}, {target.machine}"),
    ]
    rows += [(name, v) for name, v in target.packages.items() if verbose or name in _FEW]
    if not any(name.startswith(("tensorflow", "tf-nightly")) for name in target.packages):
        rows.append(
            (
                "tensorflow",
                f"found at {target.files['tensorflow']}" if "tensorflow" in target.files else "not found",
            )
        )
    rows += [(f"{name} from", file) for name, file in target.files.items() if verbose or name == "ptycho"]
    return rows


def _said(variable: Variable) -> str:
    return "; ".join(f"{flag.text}: {_remark(flag)}" for flag in variable.flags)


def _remark(flag: Flag) -> str:
    return f"{_KNOWN[flag.known]}: {flag.note}" if flag.note else _KNOWN[flag.known]


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)

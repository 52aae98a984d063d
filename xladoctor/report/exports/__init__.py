"""Formats that hold any number of diagnoses. A new one is a file here with a constant `EXPORT`; nothing else lists it.

The file is imported whenever the command line is made: at its top stand only light imports, and what `render` needs is
imported in it. See CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from xladoctor.folder import modules
from xladoctor.model.frozen import dataclass

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Diagnosis


@dataclass(frozen=True)
class Export:
    """One format.

    Attributes:
        name: what `--format` calls it.
        render: the diagnoses as text.
        ending: what a file's name ends in that `--output` writes in this format; empty where no ending says so.
        begins: how its texts begin, by which a file is known as written by us, and may be replaced.
        lists_runs: whether many runs are each listed with their findings; else the format is a table, which a survey
            writes itself.
    """

    name: str
    render: Callable[[Sequence[Diagnosis]], str]
    ending: str = ""
    begins: tuple[bytes, ...] = ()
    lists_runs: bool = True


def _by(module: str) -> Callable[[Sequence[Diagnosis]], str]:
    def render(diagnoses: Sequence[Diagnosis]) -> str:
        return str(import_module(f"xladoctor.report.{module}").render(diagnoses))

    return render


_FIRST = (
    Export("sarif", _by("sarif"), ".sarif"),
    Export("github", _by("github"), "", (b"xladoctor: ",)),
    Export("junit", _by("junit"), ".xml", (b'<?xml version="1.0" encoding="utf-8"?>\n<!-- xladoctor.',)),
    Export("jsonl", _by("jsonl"), ".jsonl"),
    Export("csv", _by("csv_"), ".csv", (b"xladoctor_finding,",), lists_runs=False),
)


def _others() -> tuple[Export, ...]:
    return tuple(import_module(f"xladoctor.report.exports.{module}").EXPORT for module in modules(__path__))


EXPORTS: dict[str, Export] = {export.name: export for export in (*_FIRST, *_others())}
"""By name, in the order in which `--help` names them."""

"""The stored logs: what TensorFlow printed (`real/`), and what people published (`public/`)."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from xladoctor.logs import read_log
from xladoctor.model.diagnosis import Finding
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings, literals

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


@dataclass(frozen=True)
class Fixture:
    """One stored log and what a doctor must say of it."""

    name: str
    slug: str
    text: str
    dims: tuple[int, ...] = ()
    origin: str = ""


@cache
def _loaded(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public() -> ModuleType:
    return _loaded("public_messages", LOGS / "public" / "messages.py")


@cache
def real_fixtures() -> tuple[Fixture, ...]:
    cases = {case.name: case for case in _loaded("log_cases", LOGS / "cases.py").CASES}
    found = []
    for manifest in sorted(LOGS.glob("real/*/manifest.json")):
        version = manifest.parent.name
        for name in json.loads(manifest.read_text()):
            text, case = (manifest.parent / f"{name}.log").read_text(), cases[name]
            slug = case.slug_in.get(version, case.slug)
            found.append(Fixture(f"{version}/{name}", slug, text, tuple(case.dims), "real"))
    return tuple(found)


@cache
def public_fixtures() -> tuple[Fixture, ...]:
    return tuple(Fixture(f"public/{n}", m.slug, m.text, tuple(m.dims), m.source) for n, m in public().MESSAGES.items())


@cache
def diagnose(log: str | bytes) -> tuple[Finding, ...]:
    data = log.encode() if isinstance(log, str) else log
    return findings(Evidence(source="log", log=read_log(io.BytesIO(data), name="log", literals=literals())))


def verdict(found: tuple[Finding, ...]) -> str:
    """The class of the root at error level, or of a warning, or `healthy`."""
    return found[0].slug if found else "healthy"

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import xladoctor.commands.scan as commands_scan
from tests.xladoctor.report import samples
from xladoctor import saved
from xladoctor.commands import knowledge
from xladoctor.model.diagnosis import Diagnosis, Remedy
from xladoctor.rules.base import Rule

RULES = (
    Rule(
        "XD301",
        "reshape-mismatch",
        "A reshape was asked for a shape with another number of values",
        "error",
        "An op was told to give a tensor another shape.\nIts values do not fit.\n\nThe message names both counts.",
        "An earlier step changed a size.",
        "tf.reshape(tf.zeros([6]), [4])",
        "The counts are in the message.",
        (Remedy("find-the-size", "Find the size that changed", "safe", "Look at the shape table."),),
        ("tensorflow/core/kernels/reshape_op.h",),
    ),
    Rule("XD309", "contract-violation", "A place broke its contract", "error", "w", "y", "e", "t"),
    Rule("XD105", "ptxas-missing", "ptxas was not found", "warning", "w", "y", "e", "t"),
)


@dataclass
class FakeSession:
    """Stands for `xladoctor.commands.scan` and `xladoctor.saved`: keeps what it was asked, answers with `diagnosis`."""

    diagnosis: Diagnosis = samples.LOUD
    status: int = 1
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    error: BaseException | None = None

    def scan_command(self, command, options):
        self._note("command", tuple(command), options)
        return commands_scan.ScanResult(self.diagnosis, Path("xladoctor-runs/one"), self.status)

    def scan_logs(self, logs, threads=None, source=None):
        return self._note("logs", list(logs))

    def scan_run(self, folder):
        return self._note("run", folder)

    def _note(self, *asked) -> Diagnosis:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error
        return self.diagnosis


@pytest.fixture
def fake(monkeypatch, tmp_path) -> FakeSession:
    made = FakeSession()
    for name in ("scan_command", "scan_logs", "scan_run"):
        for module in (commands_scan, saved):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, getattr(made, name))
    monkeypatch.chdir(tmp_path)
    return made


@pytest.fixture
def rules(monkeypatch) -> None:
    monkeypatch.setattr(knowledge, "all_rules", lambda: tuple(sorted(RULES, key=lambda rule: rule.code)))

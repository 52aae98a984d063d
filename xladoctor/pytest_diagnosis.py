"""Tests under a watch: loaded with `--xladoctor`, or for a test that expects a class of failure."""

from __future__ import annotations

import itertools
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from xladoctor.api import Diagnosis
from xladoctor.commands.watch import Recorded, WatchOptions

_NEITHER = "not-xla"
"""The class of what has nothing to do with TensorFlow: an assertion, say."""


class TestWatch:
    """Records each test from its setup on. A failing one gets a section in its report."""

    def __init__(self, config: pytest.Config, marker: str) -> None:
        self._config = config
        self._marker = marker
        self._all = bool(config.getoption("xladoctor"))
        self._replay = bool(config.getoption("xladoctor_replay"))
        self._folder: Path | None = None
        self._numbers = itertools.count(1)
        self._recorded: Recorded | None = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """The test begins, with its fixtures."""
        if self._all or item.get_closest_marker(self._marker):
            self._begin(item)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """A part of the test ended; its report is made."""
        outcome: Any = yield
        report: pytest.TestReport = outcome.get_result()
        marker = item.get_closest_marker(self._marker)
        judged = marker is not None and call.when == "call" and not report.skipped
        # What a fixture put over a hook is taken away in the teardown: the hooks stay until then.
        if self._recorded is None or not (report.failed or judged or call.when == "teardown"):
            return
        recorded, self._recorded = self._recorded, None
        recorded.leave(call.excinfo.value if call.excinfo is not None and not report.skipped else None)
        if report.failed or judged:
            diagnosis = self._diagnosis(recorded, report)
            if judged and marker is not None and recorded.why_not is not None and call.excinfo is not None:
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {marker.name}: {recorded.why_not}")
            elif judged and marker is not None:
                self._judge(marker, diagnosis, report, call)
        if not report.failed and recorded.run_dir is not None:
            shutil.rmtree(recorded.run_dir, ignore_errors=True)

    def pytest_unconfigure(self) -> None:
        """Pytest ends; a test that was broken off is left."""
        if self._recorded is not None:
            self._recorded.leave(None)
        if self._folder is not None and not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _begin(self, item: pytest.Item) -> None:
        if self._recorded is not None:
            self._recorded.leave(None)
        name = re.sub(r"[^\w.-]+", "-", item.name)[:60]
        folder = self._runs() / f"{next(self._numbers):04d}-{name}"
        command = (sys.executable, "-m", "pytest", item.nodeid)
        self._recorded = Recorded(WatchOptions(folder, command=command))
        self._recorded.begin_if_possible()

    def _runs(self) -> Path:
        if self._folder is None:
            above = self._config.getoption("xladoctor_dir")
            if above:
                Path(above).mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix="xladoctor-pytest-", dir=above))
        return self._folder

    def _diagnosis(self, recorded: Recorded, report: pytest.TestReport) -> Diagnosis | None:
        """The diagnosis, which the report gets as a section; None, and why, where there is none."""
        title = f"xladoctor: {report.nodeid}"
        try:
            found = recorded.diagnosis(replay=self._replay, check_budget=0.0)
        except Exception as error:
            report.sections.append((title, f"no diagnosis: {error}"))
            return None
        diagnosis = Diagnosis.of(found, recorded.run_dir)
        if diagnosis.root is not None and diagnosis.root.slug != _NEITHER:
            report.sections.append((title, diagnosis.render()))
        return diagnosis

    def _judge(
        self, marker: pytest.Mark, diagnosis: Diagnosis | None, report: pytest.TestReport, call: pytest.CallInfo[None]
    ) -> None:
        """A marked test passes if its root cause is of the class that it names, and fails else."""
        wanted = _slug(marker)
        root = diagnosis.root if diagnosis is not None else None
        slug = root.slug if root is not None else None
        if wanted is not None and slug == wanted and call.excinfo is not None:
            report.outcome, report.longrepr = "passed", None
            call.excinfo = None  # for --pdb and the like: nothing is left to look into
            return
        if wanted is None:
            why = f"{marker.name} names no class of failure: {', '.join(map(repr, marker.args)) or 'nothing'}"
        elif call.excinfo is None:
            why = f"expected a failure of the class {wanted}, and the test passed"
        else:
            why = f"expected a failure of the class {wanted}, and it is of the class {slug}"
        report.outcome = "failed"
        report.longrepr = why if call.excinfo is None else f"{report.longreprtext}\n\n{why}"


def _slug(marker: pytest.Mark) -> str | None:
    """The class that a marker names; None where there is none of that name."""
    from xladoctor.rules import UnknownRule, by_slug

    try:
        return by_slug(str(marker.args[0])).slug
    except (UnknownRule, IndexError):
        return None

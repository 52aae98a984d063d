"""The pytest plug-in (docs/pytest.md). Every run of pytest loads this file, so it loads nothing of ours but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xladoctor.shape_checks import ContractCheck, RowCheck

MARKER = "xladoctor_expects"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--xladoctor` and what belongs to it."""
    group = parser.getgroup("xladoctor", "diagnosis of failing TensorFlow tests")
    group.addoption("--xladoctor", action="store_true", help="add the diagnosis to the report of each failing test")
    group.addoption(
        "--xladoctor-replay", action="store_true", help="ask a worker process about failed calls (5-15 s a test)"
    )
    group.addoption("--xladoctor-dir", metavar="DIR", help="where the run folders of failing tests go")


def pytest_configure(config: pytest.Config) -> None:
    """The marker; and with `--xladoctor` what records."""
    config.addinivalue_line("markers", f"{MARKER}(name): the test must fail, and its root cause be of this class")
    if config.getoption("xladoctor"):
        _start(config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """A marked test is diagnosed without the option, too: else its marker would mean nothing."""
    if any(item.get_closest_marker(MARKER) for item in session.items):
        _start(session.config)


def _start(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin("xladoctor-diagnosis"):
        from xladoctor.pytest_diagnosis import TestWatch

        config.pluginmanager.register(TestWatch(config, MARKER), "xladoctor-diagnosis")


@pytest.fixture
def shape_contract() -> ContractCheck:
    """`shape_contract("x (B N) -> (B P)", function, x, axes={"P": 12})` calls the function and checks the shapes that
    go in and come out; it returns the result.
    """
    from xladoctor.shape_checks import check_contract

    return check_contract


@pytest.fixture
def rows_kept() -> RowCheck:
    """`rows_kept(function, x, sizes=(1, 5, 32))` calls the function with so many rows and checks that as many come out;
    without `sizes` with all rows. It returns the last result.
    """
    from xladoctor.shape_checks import check_rows

    return check_rows


def pytest_report_header(config: pytest.Config) -> Any:
    """Say that tests are diagnosed."""
    return "xladoctor: failing tests are diagnosed" if config.getoption("xladoctor") else None

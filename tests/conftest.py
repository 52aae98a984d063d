"""What every test needs of its process."""

from __future__ import annotations

import gc
import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

from tests import quick, turns
from tests.quick import sitecustomize as sitecustomize

# How long an example takes says more about the machine's load than about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

# Every program that a test starts begins quickly, unless the test gives it another PYTHONPATH. So does this process.
os.environ["PYTHONPATH"] = quick.path(os.environ.get("PYTHONPATH"))

# What a part of a diagnosis stumbles over must show.
os.environ["XLADOCTOR_STRICT"] = "1"

if threading.current_thread() is threading.main_thread():
    # `make test &` in a script starts with these ignored, and so would every program that a test starts and signals.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The files that take longest, by the processor time of their tests. They are begun first (`--no-loadscope-reorder`), so
# that no process is left alone with one of them at the end.
SLOWEST = (
    *("tests/test_readme.py", "slice/test_studies.py", "slice/test_programs.py", "test_ptycho_faults.py"),
    *("test_isolate.py", "ptycho/test_faults.py", "test_page_commands.py", "slice/test_collapse.py"),
    *("record/test_faults.py", "ptycho/test_model.py", "test_ptycho_parity.py", "xladoctor/test_trace.py"),
    *("test_grid_lines.py", "test_faults_compiled.py", "record/test_runtime.py", "record/test_splits.py"),
    *("xladoctor/test_cost.py", "test_packaging.py", "test_dose_response.py", "record/test_untrained.py"),
    *("record/test_foreign.py", "record/test_programs.py", "test_repro_silent.py", "record/test_findings.py"),
    *("agents/test_mcp.py", "test_target_terminal.py", "preflight/test_checks.py", "test_reality.py"),
    *("logs/test_prefilter.py", "logs/test_fuzz.py", "test_patterns.py"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--in-turn", action="store_true", help="of the tests in tests/turns.py, those whose turn it is")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files: the slowest first, the others as they came. Leave out what waits for its turn."""
    if config.getoption("--in-turn"):
        left = turns.left_out(items)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
        items[:] = [item for item in items if item.nodeid not in left]
    files = {item.path for item in items}
    rank = {file: number for number, name in enumerate(SLOWEST) for file in files if file.as_posix().endswith(name)}
    items.sort(key=lambda item: rank.get(item.path, len(SLOWEST)))


def pytest_collection_finish() -> None:
    """What is there by now stays until the end: it is not looked through for cycles again and again."""
    gc.collect()
    gc.freeze()

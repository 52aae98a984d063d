"""What every test needs of its process."""

from __future__ import annotations

import signal
import threading

from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine's load than about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

if threading.current_thread() is threading.main_thread():
    # `make test &` in a script starts with these ignored, and so would every program that a test starts and signals.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The files that take longest, by the processor time of their tests. They are begun first (`--no-loadscope-reorder`), so
# that no process is left alone with one of them at the end.
SLOWEST = (
    *("test_readme.py", "test_faults.py", "test_ptycho_parity.py", "test_collapse.py", "test_programs.py"),
    *("test_trace.py", "test_grid_lines.py", "test_dose_response.py", "test_ptycho_faults.py", "test_isolate.py"),
    *("test_faults_compiled.py", "test_repro_silent.py", "test_studies.py", "test_patterns.py", "test_cost.py"),
    *("test_model.py", "test_runtime.py", "test_foreign.py", "test_findings.py", "test_target_terminal.py"),
    *("test_checks.py", "test_reality.py"),
)


def pytest_collection_modifyitems(items: list) -> None:
    """Order the files: the slowest first, the others as they came."""
    rank = {name: number for number, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(SLOWEST)))

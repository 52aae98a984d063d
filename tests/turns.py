"""Tests that take turns: `pytest --in-turn`, as in CI, runs some of them at each commit, and the commit says which.

They are long tables, and studies of the example project, in which one row takes as long as hundreds of other tests.
What a row tests is tested by the other rows of its file in another way; without the option, as in `make test`, all run.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks import _results

ROOT = Path(__file__).resolve().parents[1]
SHARES = {
    "tests/ptycho": 4,
    "tests/probes/graph/test_pairing.py": 3,
    "tests/probes/record/test_findings.py": 3,
    "tests/probes/record/test_runtime.py": 3,
    "tests/test_page_commands.py": 4,
    "tests/test_patterns.py": 3,
    "tests/test_readme.py": 4,
    "tests/xladoctor/experiments/test_isolate.py": 3,
    "tests/xladoctor/experiments/test_ptycho_faults.py": 4,
    "tests/xladoctor/experiments/test_ptycho_parity.py": 4,
    "tests/xladoctor/experiments/test_real.py": 2,
    "tests/xladoctor/experiments/test_repro_silent.py": 3,
    "tests/xladoctor/preflight/test_programs.py": 2,
    "tests/xladoctor/slice/test_programs.py": 3,
    "tests/xladoctor/slice/test_studies.py": 4,
}
"""Of how many slow tests one runs at each commit. A file whose tests share what takes long is none of these."""


def share(file: Path) -> int:
    """Of how many tests of this file one runs."""
    name = file.relative_to(ROOT).as_posix()
    return next((number for part, number in SHARES.items() if name == part or name.startswith(f"{part}/")), 1)


def whole(item: pytest.Item) -> str:
    """What takes a turn as a whole: a page with all its commands, else the test."""
    given = getattr(item, "callspec", None)
    return given.params.get("page", item.nodeid) if given else item.nodeid


def left_out(items: list[pytest.Item]) -> set[str]:
    """The names of the tests whose turn it is not: of each file one in its share runs, and one at the least."""
    files: defaultdict[Path, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.get_closest_marker("slow") and share(item.path) > 1:
            files[item.path][whole(item)].append(item.nodeid)
    left: set[str] = set()
    for file, tests in files.items():
        order = _results.by_hash(tests)
        left.update(name for each in order[-(-len(order) // share(file)) :] for name in tests[each])
    return left

"""What waits for its turn in CI: never a whole file, never a fast test, and no test for ever."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmarks import _results
from tests import turns

TABLE = "tests/ptycho/test_model.py"


def item(name: str, file: str = TABLE, slow: bool = True, **params: str) -> SimpleNamespace:
    return SimpleNamespace(
        nodeid=f"{file}::{name}",
        path=turns.ROOT / file,
        get_closest_marker=lambda marker: marker if slow and marker == "slow" else None,
        **({"callspec": SimpleNamespace(params=params)} if params else {}),
    )


def at(monkeypatch: pytest.MonkeyPatch, commit: str, items: list[SimpleNamespace]) -> set[str]:
    monkeypatch.setattr(_results, "commit", lambda: commit)
    return turns.left_out(items)  # type: ignore[arg-type]


def test_of_a_file_its_share_runs_and_after_some_commits_each_test_has(monkeypatch):
    items = [item(f"test_{number}") for number in range(8)]
    left = [at(monkeypatch, f"commit {number}", items) for number in range(40)]
    assert {len(each) for each in left} == {8 - 2}
    assert set.intersection(*left) == set() and len({frozenset(each) for each in left}) > 10
    assert at(monkeypatch, "commit 0", items) == left[0], "every process of xdist leaves out the same"


@pytest.mark.parametrize(
    "alone", [item("test_one"), item("test_fast", slow=False), item("test_other", "tests/probes/graph/test_pure.py")]
)
def test_what_is_always_run(monkeypatch, alone):
    others = [item(f"test_{number}", "tests/xladoctor/slice/test_studies.py") for number in range(3)]
    for number in range(20):
        left = at(monkeypatch, f"commit {number}", [*others, alone])
        assert len(left) == 2 and alone.nodeid not in left


def test_the_commands_of_a_page_go_together(monkeypatch):
    pages = {page: [item(f"test[{page}-{n}]", page=page) for n in range(3)] for page in "abcd"}
    for number in range(20):
        left = at(monkeypatch, f"commit {number}", [each for page in pages.values() for each in page])
        assert sorted(len(left & {each.nodeid for each in page}) for page in pages.values()) == [0, 3, 3, 3]


def test_that_every_file_of_the_table_is_there():
    assert all(number > 1 and (turns.ROOT / part).exists() for part, number in turns.SHARES.items())
    assert turns.share(turns.ROOT / "tests/ptycho_other.py") == 1

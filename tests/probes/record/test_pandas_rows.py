"""Tables that pandas joins by the labels of their rows, where the program has as many rows in both."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.record import pandas_rows as module
from probes.record.pandas_rows import PandasRecorder

pd = pytest.importorskip("pandas")
TABLE = pd.DataFrame({"a": np.arange(20.0)})
LONG = TABLE[TABLE.a > 4]
GUESS = pd.Series(np.arange(15.0), name="guess")


@pytest.fixture
def written(monkeypatch):
    found = []
    guard = SimpleNamespace(
        run=lambda what, look, *args: look(*args),
        hooks=SimpleNamespace(put=lambda owner, name, to: monkeypatch.setattr(owner, name, to)),
        sink=SimpleNamespace(write=lambda kind, **facts: found.append((facts["what"], facts["rows"]))),
    )
    finder = SimpleNamespace(when_imported=lambda name, hook: hook(pd))
    monkeypatch.setattr(module, "user_frames", lambda skip, limit: [{"file": __file__, "line": len(found)}])
    PandasRecorder(guard, finder)
    return found


def test_results_that_are_put_beside_a_table_with_other_labels(written):
    assert len(pd.concat([LONG, GUESS], axis=1)) == 20 and len(LONG.join(GUESS)) == 15
    assert written == [("relabelled", [15, 15]), ("relabelled", [15, 15])]


def test_tables_with_the_same_labels_or_other_rows(written):
    pd.concat([LONG, GUESS.set_axis(LONG.index)], axis=1)
    pd.concat([LONG.reset_index(drop=True), GUESS], axis="columns")
    pd.concat([LONG, TABLE[TABLE.a <= 4]])
    pd.concat([TABLE.sample(frac=1.0, random_state=1), pd.Series(np.arange(20.0), name="by_row")], axis=1)
    pd.concat([LONG, pd.Series(np.arange(20.0), name="of_all")], axis=1)
    LONG.join(pd.DataFrame({"b": np.arange(20.0)}))
    LONG.set_index("a").join(GUESS.set_axis(LONG.a))
    assert written == []

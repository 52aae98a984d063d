"""A loop variable that broadcasting makes larger is mended where it starts."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

SOURCE = """import tensorflow as tf

@tf.function
def run(net, series):
    state = net.rest(series.shape[0])
    seen = []
    for t in tf.range(9):
        state = net.advance(state, series[:, t])
    return state
"""


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        ("state", (32, 1), (32, 48), 5),
        ("state", (1,), (48,), 5),
        # No broadcasting: the same line is a suspect, and there is nothing to say of its size.
        ("state", (32, 3), (32, 4), 5),
        ("state", (32,), (32, 1), 5),
        ("state", (32, 1), (33, 48), 5),
        ("total", (1,), (48,), 7),
    ],
)
def test_the_line_that_starts_it(tmp_path, monkeypatch, name, before, after, line):
    give_sources(monkeypatch, {"/w/train.py": SOURCE})
    folder = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"}).write(tmp_path / "run")
    says = f"'{name}' has shape {before} before the loop, but shape {after} after one iteration. Use ..."
    (folder / "stderr.log").write_text(
        'Traceback (most recent call last):\n  File "/w/train.py", line 7, in run  *\n    for t in tf.range(9):\n'
        f"ValueError: {says}\n"
    )
    root = scan_run(folder).root
    assert (root.slug, root.location.line) == ("loop-shape-mismatch", line)
    broadcast = all(a in (1, b) for a, b in zip(before, after, strict=False)) and len(before) == len(after)
    assert ([r.id for r in root.remedies] == ["start-whole"]) is (broadcast and line == 5)

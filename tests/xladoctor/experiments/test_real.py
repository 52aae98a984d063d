"""Replays with real workers: a recorded run whose last batch fails, a threshold of ptycho, a worker that is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from xladoctor.experiments.request import Options
from xladoctor.experiments.session import replay
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers.bench import Bench
from xladoctor.workers.subject import find

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The run folder of a study whose last batch fails."""
    folder = tmp_path_factory.mktemp("recorded")
    program = [sys.executable, str(ROOT / "tests" / "patients" / "partial_batch.py")]
    command = [
        sys.executable,
        "-m",
        "xladoctor",
        "scan",
        "--check-budget",
        "0",
        "--run-dir",
        "run",
        "--quiet",
        "--",
        *program,
    ]
    env = {**os.environ, "PYTHONPATH": quick.path(ROOT)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr[-2000:]
    return folder / "run"


def test_only_the_last_partial_batch(recorded):
    found = replay(find(str(recorded), None), Options())
    (rule,) = found.sweep.rules
    assert (rule.kind, rule.value, rule.seen) == ("partial-batch", 6, (6, 32))
    assert rule.text == "fails only for the last partial batch (6 of 70 rows; batches of 32 pass)"
    failed = next(o for o in found.sweep.outcomes if o.bad)
    assert (failed.signature.slug, failed.signature.op) == ("reshape-mismatch", "Reshape")
    assert found.isolated is not None and found.isolated.op == "Reshape"
    assert Path(found.folder).parent == recorded / "replays"


def test_the_scan_names_the_last_batch(recorded):
    root = json.loads((recorded / "diagnosis.json").read_text())["findings"][0]
    assert root["details"]["last_batch"] == {"size": 32, "left": 6, "rows": 70, "recorded": True}
    assert root["location"]["function"] == "call", "the line of the op that the worker saw fail"


def test_other_sizes_of_the_same_capsule(recorded):
    found = replay(find(str(recorded), None, values=False), Options(sizes=tuple(range(1, 200))))
    (rule,) = found.sweep.rules
    assert (rule.kind, rule.value) == ("not-multiple", 4)
    assert len(rule.seen) < 40 and {6, 32} <= set(rule.seen)


def test_a_threshold_of_ptycho(tmp_path):
    vary = (("env:PTYCHO_FAULT", ("reassembly-collapses-batch",)), ("arg:N", ("32",)))
    with Bench(find(None, "ptycho:predict", python=sys.executable, cwd=ROOT), tmp_path) as bench:
        found = sweep(bench, Asked((15, 16), vary, by_row=True))
    assert [o.state for o in found.outcomes] == ["passed", "failed"]
    assert found.rules[0].text == "fails from 16 on"
    assert found.outcomes[1].signature.slug == "reshape-mismatch"


def test_a_killed_worker(tmp_path):
    with Bench(find(None, "tests.probes.graph.calls:dies", python=sys.executable, cwd=ROOT), tmp_path) as bench:
        found = sweep(bench, Asked((2, 3)))
    assert [(o.state, o.signature.op if o.signature else None) for o in found.outcomes] == [
        ("passed", None),
        ("crashed", "SIGKILL"),
    ]
    assert found.rules[0].text == "fails from 3 on"
    assert "ended by SIGKILL" in (found.outcomes[1].message or "")


def test_the_callable_of_the_docs(tmp_path):
    page = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
    snippet = page.partition("```python\n")[2].partition("```")[0]
    assert "def step(batch_size" in snippet
    (tmp_path / "steps.py").write_text(snippet, encoding="utf-8")
    (tmp_path / "mymodel.py").write_text("def model(x, training):\n    return x[:, 0, 0]\n", encoding="utf-8")
    with Bench(find(None, "steps:step", python=sys.executable, cwd=tmp_path), tmp_path) as bench:
        told = bench.ask(requests.DescribeCallable(), Case(None)).result
        found = sweep(bench, Asked((2, 3), (("arg:layout", ("flat", "planar")),), by_row=told.by_row))
    assert told.parameters == ("layout",) and told.by_row is True
    assert [r.kind for r in found.rules] == ["never", "never"]
    assert [o.rows_out for o in found.outcomes] == [2, 3, 2, 3]

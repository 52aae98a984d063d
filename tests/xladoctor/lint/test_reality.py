"""Every hazard is one: TensorFlow itself is asked, with the same programs that the lint is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick
from tests.xladoctor.lint.hazards import PAIRS, Pair

RUNNER = Path(__file__).with_name("runner.py")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("programs")
    for pair in PAIRS:
        (folder / f"{pair.name}-bad.py").write_text(pair.bad)
        (folder / f"{pair.name}-good.py").write_text(pair.good)
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={**os.environ, "PYTHONPATH": quick.path()},
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_tensorflow_treats_it_so(pair: Pair, outcomes) -> None:
    kind, _, said = pair.shows.partition(": ")
    bad, good = outcomes[f"{pair.name}-bad"], outcomes[f"{pair.name}-good"]
    if kind == "error":
        assert said in bad.get("error", "no error"), bad
    elif kind == "differs":
        assert bad.get("differs") is True, bad
    else:
        assert bad.get("value") == said, bad
    assert "error" not in good and not good.get("differs"), good

"""The line that writes a flag which ends a process: of the write that was recorded, else of the text in the source."""

from __future__ import annotations

import os
import time

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.recording import mark
from xladoctor.saved import scan_run

FLAG = "--xla_cpu_enable_fast_math=false"
SAID = f"F0000 00:00:1795422766.7 4556 parse_flags_from_env.cc:234] Unknown flag in TF_XLA_FLAGS: {FLAG}\n"


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"import os\nenv = dict(os.environ)\nenv['TF_XLA_FLAGS'] = '--tf_xla_min_cluster_size=2 {FLAG}'\n", 3),
        (f"A = ['{FLAG}']\nB = ['{FLAG}']\n", None),
        (f"# {FLAG}\nA = '{FLAG}x'\n", None),
    ],
)
def test_a_flag_that_the_source_spells_once(tmp_path, monkeypatch, source, line, recorded):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "train.py").write_text(source)
    os.utime(tmp_path / "train.py", (1000, 1000))
    outcome = {"state": "exited", "code": 1, "probes": "recorded"}
    run = Run(cwd=str(tmp_path), started=time.time(), outcome=outcome)
    if recorded:
        where = {"file": "launch.py", "line": 7, "function": "<module>"}
        run.event("setting", store="env", key="TF_XLA_FLAGS", action="write", value=FLAG, where=where)
    folder = run.write(tmp_path / "run")
    (folder / "stderr.log").write_text(SAID)
    mark.sign(folder)
    place = scan_run(folder).root.location
    wanted = ("launch.py", 7) if recorded else (str(tmp_path / "train.py"), line)
    assert place is None if wanted[1] is None else (place.file, place.line) == wanted

"""What a program tests before it raises, and a setting that should have brought it about but was set too late."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

STUDY = """\
import os
import modules
OUT = "/tmp/modules"
def collect(folder):
    files = sorted(folder.glob("*"))
    if not files:
        raise RuntimeError("nothing was written")
os.environ["XLA_FLAGS"] = f"--xla_dump_to={OUT}"
collect(OUT)
"""
LOG = """\
Traceback (most recent call last):
  File "/w/study.py", line 9, in <module>
    collect(OUT)
  File "/w/study.py", line 7, in collect
    raise RuntimeError("nothing was written")
RuntimeError: nothing was written
"""


def where(line):
    return {"file": "/w/study.py", "line": line, "function": "<module>", "user": True}


@pytest.mark.parametrize(
    ("study", "slug", "line"),
    [
        (STUDY, "setting-too-late", 8),
        (STUDY.replace("{OUT}", "/tmp/other"), "not-xla", 7),
        (STUDY.replace("if not files", "if not OTHER"), "not-xla", 7),
    ],
    ids=["of what it names", "it names nothing", "of something else"],
)
def test_the_setting_is_the_root_of_what_depends_on_it(tmp_path, monkeypatch, study, slug, line):
    give_sources(monkeypatch, {"/w/study.py": study})
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("trace", function="__inference_step_1", python_name="step", graph="g1", parent=None, capsule=None,
              xla=True, owner=1, where=None, frames=[])  # fmt: skip
    run.event("setting", store="env", key="XLA_FLAGS", action="write", value="--xla_dump_to=/tmp", where=where(8))
    folder = run.write(tmp_path / "run")
    (folder / "stderr.log").write_text(LOG)
    diagnosis = scan_run(folder)
    assert diagnosis.root is not None
    assert (diagnosis.root.slug, diagnosis.root.location.line) == (slug, line)
    assert sum(f.role == "root" for f in diagnosis.findings) == 1

"""What goes wrong while a program cleans up, and in its exit handlers."""

from __future__ import annotations

import io

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.diagnosis.engine import diagnose
from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence
from xladoctor.saved import scan_run

PROGRAM = """\
def close():
    return {{}}["mean"]

try:
    work()
{clause}
    close()
"""
LOG = """\
Traceback (most recent call last):
  File "/w/train.py", line 5, in <module>
    work()
  File "/w/data.py", line 8, in work
    return np.load(name)
FileNotFoundError: [Errno 2] No such file or directory: 'rows.npy'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/w/train.py", line 7, in {function}
    close()
  File "/w/train.py", line 2, in close
    return {{}}["mean"]
KeyError: 'mean'
"""


def root(tmp_path, monkeypatch, clause="finally:", function="<module>"):
    give_sources(monkeypatch, {"/w/train.py": PROGRAM.format(clause=clause)})
    folder = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"}).write(tmp_path / "run")
    (folder / "stderr.log").write_text(LOG.format(function=function))
    return scan_run(folder).root


@pytest.mark.parametrize(
    ("clause", "function", "place"),
    [
        ("finally:", "<module>", "/w/data.py:8"),
        ("except OSError:", "<module>", "/w/train.py:2"),
        ("except OSError:", "__exit__", "/w/data.py:8"),
    ],
    ids=["finally", "a second try", "a context"],
)
def test_the_error_before_that_of_the_cleaning_is_the_root(tmp_path, monkeypatch, clause, function, place):
    assert root(tmp_path, monkeypatch, clause, function).location.place == place


HANDLER = """\
step 1
Exception ignored in atexit callback: <function save at 0x7f944ebc2700>
Traceback (most recent call last):
  File "/w/train.py", line 7, in save
    pickle.dump(rows, file)
_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f94a51f98a0>: attribute lookup <lambda> failed
"""


def test_an_exit_handler_that_raised_is_a_warning(tmp_path):
    folder = Run().write(tmp_path / "run")
    (folder / "stderr.log").write_text(HANDLER)
    log = diagnose(Evidence(source="x", log=read_log(io.BytesIO(HANDLER.encode()), name="x")))
    for found in (scan_run(folder), log):
        [finding] = found.findings
        assert (finding.slug, finding.level, found.verdict) == ("pickling-failed", "warning", "warnings")
        assert finding.location is not None and finding.location.place == "/w/train.py:7"


def test_what_python_ignores_otherwise_is_no_finding(tmp_path):
    folder = Run().write(tmp_path / "run")
    (folder / "stderr.log").write_text(HANDLER.replace("in atexit callback", "in"))
    assert scan_run(folder).findings == ()

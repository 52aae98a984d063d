"""Requests for XLA without effect are findings, and not only rows of a table."""

from __future__ import annotations

import os
import time

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run
from xladoctor.model.diagnosis import Finding
from xladoctor.recording import mark
from xladoctor.saved import scan_run

HERE = {"file": "train.py", "line": 4, "function": "main"}


def found(run: Run, folder, environment: dict[str, str] | None = None, devices: tuple[str, ...] = ("CPU",)):
    run.events[0]["environment"] = environment or {}
    run.event("first-op", by="operation", devices=list(devices), where=HERE)
    findings: list[Finding] = [f for f in scanned(run, folder).findings if f.slug == "flag-ineffective"]
    return findings


def asked(mechanism: str, requested: str, resolved: str) -> Run:
    run = Run()
    run.event("xla-path", mechanism=mechanism, function="gears", requested=requested, resolved=resolved, where=HERE)
    return run


@pytest.mark.parametrize(
    ("mechanism", "requested", "resolved", "flags", "said"),
    [
        ("tf.config.optimizer.set_jit", "True", "True", "", "nothing is clustered"),
        ("keras compile(jit_compile=)", "True", "False", "", "Keras switched it off"),
        ("keras compile(jit_compile=)", "'auto'", "False", "", None),
        ("keras compile(jit_compile=)", "True", "True", "", None),
        ("tf.config.optimizer.set_jit", "False", "False", "", None),
        ("tf.config.optimizer.set_jit", "True", "True", "--tf_xla_cpu_global_jit", None),
    ],
)
def test_a_request_without_effect(tmp_path, mechanism, requested, resolved, flags, said):
    findings = found(asked(mechanism, requested, resolved), tmp_path, {"TF_XLA_FLAGS": flags} if flags else None)
    assert [f.level for f in findings] == (["warning"] if said else [])
    for finding in findings:
        assert said in finding.message and str(finding.location) == "train.py:4 in main"
        assert (finding.status, finding.basis.kind) == ("confirmed", "observed")


def test_auto_jit_in_the_environment_of_a_cpu(tmp_path):
    (finding,) = found(Run(), tmp_path / "cpu", {"TF_XLA_FLAGS": "--tf_xla_auto_jit=2"})
    assert finding.title.startswith("TF_XLA_FLAGS asks for auto-clustering")
    assert finding.location is None
    run = Run()
    run.event("setting", store="env", key="TF_XLA_FLAGS", action="write", value="--tf_xla_auto_jit=2", where=HERE)
    (finding,) = found(run, tmp_path / "set")
    assert str(finding.location) == "train.py:4 in main"
    assert found(Run(), tmp_path / "gpu", {"TF_XLA_FLAGS": "--tf_xla_auto_jit=2"}, ("CPU", "GPU")) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('OPTIONS = {"run_eagerly": True}\n\nmodel.compile(\n    "adam",\n    **OPTIONS,\n)\n', 1),
        ('OPTIONS = options()\n\nmodel.compile(\n    "adam",\n    **OPTIONS,\n)\n', 5),
        ('CONFIG = {"eager": True}\n\nmodel.compile(\n    "adam", run_eagerly=CONFIG["eager"])\n', 1),
        ('\n\nmodel.compile(\n    "adam",\n    run_eagerly=True)\n', 5),
        ('A, B = {"eager": True}, {"eager": False}\n\nmodel.compile(\n    "adam", run_eagerly=A["eager"])\n', 4),
    ],
)
def test_the_line_that_sets_what_overrides_the_request(tmp_path, monkeypatch, source, line):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    script = tmp_path / "train.py"
    script.write_text(source)
    os.utime(script, (1000, 1000))
    where = {"file": str(script), "line": 3, "function": "<module>"}
    run = Run(cwd=str(tmp_path), started=time.time())
    run.event("call", phase="begin", call=1, method="fit", model="gears", run_eagerly=True, where=where)
    run.event("xla-path", mechanism="keras compile(jit_compile=)", function="gears", requested="True",
              resolved="False", where=where)  # fmt: skip
    folder = run.write(tmp_path / "run")
    mark.sign(folder)
    [finding] = [f for f in scan_run(folder).findings if f.slug == "flag-ineffective"]
    assert finding.location is not None and (finding.location.file, finding.location.line) == (str(script), line)

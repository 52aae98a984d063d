"""An environment variable that was set after the import that reads it: what shows it, and what speaks against it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

KERAS = "/x/site-packages/keras/src/backend/config.py"
ASKED = {"module": "keras.src.backend.config", "file": KERAS, "line": 277, "set": False, "same": False}
WHERE = {"file": "train.py", "line": 15, "function": "<module>"}


def found(run: Run, folder) -> list[tuple[str, str]]:
    return [(f.slug, str(f.location)) for f in scan_run(run.write(folder / "run")).findings]


def wrote(run: Run, key: str, value: str | None, **fields: Any) -> None:
    action = "write" if value is not None else "delete"
    run.event("setting", store="env", key=key, action=action, value=value, where=WHERE, **fields)


def test_it_is_named_with_the_line_that_asked(tmp_path):
    run = Run()
    wrote(run, "KERAS_HOME", "(a text)", asked=ASKED)
    diagnosis = scan_run(run.write(tmp_path / "run"))
    assert [(f.slug, f.level, str(f.location)) for f in diagnosis.findings] == [
        ("setting-too-late", "warning", "train.py:15 in <module>")
    ]
    assert f"{KERAS}:277" in diagnosis.root.message and "(a text)" not in diagnosis.root.message
    assert "before the first import of keras" in diagnosis.root.remedies[0].title


@pytest.mark.parametrize("why", ["asked again", "for a child", "put back", "the same"])
def test_a_value_that_may_have_been_seen_is_no_finding(tmp_path, why):
    run = Run()
    wrote(run, "KERAS_HOME", "(a text)", asked={**ASKED, "same": why == "the same"})
    if why == "asked again":
        run.event("setting", store="env", key="KERAS_HOME", action="read", value="(a text)", where=WHERE, site=1)
    if why == "put back":
        wrote(run, "KERAS_HOME", None, asked={**ASKED, "same": True})
    if why == "for a child":
        run.event("start", schema="xladoctor.events/1", argv=["python", "child.py"], executable="/x/python", ppid=7)
    assert found(run, tmp_path) == []


@pytest.mark.parametrize(
    ("before", "written", "late"),
    [(None, "0", True), (None, "1", False), ("0", "1", True), ("0", "0", False), ("0", None, True)],
)
def test_what_tensorflow_reads_while_its_libraries_are_loaded(tmp_path, before, written, late):
    key = "TF_ENABLE_ONEDNN_OPTS"
    run = Run()
    if before is not None:
        run.events[0]["environment"] = {key: before}
    run.event("import", module="tensorflow", version="2.21.0", file="/x/tensorflow/__init__.py")
    wrote(run, key, written)
    assert found(run, tmp_path) == ([("setting-too-late", "train.py:15 in <module>")] if late else [])


def test_what_is_set_before_the_import_is_in_time(tmp_path):
    run = Run()
    wrote(run, "TF_ENABLE_ONEDNN_OPTS", "0")
    run.event("import", module="tensorflow", version="2.21.0", file="/x/tensorflow/__init__.py")
    assert found(run, tmp_path) == []

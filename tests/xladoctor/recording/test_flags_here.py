"""The search for TensorFlow's libraries runs nothing that lies in the current folder."""

from __future__ import annotations

import os
import sys

from xladoctor.recording.flags import libraries_of


def test_nothing_of_the_current_folder_is_imported(tmp_path, monkeypatch):
    for name in ("types", "warnings", "contextlib", "functools", "typing", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open(__file__ + '.ran', 'w')\nraise SystemExit\n")
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("open(__file__ + '.ran', 'w')\n")
    (tmp_path / "tensorflow" / "libtensorflow_cc.so.2").touch()
    monkeypatch.chdir(tmp_path)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    found = libraries_of(sys.executable, environment)
    assert not any(tmp_path in library.parents for library in found)
    assert list(tmp_path.rglob("*.ran")) == []

"""A rehearsal starts the program that the command names, although it runs elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

from xladoctor.experiments import overlay
from xladoctor.experiments.rehearse import rehearse


def test_a_program_is_found_by_a_path_from_where_the_command_was_given(tmp_path, monkeypatch):
    work, tools = tmp_path / "work", tmp_path / "tools"
    work.mkdir()
    tools.mkdir()
    (tools / "python").symlink_to(sys.executable)
    (work / "program.py").write_text("print('ran')\n")
    monkeypatch.chdir(work)
    listing = overlay.look(Path.cwd())
    again = rehearse(
        ["../tools/python", "program.py"], listing=listing, folder=tmp_path / "run", environment={}, timeout=60.0
    )
    assert again.outcome is not None and again.outcome.code == 0
    assert again.outcome.command == ("../tools/python", "program.py"), "as it was given"

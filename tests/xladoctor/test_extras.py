"""The advice of a command whose extra is missing is for the environment that the doctor is in."""

from __future__ import annotations

import sys

import pytest

from xladoctor.extras import how_to_install, libraries


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("pipx_metadata.json", "pipx inject xladoctor "),
        ("uv-receipt.toml", "uv pip install --python '{}' "),
        ("pyvenv.cfg", "'{}/bin/python' -m pip install "),
    ],
)
def test_the_command_installs_beside_the_doctor(file, command, tmp_path, monkeypatch):
    prefix = tmp_path / "an environment"
    prefix.mkdir()
    (prefix / file).write_text("")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")
    said = how_to_install("lsp")
    assert said.startswith(f"To install it: {command.format(prefix)}") and "pygls" in said and "xladoctor[" not in said


def test_the_libraries_of_an_extra_are_those_of_the_package():
    for extra, library in (("mcp", "mcp"), ("lsp", "pygls"), ("attach", "py-spy")):
        [found] = libraries(extra)
        assert found.startswith(library) and ";" not in found
    assert libraries("nothing") == ["xladoctor[nothing]"]

"""The command: exit statuses, formats, baselines, and what docs/lint.md shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from xladoctor.__main__ import main
from xladoctor.lint import ops
from xladoctor.report import FORMATS
from xladoctor.rules import registry

DOC = (Path(__file__).parents[3] / "docs" / "lint.md").read_text(encoding="utf-8")
WARNING = "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(x):\n    tf.print(x)\n    return x\n"
NOTE = WARNING.replace("    tf.print(x)\n", "")
CLEAN = "x = 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("warning.py", WARNING), ("note.py", NOTE), ("clean.py", CLEAN), ("broken.py", "def (")):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["clean.py"], 0),
        (["note.py"], 0),
        (["warning.py"], 1),
        (["note.py", "--fail-on", "note"], 1),
        (["warning.py", "--fail-on", "never"], 0),
        (["warning.py", "--ignore", "XD803"], 0),
        (["clean.py", "broken.py"], 2),
        ([], 2),
        (["none.py"], 2),
        (["clean.py", "--select", "XD301"], 2),
        (["-", "-"], 2),
    ],
)
def test_exit_status(args, status, folder) -> None:
    assert main(["lint", *args]) == status


def test_the_terminal(folder, capsys) -> None:
    main(["lint", "warning.py", "broken.py"])
    out = capsys.readouterr().out
    assert out.startswith("warning.py:6:5 warning XD803 host-op-in-jit\n")
    assert "could not be read: broken.py:1: syntax error" in out
    assert out.endswith("xladoctor lint: 1 warning, 1 note\n")
    main(["lint", "warning.py", "--verbose"])
    out = capsys.readouterr().out
    assert "    tf.print(x)\n" in out and "Do it outside the compiled function" in out
    main(["lint", "warning.py", "--quiet"])
    assert capsys.readouterr().out == "xladoctor lint: 1 warning, 1 note\n"


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "console"])
@pytest.mark.parametrize("file", ["warning.py", "clean.py"])
def test_every_format_has_the_finding_and_its_line(format, file, folder, capsys) -> None:
    main(["lint", file, "--format", format])
    out = capsys.readouterr().out
    assert ("XD803" in out) == (file == "warning.py")
    if file == "warning.py":
        assert file in out and re.search(r"\b6\b", out)


def test_json_is_a_diagnosis(folder, capsys) -> None:
    main(["lint", "warning.py", "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == "xladoctor.diagnosis/1" and said["verdict"] == "warnings"
    first = said["findings"][0]
    assert (first["code"], first["class"], first["level"]) == ("XD803", "host-op-in-jit", "warning")
    assert first["location"] == {"file": "warning.py", "line": 6, "function": "f", "cell": None}
    assert first["details"]["leads_to"] == "unsupported-op"


def test_a_baseline_from_end_to_end(folder, capsys) -> None:
    assert main(["lint", "warning.py", "--write-baseline", "lint.json"]) == 0
    assert main(["lint", "warning.py", "--baseline", "lint.json"]) == 0
    assert "2 findings in the baseline" in capsys.readouterr().out
    (folder / "warning.py").write_text("\n" + WARNING.replace("    return", "    tf.print('new')\n    return"))
    assert main(["lint", "warning.py", "--baseline", "lint.json"]) == 1
    assert "warning.py:8:5" in capsys.readouterr().out
    assert main(["lint", "warning.py", "--write-baseline", "clean.py"]) == 2
    assert (folder / "clean.py").read_text() == CLEAN


def test_hostile_names_and_lines_do_not_reach_the_terminal(folder, capsys) -> None:
    (folder / "a\x1b[31m.py").write_text(WARNING.replace("tf.print(x)", 'tf.print(x, "\x1b]0;t\x07")'))
    main(["lint", ".", "--verbose"])
    assert "\x1b" not in capsys.readouterr().out


def test_what_the_page_shows_is_what_comes(folder, capsys) -> None:
    block = re.search(r"^```console\n\$ cat step.py\n(.*?)^\$ xladoctor lint step.py\n(.*?)^```$", DOC, re.M | re.S)
    assert block is not None
    (folder / "step.py").write_text(block[1])
    main(["lint", "step.py"])
    assert capsys.readouterr().out == block[2]


def test_the_settings_of_the_page_are_settings(folder) -> None:
    block = re.search(r"^```toml\n(.*?)^```$", DOC, re.M | re.S)
    assert block is not None
    (folder / "pyproject.toml").write_text(block[1])
    assert main(["lint", "note.py"]) == 0


def test_ops_that_are_called_unsupported_have_no_kernel() -> None:
    for name, made in ops.HOST.items():
        for op in made.split(", "):
            found = registry.kernels(op)
            assert found is None or not found.xla, (name, op)

"""What is read, and what is told of files that cannot be: links, encodings, syntax, notebooks, standard input."""

from __future__ import annotations

import io
import json
import os

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.lint import files
from xladoctor.lint.engine import lint
from xladoctor.lint.settings import Settings
from xladoctor.sources.source import LARGEST

JIT = "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(x):\n    tf.print(x)\n    return x\n"


def test_a_syntax_error_is_told_with_its_line_and_the_rest_is_linted(tmp_path) -> None:
    (tmp_path / "broken.py").write_text("x = 1\ndef f(:\n")
    (tmp_path / "good.py").write_text(JIT)
    diagnosis = lint([str(tmp_path)], Settings()).diagnosis
    assert [p.startswith(f"{tmp_path}/broken.py:2: syntax error") for p in diagnosis.problems] == [True]
    assert {f.code for f in diagnosis.findings} == {"XD803", "XD810"}
    assert diagnosis.exit_code == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = 'a'\ny = '\xff'\n", ":2: byte 0xff is not utf-8"),
        (b"# coding: nonsense\n", "unknown encoding"),
        (b"x = 1\0\n", "null byte"),
        (b"x = " + b"(" * 3000 + b"1" + b")" * 3000, ""),
        (b"#" * (LARGEST + 1), "larger than 5 MB"),
    ],
    ids=["bytes", "coding", "null", "nested", "large"],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path, data, said) -> None:
    (tmp_path / "odd.py").write_bytes(data)
    [problem] = files.read([str(tmp_path / "odd.py")]).problems
    assert "odd.py" in problem and said in problem


@pytest.mark.parametrize("text", [f"x = {'-' * 900}1\n", f"x = {'1 + ' * 900}1\n"], ids=["unary", "binary"])
def test_deep_nesting_ends_nothing(tmp_path, text) -> None:
    (tmp_path / "deep.py").write_text(JIT.replace("    tf.print(x)\n", f"    {text}    tf.print(x)\n"))
    found = lint([str(tmp_path / "deep.py")], Settings()).diagnosis
    assert "XD803" in {f.code for f in found.findings} or found.notes[1:] or found.problems


def test_other_encodings_and_line_ends_are_read(tmp_path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\r\n# \xe9\r\n" + JIT.replace("\n", "\r\n").encode())
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbf" + JIT.encode())
    lines = {f.location.file[-8:]: f.location.line for f in lint([str(tmp_path)], Settings()).diagnosis.findings}
    assert lines == {"latin.py": 6, "/mark.py": 4}


def test_links_that_lead_back_are_followed_once(tmp_path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text(JIT)
    os.symlink(tmp_path / "pkg", tmp_path / "pkg" / "again")
    os.symlink(tmp_path / "pkg" / "a.py", tmp_path / "pkg" / "b.py")
    assert len(files.read([str(tmp_path)]).sources) == 1


def test_folders_of_others_and_excluded_ones_are_not_entered(tmp_path) -> None:
    for name in (".git", "venv", "tests", "src"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1\n")
    (tmp_path / "src" / "a_pb2.py").write_text("x = 1\n")
    found = files.read([str(tmp_path)], exclude=("tests", "*_pb2.py"))
    assert [s.path for s in found.sources] == [str(tmp_path / "src" / "a.py")]
    assert len(files.read([str(tmp_path / "venv")]).sources) == 1


def test_what_does_not_exist_is_told_with_what_was_meant(tmp_path) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(XladoctorError, match="there is no file or folder") as error:
        files.read([str(tmp_path / "trian.py")])
    assert "train.py" in (error.value.hint or "")
    (tmp_path / "empty").mkdir()
    with pytest.raises(XladoctorError, match="there is no Python in"):
        files.read([str(tmp_path / "empty")])


def test_standard_input(monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(JIT.encode())))
    found = lint(["-"], Settings()).diagnosis.findings
    assert {(f.location.file, f.location.line) for f in found} == {("<stdin>", 4), ("<stdin>", 6)}


def notebook(*cells: str, indent: int | None = 1) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    made.insert(0, {"cell_type": "markdown", "source": ["# def f(:"]})
    return json.dumps({"cells": made, "nbformat": 4}, indent=indent)


def test_a_notebook_is_linted_and_its_lines_are_those_of_the_file(tmp_path) -> None:
    text = notebook("%matplotlib inline\n!pip list\nfiles = !ls\n", "%%bash\nif [ -e x ]; then", JIT)
    (tmp_path / "study.ipynb").write_text(text)
    found = {f.code: f for f in lint([str(tmp_path)], Settings()).diagnosis.findings}
    printed = found["XD803"]
    assert (printed.details["cell"], printed.details["cell_line"]) == (4, 6)
    assert "tf.print(x)" in text.splitlines()[printed.location.line - 1]


def test_a_notebook_on_one_line_has_cells_only(tmp_path) -> None:
    (tmp_path / "study.ipynb").write_text(notebook(JIT, indent=None))
    for finding in lint([str(tmp_path)], Settings()).diagnosis.findings:
        assert finding.location.line is None and finding.details["cell"] == 2


@pytest.mark.parametrize("text", ["no json", "{}", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}'])
def test_what_is_no_notebook_is_told(tmp_path, text) -> None:
    (tmp_path / "study.ipynb").write_text(text)
    assert files.read([str(tmp_path / "study.ipynb")]).problems == (
        f"{tmp_path}/study.ipynb: no Jupyter notebook (version 4)",
    )


def test_a_wrong_cell_is_told_by_its_number(tmp_path) -> None:
    (tmp_path / "study.ipynb").write_text(notebook("x = 1", "y = 2\ndef f(:"))
    [problem] = files.read([str(tmp_path / "study.ipynb")]).problems
    assert "cell 3, line 2: syntax error" in problem

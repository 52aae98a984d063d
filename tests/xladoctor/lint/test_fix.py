"""`lint --fix`, `--diff` and `--statistics`: the program stays the same, and so do encodings, line ends and layouts."""

from __future__ import annotations

import json
import os
import re
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xladoctor.__main__ import main
from xladoctor.lint import fix_files
from xladoctor.lint.fix import Change, Fix
from xladoctor.lint.rewrite import NotFixable, rewritten
from xladoctor.lint.settings import Settings
from xladoctor.sources.source import decode, parse

LEVEL = 'os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"'
XLA = 'os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2"'
BAD = f"import os\nimport tensorflow as tf\n\n{LEVEL}\n"
GOOD = f"import os\n{LEVEL}\nimport tensorflow as tf\n\n"


def fixed(text: str, folder: Path, name: str = "a.py") -> str:
    file = folder / name
    file.write_bytes(text.encode())
    main(["lint", str(file), "--fix", "--quiet"])
    return file.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BAD, GOOD),
        (f"import keras\nimport os\n{LEVEL}  # quiet\n", f"import os\n{LEVEL}  # quiet\nimport keras\n"),
        (
            f"from os import environ\nimport keras\n{LEVEL[3:]}\n",
            f"from os import environ\n{LEVEL[3:]}\nimport keras\n",
        ),
        (
            f"import os\nimport tensorflow as tf\nimport json\nN = 3\n{LEVEL}\n{XLA}\n",
            f"import os\n{LEVEL}\n{XLA}\nimport tensorflow as tf\nimport json\nN = 3\n",
        ),
        (
            'import os\nimport tensorflow\nos.environ.setdefault(\n    "XLA_FLAGS", "x"\n)\n',
            'import os\nos.environ.setdefault(\n    "XLA_FLAGS", "x"\n)\nimport tensorflow\n',
        ),
        ("x = 1  # xladoctor: ignore[XD805, XD999] why\n", "x = 1  # xladoctor: ignore[XD805] why\n"),
        (f"import os\nimport tensorflow\n{LEVEL}", f"import os\n{LEVEL}\nimport tensorflow"),
    ],
)  # fmt: skip
def test_what_is_fixed(before, after, tmp_path) -> None:
    assert fixed(before, tmp_path) == after
    assert fixed(after, tmp_path) == after


BACKEND = 'os.environ["KERAS_BACKEND"] = "jax"'


@pytest.mark.parametrize(
    "text",
    [
        f"import os\n{LEVEL.replace('3', '0')}\nimport tensorflow\n{LEVEL}\n",  # says more during the import
        f"import os\nimport keras\n{BACKEND}\n",  # takes effect for the first time
        f"import os\nimport tensorflow as tf\nimport settings\n{LEVEL}\n",  # may set it, too
        f"import os\nimport tensorflow as tf\ntf.constant(1)\n{XLA}\n",  # was read
        f"import os\nimport tensorflow_probability\n{XLA}\n",  # may have made devices
        f"import os\nimport tensorflow\nprint(os.environ)\n{LEVEL}\n",
        f"import os\nimport tensorflow\nif os.name:\n    {LEVEL}\n",
        f"import os\nimport tensorflow\ndef f():\n    {LEVEL}\n",
        f"import os\nimport tensorflow; {LEVEL}\n",
        f"import tensorflow\nfrom os import *\n{LEVEL}\n",
        f"import tensorflow\nimport os, settings\n{LEVEL}\n",
        f"import os\nimport tensorflow\nos = 1\n{LEVEL}\n",
        'import os\nimport tensorflow\nos.environ["TF_CPP_MIN_LOG_LEVEL"] = str(3)\n',
        "x = 1  # xladoctor: ignore[XD999] why\n",
        "x = 1  # xladoctor: ignore[XD805]\n",
    ],
)
def test_what_is_left_alone(text, tmp_path) -> None:
    assert fixed(text, tmp_path) == text


STATEMENTS = (
    *("import tensorflow as tf", "import keras", "import os", "import json as os", "from os import environ", "N = 1"),
    *("import os, json", "os = 1", LEVEL, LEVEL.replace("3", "1"), XLA, XLA.replace("2", "1"), LEVEL[3:], "pass"),
    *('os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")', 'os.environ.setdefault("XLA_FLAGS", "a")', "'text'"),
    *('SEEN = os.environ.get("TF_XLA_FLAGS")', 'os.environ.pop("TF_XLA_FLAGS", None)', "N = 2", f"if N:\n    {XLA}"),
    *(BACKEND, "import os  # first", f"{LEVEL}; N = 3", "x = 1  # xladoctor: ignore[XD801,XD999] why"),
)


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=7))
def test_a_program_does_the_same_when_fixed(statements) -> None:
    """Run before and after, with libraries that do nothing: the names and the environment at the end are the same."""
    text = "import os\nimport tensorflow as tf\nN = 0\n" + "\n".join(statements) + "\n"
    source = parse(text, "a.py")
    found = fix_files.engine.lint_sources(fix_files.files.Read((source,), ()), ["a.py"], Settings())
    for fix in [spot.fix for spot in found.spots if spot.fix is not None]:
        made = rewritten(text.encode(), source, [fix])
        assert _run(text) == _run(made.texts[0].after), made.texts[0].after


def _run(text: str) -> object:
    """What a program leaves behind: its names, and the environment, with the order in which errors came."""
    from unittest import mock

    names: dict[str, object] = {}
    modules = {name: types.ModuleType(name) for name in ("tensorflow", "keras")}
    with mock.patch.dict(os.environ, {}, clear=True), mock.patch.dict(sys.modules, modules):
        try:
            exec(compile(text, "a.py", "exec"), names)
            error = None
        except Exception as raised:
            error = str(raised)
        environment = {name: os.environ.get(name) for name in ("TF_CPP_MIN_LOG_LEVEL", "TF_XLA_FLAGS", "XLA_FLAGS")}
    names.pop("__builtins__")
    if error is not None:
        return error
    return {
        k: v if isinstance(v, str | int | None) else getattr(v, "__name__", "") for k, v in names.items()
    }, environment


@pytest.mark.parametrize(
    ("head", "encoding", "newline"),
    [
        ("# naïve\n", "utf-8", "\n"),
        ("# naïve\n", "utf-8", "\r\n"),
        ("# naïve\n", "utf-8", "\r"),
        ("# naïve\n", "utf-8-sig", "\r\n"),
        ("# -*- coding: latin-1 -*-\n# naïve\n", "latin-1", "\n"),
        ("# -*- coding: cp1252 -*-\n# na€ve\n", "cp1252", "\r\n"),
        ("N = 1\n\x0c\nM = '\x0b \u2028'\n", "utf-8", "\n"),
    ],
)  # fmt: skip
def test_encoding_marks_and_line_ends_stay(head, encoding, newline, tmp_path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes((head + BAD).replace("\n", newline).encode(encoding))
    file.chmod(0o750)
    main(["lint", str(file), "--fix"])
    assert file.read_bytes() == (head + GOOD).replace("\n", newline).encode(encoding)
    assert file.stat().st_mode & 0o777 == 0o750
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_with_mixed_line_ends_keeps_those_of_its_other_lines(tmp_path) -> None:
    (tmp_path / "a.py").write_bytes(b"import os\nimport tensorflow\r\nN = 1\n" + LEVEL.encode() + b"\r\nM = 2\r\n")
    main(["lint", str(tmp_path), "--fix"])
    assert (tmp_path / "a.py").read_bytes().endswith(b"import tensorflow\r\nN = 1\nM = 2\r\n")


def test_a_syntax_error_stops_only_its_own_file(tmp_path) -> None:
    (tmp_path / "good.py").write_text(BAD)
    (tmp_path / "bad.py").write_text(BAD + "def (\n")
    assert main(["lint", str(tmp_path), "--fix"]) == 2
    assert (tmp_path / "good.py").read_text() == GOOD
    assert (tmp_path / "bad.py").read_text() == BAD + "def (\n"


def test_nothing_outside_of_the_given_paths_is_written(tmp_path, capsys) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "a.py").write_text(BAD)
    (inside / "link.py").symlink_to(outside / "a.py")
    assert main(["lint", str(inside), "--fix"]) == 2
    assert (outside / "a.py").read_text() == BAD
    assert "not fixed: it is a link to" in " ".join(capsys.readouterr().out.split())
    # A link that is named itself is meant, and stays a link.
    assert main(["lint", str(inside / "link.py"), "--fix"]) == 0
    assert (outside / "a.py").read_text() == GOOD and (inside / "link.py").is_symlink()


def book(cells: list[str | list[str]], **layout) -> str:
    """A notebook, laid out as `json.dumps` is told."""
    made = [
        {"cell_type": "code", "id": "é", "metadata": {}, "outputs": [], "execution_count": 1, "source": c}
        for c in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, **layout)


@pytest.mark.parametrize("layout", [{"indent": 1, "ensure_ascii": False}, {"indent": 2}, {"indent": None}])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_cell_of_a_notebook(layout, end, tmp_path, capsys) -> None:
    magic = "%matplotlib inline\n!ls\n"
    file = tmp_path / "a.ipynb"
    file.write_text(book([magic, (magic + BAD.rstrip()).splitlines(keepends=True)], **layout) + end, encoding="utf-8")
    main(["lint", str(file), "--diff"])
    assert f"--- {file}: cell 2\n" in capsys.readouterr().out
    main(["lint", str(file), "--fix"])
    good = (magic + GOOD.rstrip("\n") + "\n").splitlines(keepends=True)
    left = json.loads(file.read_text(encoding="utf-8"))["cells"][1]["source"]
    assert "".join(left).rstrip() == "".join(good).rstrip()
    assert file.read_text(encoding="utf-8") == book([magic, left], **layout) + end


def test_two_cells_and_odd_layouts_are_left_alone(tmp_path, capsys) -> None:
    apart = book(["import os\nimport tensorflow", LEVEL], indent=1)
    odd = book([BAD], indent=1).replace('"cells": [', '"cells":  [')
    for name, text in (("apart.ipynb", apart), ("odd.ipynb", odd)):
        (tmp_path / name).write_text(text)
        main(["lint", str(tmp_path / name), "--fix"])
        assert (tmp_path / name).read_text() == text
    assert "the layout of its JSON could not be kept" in " ".join(capsys.readouterr().out.split())


def test_a_fix_that_would_be_another_program_is_refused() -> None:
    data = b"x = 1\ny = 2\n"
    source = parse(decode(data, "a.py"), "a.py")
    with pytest.raises(NotFixable, match="would change the program"):
        rewritten(data, source, [Fix("wrong", (Change((2, 4), (2, 5), "3"),))])
    with pytest.raises(NotFixable, match="changed since"):
        rewritten(data + b"z = 3\n", source, [Fix("right", (Change((1, 5), (1, 5), "  # one"),))])


def test_diff_writes_nothing_and_says_so_by_its_status(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BAD)
    assert main(["lint", "a.py", "--diff"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("--- a.py\n+++ a.py\n@@ ") and f"+{LEVEL}\n" in said.out and f"-{LEVEL}\n" in said.out
    assert said.err == "Would fix 1 finding in 1 file.\n"
    assert (tmp_path / "a.py").read_text() == BAD
    assert main(["lint", "a.py", "--fix"]) == 0
    assert "Fixed 1 finding in 1 file.\n" in capsys.readouterr().err
    assert main(["lint", "a.py", "--diff"]) == 0 and capsys.readouterr().out == ""


def test_only_what_would_be_told_is_fixed(tmp_path) -> None:
    file = tmp_path / "a.py"
    for text, options in (
        (BAD, ["--ignore", "XD801"]),
        (BAD.replace(LEVEL, LEVEL + "  # xladoctor: ignore[XD801] it is meant"), []),
    ):
        file.write_text(text)
        main(["lint", str(file), "--fix", *options])
        assert file.read_text() == text
    file.write_text(BAD)
    assert main(["lint", str(file), "--write-baseline", str(tmp_path / "lint.json")]) == 0
    main(["lint", str(file), "--fix", "--baseline", str(tmp_path / "lint.json")])
    assert file.read_text() == BAD


def test_a_file_that_cannot_be_written_is_a_problem(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "a.py").write_text(BAD)
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(13, "permission denied")))
    assert main(["lint", str(tmp_path), "--fix"]) == 2
    assert "not fixed: permission denied" in " ".join(capsys.readouterr().out.split())
    assert [file.name for file in tmp_path.iterdir()] == ["a.py"] and (tmp_path / "a.py").read_text() == BAD


def test_statistics(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BAD + "x = tf.function(f, jit_compile=True)\ny = tf.function(g, jit_compile=True)\n")
    assert main(["lint", ".", "--statistics"]) == 0
    assert capsys.readouterr().out == (
        "2  XD810  [ ]  explicit-jit\n1  XD801  [*]  environment-after-import\n[*] fixable with --fix: 1 of 3\n"
    )
    assert main(["lint", ".", "--statistics", "--format", "json", "--fail-on", "note"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["statistics"][1] == {"code": "XD801", "class": "environment-after-import", "count": 1, "fixable": 1}
    assert main(["lint", ".", "--select", "XD803", "--statistics"]) == 0
    assert capsys.readouterr().out == "nothing found\n"


@pytest.mark.parametrize(
    "args",
    [
        ["-", "--fix"],
        [".", "--diff", "--format", "json"],
        [".", "--fix", "--write-baseline", "x"],
        [".", "--diff", "--statistics"],
    ],
)
def test_options_that_do_not_go_together(args, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lint", *args]) == 2


def test_what_the_page_shows_is_what_comes(tmp_path, monkeypatch, capsys) -> None:
    page = (Path(__file__).parents[3] / "docs" / "lint.md").read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S) if b.startswith("$ cat train.py"))
    (_, source), *sessions = [part.split("\n", 1) for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(source)
    assert len(sessions) == 3
    for command, shown in sessions:
        main(command.split()[1:])
        assert capsys.readouterr().out == shown, command

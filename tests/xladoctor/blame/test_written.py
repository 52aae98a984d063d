"""The text of edits that were tried on the parsed tree, as suspects carry it."""

from __future__ import annotations

import ast

from xladoctor.blame.variants import Variant, replaced
from xladoctor.blame.written import as_text
from xladoctor.sources.files import Files

from .programs import MAIN, blamed

SOURCE = 'import numpy as np\nrecent = scaled[-SHOWN:]\ny = table["a"] + table["b"]\nz = f(x)\n'


def written(change: Variant) -> tuple[str, str]:
    return as_text(Files({MAIN: SOURCE}.get, ("/work",)), change)


def test_an_edit_of_the_tree_as_text() -> None:
    files = Files({MAIN: SOURCE}.get, ("/work",))
    tree = files.source(MAIN)
    assert tree is not None
    bound = next(n for n in ast.walk(tree.tree) if isinstance(n, ast.UnaryOp))
    name = Variant(MAIN, 2, "name", "slice", replaced(bound, "operand", None, ast.Name("WINDOW", ast.Load())))
    assert as_text(files, name) == ("SHOWN", "WINDOW")
    sides = next(n for n in ast.walk(tree.tree) if isinstance(n, ast.BinOp))
    other = ast.parse('table["c"]', mode="eval").body
    assert as_text(files, Variant(MAIN, 3, "name", "other", replaced(sides, "right", None, other))) == ('"b"', '"c"')
    call = next(n for n in ast.walk(tree.tree) if isinstance(n, ast.Call))
    wrapped = ast.parse("x", mode="eval").body
    wrapped = ast.Call(ast.Name("numpy.squeeze", ast.Load()), [wrapped, ast.Constant(-1)], [])
    old, new = as_text(files, Variant(MAIN, 4, "wrap", "squeeze", replaced(call, "args", 0, wrapped)))
    assert "z = f(x)".replace(old, new) == "z = f(np.squeeze(x, -1))"


def test_what_nobody_can_write_has_no_text() -> None:
    files = Files({MAIN: SOURCE}.get, ("/work",))
    tree = files.source(MAIN)
    assert tree is not None
    sides = next(n for n in ast.walk(tree.tree) if isinstance(n, ast.BinOp))
    other = ast.parse('table["another"]', mode="eval").body
    assert as_text(files, Variant(MAIN, 3, "by one", "slice", replaced(sides, "right", None, other))) == ("", "")


def test_a_suspect_says_what_would_change() -> None:
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        WINDOW, SHOWN = 12, 10
        series = np.zeros((60, 3))
        model = keras.Sequential([keras.Input((WINDOW, 3)), keras.layers.Flatten(), keras.layers.Dense(1)])
        recent = series[-SHOWN:]
        model.predict(recent[None])
        """,
        ("<module>", "model.predict"),
        dims=(10, 12),
    )
    assert found is not None
    at = next(s for s in found.suspects if s.code == "recent = series[-SHOWN:]")
    assert at.code.replace(at.old, at.new) == "recent = series[-WINDOW:]"

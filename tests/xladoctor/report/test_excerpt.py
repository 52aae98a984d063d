from __future__ import annotations

from xladoctor.model.diagnosis import Location
from xladoctor.report.excerpt import Excerpt, SourceLine, cells, drawn, of, text

HERE = Location("/a/train.py", 11, "call")


def test_the_caret_stands_under_the_marked_part():
    rows = (SourceLine(9, "def call(x):"), SourceLine(10, "    return ", "x + y", "  # sum"))
    assert text(Excerpt(HERE, rows)).splitlines() == [
        " 9 | def call(x):",
        "10 |     return x + y  # sum",
        "   |            ^^^^^",
    ]


def test_tabs_and_wide_characters_keep_the_caret_in_place():
    assert text(Excerpt(HERE, (SourceLine(1, "\tx = ", "y"),))).splitlines() == ["1 |     x = y", "  |         ^"]
    _, caret = text(Excerpt(HERE, (SourceLine(1, "名 = ", "y"),))).splitlines()
    assert caret == "  |      ^"


def test_control_characters_are_shown_and_not_sent():
    shown = text(Excerpt(HERE, (SourceLine(1, "a\x1b]0;t\x07\x07\u202e", "b\x08", "\x1b[2J"),)))
    assert not set(shown) & set("\x1b\x07\x08\u202e")
    assert "\\x07" in shown


def test_a_long_line_is_cut_around_the_caret():
    line = SourceLine(1, "a" * 300, "MARK", "b" * 300)
    rows = list(drawn(Excerpt(HERE, (line, SourceLine(2, "c" * 300))), 60))
    assert all(cells(row) <= 60 for row, _ in rows)
    shown, caret = rows[0][0], rows[1][0]
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "MARK"
    assert "…" in shown and [mark for _, mark in rows] == [False, True, False]


def test_an_excerpt_is_known_by_its_place():
    known = (Excerpt(HERE), Excerpt(Location("/a/train.py", 12)))
    assert of(Location("/a/train.py", 11, "other"), known) is known[0]
    assert of(Location("/a/train.py", 13), known) is None and of(None, known) is None

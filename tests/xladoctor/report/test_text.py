from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from xladoctor.report import text

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MARKS = st.text(alphabet="\\`*_[]()<>|~$&#@!:;/.-+=>1xaw \n\t'\"^{}", max_size=40)
PIECES = (
    "<script> </code> <!-- --> [a](http://x) ![i](x) [^1]: [ref]:http://x [x] ``` ~~~ | \\| \\ ` ``"
    " @octocat #12 GH-7 https://evil.example www.evil.example &lt; &#64; --- === 1. 1) - + # > $x$"
    " **b** __b__ _i_ a_b_c ~~s~~ mailto:a@b.c <http://x> x"
)
NASTY = st.lists(st.sampled_from([*PIECES.split(" "), "\n", "\n\n", " ", "    "]), max_size=8).map("".join)
INLINE = {
    "paragraph_open",
    "paragraph_close",
    "inline",
    "text",
    "text_special",
    "strong_open",
    "strong_close",
}
LIST = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}


def tokens(markdown: str):
    for token in GITHUB.parse(markdown):
        yield token
        yield from token.children or ()


def shown(markdown: str) -> str:
    said = "".join(t.content for t in tokens(markdown) if t.type in ("text", "code_inline", "text_special"))
    return said.replace("\u200b", "")


def kinds(markdown: str) -> set[str]:
    return {token.type for token in tokens(markdown)}


@pytest.mark.parametrize(
    ("foreign", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never ended", "\\x1b]0;never ended"),
        ("\x1b\x1b[0m[2Jgone", "\\x1b[2Jgone"),
        ("\x9b31mred", "red"),
        ("\x1bP+q\x1b\\x", "x"),
        ("a\x1bcb", "ab"),
        ("bell\x07", "bell\\x07"),
        ("100%\r200%", "100%\n200%"),
        ("one\r\ntwo", "one\ntwo"),
        ("back\x08space", "back\\x08space"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("bytes \udc80", "bytes \ufffd"),
        ("größer 中文 🙂 ≤", "größer 中文 🙂 ≤"),
    ],
)
def test_what_a_terminal_would_act_upon(foreign, seen):
    assert text.lines(foreign) == seen


@given(st.text())
@example("\x1b\x1b[0m]0;x\x07")
@example("\x9b\x9b0mm")
def test_no_control_code_is_left(foreign):
    left = text.lines(foreign)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)
    assert "\n" not in text.line(foreign)
    left.encode("utf-8")


@given(MARKS | NASTY)
def test_prose_shows_what_was_said_and_nothing_more(foreign):
    for before in ("", "- ", "**said**: "):
        markdown = f"{before}{text.md(foreign)}"
        assert kinds(markdown) <= INLINE | LIST
        assert shown(markdown).removeprefix("said:" if "said" in before else "").strip() == text.line(foreign)


@given(MARKS | NASTY)
def test_a_code_span_shows_what_was_said(foreign):
    markdown = f"say {text.md_code(foreign)} end"
    assert shown(markdown) == f"say {text.line(foreign)} end"
    if text.line(foreign):
        assert "code_inline" in kinds(markdown)


@given(MARKS | NASTY, MARKS | NASTY)
def test_a_table_keeps_its_cells(one, two):
    def first_row(cells):
        return f"| a | b |\n| --- | --- |\n| {' | '.join(cells)} |\n"

    for make in (text.md, lambda value: text.md_code(value, table=True)):
        markdown = first_row((make(one), make(two)))
        seen = [t for t in GITHUB.parse(markdown) if t.type == "inline"]
        assert len(seen) == 4
        assert not kinds(markdown) & {"html_block", "html_inline", "link_open", "image"}
        said = ["".join(c.content for c in t.children or ()).replace("\u200b", "") for t in seen[2:]]
        # In a code span of a table no backslash can stand right before a bar.
        wanted = [text.line(value) for value in (one, two)]
        assert said == (wanted if make is text.md else [value.replace("\\|", "\\ |") for value in wanted])


@given(MARKS | NASTY)
def test_a_fence_cannot_be_left(foreign):
    parsed = GITHUB.parse(f"{text.md_fence(foreign, 'sh')}\n\nafter")
    assert [token.type for token in parsed][:2] == ["fence", "paragraph_open"]
    assert parsed[0].content.strip("\n") == text.lines(foreign).strip("\n")


@pytest.mark.parametrize("foreign", ["@octocat", "see #12", "GH-3", "owner/repo#4", "https://x.y", "www.x.y", "a" * 40])
def test_github_links_nothing(foreign):
    linked = re.compile(r"@\w|#\d|GH-\d|://|www\.\w|\b[0-9a-f]{40}\b")
    assert not linked.search(text.md(foreign).replace("&#8203;", "\u200b"))


def test_paths_and_names_stay_readable():
    assert text.md("padded_size of [4 78 78 1] in tf_helper.py:12 -> (B P P 1)") == (
        "padded_size of [4 78 78 1] in tf_helper.py:12 -> (B P P 1)"
    )

"""Whatever field of a diagnosis is hostile, no renderer hands it on to the terminal or the page."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from tests.xladoctor.report.hostile import CONTROL, EVIL, FULL, PATHS, VIEW, everywhere, put
from xladoctor.report import View, render
from xladoctor.report.page import Page

COLOUR = re.compile("\x1b\\[[0-9;]*m")

each = pytest.mark.parametrize("path", [pytest.param(p, id=".".join(k)[:60]) for k, p in PATHS.items()])


def coloured() -> Page:
    return Page(console=Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor"))


def test_the_walk_reaches_every_class():
    names = {step for path in PATHS for step in path}
    assert {"title", "file", "function", "violation", "origin", "requested", "key", "value", "how"} <= names
    assert {
        "note",
        "caller",
        "device",
        "layer",
        "governed_by",
        "tool_version",
        "environment",
        "dims",
    } <= names


@each
def test_console(path):
    said = render(put(FULL, path, EVIL), "console", None, VIEW)
    assert not CONTROL.search(said)


def test_console_with_everything_hostile():
    diagnosis = everywhere()
    for view in (VIEW, View(), View(quiet=True)):
        assert not CONTROL.search(render(diagnosis, "console", None, view))
        bright = render(diagnosis, "console", coloured(), view)
        assert COLOUR.search(bright)
        assert not CONTROL.search(COLOUR.sub("", bright))


def test_markup_is_not_obeyed():
    evil = "[link=http://x]a[/link] [bold]b[/bold] :smile:"
    diagnosis = replace(FULL, findings=(replace(FULL.findings[0], title=evil),))
    for page in (None, coloured()):
        assert evil in render(diagnosis, "console", page)


GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


FOLD = r"<details><summary>(More of the \d+ calls|\d+ events|The rest of it)</summary>\n|</details>\n"


def check_markdown(said: str) -> None:
    assert not CONTROL.search(said)
    tokens = GITHUB.parse(said)
    flat = [t for token in tokens for t in (token, *(token.children or ()))]
    assert not [t for t in flat if t.type in ("link_open", "image", "html_inline")]
    blocks = [t.content for t in flat if t.type == "html_block"]
    comments = [block for block in blocks if not re.fullmatch(FOLD, block)]
    assert len(comments) == 1 and comments[0].startswith("<!-- ") and comments[0].count("-->") == 1
    assert [t.tag for t in flat if t.type == "heading_open"].count("h1") == 1
    for text in (t.content for t in flat if t.type == "text"):
        assert not re.search(r"@\w|#1\b|https://", text), text
    heads = cells = 0
    for token in tokens:
        cells = 0 if token.type == "tr_open" else cells + (token.type in ("td_open", "th_open"))
        heads = cells if token.type == "thead_close" else heads
        assert token.type != "tr_close" or token.level == 2 or cells == heads


@each
def test_markdown(path):
    check_markdown(render(put(FULL, path, EVIL), "markdown", None, VIEW))


def test_markdown_with_everything_hostile():
    check_markdown(render(everywhere(), "markdown", None, VIEW))


def test_json_with_everything_hostile():
    said = render(everywhere(), "json")
    assert said.isascii() and not CONTROL.search(said.replace("\n", ""))

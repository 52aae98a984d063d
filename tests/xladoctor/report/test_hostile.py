"""Whatever field of a diagnosis is hostile, no renderer hands it on to the terminal or the page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from tests.xladoctor.report import samples
from xladoctor.diagnosis.model import Diagnosis
from xladoctor.report import View, render
from xladoctor.report.page import Page

EVIL = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2066\x08\r[bold]m[/bold] |</td><script>alert(1)</script>"
    "`` ``` ```` \n```\n# heading\n<img src=x> [a](javascript:x) ![i](http://x) @octocat #1 "
    "https://evil.example \\| $x$ --> \udc80"
)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COLOUR = re.compile("\x1b\\[[0-9;]*m")
VIEW = View(verbose=True, run_dir=f"runs/{EVIL}", target_status=1)
FULL = replace(
    samples.LOUD,
    isolated={"op": "Reshape", "inputs": [{"name": "x", "shape": [1, 2]}]},
    reproducer="repro.py",
    findings=(*samples.LOUD.findings, *samples.MUTED.findings[1:]),
)


def leaves(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The way to every value of a diagnosis that could be a text, and to a new key of every mapping."""
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, dict):
        yield (*path, EVIL)
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif path[-1] not in ("location", "caller"):
        yield path


def kind(path: tuple) -> tuple:
    return tuple("*" if isinstance(step, int) else step for step in path)


def put(value: Any, path: tuple, new: Any) -> Any:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if is_dataclass(value):
        return replace(value, **{head: put(getattr(value, head), rest, new)})
    if isinstance(value, dict):
        return {**value, head: put(value.get(head), rest, new)}
    return type(value)([put(item, rest, new) if i == head else item for i, item in enumerate(value)])


PATHS = {kind(path): path for path in reversed(list(leaves(FULL)))}
each = pytest.mark.parametrize("path", [pytest.param(p, id=".".join(k)[:60]) for k, p in PATHS.items()])


def everywhere() -> Diagnosis:
    """A diagnosis in which every text is hostile at once."""
    out: Any = FULL
    for path in leaves(FULL):
        if path[-1] != EVIL:
            out = put(out, path, EVIL)
    return out


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

"""The documentation as a site: it builds without a network, loads nothing from elsewhere, and leaves no page out."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from docs._build import casebook, hooks

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(\w+:)?//|<link\b[^>]*\bhref=\"(?:\w+:)?//")
    assert loads.search('<script async src="https://x.org/a.js">'), "the pattern can find one"
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 80
    assert [str(page) for page in pages if loads.search(page.read_text(encoding="utf-8"))] == []


def broken(site: Path) -> list[str]:
    """Links and pictures of all pages that lead to no file, or to no place in their page; none of other sites."""
    pages = {file: file.read_text(encoding="utf-8") for file in site.rglob("*.html")}
    places = {file: set(re.findall(r'\bid="([^"]+)"', text)) for file, text in pages.items()}
    found = []
    for file, text in pages.items():
        for link in map(html.unescape, re.findall(r'\b(?:href|src)="([^"]*)"', text)):
            if re.match(r"\w+:", link):
                continue
            path, _, place = link.partition("#")
            start = site if path.startswith("/") else file.parent  # the page of a server for what is not there
            to = start / unquote(path.partition("?")[0]).lstrip("/") if path else file
            to = Path(os.path.normpath(to / "index.html" if to.is_dir() else to))
            if not to.exists() or (place and to in places and unquote(place) not in places[to]):
                found.append(f"{file.relative_to(site)}: {link}")
    return found


def test_no_link_leads_nowhere(site, tmp_path):
    assert broken(site) == []
    (tmp_path / "a.html").write_text('<i id="x"><a href="#x"><a href="b.html"><img src="c.png"><a href="a.html#y">')
    assert broken(tmp_path) == ["a.html: b.html", "a.html: c.png", "a.html: a.html#y"]


def test_every_page_of_the_docs_is_in_the_menu(site):
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [file.relative_to(ROOT / "docs") for file in (ROOT / "docs").rglob("*.md")]
    missing = [str(page) for page in pages if page.parts[0] != "codes" and f": {page}\n" not in listed]
    assert missing == []


def test_every_code_has_its_page(site):
    index = (site / "codes" / "index.html").read_text(encoding="utf-8")
    for file in (ROOT / "docs" / "codes").glob("XD*.md"):
        assert (site / "codes" / f"{file.stem}.html").is_file()
        assert f'href="{file.stem}.html"' in index


def test_links_of_a_page_that_moves_into_the_site():
    text = "[a](docs/cli.md#x) ![b](docs/images/b.png) [c](https://c.org) [d](CHANGELOG.md)"
    assert hooks.moved(text, "README.md", "docs/index.md") == (
        "[a](cli.md#x) ![b](images/b.png) [c](https://c.org) [d](../CHANGELOG.md)"
    )


def test_the_casebook_shows_what_came_and_says_what_was_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(casebook, "OUTPUTS", tmp_path)
    assert casebook.page().count("*Not run in this build") == len(casebook.CASES) == 5
    [case] = [case for case in casebook.CASES if case.files]
    assert casebook.run_all((case,)) == []
    assert "XD501 jit-kernel-failed" in casebook.page()
    written = (tmp_path / f"{case.name}.txt").stat().st_mtime_ns
    assert casebook.run_all((case,)) == []
    assert (tmp_path / f"{case.name}.txt").stat().st_mtime_ns == written, "the sources are the same"


def test_an_output_is_shown_as_text(tmp_path, monkeypatch):
    monkeypatch.setattr(casebook, "OUTPUTS", tmp_path)
    (tmp_path / "000.txt").write_text("state\n<script>alert(1)</script>\n")
    assert "<script>" not in casebook.page()

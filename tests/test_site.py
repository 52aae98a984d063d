"""The documentation as a site: it builds without a network, loads nothing from elsewhere, and leaves no page out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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

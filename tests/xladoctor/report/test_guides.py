"""`explain` names the guide of a class, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from xladoctor.report.guides import GUIDES, guide_of
from xladoctor.report.page import Page
from xladoctor.report.rule_text import one_console
from xladoctor.rules import all_rules, by_slug

ROOT = Path(__file__).resolve().parents[3]


def test_every_guide_is_a_page_and_every_code_is_known():
    codes = {rule.code for rule in all_rules()}
    named = [code for group in GUIDES.values() for code in group]
    assert set(named) <= codes
    assert len(named) == len(set(named)), "one guide a code"
    assert all((ROOT / "docs" / page).is_file() for page in GUIDES)


def test_the_page_of_the_wheel_comes_before_that_of_the_checkout(tmp_path):
    package = tmp_path / "site-packages" / "xladoctor"
    for page in (package / "_docs" / "nan.md", package.parent / "docs" / "nan.md"):
        assert guide_of("XD904", package) != page
        page.parent.mkdir(parents=True)
        page.touch()
    assert guide_of("XD904", package) == package / "_docs" / "nan.md"
    assert guide_of("XD904", ROOT / "xladoctor") == ROOT / "docs" / "nan.md"
    assert guide_of("XD404", package) is None, "the file is not there"
    assert guide_of("XD901", ROOT / "xladoctor") is None


def test_explain_ends_with_the_guide():
    text = one_console(by_slug("compile-time-constant"), Page(width=80), quiet=False)
    assert text.rstrip().endswith("howto/jit-compile.md")

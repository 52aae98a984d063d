"""The pages under docs/codes say what the rules say."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from xladoctor.report.rule_text import one_markdown
from xladoctor.rules import by_code

CODES = Path(__file__).parents[3] / "docs" / "codes"


def test_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(CODES / "make.py"))["pages"]()
    assert {p.name for p in CODES.glob("*.md")} == set(pages)
    stale = [name for name, text in pages.items() if (CODES / name).read_text() != text]
    assert stale == [], "run: python docs/codes/make.py"


@pytest.mark.parametrize("page", sorted(CODES.glob("*.md")), ids=lambda page: page.stem)
def test_names_are_code_and_no_escape_is_seen(page: Path) -> None:
    prose = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    escaped = re.findall(r".{0,20}\\[^\w\s].{0,20}", re.sub(r"(`+)[^`].*?\1", "", prose))
    assert escaped == [], "the text of the rule: put a name between backticks, and write no emphasis"
    assert "``" not in prose and prose.count("`") % 2 == 0


def test_texts_of_plug_ins_stay_harmless() -> None:
    rule = replace(by_code("XD301"), what="`a|<b>` is <b>, `never closed", title="`x` of [y](z)")
    said = one_markdown(rule)
    assert "**`x` of [y\\](z)**" in said and "\\`a\\|\\<b>\\` is \\<b>, \\`never closed" in said

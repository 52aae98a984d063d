"""The pages under docs/codes say what the rules say."""

from __future__ import annotations

import runpy
from pathlib import Path

CODES = Path(__file__).parents[3] / "docs" / "codes"


def test_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(CODES / "make.py"))["pages"]()
    assert {p.name for p in CODES.glob("*.md")} == set(pages)
    stale = [name for name, text in pages.items() if (CODES / name).read_text() != text]
    assert stale == [], "run: python docs/codes/make.py"

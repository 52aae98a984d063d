"""The pictures of docs/screens.md: ten failures, before and after, small, and without a path of any machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
SHOWN = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (DOCS / "screens.md").read_text(encoding="utf-8"))


def test_ten_failures_before_and_after_as_console_and_page():
    assert len(set(SHOWN)) == len(SHOWN) == 40
    assert {(DOCS / name).name for name in SHOWN} == {file.name for file in (DOCS / "images" / "screens").iterdir()}


@pytest.mark.parametrize("name", [*SHOWN, "images/scan.svg"])
def test_a_picture_is_small_and_shows_no_machine(name):
    data = (DOCS / name).read_bytes()
    assert len(data) <= 60_000
    if name.endswith(".svg"):
        assert not re.search(rb"/(?:tmp|work|home|root)/", data) and b"<script" not in data
        assert not re.search(rb"https?://(?!www\.w3\.org)", data), "nothing is fetched"

"""`explain` finds the class that people mean by the words that they type."""

from __future__ import annotations

import pytest

from xladoctor.commands.knowledge import rule_meant


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("nan", "not-finite"),
        ("loss is nan", "not-finite"),
        ("exploding gradient", "not-finite"),
        ("inf", "not-finite"),
        ("Incompatible shapes", "broadcast-mismatch"),
        ("out of memory", "oom"),
        ("OOM", "oom"),
    ],
)
def test_what_people_type(words, slug):
    assert rule_meant(words).slug == slug

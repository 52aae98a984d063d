"""Codes, slugs, texts: complete, unique, and found however a user types them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from xladoctor.cli.summaries import SUMMARIES
from xladoctor.rules import CODES, UnknownRule, all_rules, by_code, by_slug


def test_codes_and_slugs_are_unique_and_in_their_families() -> None:
    rules = all_rules()
    assert [r.code for r in rules] == list(CODES) == sorted(CODES)
    assert len({r.slug for r in rules}) == len(rules)
    assert all(CODES[r.code][0] == r.slug for r in rules)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.slug)
def test_texts_are_there(rule) -> None:  # type: ignore[no-untyped-def]
    for text in (rule.title, rule.what, rule.why, rule.tell_apart):
        assert text.strip() and "  " not in text
    assert rule.example.strip()
    assert rule.what.endswith(".") and rule.why.endswith(".")
    assert rule.references and (rule.remedies or rule.slug == "not-xla")
    assert len({m.id for m in rule.remedies}) == len(rule.remedies)
    assert all(m.safety in ("safe", "slower", "changes-numerics", "risky") and m.how for m in rule.remedies)


@pytest.mark.parametrize("name", ["XD301", "xd301", " Xd301 ", "reshape-mismatch", "Reshape_Mismatch"])
def test_find_rule(name: str) -> None:
    assert by_slug(name) is by_code("XD301")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("reshape-mismach", "reshape-mismatch"),
        ("XD309x", "XD309"),
        ("libdevice", "libdevice-missing"),
        ("rank", "rank-mismatch"),
        ("shape", "weight-shape-mismatch"),
    ],
)
def test_unknown_rule_suggests(name: str, near: str) -> None:
    with pytest.raises(UnknownRule) as error:
        by_slug(name)
    assert near in error.value.suggestions
    assert near in str(error.value)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_only_commands_that_exist_are_recommended(rule) -> None:
    known = set(SUMMARIES)
    texts = [rule.what, rule.why, rule.tell_apart, *rule.references, *(f"{m.title} {m.how}" for m in rule.remedies)]
    named = {word for text in texts for word in re.findall(r"`xladoctor ([a-z]+)", text)}
    assert named <= known
    assert "install()" not in "".join(texts)


def test_import_is_lazy_and_light() -> None:
    """The registry loads no family and no file of a class, only their names; reading logs loads nothing heavy."""
    code = (
        "import sys, xladoctor.rules, xladoctor.logs; "
        "bad = [m for m in sys.modules if m.split('.')[0] in ('tensorflow', 'pandas', 'pydantic', 'numpy', 'zstandard')"
        " or m.startswith('xladoctor.rules.') and m != 'xladoctor.rules.messages']; print(bad)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

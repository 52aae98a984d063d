"""The same failure under every kind of dirt gets the same class and numbers."""

from __future__ import annotations

import pytest

from tests.xladoctor.logs.dirt import DIRT
from tests.xladoctor.rules.fixtures import Fixture, diagnose, public_fixtures, real_fixtures

# One log of each class and wording: the newest version's, and all published ones.
# Short logs with a single line that a terminal cut between two words: whether it was cut cannot be seen.
CANNOT = {("wrap-80", "public/weights_layers_24")}
LOGS = [f for f in real_fixtures() if f.name.startswith("2.21/")] + list(public_fixtures())


@pytest.mark.parametrize("dirt", DIRT)
def test_class_survives(dirt: str) -> None:
    wrong = []
    # Of the real logs `tests/xladoctor/rules/test_cross_product.py` asks more.
    for fixture in public_fixtures():
        expected = [(f.slug, f.dims) for f in diagnose(fixture.text) if f.level == "error"][:1]
        text = DIRT[dirt](fixture.text).encode("utf-8", "surrogateescape")
        seen = [(f.slug, f.dims) for f in diagnose(text) if f.level == "error"][:1]
        if seen != expected and (dirt, fixture.name) not in CANNOT:
            wrong.append((fixture.name, expected, seen))
    assert wrong == []


@pytest.mark.parametrize("dirt", ["ansi", "lost-escapes", "foreign", "html", "notebook"])
def test_no_control_codes_in_findings(dirt: str) -> None:
    """What reaches a terminal or a report holds no control characters."""
    for fixture in LOGS[::7]:
        for finding in diagnose(DIRT[dirt](fixture.text).encode("utf-8", "surrogateescape")):
            for text in (finding.message, *(p.text for p in finding.evidence)):
                assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in text)


@pytest.mark.parametrize("fixture", LOGS[::5], ids=lambda f: f.name)
def test_place_survives_prefixes(fixture: Fixture) -> None:
    clean = diagnose(fixture.text)
    for dirt in ("hash", "timestamps", "ranks", "html", "notebook", "docker-json"):
        dirty = diagnose(DIRT[dirt](fixture.text).encode())
        assert [f.location for f in dirty][:1] == [f.location for f in clean][:1], dirt


def test_streams_are_told_apart() -> None:
    """Rank 1 fails while rank 0 goes on: the finding is rank 1's, and rank 0's lines are not in it."""
    fixture = next(f for f in LOGS if f.name == "2.21/reshape_jit")
    found = diagnose(DIRT["ranks"](fixture.text))[0]
    assert "step" not in found.evidence[0].text

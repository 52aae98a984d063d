"""What is written of 60 saved runs and logs changes only where somebody meant it to."""

from __future__ import annotations

import json

import pytest

from tests.golden import outputs

KNOWN = json.loads(outputs.DIGESTS.read_text())


def test_that_they_are_60():
    assert list(KNOWN) == sorted(outputs.inputs())
    assert len(KNOWN) == 60


@pytest.mark.parametrize("name", outputs.inputs())
def test_output_is_as_it_was(name):
    """An intended change: `python -m tests.golden`, and its difference in the commit."""
    texts = outputs.outputs(name)
    assert texts["console"] == outputs.console_file(name).read_text()
    now = outputs.digests(texts)
    assert [format for format in now if now[format] != KNOWN[name].get(format)] == []

"""docs/rules.md: its example is a real plug-in, and what it says of fields and codes holds."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from tests.xladoctor.rules.fixtures import diagnose
from tests.xladoctor.rules.test_plugins import install  # noqa: F401
from xladoctor.rules import by_code, plugin_problems
from xladoctor.rules.base import Rule

if sys.version_info >= (3, 11):
    from tomllib import loads as toml
else:
    from tomli import loads as toml

PAGE = (Path(__file__).parents[3] / "docs" / "rules.md").read_text()
MODULE, ENTRY = (re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[0] for kind in ("python", "toml"))


def test_the_example_works(install: pytest.FixtureRequest) -> None:  # noqa: F811
    [(_, value)] = toml(ENTRY)["project"]["entry-points"]["xladoctor.rules"].items()
    install("acme-rules", MODULE, value)  # type: ignore[operator]
    rule = by_code("ACME101")
    assert plugin_problems() == () and rule.origin == "acme-rules 1.0"
    [found] = diagnose(rule.example + "\n")
    assert (found.code, found.dims, found.op) == ("ACME101", (3, 7), "AcmeTile")


def test_every_field_is_told() -> None:
    told = set(re.findall(r"`(\w+)`", PAGE))
    assert {field.name for field in fields(Rule)} - {"recognise", "match"} <= told

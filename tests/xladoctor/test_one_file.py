"""What is new is one file: it is found by the folder that it stands in, and by nothing else."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from xladoctor.logs.literals import BARE, MESSAGES
from xladoctor.logs.matcher import FREE, scan

RULE = """
from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, RemedyTest
from xladoctor.rules.matching import Hit, make

RULE = make(
    lambda record, text: Hit("it is of a new kind") if "zebra crossing" in text else None,
    code="XD499", slug="new-kind", title="t", level="error", what="w", why="w", example="zebra crossing",
    tell_apart="t", literals=("zebra crossing",),
    remedies=(Remedy("only-here", "t", "safe", "h"),),
)
TESTS = {"only-here": RemedyTest(why_not=CODE)}
"""
EXPORT = """
from xladoctor.report.exports import Export
EXPORT = Export("zebra", lambda diagnoses: "stripes")
"""
REMEDY = """
from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import RERUN, RemedyTest
FOR = ("oom",)
REMEDY = Remedy("feed-the-zebra", "t", "safe", "h")
TEST = RemedyTest(why_not=RERUN)
"""
CHECK = """
from xladoctor.preflight.verdict import Verdict
TITLE = "zebras"
ORDER = 15
RUNS_STEPS = True
def check(situation):
    return Verdict("pass", "none")
"""


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Put a file into a package, as if it stood in its folder."""

    def go(package, name, text):
        module = import_module(package)
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(tmp_path)])
        monkeypatch.delitem(sys.modules, f"{package}.{name[:-3]}", raising=False)
        caches = [f for f in vars(module).values() if hasattr(f, "cache_clear")]
        for function in caches:
            function.cache_clear()
        cleared.extend(caches)
        return module

    cleared = []
    yield go
    monkeypatch.undo()
    for function in cleared:
        function.cache_clear()


def test_a_message_class(put):
    messages = put("xladoctor.rules.messages", "xd499_new_kind.py", RULE)
    assert messages.codes()["XD499"] == ("new-kind", "messages.xd499_new_kind")
    assert "zebra crossing" in messages.literals()
    assert messages.tests()["only-here"].trial is None


def test_a_format(put):
    exports = put("xladoctor.report.exports", "zebra.py", EXPORT)
    assert [export.render([]) for export in exports._others() if export.name == "zebra"] == ["stripes"]


def test_a_remedy(put):
    remedies = put("xladoctor.rules.remedies", "feed_the_zebra.py", REMEDY)
    assert [r.id for r in remedies.added_to("oom", ())][-1:] == ["feed-the-zebra"]
    assert "feed-the-zebra" not in [r.id for r in remedies.added_to("retracing", ())]
    assert "feed-the-zebra" in remedies.tests()


def test_a_preflight_check(put):
    checks = put("xladoctor.preflight.checks", "zebra.py", CHECK)
    assert checks.names()[:3] == ("versions", "zebra", "flags") and checks.runs_steps("zebra")


@pytest.mark.parametrize("count", [1, FREE, FREE + 1, 70])
def test_literals_of_new_classes_are_found_wherever_they_stand(count):
    """Those with a place in the second search, and those behind it; beside the doctor's own and a colour code."""
    more = tuple(b"zebra %d!" % number for number in range(count))
    text = b"".join(b"a %s b\n" % literal for literal in (*more, MESSAGES[0], BARE[0] + b"0m"))
    found = {number for number, _, _ in scan(text, len(text), more).hits}
    plain = len(scan(b"", 0).data) + len(import_module("xladoctor.logs.literals").LITERALS)
    assert {number - plain for number in found if number >= plain} == set(range(count))
    assert len([number for number in found if number < plain]) == 1

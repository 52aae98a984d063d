"""The table of remedies: complete, consistent with the trials, and read in the same way by every command."""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from xladoctor.diagnosis.tested import with_tested
from xladoctor.experiments.trials import trials
from xladoctor.model.diagnosis import Diagnosis, Finding, Remedy
from xladoctor.model.replay import Case, Replay, Tested
from xladoctor.model.replay_reader import replay_of
from xladoctor.report.replay import to_dict
from xladoctor.report.view import View
from xladoctor.report.words import next_action
from xladoctor.rules.remedy_tests import REMEDY_TESTS, remedy_of_trial, why_untested

PACKAGE = Path(__file__).parents[3] / "xladoctor"
RESULTS = get_args(get_type_hints(Tested)["result"])


def ids_in(source: str) -> Iterator[str]:
    """The ids of the remedies that a piece of source makes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remedy" and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)


def test_every_remedy_of_the_source_is_in_the_table():
    made = {id_ for file in PACKAGE.rglob("*.py") for id_ in ids_in(file.read_text(encoding="utf-8"))}
    assert made - set(REMEDY_TESTS) == set()
    assert list(ids_in('Remedy("new", "New", "safe", "Do it.")')) == ["new"], "a new one would be seen"


def test_the_table_names_trials_that_exist():
    every = trials(
        Case(5), 5, callable=True, node="n", good=2, full=8, slug="dtype-mismatch", written=(("cfg:x", "1"),)
    )
    offered = {t.remedy for t in itertools.chain(every, trials(Case(9), 9, callable=False, full=4))}
    named = {test.trial for test in REMEDY_TESTS.values() if test.trial}
    assert named <= offered
    assert {remedy_of_trial(t) for t in offered} <= set(REMEDY_TESTS)


@pytest.mark.parametrize("changes", [False, True], ids=["same-numbers", "other-numbers"])
@pytest.mark.parametrize("result", RESULTS)
def test_scan_and_report_agree(result, changes):
    for remedy in REMEDY_TESTS:
        scan_and_report_agree(remedy, result, changes)


def scan_and_report_agree(remedy, result, changes):
    trial = REMEDY_TESTS[remedy].trial or remedy
    tried = Tested(trial, "T", result, "safe", changes_numerics=changes, message="M")
    root = Finding(
        "XD301", "reshape-mismatch", "error", "root", "t", "m", remedies=(Remedy(remedy, remedy, "safe", "Do it."),)
    )
    replay = Replay("s", remedies=(tried,), folder="R")
    diagnosis = with_tested(Diagnosis("x", "failed", (root,)), [replay])
    verified = {r.title for r in diagnosis.findings[0].remedies if r.result == "verified"}
    kept, _ = replay_of(json.loads(json.dumps(to_dict(replay))))
    # The document says "apply it" exactly where the diagnosis has a verified remedy.
    assert next_action(diagnosis, View(replays=(kept,))).startswith("Apply") == bool(verified), remedy
    assert bool(verified) == (result == "cured" and not changes), remedy
    for untested in (r for r in diagnosis.findings[0].remedies if r.result == "untested"):
        assert diagnosis.findings[0].details["untested"][untested.id]


def test_a_remedy_of_a_plug_in_says_that_nobody_knows():
    assert "does not say" in why_untested("reboot-the-cluster")


def test_a_remedy_with_a_file_of_its_own_is_offered_and_says_why_nobody_ran_it():
    from xladoctor.rules import by_slug

    names = sorted(path.stem for path in (PACKAGE / "rules/remedies").glob("[a-z]*.py"))
    files = [import_module(f"xladoctor.rules.remedies.{name}") for name in names]
    assert "keep_compiled" in names
    for file in files:
        for slug in file.FOR:
            # Behind the remedies that the class itself names.
            assert file.REMEDY.id in [remedy.id for remedy in by_slug(slug).remedies][-len(files) :]
    assert why_untested("keep-compiled").startswith("the command would have to be run again")

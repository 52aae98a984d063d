"""What `explain` says of every code: each part is there, and holds."""

from __future__ import annotations

import json
import re

import pytest

from tests.xladoctor.rules.fixtures import diagnose
from xladoctor.__main__ import main
from xladoctor.rules import CODES, all_rules, by_code, recognised

SLUGS = {slug for slug, _ in CODES.values()}
SAFETIES = {"safe", "slower", "changes-numerics", "risky"}
# Found in recordings, comparisons or sources: their examples are no lines of a log.
NOT_FROM_LOGS = {code for code in CODES if by_code(code).recognise is None}
each = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@each
def test_explain_has_every_part(rule, capsys):
    assert main(["explain", rule.code]) == 0
    said = capsys.readouterr().out
    for heading in ("What happens", "Why", "Example", "How to tell it apart", "What to do", "References"):
        assert f"\n{heading}\n" in said, heading
    for number, remedy in enumerate(rule.remedies, 1):
        assert re.search(rf"^ *{number}\. ", said, re.MULTILINE) and remedy.safety in SAFETIES


@each
def test_what_it_is_told_apart_from(rule):
    """Another class by its name, so that a reader can go on there; lint's hazards say what is not meant."""
    named = set(re.findall(r"`([a-z0-9-]+)`", rule.tell_apart)) & SLUGS - {rule.slug}
    assert named or rule.code.startswith("XD8")


@each
def test_classes_that_are_named_exist(rule):
    texts = (rule.what, rule.why, rule.tell_apart, *(f"{m.title} {m.how}" for m in rule.remedies))
    words = {word for text in texts for word in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text)}
    # A command is no class.
    assert words <= SLUGS | {"nvidia-smi"}


@pytest.mark.parametrize("code", sorted(set(CODES) - NOT_FROM_LOGS))
def test_the_example_is_what_the_doctor_knows(code):
    """The example of a class, pasted as it stands, gets that class."""
    rule = by_code(code)
    found = diagnose(rule.example + "\n")
    assert [f.slug for f in found][:1] == [rule.slug]


def test_examples_of_recorded_classes_are_no_other_failure():
    for code in NOT_FROM_LOGS - {"XD102", "XD901"}:
        found = [f.slug for f in diagnose(by_code(code).example + "\n") if f.level == "error"]
        assert found == [], (code, found)


@each
def test_references_are_sources_or_pages(rule):
    for reference in rule.references:
        assert re.search(r"/|\.(?:cc|h|py|md)\b|^Python's|^xladoctor|^numpy", reference), reference


def test_rules_as_json_are_complete(capsys):
    assert main(["rules", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "xladoctor.rules/1"
    assert [rule["code"] for rule in data["rules"]] == sorted(CODES)
    keys = {"code", "class", "title", "level", "what", "why", "example", "tell_apart", "remedies", "references",
            "rank", "origin"}  # fmt: skip
    for rule in data["rules"]:
        assert set(rule) == keys and all(rule[key] or rule[key] == 0 for key in keys)
        assert {"id", "title", "safety", "how"} <= set(rule["remedies"][0])


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("libdevice", "XD103"),
        ("LAST batch", "XD809"),
        ("XD301", "XD301"),
        ("tile constant", "XD404"),
        ("2 root error(s): Incompatible shapes: [3] vs. [4]", "XD302"),
        ("Input to reshape is a tensor with 6 values, but the requested shape has 4", "XD301"),
    ],
)
def test_search(words, first, capsys):
    assert main(["rules", "--search", words]) == 0
    assert capsys.readouterr().out.split()[0] == first
    assert main(["explain", "--search", words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rules"][0]["code"] == first


@pytest.mark.parametrize("words", ["zebra", "libdevice zebra", "", "\x1b[2J", "the of a"])
def test_search_without_a_hit(words, capsys):
    assert main(["explain", "--search", words]) == 2
    err = capsys.readouterr().err
    assert "no class of failure speaks of" in err and "xladoctor rules" in err and "\x1b" not in err


def test_search_and_a_code_exclude_each_other(capsys):
    assert main(["explain", "XD301", "--search", "x"]) == 2
    assert "give either CODE or --search, not both" in capsys.readouterr().err


def test_only_the_doctors_own_rules_explain_a_record():
    from xladoctor.model.evidence import ErrorRecord

    assert recognised(ErrorRecord("Incompatible shapes: [3] vs. [4]")) is by_code("XD302")
    assert recognised(ErrorRecord("all went well")) is None

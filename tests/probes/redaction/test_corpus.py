"""What `python -m benchmarks secrets` publishes, with fewer strings: recall and false redactions stay where they are."""

# ruff: noqa: E501

from __future__ import annotations

from benchmarks import secrets


def test_the_forms_that_are_written_down():
    assert [case.form for case in secrets.missed_forms(seeds=2)] == []


def test_forms_of_random_structure():
    missed = secrets.missed_generated(600, first=5_000_000)
    assert len(missed) <= 6, [case.words for case in missed]


def test_ordinary_strings_stay():
    strings = secrets.ordinary_strings()
    assert len(strings) == 1_000
    changed = secrets.changed(strings)
    assert len(changed) <= 10, [(case.words, case.written) for case in changed]


def test_lines_that_know_nothing_of_us_stay():
    changed = secrets.changed(secrets.library_lines(1_000))
    assert len(changed) <= 10, [(case.words, case.written) for case in changed]


def test_that_a_leak_and_a_false_redaction_are_seen(monkeypatch):
    """The figures can be bad: a grammar that hides nothing, and one that hides everything."""
    redaction = secrets.corpus.redaction
    for name in ("of_words", "of_text"):
        monkeypatch.setattr(redaction, name, lambda given: given)
    monkeypatch.setattr(redaction, "of_value", lambda name, value: value)
    assert len(secrets.missed_forms(seeds=1)) > 200
    monkeypatch.setattr(redaction, "of_text", lambda text: "<redacted>")
    assert len(secrets.changed(secrets.library_lines(100))) == 100

"""What rules share of one record: each recogniser is asked once, however many rules want to know what it says."""

from __future__ import annotations

from collections import Counter

import pytest

from xladoctor.model.evidence import ErrorRecord, LogEvidence
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import all_rules, findings, known, matching

RECORD = ErrorRecord("boom: the file /tmp/x-17 is no study of mine", "MyError", where="a.log:9")


def test_a_recogniser_is_asked_once_about_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[object] = Counter()

    class Counting(matching.Asked):
        def hit(self, recognise):  # type: ignore[no-untyped-def]
            asked[recognise] += recognise not in self._hits
            return super().hit(recognise)

    monkeypatch.setattr(matching, "Asked", Counting)
    evidence = Evidence("log", log=LogEvidence("a.log", (RECORD,)))
    known(RECORD), findings(evidence), known(RECORD)
    own = {rule.recognise for rule in all_rules() if rule.recognise is not None and not rule.origin}
    assert own <= asked.keys() and set(asked.values()) == {1}


def test_records_with_the_same_words_in_one_place_can_differ() -> None:
    """The hash looks at words and place only; whether two are the same is still a matter of all fields."""
    other = ErrorRecord(RECORD.text, "OtherError", where=RECORD.where)
    assert hash(RECORD) == hash(other) and other != RECORD and len({RECORD, other}) == 2
    assert matching.asked(RECORD) is not matching.asked(other)

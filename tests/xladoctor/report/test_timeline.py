from __future__ import annotations

from xladoctor.model.diagnosis import Location, SettingEvent
from xladoctor.report.timeline import folded, telling, words


def event(action: str, value, line: int = 1, key: str = "k", t: float = 0.0) -> SettingEvent:
    return SettingEvent(t, "params.cfg", key, action, value, Location("f.py", line))


def seen(events):
    return [(m.event.action, m.event.value, m.event.location.line, m.times) for m in folded(events)]


def test_reads_of_one_line_are_counted():
    events = [event("write", True), event("read", True, 5), event("read", True, 6), event("read", True, 5)]
    assert seen(events) == [("write", True, 1, 1), ("read", True, 5, 2), ("read", True, 6, 1)]


def test_a_write_between_two_reads_shows_both():
    events = [event("read", True, 5), event("write", False), event("read", False, 5), event("write", True)]
    assert len(folded([*events, event("read", True, 5)])) == 5


def test_settings_do_not_fold_into_each_other():
    assert len(folded([event("read", 1, key="a"), event("read", 1, key="b"), event("read", 1, key="a")])) == 2


def test_processes_do_not_fold_into_each_other():
    one, two = (SettingEvent(0, "s", "k", "read", 1, pid=pid) for pid in (1, 2))
    assert len(folded([one, two, one, two])) == 2


def test_values_of_another_type_are_another_event():
    assert len(folded([event("read", True), event("read", 1), event("read", "True")])) == 3


def test_what_bears_on_xla_is_kept():
    events = [
        event("default", 64, key="N"),
        event("write", True, key="use_it"),
        event("read", 1, key="xla_level"),
        SettingEvent(1.0, "milestone", "fit begins", "happened", None),
        SettingEvent(1.0, "decision", "should_use()", "read", True),
        SettingEvent(1.0, "params.cfg", "late", "write", 1, note="written after the read that decided"),
    ]
    kept = telling(folded(events), ["params.cfg use_it = True"])
    assert [m.event.key for m in kept] == ["use_it", "xla_level", "fit begins", "should_use()", "late"]


def test_the_words_of_an_event():
    assert words(SettingEvent(0, "env", "A", "start", None)) == ("env A", "start", "unset")
    assert words(SettingEvent(0, "params.cfg", "a", "write", None)) == ("params.cfg a", "write", "None")
    assert words(SettingEvent(0, "milestone", "fit begins", "happened", None)) == ("fit begins", "", "")

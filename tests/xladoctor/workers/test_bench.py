"""The bench: every end of a worker is an answer, nothing is asked twice, and a worker is kept warm for its kind."""

from __future__ import annotations

import json
import sys
import threading
import time

import pytest

from tests.xladoctor.experiments import fake
from xladoctor.model.replay import Case
from xladoctor.protocol import requests


@pytest.fixture
def bench(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)
    made = []

    def make(name="fake:pass", **options):
        made.append(fake.make_bench(name, tmp_path, **options))
        return made[-1]

    yield make
    for one in made:
        one.__exit__(None, None, None)


def test_an_answer(bench, tmp_path):
    one = bench()
    answer = one.ask(requests.Call(), Case(4))
    assert answer.ok and answer.result.outcome == "passed" and not answer.known
    assert (one.tries, one.compilations) == (1, 1)
    assert len({pid for pid, *_ in fake.asked(tmp_path)}) == 1


def test_a_refusal_says_nothing_about_the_subject(bench):
    answer = bench().ask(requests.ListRead(), Case(4))
    assert (answer.state, answer.kind, answer.message) == ("refused", "Unsupported", "not this op")


def test_a_crash_is_a_result_and_the_next_question_gets_a_new_worker(bench, tmp_path):
    one = bench("fake:die.8")
    crash = one.ask(requests.Call(), Case(8))
    assert crash.state == "crashed" and "the last words" in crash.message and crash.kind == "with exit code 3"
    assert one.ask(requests.Call(), Case(7)).ok
    assert len({pid for pid, *_ in fake.asked(tmp_path)}) == 2


def test_an_abort_names_its_signal(bench):
    assert bench("fake:abort.1").ask(requests.Call(), Case(1)).signal == "SIGABRT"


def test_a_hang_is_a_result(bench):
    one = bench("fake:hang.8", timeout=2)
    assert one.ask(requests.Call(), Case(8)).state == "timed-out"
    assert one.ask(requests.Call(), Case(7)).ok


def test_the_journal_answers_what_was_asked_before(bench, tmp_path):
    bench("fake:die.8").ask(requests.Call(), Case(8))
    bench("fake:die.8").ask(requests.Call(), Case(7))
    later = bench("fake:die.8")
    assert later.resumed == 2
    again = later.ask(requests.Call(), Case(8))
    assert again.known and again.state == "crashed" and later.tries == 0
    assert not later.ask(requests.Call(own=True), Case(7)).known  # another question
    assert len(fake.asked(tmp_path)) == 3


def test_a_torn_line_of_the_journal_is_left_out(bench, tmp_path):
    bench().ask(requests.Call(), Case(7))
    file = tmp_path / "replay" / "journal.jsonl"
    file.write_text(file.read_text() + '{"question": {"op": "ca')
    later = bench()
    assert later.resumed == 1
    later.ask(requests.Call(), Case(8))
    assert bench().resumed == 2
    assert all(json.loads(line) for line in file.read_text().splitlines() if line.endswith("}"))


def test_what_is_varied_decides_which_worker_is_asked(bench, tmp_path):
    one = bench("fake:switched")
    on, off = (Case(1, (("env:SWITCH", value),)) for value in ("on", "off"))
    assert [one.ask(requests.Call(), case).result.outcome for case in (on, off)] == ["failed", "passed"]
    assert one.ask(requests.Call(), Case(2, on.vary)).result.outcome == "failed"
    pids = [pid for pid, *_ in fake.asked(tmp_path)]
    assert pids[0] == pids[2] != pids[1]


def test_another_interpreter_is_another_worker(bench, tmp_path):
    one = bench()
    for vary in ((), (("python", sys.executable),), (("python", f"{sys.prefix}/bin/python3"),), (("cfg:N", "64"),)):
        assert one.ask(requests.Call(), Case(1, vary)).ok
    # The interpreter of the subject is no other one.
    assert len({pid for pid, *_ in fake.asked(tmp_path)}) == 3


def test_several_at_a_time(bench, tmp_path):
    one = bench("fake:slow", jobs=3)
    threads = [threading.Thread(target=one.ask, args=(requests.Call(), Case(n))) for n in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.tries == 3
    assert len({pid for pid, *_ in fake.asked(tmp_path)}) == 3


def test_stop_ends_what_is_running_and_the_journal_does_not_take_it_for_a_crash(bench, tmp_path):
    one = bench("fake:hang.1")
    ended = []

    def ask():
        try:
            one.ask(requests.Call(), Case(1))
        except KeyboardInterrupt:
            ended.append(True)

    thread = threading.Thread(target=ask)
    thread.start()
    while not fake.asked(tmp_path):
        time.sleep(0.02)
    one.stop()
    thread.join(10)
    assert ended == [True]
    assert bench("fake:hang.1").resumed == 0

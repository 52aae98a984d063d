"""The sweep, with a worker that only pretends: outcomes, rules, interruption, resumption."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.experiments import fake
from xladoctor.experiments import sweep as sweeping
from xladoctor.experiments.judge import judged, undecided
from xladoctor.experiments.request import Options, resumed
from xladoctor.experiments.session import replay
from xladoctor.model.replay import Case, Outcome
from xladoctor.report.replay.words import verdict


@pytest.fixture
def swept(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)

    def run(name, sizes, vary=(), **options):
        asked = {k: options.pop(k) for k in ("exhaustive", "by_row") if k in options}
        with fake.make_bench(name, tmp_path, **options) as bench:
            return sweeping.sweep(bench, sweeping.Asked(tuple(sizes), tuple(vary), **asked))

    return run


def states(found):
    return {o.case.batch: o.state for o in found.outcomes}


def test_a_threshold_among_many(swept):
    found = swept("fake:from.16", range(1, 4097))
    assert [(r.kind, r.value) for r in found.rules] == [("from", 16)]
    assert found.asked == 4096 and found.tries <= 16 and found.complete
    assert states(found)[15] == "passed" and states(found)[16] == "failed"
    failed = next(o for o in found.outcomes if o.case.batch == 16)
    assert failed.signature.slug == "broadcast-mismatch" and failed.signature.axes == (0,)


def test_few_sizes_share_a_trace_and_the_edge_is_tried_alone(swept, tmp_path):
    found = swept("fake:from.16", [4, 15, 16, 17])
    assert found.rules[0].text == "fails from 16 on"
    assert [batch for _, _, batch, _ in fake.asked(tmp_path)] == ["4", "15", "16", "17", "15", "16"]


def test_what_only_an_open_batch_does_is_not_told(swept):
    found = swept("fake:open.16", range(12, 20))
    assert found.rules[0].kind == "never"
    assert set(states(found).values()) == {"passed"}


@pytest.mark.parametrize(("kind", "state"), [("die", "crashed"), ("abort", "crashed"), ("hang", "timed-out")])
def test_ends_of_a_worker_are_results(swept, kind, state):
    found = swept(f"fake:{kind}.3", [2, 3], timeout=3.0)
    assert states(found) == {2: "passed", 3: state}
    assert found.rules[0].text == "fails from 3 on"


def test_rows_that_do_not_come_back(swept):
    found = swept("fake:rows.16", range(1, 200))
    assert [(r.kind, r.value) for r in found.rules] == [("from", 16)]
    silent = next(o for o in found.outcomes if o.case.batch == 16)
    assert (silent.state, silent.rows_in, silent.rows_out) == ("silent", 16, 1)


def test_one_rule_for_each_combination(swept):
    found = swept("fake:switched", [1, 2], [("env:SWITCH", ("on", "off")), ("jit", ("off", "on"))])
    assert [dict(r.vary)["env:SWITCH"] for r in found.rules] == ["on", "on", "off", "off"]
    assert [r.kind for r in found.rules] == ["always", "always", "never", "never"]
    assert found.asked == len(found.outcomes) == 8


def test_jobs(swept, tmp_path):
    found = swept("fake:from.16", range(1, 21), jobs=3)
    assert found.rules[0].value == 16 and [o.case.batch for o in found.outcomes] == list(range(1, 21))
    assert len({pid for pid, *_ in fake.asked(tmp_path)}) <= 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_and_gone_on_with(tmp_path, monkeypatch, jobs):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    said = []
    wanted = Options(sizes=tuple(range(1, 9)), vary=(("env:SWITCH", ("on",)),), jobs=jobs)
    first = replay(fake.subject("fake:stop.5", tmp_path), wanted, said.append)
    assert first.interrupted and not first.sweep.complete
    assert "--resume" in first.notes[-1]
    known = [o.case.batch for o in first.sweep.outcomes]
    assert known and 5 not in known
    asked = len(fake.asked(tmp_path))
    monkeypatch.setattr(fake, "WORKER", fake.WORKER.replace('"stop"', '"no"'))
    (tmp_path / "probes" / "graph" / "worker.py").write_text(fake.WORKER)
    subject, options = resumed(tmp_path / first.folder, Options(jobs=jobs))
    assert subject.name == "fake:stop.5" and options.sizes == wanted.sizes and options.vary == wanted.vary
    second = replay(subject, options)
    assert second.sweep.complete and [o.case.batch for o in second.sweep.outcomes] == list(range(1, 9))
    repeated = {batch for _, op, batch, _ in fake.asked(tmp_path)[asked:] if op == "call"}
    journalled = {str(n) for n in known if n is not None}
    assert not repeated & journalled
    assert second.folder == first.folder


def test_an_interruption_before_the_first_try_can_be_resumed_too(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    first = replay(fake.subject("fake:early", tmp_path), Options(sizes=(2,)))
    assert first.interrupted and first.sweep is None and "--resume" in first.notes[-1]
    assert verdict(first) == "interrupted before anything was tried"
    monkeypatch.setattr(fake, "WORKER", fake.WORKER.replace('":early"', '":no"'))
    (tmp_path / "probes" / "graph" / "worker.py").write_text(fake.WORKER)
    subject, options = resumed(tmp_path / first.folder, Options())
    assert replay(subject, options).sweep.complete


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"isolate": True}, "no op was isolated: batch 4 is wrong without an error, so no op fails: add --parity"),
        ({"repro": Path("r.py")}, "no script was written to r.py: batch 4 is wrong without an error; add --parity"),
    ],
)
def test_what_is_silent_is_referred_to_parity(tmp_path, monkeypatch, wanted, said):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    found = replay(fake.subject("fake:rows.4", tmp_path), Options(sizes=(2, 3, 4), **wanted))
    assert [n for n in found.notes if n.startswith(said)] and not Path("r.py").exists()


def test_the_passing_case_next_to_the_failing_one_is_kept(tmp_path, monkeypatch):
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    found = replay(fake.subject("fake:from.6", tmp_path), Options(sizes=(1, 4, 8), min_good=True))
    assert found.nearest.case.batch == 4
    nearest = next(n for n in found.notes if n.startswith("nearest passing case"))
    folder = Path(nearest.partition("its capsule: ")[2])
    assert (folder / "capsule.json").is_file() and folder.is_relative_to(found.folder)


# -- judged alone


def passed(rows, *leading):
    return Outcome(Case(rows), "passed", rows_in=rows, leading=leading)


def bad(outcomes, by_row=None):
    return [o.case.batch for o in judged(outcomes, by_row) if o.state == "silent"]


def test_a_result_is_one_of_rows_where_two_sizes_show_it():
    assert bad([passed(2, 2), passed(3, 3), passed(16, 1)]) == [16]
    assert bad([passed(1, 1), passed(2, 2), passed(16, 1)]) == []  # one size may be chance
    assert bad([passed(2, 10), passed(10, 10), passed(16, 10)]) == []  # ten classes


def test_what_cannot_be_decided():
    assert undecided([passed(2, 1), passed(16, 1)], None)
    assert not undecided([passed(2, 1), passed(16, 1)], False)
    assert not undecided([passed(3, 1), passed(9, 3)], None)  # a row for three
    assert not undecided([passed(3, 3), passed(9, 9), passed(16, 1)], None)


def test_what_is_known_of_the_subject_decides():
    assert bad([passed(16, 1)], by_row=True) == [16]
    assert bad([passed(16, None, 16)], by_row=True) == []
    assert bad([passed(2, 2), passed(3, 3), passed(16, 1)], by_row=False) == []


def test_each_result_is_judged_for_itself():
    assert bad([passed(2, 7, 2), passed(3, 7, 3), passed(16, 7, 1)]) == [16]

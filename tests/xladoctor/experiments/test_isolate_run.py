"""Which failed runs are taken apart afterwards, within which time, and what becomes of the findings."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from tests.xladoctor.answered import whole
from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.isolated import isolations, origin_of, with_isolations
from xladoctor.experiments.isolate_run import answers, to_isolate, told
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.model.ops import forward_scopes
from xladoctor.model.replay import Isolation, Link, Signature, ValueOrigin
from xladoctor.protocol import requests
from xladoctor.recording.run import read_run
from xladoctor.rules.matching import undecided
from xladoctor.workers.worker import WorkerDied

FAILED = {"state": "exited", "code": 1, "probes": "recorded"}
FFT = Isolation(
    "FFT2D", "step/FFT2D", ({"shape": ["<=8", 4], "dtype": "complex64"},),
    Signature("dynamic-dimension-unsupported", "FFT2D"), "Asked to propagate", "xla", 8, 6, 6, 1.0,
    location="/w/a b.py:7 in step", number=8, stage="optimized_hlo",
    chain=(
        Link("If", "cond", "f32[<=8,4]", "birth", "/w/a b.py:5 in step", why="its branches give f32[4,4] and f32[8,4]"),
        Link("FFT2D", "FFT2D", "c64[<=8,4]", "fails", "/w/a b.py:7 in step"),
    ),
)  # fmt: skip
FINDING = Finding("XD401", "dynamic-dimension-unsupported", "error", "root", "t", "m.",
                  evidence=(Proof("log", "Asked to propagate"),))  # fmt: skip


def run(outcome=FAILED, xla=True, failed=True):
    made = Run(outcome=outcome)
    made.trace("7-1-f", "f", "g1", xla=xla)
    made.trace("7-2-g", "g", "g2", xla=xla)
    for name, capsule in made.capsules.items():
        capsule["xla"] = xla
        if failed and name == "7-1-f":
            made.event("failure", failure=1, state="raised", exception="ValueError", module="m", message="no",
                       capsule=name, frames=[], during="a call")  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("outcome", "xla", "failed", "expected"),
    [
        (FAILED, True, True, ["7-1-f"]),
        (FAILED, False, True, []),
        (FAILED, True, False, []),
        ({**FAILED, "state": "signalled", "code": None, "signal": "SIGSEGV"}, True, False, ["7-2-g"]),
        ({**FAILED, "state": "signalled", "code": None, "signal": "SIGTERM"}, True, False, []),
        ({**FAILED, "state": "signalled", "code": None, "signal": "SIGKILL"}, True, False, []),
        ({**FAILED, "state": "interrupted", "code": None, "signal": "SIGTERM"}, True, True, []),
        ({**FAILED, "state": "timed-out", "code": None, "signal": "SIGABRT"}, True, True, []),
    ],
)
def test_what_is_taken_apart(tmp_path, outcome, xla, failed, expected):
    recording = read_run(run(outcome, xla, failed).write(tmp_path / "run"))
    assert [s.capsule for s in to_isolate(recording)] == expected


class Worker:
    """A step of 8 ops whose seventh ends the process; each question takes a second, each start of a process 100."""

    def __init__(self) -> None:
        self.clock, self.warm = 0.0, True
        self.asked: list[float] = []

    def request(self, op, *, timeout=None, **given):
        return whole(requests.REQUESTS[op].ANSWER, self._answer(op, timeout, given))

    def _answer(self, op, timeout, given):
        if op == "hello":
            self.clock += 0 if self.warm else 100
            self.warm = True
            return {}
        self.clock += 1
        self.asked.append(timeout)
        if op == "outline":
            return {"ops": 8, "xla": True, "asks": True}
        if op == "spot":
            return {"node": "n", "path": [], "op": "Sort", "inner_node": "n", "inputs": [], "xla": True,
                    "sources": [["m.py", 3, "f"]], "call_sources": []}  # fmt: skip
        if op == "prefix" and given["ops"] >= 7 and given.get("stage") != "hlo":
            self.warm = False
            raise WorkerDied(None, "SIGSEGV", "")
        return {"outcome": "passed", "error": None, "compilations": 1}


def of(tmp_path, seconds):
    recording = read_run(run().write(tmp_path / "run"))
    worker = Worker()
    [answer] = answers(worker, "/bin/false", to_isolate(recording), {}, seconds, lambda: worker.clock)
    return worker, answer


def test_a_signal_is_the_signature_and_starts_are_not_counted(tmp_path):
    worker, answer = of(tmp_path, 30.0)
    found = answer.told
    assert (found["number"], found["op"], found["location"]) == (7, "Sort", "m.py:3 in f")
    assert found["signature"] == {"class": "crashed", "op": "SIGSEGV", "axes": ()}
    assert worker.clock > 200 and max(worker.asked) <= 30


def test_the_budget_ends_it(tmp_path):
    worker, answer = of(tmp_path, 2.5)
    assert "2.5 s" in answer.error and answer.result is None
    assert len(worker.asked) == 3 and worker.asked[-1] == pytest.approx(0.5)


def recorded(tmp_path, found, outcome=FAILED):
    made = run(outcome)
    made.worker.append({"capsule": "7-1-f", "request": "isolation", "batch": None, "result": told(found)})
    return read_run(made.write(tmp_path / "run"))


def test_the_line_is_that_of_the_origin_and_the_other_stays(tmp_path):
    recording = recorded(tmp_path, FFT)
    assert [found for _, found in isolations(recording)] == [FFT]
    other = replace(FINDING, slug="unsupported-op")
    assert with_isolations([other], recording) == (other,), "another failure than the one that was isolated"
    [finding] = with_isolations([FINDING], recording)
    assert (str(finding.location), finding.op, finding.status) == ("/w/a b.py:5 in step", "FFT2D", "confirmed")
    assert str(finding.raised_at) == "/w/a b.py:7 in step"
    assert finding.details["origin"]["why"] == "its branches give f32[4,4] and f32[8,4]"
    assert finding.message.endswith(
        "The cause is If, /w/a b.py:5 in step: its branches give f32[4,4] and f32[8,4]. "
        "FFT2D (step/FFT2D), /w/a b.py:7 in step, cannot take it."
    )


def test_an_op_that_only_hands_on_is_not_the_op_of_the_failure(tmp_path):
    [finding] = with_isolations([FINDING], recorded(tmp_path, replace(FFT, op="Identity")))
    assert (finding.op, finding.status, finding.details["isolation"]["op"]) == (None, "confirmed", "Identity")


def test_a_value_that_is_drawn(tmp_path):
    drawn = ValueOrigin("random", "RandomUniformInt", "r", "m.py:2 in f")
    given = ValueOrigin("argument", "Placeholder", "n", None)
    assert origin_of(replace(FFT, chain=(), origins=(given, drawn))).why == "a random number"
    assert origin_of(replace(FFT, chain=(), origins=(given,))) is None, "XLA makes a constant of an argument"


def test_a_signal_is_held_against_that_of_the_run(tmp_path):
    died = replace(FFT, signature=Signature("crashed", "SIGSEGV"), chain=())
    ended = replace(FINDING, slug="not-xla")
    segfault = {**FAILED, "state": "signalled", "code": None, "signal": "SIGSEGV"}
    [same] = with_isolations([ended], recorded(tmp_path / "a", died, segfault))
    assert (same.op, same.status) == ("FFT2D", "confirmed") and same.message.endswith("ends the process.")
    [other] = with_isolations([ended], recorded(tmp_path / "b", died, {**segfault, "signal": "SIGABRT"}))
    assert other == ended


def test_an_answer_that_is_none_is_left_out(tmp_path):
    made = run()
    made.worker.append({"capsule": "7-1-f", "request": "isolation", "result": {"op": 3}})
    made.worker.append({"capsule": "7-1-f", "request": "isolation", "error": "the time was over"})
    recording = read_run(made.write(tmp_path / "run"))
    assert list(isolations(recording)) == []


def test_causes_that_the_text_leaves_open_go_when_the_origin_is_known(tmp_path):
    between, decide = ["a random op feeds it"], ["look at its inputs"]
    text = f"m. {undecided(between, decide)}"
    open_ = replace(FINDING, message=text, details={"between": between, "decide": decide})
    [finding] = with_isolations([open_], recorded(tmp_path, FFT))
    assert finding.message.startswith("m. The cause is If")
    [finding] = with_isolations([open_], recorded(tmp_path / "open", replace(FFT, chain=(), origins=())))
    assert finding.message.startswith(text), "nothing was decided"


def test_a_fatal_check_at_an_op_of_a_list_is_a_list_without_a_bound(tmp_path):
    crash = replace(FFT, op="TensorListPushBack", signature=Signature("crashed", "SIGABRT"), chain=(), origins=())
    check = replace(FINDING, slug="xla-internal-ret-check", details={"fatal": True})
    outcome = {**FAILED, "state": "signalled", "code": None, "signal": "SIGABRT"}
    (found,) = with_isolations([check], recorded(tmp_path, crash, outcome))
    assert (found.slug, found.status) == ("tensorlist-dynamic", "confirmed")
    assert [r.id for r in found.remedies] == ["fixed-size", "maximum-iterations", "stack-inside"]


def test_a_fatal_check_of_the_compiler_is_the_op_that_ends_the_process(tmp_path):
    crash = replace(FFT, signature=Signature("crashed", "SIGABRT"), chain=(), origins=())
    outcome = {**FAILED, "state": "signalled", "code": None, "signal": "SIGABRT"}
    check = replace(FINDING, slug="xla-internal-ret-check", details={"fatal": True})
    [finding] = with_isolations([check], recorded(tmp_path, crash, outcome))
    assert (finding.op, finding.status, str(finding.location)) == ("FFT2D", "confirmed", "/w/a b.py:7 in step")
    plain = replace(check, details={})
    assert with_isolations([plain], recorded(tmp_path / "other", crash, outcome)) == (plain,)


def test_an_argument_that_xla_refuses_stands_at_the_first_op_that_takes_it(tmp_path):
    given = {"tensor": "words:0", "node": "words", "op": "Placeholder", "shape": [64, 3], "dtype": "string"}
    hashed = replace(
        FFT, op="StringToHashBucketFast", inputs=(given,), signature=Signature("unsupported-op", "_Arg"), chain=()
    )
    refused = replace(FINDING, slug="unsupported-op", op="_Arg", details={"ops": ["_Arg"]})
    [finding] = with_isolations([refused], recorded(tmp_path, hashed))
    assert str(finding.location) == "/w/a b.py:7 in step"
    assert finding.message.endswith("StringToHashBucketFast, /w/a b.py:7 in step, takes the argument `words`.")
    named = replace(refused, details={"ops": ["LookupTableFindV2"]})
    [finding] = with_isolations([named], recorded(tmp_path / "named", hashed))
    assert "argument" not in finding.message


GRADIENT = Isolation(
    "BroadcastGradientArgs", "call/gradient_tape/m/mul/BroadcastGradientArgs", (),
    Signature("broadcast-mismatch", "BroadcastGradientArgs", (0,)), "Incompatible shapes: [32,4] vs. [16,4]",
    "xla", 80, 9, 9, 1.0, location="/w/t.py:24 in step", number=76, stage="hlo",
    chain=(
        Link("Where", "m/Where", "s64[<=16,1]", "birth", "/w/t.py:14 in call", why="as many as hold"),
        Link("ConcatV2", "m/concat", "f32[<=32,4]", "carries", "/w/t.py:16 in call"),
        Link("BroadcastGradientArgs", "gradient_tape/m/mul/BroadcastGradientArgs", "", "fails", "/w/t.py:24 in step"),
    ),
)  # fmt: skip
APART = Finding("XD302", "broadcast-mismatch", "error", "root", "t", "m.", location=Location("/w/t.py", 24, "step"),
                evidence=(Proof("log", "Incompatible shapes: [32,4] vs. [16,4]"),))  # fmt: skip
STEP = [["/w/t.py", 24, "step"]]
NODES = {"gradient_tape/m/mul/BroadcastGradientArgs": STEP, "m/mul": [*STEP, ["/w/t.py", 17, "call"]]}


def in_gradient(folder, found=GRADIENT, plain=None, nodes=NODES):
    made = run()
    made.worker.append({"capsule": "7-1-f", "request": "failing_op", "batch": None, "result": plain})
    made.worker.append({"capsule": "7-1-f", "request": "isolation", "batch": None, "result": told(found)})
    path = made.write(folder)
    (path / "capsules/7-1-f/sources.json.gz").write_bytes(gzip.compress(json.dumps({"g1": nodes}).encode()))
    return read_run(path)


def test_a_bound_that_was_taken_for_a_size_in_a_gradient(tmp_path):
    """Both lines to change are suspects: where the size arose, and the operation whose gradient it is."""
    [finding] = with_isolations([APART], in_gradient(tmp_path / "run"))
    assert (finding.slug, finding.status) == ("dynamic-dimension-unsupported", "confirmed")
    assert [str(s.location) for s in finding.suspects] == ["/w/t.py:14 in call", "/w/t.py:17 in call"]
    assert str(finding.raised_at) == "/w/t.py:24 in step"
    assert finding.message.startswith(
        "XLA took the bound of f32[<=32,4] for its size, which is known only at run time;"
    )
    assert "a part of the gradient of /w/t.py:17 in call, cannot take it." in finding.message


def test_sizes_that_do_not_fit_without_xla_either_stay_what_they_are(tmp_path):
    fails = {"op": "BroadcastGradientArgs", "node": "n", "inner_node": "n", "message": "no"}
    [finding] = with_isolations([APART], in_gradient(tmp_path / "plain", plain=fails))
    assert finding.slug == "broadcast-mismatch"
    [finding] = with_isolations([APART], in_gradient(tmp_path / "known", replace(GRADIENT, chain=())))
    assert (finding.slug, str(finding.location)) == ("broadcast-mismatch", "/w/t.py:17 in call")
    assert finding.suspects == (), "no size of this call is bounded: other parts look for its lines"


def test_the_line_of_a_gradient_stays_where_no_single_line_made_the_operation(tmp_path):
    nodes = {"m/mul/a": [*STEP, ["/w/t.py", 17, "call"]], "m/mul/b": [*STEP, ["/w/t.py", 18, "call"]]}
    [finding] = with_isolations([APART], in_gradient(tmp_path / "two", replace(GRADIENT, chain=()), nodes=nodes))
    assert str(finding.location) == "/w/t.py:24 in step"
    assert list(forward_scopes("m/mul")) == [], "no gradient"
    assert list(forward_scopes("gradients_1/a/mul_grad/Sum")) == ["a/mul", "a"]

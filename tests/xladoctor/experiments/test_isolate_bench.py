"""How the search takes what a worker answers, with workers that crash, hang and cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.answered import made
from xladoctor.errors import XladoctorError
from xladoctor.experiments.isolate import isolate
from xladoctor.experiments.repro import write_repro
from xladoctor.model.replay import Case, Isolation, Signature
from xladoctor.protocol import answers, requests
from xladoctor.workers.bench import Answer
from xladoctor.workers.subject import Subject

OPS = 500
MESSAGE = "Input 1 to node `a/Tile` with op Tile must be a compile-time constant."


class Scripted:
    """Answers by a function of (number of ops, stage); a step that asked for XLA and does not fail plainly."""

    def __init__(self, folder: Path, answer, *, plain=None, xla=True) -> None:
        self.subject = Subject("s", "capsule", "python", folder, folder=folder)
        self.folder = folder
        self.said: list[str] = []
        self.prefixes: list[tuple[int, str]] = []
        self.tries = 0
        self._answer, self._plain, self._xla = answer, plain, xla

    def say(self, text):
        self.said.append(text)

    def ask(self, request, case):
        if isinstance(request, requests.CountOps):
            return Answer("ok", answers.Outline(OPS, self._xla, self._xla))
        if isinstance(request, requests.FindFailingOp):
            return Answer("ok", self._plain)
        if isinstance(request, requests.DescribeOp):
            node = {"node": f"n{request.ops}", "op": "Tile", "inner_node": "a/b/Tile", "xla": True}
            return Answer("ok", made(answers.Spot, {**node, "sources": [["m.py", 3, "call"]]}))
        if not isinstance(request, requests.CompilePrefix):
            return Answer("refused", message="not this")
        if request.save:
            return Answer("ok", passed())
        self.prefixes.append((request.ops, request.stage))
        return self._answer(request.ops, request.stage)


def passed():
    return answers.Compiled("passed", None, 0.1, 1)


def failed(message=MESSAGE):
    return answers.Compiled("failed", answers.Error("ValueError", message), 0.1, 1)


def test_what_tensorflow_refuses_needs_no_machine_code(tmp_path):
    bench = Scripted(tmp_path, lambda k, stage: Answer("ok", failed() if k >= 123 else passed()))
    found = isolate(bench, Case(None))
    assert (found.number, found.stage, found.op, found.location) == (123, "hlo", "Tile", "m.py:3 in call")
    assert found.signature == Signature("compile-time-constant", "Tile")
    assert found.tries <= 9 + 3
    assert {stage for _, stage in bench.prefixes} == {"hlo"}
    assert len(set(bench.prefixes)) == len(bench.prefixes)


@pytest.mark.parametrize("state", ["crashed", "timed-out"])
def test_a_compiler_that_dies_is_a_failure_like_any_other(tmp_path, state):
    def answer(k, stage):
        return (
            Answer(state, message="the worker ended by SIGSEGV")
            if k >= 400 and stage != "hlo"
            else Answer("ok", passed())
        )

    found = isolate(Scripted(tmp_path, answer), Case(None))
    assert (found.number, found.signature, found.message) == (400, Signature(state), "the worker ended by SIGSEGV")
    assert found.tries <= 9 + 3


def test_parts_that_cannot_be_tried(tmp_path):
    """From op 300 on it cannot be put before XLA; it fails from 200 on."""
    unsupported = answers.Compiled("unsupported", answers.Error("Unsupported", "optionals"), 0.1, 0)

    def answer(k, stage):
        return Answer("ok", unsupported if k >= 300 else failed() if k >= 200 else passed())

    assert isolate(Scripted(tmp_path, answer), Case(None)).number == 200
    nothing = Scripted(tmp_path, lambda k, stage: Answer("ok", unsupported if k >= 300 else passed()))
    assert isolate(nothing, Case(None)) is None
    assert "no part that could be tried failed in the same way" in nothing.said[-2] + nothing.said[-1]


def test_nothing_fails(tmp_path):
    bench = Scripted(tmp_path, lambda k, stage: Answer("ok", passed()))
    assert isolate(bench, Case(None)) is None
    assert bench.prefixes == [(OPS, "hlo"), (OPS, "optimized_hlo")]
    assert isolate(Scripted(tmp_path, lambda k, stage: Answer("ok", failed()), xla=False), Case(None)) is None


def test_a_script_never_replaces_a_file(tmp_path):
    (tmp_path / "mine.py").write_text("precious")
    isolated = Isolation("Tile", "n", (), None, "", "xla", 1, 1, 1, 0.0)
    with pytest.raises(XladoctorError, match="there is such a file already"):
        write_repro(Scripted(tmp_path, None), Case(None), isolated, tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text() == "precious"
    with pytest.raises(XladoctorError, match="there is no folder"):
        write_repro(Scripted(tmp_path, None), Case(None), isolated, tmp_path / "no" / "mine.py")


def test_why_there_is_no_script(tmp_path):
    isolated = Isolation("Tile", "n", (), Signature("a"), "", "run", 1, 1, 1, 0.0)
    told = write_repro(Scripted(tmp_path, None), Case(None), isolated, tmp_path / "new.py")
    assert (told.reproduced, told.message) == (False, "not this")
    assert not (tmp_path / "new.py").exists()


def test_a_step_that_cannot_be_put_before_xla_as_a_whole_is_searched_in_each_stage(tmp_path):
    """A function of it asked for XLA, and only the compiler's later passes refuse an op in it."""

    def answer(ops, stage):
        if ops > 480:
            return Answer("ok", answers.Compiled("unsupported", answers.Error("Unsupported", "a queue"), 0.1, 0))
        return Answer("ok", failed() if ops >= 77 and stage == "optimized_hlo" else passed())

    found = isolate(Scripted(tmp_path, answer), Case(4))
    assert found is not None and (found.number, found.stage) == (77, "optimized_hlo")
    assert isolate(Scripted(tmp_path, lambda ops, stage: Answer("ok", passed())), Case(4)) is None

"""Scripts whose assertion fails where parity found something silent, and which pass where one way is taken twice."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.xladoctor.experiments.in_process import InProcess
from xladoctor.experiments import parity_judge as judge
from xladoctor.experiments import repro_silent
from xladoctor.experiments.repro_silent import meanings, write_assertion
from xladoctor.model.replay import Agreement, Case, Parity, Signature
from xladoctor.protocol import answers, requests


def disagreement(slug, **more):
    given = {"output": "output 0", "ways": ("plain", "plain"), "shapes": ([6, 3], [6, 3]), **more}
    return Agreement(agree=False, slug=slug, **given)


def test_the_most_telling_finding_comes_first():
    raises = disagreement("parity-divergence", output=judge.EVERY, ways=("plain", "xla"))
    few = disagreement("wrong-pairing", test="few", rows=(1,))
    size = disagreement("wrong-shape-silent", test="size", shapes=([1, 3], [6, 3]))
    found = meanings(Parity(("plain",), (few, size, raises), first_node={"node": "a/Reshape"}, batch=6))
    assert [m.test["kind"] for m in found] == ["ways", "size", "rows"]
    assert (found[0].node, found[0].output) == ("a/Reshape", "output 0")
    assert found[1].test == {"kind": "size", "way": "plain", "bad": 6}
    assert found[2].test["row"] == 1
    other = disagreement("parity-divergence", ways=("plain", "eager"))
    assert meanings(Parity((), (other, Agreement("output 1", ("plain", "xla"), True, (None, None))))) == []


class Prepared:
    """A bench whose worker has one script, for a test without TensorFlow."""

    def __init__(self, folder, text, deviation=0.5):
        self.subject = type("Subject", (), {"kind": "capsule", "python": sys.executable})
        self.folder, self.tries, self._text, self._deviation = folder, 0, text, deviation

    def say(self, text):
        pass

    def ask(self, request, case):
        from xladoctor.workers.bench import Answer

        self.tries += 1
        if isinstance(request, requests.WriteSilentScript):
            return Answer("ok", self._text)
        if isinstance(request, requests.ListSilent):
            return Answer("ok", answers.SilentPart((), {}, {}, "a/b", "GatherNd", ()))
        return Answer("ok", answers.Shown(True, "wrong-pairing", self._deviation, None, nodes=1))


PARITY = Parity(("plain",), (disagreement("wrong-pairing", test="few", rows=(0,)),), batch=6)
FAILS = "assert False, 'wrong-pairing: rows differ by 0.45'"
CONTROLLED = f"import sys\nif sys.argv[1:] != ['control']:\n    {FAILS}\n"


def test_a_script_is_handed_over_if_it_fails_so_and_its_control_passes(tmp_path):
    path = tmp_path / "mine.py"
    told = write_assertion(Prepared(tmp_path, CONTROLLED), Case(6), PARITY, path)
    assert (told.reproduced, told.signature) == (True, Signature("wrong-pairing", "GatherNd"))
    assert told.message == "AssertionError: wrong-pairing: rows differ by 0.45"
    assert (path.read_text(), told.lines) == (CONTROLLED, 3)


@pytest.mark.parametrize(
    ("text", "deviation", "why"),
    [
        ("", 0.5, "the script passes in a fresh process"),
        (FAILS, 0.5, "the one way twice does not pass either"),
        (CONTROLLED, 0.001, "the deviation is another one (0.001)"),
        ("raise ValueError('no')", 0.5, "fails in another way: ValueError: no"),
        (CONTROLLED.replace("wrong-pairing", "parity-divergence"), 0.5, "fails in another way"),
    ],
)
def test_and_else_it_is_not(tmp_path, text, deviation, why):
    path = tmp_path / "mine.py"
    told = write_assertion(Prepared(tmp_path, text, deviation), Case(6), PARITY, path)
    assert not told.reproduced and why in told.message
    assert not path.exists()


def in_this_process(bench, case, text, arguments=()):
    """As a process of its own would end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["script.py", *arguments])
        try:
            exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})
        except Exception as error:
            told = f"Traceback (most recent call last):\n{type(error).__name__}: {error}\n"
            return subprocess.CompletedProcess([], 1, b"", told.encode())
    return subprocess.CompletedProcess([], 0, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "slug", "op", "lines"),
    [
        ("rows_by_modulo", "wrong-pairing", "GatherV2", 31),
        ("centred_over_the_batch", "wrong-pairing", "Sub", 29),
        ("collapses_from_four", "wrong-shape-silent", "StatelessIf", 27),
        ("gather_out_of_range", "parity-divergence", "GatherV2", 27),
        ("masked_roll", "wrong-shape-silent", "Roll", 25),
    ],
)
def test_silent_programs_as_scripts(tmp_path, monkeypatch, program, slug, op, lines):
    from tests.probes.graph import patients, silent
    from xladoctor.experiments.parity import parity

    if program != "rows_by_modulo":  # TensorFlow starts twice for that one: once is enough to show that it does
        monkeypatch.setattr(repro_silent, "run_script", in_this_process)

    capsule, _ = patients.capsule(tmp_path / "capsule", *getattr(silent, program)(), specs="open")
    bench = InProcess(capsule, tmp_path, sys.executable)
    path = tmp_path / "script.py"
    told = write_assertion(bench, Case(None), parity(bench, Case(None)), path)
    assert told.reproduced, told.message
    assert told.signature == Signature(slug, op)
    assert told.lines <= lines
    text = path.read_text()
    names = {n.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for n in node.names}
    assert names == {"sys", "numpy", "tensorflow"}

"""Settings that come too late, switches that govern nothing, and ops that TensorFlow refuses to make."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.experiments.anew import Anew
from xladoctor.experiments import settled
from xladoctor.experiments.isolate import isolate
from xladoctor.experiments.remedies import test_remedies as tried
from xladoctor.model.replay import Case, Outcome, Sweep

pytestmark = pytest.mark.slow
LATE = "tests.xladoctor.experiments.late"


@pytest.fixture
def bench(tmp_path):
    """`bench(name)`: a bench for a callable of the module `late`."""

    def make(name: str) -> Any:
        return Anew(f"{LATE}:{name}", tmp_path / name, forget=(LATE,))

    return make


def lost(case: Case) -> Sweep:
    """What a sweep says of twice as many rows as there should be."""
    assert case.batch is not None
    silent = Outcome(case, "silent", rows_in=case.batch, rows_out=2 * case.batch)
    return Sweep((silent,), (), 1, 1)


@pytest.mark.parametrize(
    ("name", "late", "results"),
    [
        ("at_import", True, {"set-earlier": "cured", "rebuild": "no effect", "jit-off": "no effect"}),
        ("at_build", True, {"set-earlier": "cured", "rebuild": "cured", "jit-off": "no effect"}),
    ],
)
def test_a_setting_that_comes_too_late(bench, name, late, results):
    one, case = bench(name), Case(3)
    assert settled.written(one, case) == (("cfg:gridsize", "2"),)
    (found,), notes = settled.agreements(one, case, ())
    assert (found.slug, found.agree, notes) == ("setting-too-late", not late, [])
    assert "the program writes cfg:gridsize=2, too late" in (found.what or "")
    tested, _ = tried(one, case, lost(case))
    assert {t.remedy: t.result for t in tested if t.remedy in results} == results
    # Without rows that are known to be lost, the graph alone tells.
    tested, _ = tried(one, case)
    assert {t.remedy: t.result for t in tested} == {k: v for k, v in results.items() if k != "jit-off"}


def test_a_setting_in_time_and_a_dead_switch(bench):
    assert settled.agreements(bench("in_time"), Case(3), ()) == ([], [])
    assert tried(bench("in_time"), Case(3))[0] == ()
    others = [Case(3, (("cfg:use_xla_translate", "False"),)), Case(3, (("cfg:offset", "3"),))]
    (dead,), (note,) = settled.agreements(bench("unread"), Case(3), others)
    assert (dead.slug, dead.ways[1]) == ("dead-switch", "cfg:use_xla_translate=False")
    assert note.startswith("the graph is the same, op by op, with cfg:offset as it is and 3")


@pytest.mark.parametrize("name", ["refused", "refused_while_built"])
def test_an_op_that_is_refused_while_tracing(bench, name):
    found = isolate(bench(name), Case(3))
    assert found is not None
    assert (found.op, found.mode, found.tries) == ("Mul", "trace", 1)
    assert [i["shape"] for i in found.inputs] == [[3, 4], [1, 5]]
    assert found.signature is not None and found.signature.op == "Mul"
    assert found.location is not None and "late.py" in found.location and found.location.endswith("in inner")
    assert isolate(bench("unread"), Case(3)) is None

"""The pytest plug-in, in runs of pytest of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import quick
from xladoctor.shape_checks import check_contract, check_rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
REFUSED = (
    "Cannot reshape a tensor with 21 elements to shape [4,5] (20 elements) for '{{node Reshape}} = Reshape"
    "[T=DT_FLOAT, Tshape=DT_INT32](x, Reshape/shape)' with input shapes: [21], [2]."
)
CASES = f"""
import os
import sys

import pytest


def refuse():
    raise ValueError({REFUSED!r})


@pytest.fixture
def broken():
    refuse()


def test_refused():
    refuse()


def test_fine():
    pass


def test_assertion():
    assert 1 == 2


def test_skipped():
    pytest.skip("not today")


def test_setup(broken):
    pass


@pytest.mark.xladoctor_expects("reshape-mismatch")
def test_expected():
    refuse()


@pytest.mark.xladoctor_expects("broadcast-mismatch")
def test_other():
    refuse()


@pytest.mark.xladoctor_expects("reshape-mismatch")
def test_no_failure():
    pass


@pytest.mark.xladoctor_expects("no-such-class")
def test_no_class():
    refuse()


def test_over_a_hook(monkeypatch):
    assert "PostImportFinder" in str(sys.meta_path[0])
    monkeypatch.setattr(sys, "excepthook", print)


def test_hooks_of_the_test_before_are_gone():
    import threading

    assert sys.meta_path[1:] and "PostImportFinder" not in str(sys.meta_path[1:])
"""
CONFTEST = """
import sys

HOOK = sys.excepthook  # on Python 3.10 that of a package that pytest needs


def pytest_unconfigure():
    ours = [name for name in sys.modules if name.partition(".")[0] in ("xladoctor", "_xladoctor_probes")]
    print("LOADED", *sorted(ours), file=sys.__stdout__)
    print("HOOK", sys.excepthook is HOOK and "xladoctor" not in HOOK.__module__, file=sys.__stdout__)
"""


def run(folder: Path, text: str, *words: str) -> str:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_cases.py").write_text(text)
    env = {
        **os.environ,
        "PYTHONPATH": quick.path(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    env.pop("PYTEST_ADDOPTS", None)
    plugins = ("-p", "no:cacheprovider", "-p", "xladoctor.pytest_plugin", "-p", "xdist.plugin")
    command = [sys.executable, "-m", "pytest", *plugins, "--color=no", "-rA", *words, "test_cases.py"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


def outcomes(text: str) -> dict[str, str]:
    return {
        name: state for state, name in re.findall(r"^(PASSED|FAILED|ERROR) test_cases\.py::(\w+)", text, re.MULTILINE)
    }


def loaded(text: str) -> set[str]:
    return set(re.findall(r"^LOADED (.*)$", text, re.MULTILINE)[-1].split())


EXPECTED = {
    "test_refused": "FAILED", "test_fine": "PASSED", "test_assertion": "FAILED", "test_setup": "ERROR",
    "test_expected": "PASSED", "test_other": "FAILED", "test_no_failure": "FAILED", "test_no_class": "FAILED",
    "test_over_a_hook": "PASSED", "test_hooks_of_the_test_before_are_gone": "PASSED",
}  # fmt: skip


@pytest.fixture(scope="module", params=[(), ("-n", "2")], ids=["alone", "xdist"])
def ran(request, tmp_path_factory):
    return run(tmp_path_factory.mktemp("cases"), CASES, "--xladoctor", *request.param)


def test_the_outcomes(ran):
    assert outcomes(ran) == EXPECTED, ran


def test_a_failing_test_has_its_diagnosis_under_its_name(ran):
    section = ran.partition("xladoctor: test_cases.py::test_refused")[2].partition("\n_____")[0]
    assert "XD301 reshape-mismatch" in section and re.search(r"test_cases\.py:\d+ in refuse", section)
    assert "xladoctor: test_cases.py::test_setup" in ran


def test_what_is_no_failure_of_tensorflow_has_none(ran):
    for name in ("test_assertion", "test_fine", "test_skipped"):
        assert f"xladoctor: test_cases.py::{name}" not in ran


def test_why_an_expected_class_did_not_come(ran):
    assert "of the class broadcast-mismatch, and it is of the class reshape-mismatch" in ran
    assert "of the class reshape-mismatch, and the test passed" in ran
    assert "xladoctor_expects names no class of failure: 'no-such-class'" in ran


def test_no_hook_is_left(ran):
    assert set(re.findall(r"^HOOK (\w+)$", ran, re.MULTILINE)) == {"True"}


def test_without_the_option_nothing_of_ours_is_loaded_but_the_plug_in(tmp_path):
    text = run(tmp_path, "def test_one():\n    pass\n")
    assert loaded(text) == {"xladoctor", "xladoctor.pytest_plugin"}
    assert outcomes(text) == {"test_one": "PASSED"}


def test_a_marked_test_is_diagnosed_without_the_option_and_no_other(tmp_path):
    text = run(tmp_path, CASES, "-k", "expected or refused")
    assert outcomes(text) == {"test_refused": "FAILED", "test_expected": "PASSED"}
    assert "xladoctor: test_cases.py::test_refused" not in text and "xladoctor.pytest_diagnosis" in loaded(text)


def test_a_marked_test_is_skipped_where_nothing_can_be_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("XLADOCTOR_PROBES", "0")  # as under `xladoctor scan -- pytest`
    text = run(tmp_path, CASES, "-k", "expected or no_failure")
    assert outcomes(text) == {"test_no_failure": "FAILED"} and "expected a failure of the class" in text
    assert re.search(r"SKIPPED .*xladoctor_expects: XLADOCTOR_PROBES=0", text), text


def test_the_folders_of_failing_tests_stay(tmp_path):
    run(tmp_path, CASES, "--xladoctor", "--xladoctor-dir", "runs", "-k", "refused or fine")
    kept = [folder.name for folder in (tmp_path / "runs").glob("*/*")]
    assert [name.partition("-")[2] for name in kept] == ["test_refused"]


@pytest.mark.slow
def test_the_tests_of_the_page_and_what_it_shows_of_them(tmp_path):
    text = run(tmp_path, "\n".join(SHOWN), "--xladoctor")
    assert outcomes(text) == {
        "test_the_forecast_learns": "FAILED",
        "test_a_wrong_loss_is_refused": "PASSED",
        "test_pad": "PASSED",
        "test_every_row_gets_a_forecast": "PASSED",
    }, text
    came, at = " ".join(text.split()), 0
    for part in re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0].split("...\n"):
        here = came.find(" ".join(part.split()), at)
        assert here >= at, f"{part}\n-- is not in --\n{text}"
        at = here


# -- the fixtures


def padded(x, width=12):
    return np.pad(x, ((0, 0), (0, width - x.shape[1])))


def test_a_contract_that_holds_gives_the_result():
    assert check_contract("x (B N) -> (B P)", padded, np.zeros((3, 5)), axes={"P": 12}).shape == (3, 12)


@pytest.mark.parametrize(
    ("contract", "axes", "words"),
    [
        ("x (B N) -> (B N)", {}, "result is (3 12) where (B N) wants N = 5 at axis 1"),
        ("x (B N) -> (B P)", {"P": 10}, "P = 10"),
        ("x (B N M) -> (B N)", {}, "x has 2 axes"),
        ("x (B N) -> a (B 12), b (B)", {}, "2 results, and 1 tensors came out"),
    ],
)
def test_a_contract_that_is_broken(contract, axes, words):
    with pytest.raises(AssertionError) as raised:
        check_contract(contract, padded, np.zeros((3, 5)), axes=axes)
    assert words in str(raised.value) and "padded breaks" in str(raised.value)


def test_a_contract_that_cannot_be_read_is_no_failure_of_the_function():
    with pytest.raises(ValueError, match="has no '->'"):
        check_contract("x (B N)", padded, np.zeros((3, 5)))


def test_as_many_rows_as_went_in():
    assert check_rows(padded, np.zeros((7, 5)), sizes=(1, 3)).shape == (3, 12)
    assert check_rows(lambda pair: {"sum": pair[0] + pair[1]}, (np.zeros(4), np.ones(4)))["sum"].shape == (4,)


def test_rows_that_are_lost():
    def last_batch_dropped(x):
        return x[: len(x) // 4 * 4]

    assert len(check_rows(last_batch_dropped, np.zeros((8, 2)))) == 8
    with pytest.raises(AssertionError, match=r"last_batch_dropped: 6 rows went in, and result has the shape \(4, 2\)"):
        check_rows(last_batch_dropped, np.zeros((8, 2)), sizes=(4, 6))


@pytest.mark.parametrize(("args", "sizes"), [((3,), ()), ((np.zeros(3), np.zeros(4)), ()), ((np.zeros(3),), (4,))])
def test_rows_that_cannot_be_counted(args, sizes):
    with pytest.raises(ValueError, match="rows"):
        check_rows(lambda *a: a[0], *args, sizes=sizes)

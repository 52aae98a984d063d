"""A remedy names what this failure is about, or is left out."""

from __future__ import annotations

from typing import Any

import pytest

from xladoctor.diagnosis.fitting import Situation, fitted
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.rules import by_slug

HERE = Location("train.py", 9)
CPU = Situation(recorded=True, tensorflow=True, gpu=False, keras=False)
NOTHING = Situation()


def of(slug: str, text: str = "", known: Situation = CPU, **fields: Any) -> list[str]:
    rule = by_slug(slug)
    made = Finding(rule.code, slug, "error", "root", rule.title, text, evidence=(Proof("log", text),), **fields)
    made = Finding(**{**made.__dict__, "remedies": rule.remedies, "location": fields.get("location", HERE)})
    (found,) = fitted([made], known)
    return [remedy.title for remedy in found.remedies]


def test_no_memory_of_a_gpu_that_is_not_there():
    shape = "OOM when allocating tensor with shape[40,40]"
    assert not [t for t in of("oom", shape) if "GPU" in t]
    assert [t for t in of("oom", shape, Situation(True, True, gpu=True, keras=True)) if "GPU" in t]
    assert [t for t in of("oom", f"{shape} on device:GPU:0", NOTHING) if "GPU" in t]


def test_no_input_of_a_model_that_is_not_there():
    assert of("keras-input-mismatch") == []
    assert of("keras-input-mismatch", known=NOTHING) == ["Make data and model agree on one configuration: train.py:9"]


@pytest.mark.parametrize(
    ("kind", "text", "title"),
    [
        ("ModuleNotFoundError", "No module named 'tike'", "Install tike, or correct its name: train.py:9"),
        ("ModuleNotFoundError", "No module named 'keras.gone.deep'",
         "Correct the import of keras.gone.deep: this version of keras has no such module: train.py:9"),
        ("FileNotFoundError", "No such file or directory: 'a.npz'", "Make a.npz, or correct the path: train.py:9"),
        ("KeyError", "'x'", "Start at the line that raised it: train.py:9"),
        ("segfault", "Segmentation fault", None),
    ],
)  # fmt: skip
def test_an_ordinary_failure_has_the_remedy_of_its_own(kind, text, title):
    assert of("not-xla", text, details={"kind": kind}) == ([title] if title else [])


def test_a_module_that_the_doctor_s_own_python_lacks_is_not_installed_there():
    own = Situation(recorded=True, tensorflow=False, doctors_own=True)
    given = {"kind": "ModuleNotFoundError"}
    (title,) = of("not-xla", "No module named 'keras'", own, details=given)
    assert title.startswith("Name the interpreter that has keras: --python PATH")
    (title,) = of("not-xla", "No module named 'keras.gone'", own, details=given)
    assert title.startswith("Correct the import")


def test_a_crash_after_a_compilation_is_tried_without_xla():
    (title,) = of("not-xla", "Segmentation fault", details={"kind": "segfault", "compiled": True})
    assert title == "Run once with jit_compile=False: train.py:9"


def test_an_op_of_a_gradient_cannot_be_moved_out():
    assert "Move Where out of the compiled function" in of("unsupported-op", op="Where", node="a/Where")
    assert not [t for t in of("unsupported-op", op="Where", node="gradient_tape/a/Where") if t.startswith("Move")]


def test_every_remedy_of_a_known_place_names_it():
    for slug in ("reshape-mismatch", "broadcast-mismatch", "compile-time-constant", "dtype-mismatch"):
        titles = of(slug, dims=([3, 4], [3, 5]))
        assert titles and all("train.py:9" in t or "(3, 4)" in t for t in titles), titles


def test_what_is_made_to_agree_differs():
    shapes = [[None, 24, 24, 32], [None, 25, 25, 16]]
    (title,) = [
        t for t in of("concat-pack-mismatch", dims=(24, 24, 25, 25), details={"shapes": shapes}) if "agree" in t
    ]
    assert "(None, 24, 24, 32) and (None, 25, 25, 16) agree" in title
    assert [t for t in of("concat-pack-mismatch", dims=(24, 24, 25)) if "Make both sides agree" in t]

"""Functions that compute one thing in two ways: which are cut out of a program, and what is between the two."""

from __future__ import annotations

import ast
import json

import pytest

from probes.graph.service import Service
from xladoctor.diagnosis.two_ways import REQUEST, ways_apart
from xladoctor.model.answers import WorkerAnswer
from xladoctor.recording.contents import answer_of
from xladoctor.sources.two_ways import trials, two_ways

HEAD = "import numpy as np\nimport tensorflow as tf\nfrom settings import use_xla\n"
MOVED = '''
@tf.function(jit_compile=True)
def _by_matrices(image, move):
    def rows(at, n):
        return tf.nn.relu(1.0 - tf.abs(tf.range(n, dtype=tf.float32)[None, :, None] - at[:, None, None]
                                       - tf.range(n, dtype=tf.float32)[None, None, :]))
    out = tf.matmul(rows(move[:, 0], image.shape[1]), image[..., 0])
    return tf.matmul(out, rows(move[:, 1], image.shape[2]), transpose_b=True)[..., None]

def _by_op(image, move):
    one, none = tf.ones_like(move[:, 0]), tf.zeros_like(move[:, 0])
    matrix = tf.stack([one, none, -move[:, 1], none, one, -move[:, 0], none, none], axis=1)
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=image, transforms=matrix, output_shape=tf.shape(image)[1:3], fill_value=0.0,
        interpolation="BILINEAR", fill_mode="CONSTANT")

def moved(image, move):
    """Both ways."""
    if use_xla():
        return _by_matrices(image, move)
    return _by_op(image, move)
'''
SPECTRUM = """
def transform(x, fast=True):
    n = x.shape[-1]
    x = tf.cast(x, tf.complex64)
    return dft(x, n) if fast else tf.signal.fft(x)

def dft(x, n):
    k = np.arange(n)
    return tf.matmul(x, tf.constant(np.exp(-2j * np.pi * np.outer(k, k) / n).astype("complex64") / NORM))

NORM = 1
"""
SCORES = """
class Attention:
    def __init__(self, fused):
        self.fused = fused
    def scores(self, queries, keys):
        if self.fused:
            made = tf.einsum("ik,kj->ij", queries, keys)
        else:
            made = queries @ keys
        return tf.nn.softmax(made)
"""
AXES = MOVED.replace("move[:, 0], image", "move[:, -1], image").replace("move[:, 1], image", "move[:, 0], image")
PROGRAMS = {
    "both ways alike": (MOVED, "alike", None),
    "the sign of one": (
        MOVED.replace("return _by_op(image, move)", "return _by_op(image, -move)"),
        "negated", "`move` with the opposite sign",
    ),
    "the axes of one": (AXES, "swapped", "`move` with its two components exchanged"),
    "a spectrum": (SPECTRUM, "alike", None),
    "a spectrum with a factor": (SPECTRUM.replace("NORM = 1", "NORM = 12"), "scaled", "but for a factor of 0.0833333"),
    "a method": (SCORES, "alike", None),
    "other numbers": (SPECTRUM.replace("tf.signal.fft(x)", "tf.signal.fft(x) + 2.0 * x"), "apart", None),
}  # fmt: skip
NOT_CUT = {
    "a file": MOVED.replace("    one, none", "    tf.io.write_file('a', 'b')\n    one, none"),
    "a variable": SPECTRUM.replace("NORM = 1", "NORM = tf.Variable(1.0)"),
    "state": SCORES.replace("made = queries @ keys", "made = queries @ self.keys"),
    "no switch about how": MOVED.replace("use_xla()", "inverse"),
    "random numbers": SPECTRUM.replace(
        "    n = x.shape[-1]", "    n = x.shape[-1]\n    x += tf.random.normal(x.shape)"
    ),
    "a function of nobody": SCORES.replace("tf.nn.softmax(made)", "finish(made)"),
}


def found_in(text):
    return list(two_ways({"main.py": ast.parse(HEAD + text)}))


@pytest.mark.parametrize("name", NOT_CUT)
def test_what_does_more_than_compute_is_not_cut_out(name):
    assert found_in(NOT_CUT[name]) == []


def test_functions_of_other_files_come_along():
    main = "from tools import warp\nimport flags\ndef moved(image, move):\n"
    main += "    return warp._by_matrices(image, move) if flags.jit else warp._by_op(image, move)\n"
    [found] = two_ways({"main.py": ast.parse(main), "tools/warp.py": ast.parse(HEAD + MOVED.partition("def moved")[0])})
    assert [f.name for _, f in found.on.own] == ["_by_matrices"] and "_by_op" not in found.on.text
    assert found.on.own[0][0] == "tools/warp.py" and "_by_op" in found.off.text


class Answered:
    """A recording of which only an answer is known."""

    def __init__(self, result):
        self.result = result

    def answers(self, request):
        """The one answer."""
        return [WorkerAnswer("moved", request, self.result)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_between_two_ways(name):
    text, relation, words = PROGRAMS[name]
    [found] = found_in(text)
    asked = {"on": found.on.text, "off": found.off.text, "name": found.name, "count": len(found.parameters)}
    answer = Service().answer(json.dumps({"id": 1, "op": "two_ways", **asked}))
    assert answer["ok"], answer
    assert answer["result"]["relation"] == relation
    result = {
        **answer["result"], "function": found.name, "switch": found.switch, "parameters": list(found.parameters),
        "where": {"file": "main.py", "line": 7, "function": "f"}, "file": "main.py", "dispatch": found.line,
    }  # fmt: skip
    assert answer_of({"capsule": "moved", "request": REQUEST, "result": result}) is not None
    findings = list(ways_apart(Answered(result)))
    assert [words in f.title for f in findings] == ([True] if words else [])


@pytest.mark.slow
def test_the_sign_that_is_wrong():
    wrong = MOVED.replace("- at[:, None, None]", "+ at[:, None, None]")
    [found] = found_in(wrong)
    tried = list(trials(found.on))
    asked = {"on": found.on.text, "off": found.off.text, "name": found.name, "count": 2}
    answer = Service().answer(
        json.dumps({"id": 1, "op": "two_ways", **asked, "trials": [text for *_, text in tried], "taken": "on"})
    )
    assert answer["result"]["relation"] == "negated"
    [number] = answer["result"]["agreeing"]
    assert tried[number][1] == (HEAD + wrong)[: (HEAD + wrong).index("+ at[:")].count("\n") + 1

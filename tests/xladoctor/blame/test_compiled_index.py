"""An index beyond the end that XLA clamps: the lines that made it, or what it goes into, are suspects."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run, give_sources
from xladoctor.saved import scan_run

SOURCE = """import numpy as np
import tensorflow as tf

items = np.random.default_rng(0).integers(0, 80, 400)
count = int(items.max())
table = tf.Variable(tf.zeros([count, 4]))


@tf.function(jit_compile=True)
def lookup(ids):
    return tf.gather(table, ids)


lookup(tf.constant(items))
"""
GATHER = {"op": "GatherV2", "node": "GatherV2", "sources": [["train.py", 14, "<module>"], ["train.py", 11, "lookup"]]}
CAST = {**GATHER, "op": "Cast", "node": "Cast", "sources": [["train.py", 4, "<module>"]]}


def scanned(tmp_path, monkeypatch, message, **more):
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    give_sources(monkeypatch, {str(file): SOURCE})

    def placed(node):
        return {**node, "sources": [[str(file), line, name] for _, line, name in node["sources"]]}

    told = {"result": "diverges", "kind": "raises", "error": "InvalidArgumentError", "message": message,
            "node": placed(GATHER), **{k: placed(v) for k, v in more.items()}}  # fmt: skip
    made = Run()
    made.trace("7-0-f0", "lookup", "g0", xla=True)
    made.event("first-call", capsule="7-0-f0", kept=True, why=None, bytes=4)
    made.worker.append({"capsule": "7-0-f0", "request": "agreement", "result": told})
    return scan_run(made.write(tmp_path / "run"))


def test_the_size_that_is_one_too_small_is_a_suspect(tmp_path, monkeypatch):
    diagnosis = scanned(tmp_path, monkeypatch, "indices[3] = 79 is not in [0, 79)")
    root = diagnosis.root
    assert (root.slug, root.location.line, root.status) == ("parity-divergence", 11, "confirmed")
    lines = [s.location.line for s in root.suspects]
    assert 5 in lines and 11 not in lines
    assert {s.likeliness for s in root.suspects} == {"possible"}
    assert not any("left out" in note for note in diagnosis.notes)


@pytest.mark.parametrize("message", ["Integer division by zero", "assertion failed: [rates must not be negative]"])
def test_other_refusals_have_no_suspects(tmp_path, monkeypatch, message):
    assert scanned(tmp_path, monkeypatch, message).root.suspects == ()


def test_nor_has_an_index_that_another_op_made_wrong(tmp_path, monkeypatch):
    found = scanned(tmp_path, monkeypatch, "indices[3] = -2147483648 is not in [0, 79)", before=CAST).root
    assert (found.op, found.suspects) == ("Cast", ())

"""Remedies on real steps: XLA exactly where the program had it, and rows counted before anything is cut off."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def remedies(folder, way="recorded", **options):
    from probes.graph.parity import Ways
    from probes.graph.remedies import Remedies

    return Remedies(Ways(folder), way, batch=None, foreign=False, **options)


@pytest.fixture(scope="module")
def nested(tmp_path_factory):
    """A step that is no XLA program, and calls a function that is: it cannot carry the size of a mask over columns."""
    import tensorflow as tf

    from . import patients

    @tf.function(jit_compile=True)
    def inside(x):
        return tf.signal.fft(tf.boolean_mask(x, tf.math.real(x[0]) > -10.0, axis=1))

    @tf.function
    def program(x):
        return inside(x) * 2.0

    folder = tmp_path_factory.mktemp("nested") / "capsule"
    patients.capsule(folder, program, [np.ones((4, 8), "complex64")])
    return folder


def test_what_had_xla_has_it_under_a_remedy_too(nested):
    tried = remedies(nested)
    before = tried.apply({"kind": "as-is"})
    bound = tried.apply({"kind": "static-size"})
    assert before["outcome"] == bound["outcome"] == "failed"
    assert "dynamic dimension" in before["error"]["message"] and "dynamic dimension" in bound["error"]["message"]
    assert tried.apply({"kind": "jit-off"})["outcome"] == "passed"


def test_an_op_moved_out_of_the_part_under_xla(nested):
    from probes.graph.load import load
    from probes.graph.step import prepare

    graph = prepare(load(nested)).pure.graph
    fft = next(n for n, node in graph.nodes.items() if node.op == "FFT")
    told = remedies(nested).apply({"kind": "move-outside", "node": fft})
    assert (told["outcome"], told["apart"], told["compared"]) == ("passed", [], 1)


def test_a_step_without_xla_has_nothing_to_be_moved_out_of(plain):
    from probes.graph.errors import Unsupported

    folder, _ = plain("chunks", fail=False)
    with pytest.raises(Unsupported, match="nothing of the step is under XLA"):
        remedies(folder).apply({"kind": "move-outside", "node": "Reshape"})


def test_rows_are_counted_before_the_padding_is_cut_off_and_in_each_piece(tmp_path):
    import tensorflow as tf

    from . import patients

    folder = tmp_path / "capsule"
    program = tf.function(lambda x: tf.reduce_mean(tf.reshape(x, (-1, 2, 3)), axis=1))
    patients.capsule(folder, program, [np.ones((4, 3), "f")], specs=[tf.TensorSpec([None, 3])])
    tried = remedies(folder, by_row=True)
    assert tried.apply({"kind": "as-is"})["lost"] == ["output 0 has 2"]
    assert tried.apply({"kind": "pad", "to": 8})["lost"] == ["output 0 has 4 for 8"]
    assert tried.apply({"kind": "chunks", "size": 2})["lost"] == ["output 0 has 1 for 2"]


def test_what_asks_for_xla_in_a_loop_is_told_to_have_run_without(tmp_path):
    import tensorflow as tf

    from . import patients

    @tf.function(jit_compile=True)
    def inside(x):
        return x * 2.0

    @tf.function
    def program(x):
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, inside(y)), [0, x])[1]

    patients.capsule(tmp_path / "capsule", program, [np.ones((4, 3), "f")])
    tried = remedies(tmp_path / "capsule")
    assert "within a loop or a branch ran without it" in tried.apply({"kind": "static-size"})["held"]
    assert "held" not in tried.apply({"kind": "jit-off"})

"""Graphs as Python scripts: what is written runs, and gives what the graph gives."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def flat(program, *specs):
    """The flat pure graph of a function."""
    import tensorflow as tf

    from probes.graph.functionalise import functionalise
    from probes.graph.inline import flatten
    from probes.graph.ir import Input
    from probes.graph.load import Program

    concrete = tf.function(program, autograph=False).get_concrete_function(*specs)
    graph = concrete.graph
    inputs = tuple(Input(t.op.name, int(t.dtype.as_datatype_enum), tuple(t.shape.as_list())) for t in graph.inputs)
    outputs = tuple(t.name for t in graph.outputs)
    definition = graph.as_graph_def()
    loaded = Program("f", "f", definition, "g0", False, inputs, outputs, {}, {}, {}, {}, {}, {})
    return functionalise(flatten(loaded)).graph


def run(text):
    """What the script prints last, without printing it."""
    found = {}
    scope = {"print": lambda value: found.update(value=value)}
    exec(compile(text, "script", "exec"), scope)
    return found["value"], scope


def test_what_a_graph_says_its_script_says():
    import tensorflow as tf

    from probes.graph.reduced import tidy
    from probes.graph.script import script

    def program(x, n):
        def body(i, total, unused):
            part = x[i : i + 2, ..., None]
            return i + 2, total + tf.reduce_sum(part * 2.0) - tf.reduce_max(x, axis=1, keepdims=True)[0, 0], unused

        _, total, _ = tf.while_loop(lambda i, *_: i < n, body, [0, 0.0, x])
        first, second = tf.split(x, 2, axis=1)
        joined = tf.concat([first, -second], 1)
        chosen = tf.cond(total > 0.0, lambda: tf.transpose(joined), lambda: tf.zeros([4, 6]))
        z = tf.signal.fft(tf.complex(chosen, tf.ones_like(chosen)))
        return tf.abs(z) + tf.cast(tf.shape(x)[0], tf.float32) + tf.linalg.matmul(chosen, x, transpose_a=False)[:, :1]

    graph = tidy(flat(program, tf.TensorSpec([6, 4]), tf.TensorSpec([], tf.int32)))
    values = {f"{i.name}:0": v for i, v in zip(graph.inputs, [np.zeros((6, 4), "f"), np.int32(4)], strict=True)}
    values = {k: np.asarray(v) for k, v in values.items()}
    text = script(graph, values, title="x", jit=False)
    assert "tf.while_loop" in text
    assert "tf.raw_ops.MatMul(a=" in text
    value, scope = run(text)
    x = scope["random"].__class__(np.random.PCG64(0)).random((6, 4), np.float32)
    np.testing.assert_allclose(value, program(tf.constant(x), tf.constant(4)), rtol=1e-5)
    # i, total, x and n: neither the third variable, which nobody uses, nor TensorFlow's own counters.
    (step,) = [line for line in text.splitlines() if line.startswith("def step")]
    assert step.count(",") == 3


def test_edits():
    import tensorflow as tf

    from probes.graph.errors import Unsupported
    from probes.graph.reduced import check, edited
    from probes.graph.script import script

    def program(x):
        a = tf.sin(x, name="a")
        b = tf.cos(a, name="b")
        return tf.reshape(b, tf.shape(a, name="size")[:1], name="c")

    graph = flat(program, tf.TensorSpec([None]))
    cut = edited(graph, [{"frame": "", "tensor": "b:0", "to": "argument", "shape": [4]}])
    assert [n.op for n in cut.nodes.values()].count("Cos") == 0
    assert len(cut.inputs) == 2  # the size still comes from x
    twice = edited(graph, [{"frame": "", "tensor": "b:0", "to": "argument", "shape": [4]}] * 2)
    assert len(twice.inputs) == 2
    both = edited(graph, [*({"frame": "", "tensor": t, "to": "tensor", "with": "x:0"} for t in ("a:0", "b:0"))])
    assert {n.op for n in both.nodes.values()} & {"Sin", "Cos"} == set()
    value = edited(graph, [{"frame": "", "tensor": "size:0", "to": "value", "value": [4]}])
    text = script(value, {"x:0": np.zeros(4, "f")}, title="x", jit=False)
    assert "tf.shape" not in text
    assert run(text)[0].shape == (4,)
    with pytest.raises(Unsupported, match="edits are a list"):
        check([{"to": "elsewhere"}])


def test_values_stay_out_on_request():
    import tensorflow as tf

    from probes.graph.script import script

    graph = flat(lambda i: tf.gather(tf.range(50), i), tf.TensorSpec([20], tf.int32))
    secret = np.arange(17, 37, dtype=np.int32)
    assert str(secret.tolist()) in script(graph, {"i:0": secret}, title="x", jit=False)
    text = script(graph, {"i:0": secret}, title="x", jit=False, values=False)
    assert "36" not in text
    assert "random.integers(0, 2, 20)" in text


def test_inputs_and_attributes_that_python_calls_otherwise():
    """The op says reduction_indices and squeeze_dims, Python says axis."""
    import tensorflow as tf

    from probes.graph.script import script

    def program(x):
        all_of_it = tf.reduce_prod(x, [0, 2])
        first = tf.squeeze(x[:, :1], [1])
        return tf.raw_ops.Unpack(value=first, num=2, axis=0)[1] + tf.reduce_sum(tf.raw_ops.Cumsum(x=all_of_it, axis=0))

    graph = flat(program, tf.TensorSpec([2, 3, 4]))
    text = script(graph, {"x:0": np.ones((2, 3, 4), "f")}, title="x", jit=False)
    assert "tf.raw_ops.Squeeze(input=" in text
    assert ", axis=[1])" in text
    value, scope = run(text)
    np.testing.assert_allclose(value, program(tf.constant(scope["x"])), rtol=1e-5)


def test_an_op_that_tensorflow_refuses_to_make():
    from probes.graph.repro import script_of_trace
    from probes.protocol.requests import WriteTraceScript

    text = script_of_trace(WriteTraceScript(subject="tests.probes.graph.calls:mismatched", batch=4, title="x"))
    assert "return x * x2" in text and "tf.TensorSpec([4, 3], tf.float32)" in text
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 5"):
        exec(compile(text, "script", "exec"), {})

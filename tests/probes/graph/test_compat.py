"""Every private name of TensorFlow that the graph room leans on: a new version fails here, loudly."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

from probes import compat_graph

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def concrete():
    import tensorflow as tf

    variable = tf.Variable(tf.ones([2, 3]), name="weights", trainable=False)

    @tf.function
    def inner(x):
        return x + variable

    @tf.function
    def outer(x):
        return inner(x) * 2.0

    traced = outer.get_concrete_function(tf.TensorSpec([None, 3]))
    return traced, variable


def test_library_functions_know_their_graph(concrete):
    library = compat_graph.library_functions(concrete[0].graph)
    (name,) = library
    assert "inner" in name
    assert "add" in {o.name for o in library[name].graph.get_operations()}


def test_variables_and_their_handles(concrete):
    traced, variable = concrete
    ((capture, placeholder),) = traced.graph.captures
    assert capture is variable.handle
    assert compat_graph.handle_spec(capture) == ("float32", [2, 3])
    assert compat_graph.handle_spec(placeholder) in (None, ("float32", [2, 3]))
    assert compat_graph.handle_spec(traced.graph.inputs[0]) is None
    (inner,) = compat_graph.library_functions(traced.graph).values()
    found = [*compat_graph.graph_variables(traced.graph), *compat_graph.graph_variables(inner.graph)]
    assert any(v is variable for v in found)
    np.testing.assert_array_equal(compat_graph.read_variable(capture, "float32"), np.ones((2, 3)))


def test_variables_are_read_while_a_graph_is_built(concrete):
    import tensorflow as tf

    @tf.function
    def building():
        before = len(tf.compat.v1.get_default_graph().get_operations())
        assert compat_graph.read_variable(concrete[1].handle, "float32").shape == (2, 3)
        assert len(tf.compat.v1.get_default_graph().get_operations()) == before
        return tf.constant(0)

    building.get_concrete_function()


def test_user_frames(concrete):
    (inner,) = compat_graph.library_functions(concrete[0].graph).values()
    (operation,) = [o for o in inner.graph.get_operations() if o.name == "add"]
    frames = compat_graph.user_frames(operation)
    assert hash(frames) == hash(compat_graph.user_frames(operation))
    last = list(frames)[-1]
    assert (last.filename, last.name) == (__file__, "inner")
    assert isinstance(last.lineno, int)


def test_op_definitions():
    assert compat_graph.op_definition("Reshape").input_arg[1].name == "shape"
    assert compat_graph.op_definition("NoSuchOp") is None


def test_a_session_is_fed_past_the_static_shape():
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [64, 3])
        y = tf.identity(x * 2.0) + 1.0
        unused = tf.no_op()
    session = tf.compat.v1.Session(graph=graph)
    (value,) = compat_graph.session_run(session, [y], [(x, np.ones((5, 3), "f"))], [unused])
    assert value.shape == (5, 3)
    with graph.as_default():
        later = y + 1.0
    (value,) = compat_graph.session_run(session, [later], [(y, np.ones((2, 2), "f"))], [])
    np.testing.assert_array_equal(value, np.full((2, 2), 2.0))


def test_functions_are_made_known_to_the_runtime(concrete):
    definition = type(concrete[0].function_def)()
    definition.CopyFrom(next(iter(compat_graph.library_functions(concrete[0].graph).values())).cached_definition)
    definition.signature.name = "a_copy_of_inner"
    compat_graph.add_function(definition)
    compat_graph.add_function(definition)  # the same again is no error


def test_an_op_that_is_refused_while_it_is_made():
    import tensorflow as tf

    def refused(x):
        return x * tf.ones([1, 5])

    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(ValueError, match="Dimensions must be equal") as error:
            tf.function(refused, autograph=False).get_concrete_function(tf.TensorSpec([None, 4]))
    finally:
        tf.debugging.enable_traceback_filtering()
    frames = [frame for frame, _ in traceback.walk_tb(error.value.__traceback__)]
    ((node, inputs, graph),) = (m for m in map(compat_graph.op_in_the_making, frames) if m is not None)
    assert (node.op, node.name) == ("Mul", "mul")
    assert [t.shape.as_list() for t in inputs] == [[None, 4], [1, 5]]
    assert "ones" in {o.name for o in graph.get_operations()}

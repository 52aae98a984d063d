"""Which parts of a function are compared, on which numbers, and what comes of the comparison."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """`compared(function, *arguments)`: the answer about the capsule of a call."""
    from probes.graph.agreement import agreement

    from . import patients

    def answer(function, *arguments, **options):
        folder = tmp_path_factory.mktemp("portion") / "capsule"
        patients.capsule(folder, function, list(arguments), **options)
        return agreement(folder)

    return answer


def picking(loop=False):
    """A plain function around a compiled one; what lies beyond the end is raised plainly, and clamped by XLA."""
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def pick(x, i):
        return tf.gather(x, i)

    @tf.function
    def outer(x, i):
        words = tf.strings.as_string(i)  # XLA could not compile this
        if loop:
            total = tf.zeros([2])
            for _ in tf.range(2):
                total += pick(x * 2.0, i)
            return total, words
        return pick(x * 2.0, i) + 1.0, words

    return outer, np.arange(4, dtype="f"), np.array([0, 3])


def test_a_compiled_call_within_a_plain_function_is_compared_on_what_it_is_given(compared):
    outer, x, i = picking()
    assert compared(outer, x, i).result == "agrees"
    told = compared(outer, x, i + 5)
    assert (told.result, told.kind, told.node.op) == ("diverges", "raises", "GatherV2")
    assert "pick" in told.function


@pytest.mark.parametrize("inner", [True, False])
def test_later_calls_are_compared_until_one_diverges(tmp_path, inner):
    import tensorflow as tf

    from probes.graph.agreement import agreement, later

    from . import patients

    outer, x, i = picking()
    if not inner:
        outer = tf.function(lambda x, i: tf.nn.dropout(tf.gather(x, i), 0.5), jit_compile=True)
    patients.capsule(tmp_path, outer, [x, i])
    for call, at in ((2, i), (4, i + 1), (8, i + 2)):
        np.savez(tmp_path / f"later-{call}.npz", **{"input:0": x, "input:1": at})
    assert agreement(tmp_path).result == "agrees"
    told = later(tmp_path, 60.0)
    assert (told.result, told.calls, told.call, told.node.op) == ("diverges", 2, 4, "GatherV2")
    assert later(tmp_path, -1.0).calls == 0


def test_a_compiled_call_within_a_loop_is_not(compared):
    told = compared(*picking(loop=True))
    assert (told.result, told.why) == ("not-checked", "it is compiled within a loop or a branch")


def test_numbers_drawn_are_the_same_in_both_ways(compared):
    import tensorflow as tf

    state = tf.random.Generator.from_seed(1)

    @tf.function(jit_compile=True)
    def noisy(x, i):
        masked = tf.nn.dropout(x, 0.5) + tf.random.stateless_normal([4], [1, 2]) + state.normal([4])
        return tf.gather(masked, i)

    x, i = np.arange(4, dtype="f"), np.array([0, 3])
    told = compared(noisy, x, i)
    assert told.result == "agrees"
    assert {"RandomUniform", "StatelessRandomNormalV2"} <= set(told.held)
    drawn = [(d.op, d.same, d.fixed, d.mask, d.key is None) for d in told.draws]
    assert ("RandomUniform", None, False, False, True) in drawn
    assert ("StatelessRandomNormalV2", False, True, False, False) in drawn  # XLA draws others from this seed
    assert compared(noisy, x, i + 5).node.op == "GatherV2"


def test_a_variable_may_be_an_argument(compared):
    import tensorflow as tf

    variable = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def doubled(v, i):
        return tf.gather(v, i) + v.read_value()

    specs = [variable, tf.TensorSpec([2], tf.int32)]
    assert compared(doubled, variable, np.array([0, 1], "i"), specs=specs).result == "agrees"


@pytest.mark.parametrize("values", [True, False])
def test_a_keras_step_is_compared_on_its_batch(patient, values, tmp_path):
    from probes.graph.agreement import agreement

    folder = patient("fit", broken=False, jit=True)[0]
    if values:
        assert agreement(folder).result == "agrees"
        return
    for file in folder.iterdir():
        if file.name not in ("values.npz", "recipe.json"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    told = agreement(tmp_path)
    assert (told.result, told.why) == ("not-checked", "the batch could not be had")


def test_the_gradient_of_a_loop_hands_a_variable_through(compared):
    import tensorflow as tf

    weight = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(jit_compile=True)
    def slope(x):
        with tf.GradientTape() as tape:
            for _ in tf.range(3):
                x = tf.tanh(x @ weight)
            loss = tf.reduce_sum(x)
        return tape.gradient(loss, weight)

    assert compared(slope, np.ones((3, 2), "f")).result == "agrees"


@pytest.mark.parametrize(("shift", "result"), [(0.0, "agrees"), (1.0, "diverges")])
def test_what_clusters_gave_counts_as_it_was_in_the_run(tmp_path, shift, result):
    """XLA's maximum skips NaN on the processor: where the run had that, it is a divergence, and else none."""
    import tensorflow as tf

    from probes.graph.agreement import agreement

    from . import patients

    @tf.function
    def peaks(x):
        words = tf.strings.as_string(x)
        return words, tf.reduce_max(x * 2.0, axis=1)

    x = np.array([[1.0, np.nan], [2.0, 3.0]], "f")
    patients.capsule(tmp_path, peaks, [x])
    given = {"input:0": x, "output:0": np.array([[b"1", b"2"]] * 2)}
    np.savez(tmp_path / "values.npz", **given, **{"output:1": np.array([np.nan if not shift else 2.0, 6.0], "f")})
    told = agreement(tmp_path)
    assert (told.result, told.clustered) == (result, True)
    assert result == "agrees" or told.node.op == "Max"


@pytest.mark.parametrize(("margin", "op"), [(0.0, "Greater"), (1e-3, None)])
def test_what_decides_by_the_last_places_is_named(compared, margin, op):
    """The middle of a row of equal steps is its mean, but for rounding, which XLA does in another order."""
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def folded(x):
        return tf.where(x > tf.reduce_mean(x, axis=1, keepdims=True) + margin, tf.sin(x), tf.cos(x))

    told = compared(folded, np.linspace(-1.0, 1.0, 30, dtype="f").reshape(6, 5))
    assert told.result == "agrees"
    assert (told.tie and told.tie.op) == op
    assert op is None or told.deviation > 0.1


DIFFERENT = np.linspace(0.1, 0.9, 8, dtype="f")
APART = {
    # function, values that differ, the op, values that do not: what plain execution refuses comes of another op
    "refused": (lambda x: tf_("gather", np.arange(4), tf_("cast", x * 3.0, "int32")), [0.2, np.nan], "Cast", [0.2, 1]),
    # a zero that is none by rounding: the derivative of a root is taken for zero where nothing comes back
    "zero": (
        lambda x, d: raw("SqrtGrad", y=x, dy=d),
        [[np.nan, 1.0], [0.0, 1.0]],
        "SqrtGrad",
        [[2.0, 1.0], [0.0, 1.0]],
    ),
}


def tf_(name, *arguments):
    import tensorflow as tf

    return getattr(tf, name)(*arguments)


def raw(name, **arguments):
    import tensorflow as tf

    return getattr(tf.raw_ops, name)(**arguments)


@pytest.mark.parametrize("case", APART)
def test_the_op_that_gives_something_else(compared, case):
    import tensorflow as tf

    function, wrong, op, healthy = APART[case]
    for values, expected in ((wrong, op), (healthy, None)):
        arguments = [np.array(v, "f") for v in (values if isinstance(values[0], list) else [values])]
        told = compared(tf.function(function, jit_compile=True), *arguments)
        node = told.before or told.node
        assert (told.result, node and node.op) == (("diverges", expected) if expected else ("agrees", None))


def test_a_product_that_is_not_rounded_decides(compared):
    """XLA multiplies and adds in one step: a difference of equal products is no longer 0."""
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def inverse(a, b):
        apart = a * a - b * b
        return tf.where(tf.equal(apart, 0.0), 0.0, 1.0 / apart)

    told = compared(inverse, DIFFERENT, DIFFERENT)
    if told.rounding:  # the processor has such an instruction
        assert (told.result, told.tie.op) == ("agrees", "Equal")
        assert not told.tie.flushed
    assert compared(inverse, DIFFERENT, DIFFERENT + 1).tie is None


def test_a_number_too_small_for_xla_decides(compared):
    import tensorflow as tf

    function = tf.function(lambda x: tf.math.log(x) + 1.0, jit_compile=True)
    told = compared(function, np.array([1e-40, 1.0], "f"))
    assert (told.result, told.tie.op, told.tie.flushed) == ("agrees", "Log", True)
    assert compared(function, np.array([1e-30, 0.0], "f")).tie is None

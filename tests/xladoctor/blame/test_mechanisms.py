"""What makes a line suspect where no size of it is wrong: lengths left open, rows taken for granted, another value."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.xladoctor.blame.programs import MAIN, blamed
from xladoctor.blame.crash import Crash
from xladoctor.blame.follow import Follower
from xladoctor.blame.swaps import beside, of_swaps
from xladoctor.blame.variants import nodes_at
from xladoctor.sources.files import Files, imported


def reasons(found) -> dict[str, str]:
    """Why each line is suspected, by its source."""
    return {s.code: s.reason for s in found.suspects} if found is not None else {}


def test_lengths_that_are_left_open_are_suspect_where_they_meet_in_a_batch():
    found = blamed(
        """
        import tensorflow as tf
        CLIP = 30
        def load(path):
            wave = read(path)
            return wave[:CLIP]
        data = tf.data.Dataset.from_tensor_slices(paths()).map(load).batch(4)
        model.fit(data)
        """,
        ("<module>", "model.fit"),
        message="Graph execution error: Cannot batch tensors with different shapes in component 0.",
        dims=(26, 30),
        slug="concat-pack-mismatch",
    )
    assert "at most CLIP" in reasons(found)["return wave[:CLIP]"]


def test_another_name_for_the_batch_size_takes_the_rows_for_granted():
    found = blamed(
        """
        import tensorflow as tf
        BATCH = 16
        def step(x):
            rows = BATCH
            return tf.concat([x, tf.ones((rows, 3))], axis=1)
        data = tf.data.Dataset.from_tensor_slices(tf.zeros((40, 3))).batch(BATCH)
        for x in data:
            step(x)
        """,
        ("<module>", "step(x)"),
        ("step", "return tf.concat"),
        dims=(8, 16),
        slug="concat-pack-mismatch",
        message="ConcatOp : Dimension 0 in both shapes must be equal: shape[0] = [8,3] vs. shape[1] = [16,3]",
    )
    assert "It assumes 16 rows" in reasons(found)["rows = BATCH"]


def test_what_enters_a_loop_is_named_by_the_message():
    found = blamed(
        """
        import tensorflow as tf
        @tf.function
        def roll(x):
            state = tf.zeros([1, 4])
            for t in tf.range(3):
                state = state + x
            return state
        roll(tf.zeros([12, 4]))
        """,
        ("<module>", "roll(tf.zeros"),
        ("roll", "for t in"),
        dims=(1, 12, 4),
        slug="loop-shape-mismatch",
        message="'state' has shape (1, 4) before the loop, but shape (12, 4) after one iteration.",
    )
    assert "enters the loop" in reasons(found)["state = tf.zeros([1, 4])"]


CONSTRAINTS = {
    "params = tf.zeros((8, 10))\na, b, c = tf.split(params, 3, axis=1)": (10, 3),
    "mask = tf.zeros((4,))\nbox = tf.boolean_mask(tf.zeros((30, 2)), mask)": (30, 4),
    "kernel = tf.zeros((5, 3))\ny = tf.tensordot(tf.zeros((2, 4)), kernel, 1)": (4, 5),
    "a = tf.zeros((7, 3))\ny = tf.linalg.matvec(a, tf.zeros((4,)))": (3, 4),
    "a = tf.zeros((5, 3))\ny = tf.broadcast_to(a, (4, 3))": (5, 4),
}


@pytest.mark.parametrize("source", CONSTRAINTS)
def test_constraints_of_functions(source):
    run = Follower(Files({MAIN: "import tensorflow as tf\n" + source}.get, ("/work",)), Crash(()), {})
    run.run(MAIN)
    assert [tuple(d.size for d in c.sides) for c in run.clashes] == [CONSTRAINTS[source]]


def test_one_sample_for_a_model_lacks_the_batch():
    found = blamed(
        """
        import numpy as np
        from tensorflow import keras
        net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
        def act(state):
            return net(state)
        act(np.zeros(4))
        """,
        ("<module>", "act(np.zeros(4))"),
        ("act", "return net(state)"),
        dims=(4,),
    )
    assert "batch axis is missing" in reasons(found)["return net(state)"]


PROGRAM = """
import numpy as np, pandas as pd
class Plan:
    def __init__(self):
        self.inner = 4
        self.outer = 6
plan = Plan()
sizes = {"in": 4, "out": 6}
x_train, x_test, label = np.zeros((9, 4)), np.zeros((3, 4)), np.zeros((9, 1))
table = pd.DataFrame({"a": [1], "b": [2]})
a = np.zeros(plan.inner)
b = np.zeros(sizes["in"])
c = x_train + 1
d = table[["a"]]
e = table.drop(columns=["a"])
"""
SWAPS = {
    "plan.inner": {"plan.outer"},
    "sizes['in']": {"sizes['out']"},
    "x_train": {"x_test"},
    "table[['a']]": {"table['a']"},
    "['a']": {"['a', 'another']"},
}


def test_values_that_are_at_hand_are_tried_in_a_place():
    files = Files({MAIN: PROGRAM}.get, ("/work",))
    run = Follower(files, Crash(()), {})
    run.run(MAIN)
    source = files.source(MAIN)
    assert source is not None
    near, found = beside(run, MAIN, "<module>"), dict[str, set[str]]()
    for holder in nodes_at(source.tree, set(range(11, 17))):
        for variant in of_swaps(MAIN, holder, run.shapes, {4: 6, 6: 4}, run, near):
            before = ast.unparse(holder)
            with variant.made():
                changed = ast.unparse(holder)
            for old, new in SWAPS.items():
                for one in new:
                    if before.replace(old, one) == changed:
                        found.setdefault(old, set()).add(one)
            assert ast.unparse(holder) == before
    assert found == SWAPS


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("from .. import loader", {"pkg.loader"}),
        ("from ..image import stitch", {"pkg.image", "pkg.image.stitch"}),
        ("from .near import x", {"pkg.flows.near", "pkg.flows.near.x"}),
        ("from pkg import loader", {"pkg", "pkg.loader"}),
    ],
)
def test_relative_imports_climb(line, names):
    assert names <= set(imported(ast.parse(line).body[0], "pkg.flows"))


def test_packages_are_followed_from_a_module_that_is_run():
    more = {
        "/work/pkg/__init__.py": "",
        "/work/pkg/sizes.py": "WIDTH = 5\n",
        "/work/pkg/flows/__init__.py": "",
        "/work/pkg/flows/net.py": "import tensorflow as tf\nfrom ..sizes import WIDTH\nkernel = tf.zeros((WIDTH, 3))\n",
    }
    found = blamed(
        textwrap.dedent("""
        import tensorflow as tf
        from pkg.flows import net
        print(tf.matmul(tf.zeros((4, 6)), net.kernel))
        """),
        ("<module>", "print(tf.matmul"),
        dims=(6, 5),
        slug="matmul-conv-mismatch",
        more=more,
    )
    assert {"WIDTH = 5", "kernel = tf.zeros((WIDTH, 3))"} <= set(reasons(found))


def test_a_signature_that_fixes_the_rows_is_suspect_where_a_batch_has_others():
    found = blamed(
        """
        import tensorflow as tf
        def predict(data, size):
            rows = tf.TensorSpec((size,) + data.shape[1:], tf.float32)
            other = tf.TensorSpec((None, 3), tf.float32)
            run = tf.function(lambda x, y: x, input_signature=[rows, other])
            return [run(x, y) for x, y in data]
        predict(batches(), 6)
        """,
        ("<module>", "predict(batches"),
        ("predict", "return [run"),
        dims=(3, 6),
        slug="contract-violation",
        message="Can not cast TensorSpec(shape=(3, 16), dtype=tf.float32) to TensorSpec(shape=(6, 16), dtype=int)",
    )
    said = reasons(found)
    assert "assumes 6 rows" in said["rows = tf.TensorSpec((size,) + data.shape[1:], tf.float32)"]
    assert "granted" not in said.get("other = tf.TensorSpec((None, 3), tf.float32)", "")

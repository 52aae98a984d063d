"""Blame in programs of several files and calls: the constraint is read from what was recorded of the calls, and the
lines are found by mistakes that the source shows.
"""

from __future__ import annotations

import pytest

from xladoctor.blame.conventions import _fits
from xladoctor.blame.crash import crash_of
from xladoctor.blame.ranking import decisive, ordered
from xladoctor.model.blame import Blame
from xladoctor.model.diagnosis import Finding, Location

from .programs import MAIN, blamed, lines

TENSOR = "/work/pieces.py"


def reasons(found: Blame | None) -> dict[str, str]:
    """The suspects with their reasons."""
    return {s.code: s.reason for s in found.suspects} if found is not None else {}


def test_a_comprehension_is_no_call_of_its_own() -> None:
    frames = [
        {"file": MAIN, "line": 4, "function": "cut", "user": True, "tensors": [{"name": "x", "shape": [15, 4]}]},
        {"file": MAIN, "line": 5, "function": "cut.<locals>.<listcomp>", "user": True,
         "tensors": [{"name": "part", "shape": [8, 4]}]},
        {"file": MAIN, "line": 9, "function": "merge", "user": True},
    ]  # fmt: skip
    finding = Finding("XD3", "broadcast-mismatch", "error", "root", "t", "m", location=Location(MAIN, 9, "merge"))
    crash = crash_of(finding, {"frames": frames, "message": "", "exception": "ValueError"})
    assert [(f.function, f.line) for f in crash.frames] == [("cut", 5), ("merge", 9)]
    assert crash.frames[0].shapes == {"x": (15, 4), "part": (8, 4)}


def test_a_call_that_cuts_one_of_two_arrays() -> None:
    found = blamed(
        """
        import tensorflow as tf
        from pieces import merge
        def chunks(patches, offsets):
            return [merge(patches[i:i + 8], offsets) for i in range(0, 15, 8)]
        patches, offsets = tf.zeros([15, 16]), tf.zeros([15, 2])
        run = chunks(patches, offsets)
        """,
        ("<module>", "run = chunks"),
        ("chunks", "return [merge"),
        ("merge", "return tf.matmul"),
        more={
            TENSOR: """
            import tensorflow as tf
            def merge(patches, offsets):
                return tf.matmul(patches[:, :, None], offsets[:, None, :])
            """
        },
        frame_shapes={
            "chunks": {"patches": [15, 16], "offsets": [15, 2]},
            "merge": {"patches": [8, 16], "offsets": [15, 2]},
        },
        dims=(8, 15),
        slug="matmul-conv-mismatch",
        message="In[0] and In[1] must have compatible batch dimensions: [8,16,1] vs. [15,1,2]",
    )
    assert "8 rows as `patches` and 15 as `offsets`" in reasons(found)[lines(found)[0]]


def test_a_decorator_of_the_program_is_followed() -> None:
    found = blamed(
        """
        import tensorflow as tf
        def doubled(act):
            def wrapped(x, *args):
                return act(x, *args)
            return wrapped
        @doubled
        def joined(x, y):
            return x + y
        wide = tf.zeros([4, 7])
        joined(wide, tf.zeros([4, 5]))
        """,
        ("<module>", "joined(wide"),
        ("doubled.<locals>.wrapped", "return act"),
        ("joined", "return x + y"),
        dims=(7, 5),
        slug="broadcast-mismatch",
    )
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [7, 5]


def test_sides_are_read_from_the_message_where_the_source_shows_none() -> None:
    found = blamed(
        """
        import tensorflow as tf
        import other
        side = other.side()
        total = tf.zeros((40, 40, 1))
        total = total + other.shifted(side)
        """,
        ("<module>", "total = total + "),
        shapes={"total": [40, 40, 1]},
        dims=(40, 42),
        slug="broadcast-mismatch",
        message="Incompatible shapes: [40,40,1] vs. [42,42,1] [Op:AddV2]",
    )
    assert found is not None and found.constraint is not None
    assert [o.size for o in found.constraint.operands] == [40, 42]
    assert found.constraint.operands[0].maker is not None
    assert found.constraint.operands[0].maker.line == 4


def test_layers_of_the_sizes_of_weights_that_do_not_fit() -> None:
    found = blamed(
        """
        from tensorflow import keras
        TRAINED = {"hidden": 64}
        SERVED = {"hidden": 48}
        def network(plan):
            return keras.Sequential([keras.Input((14,)), keras.layers.Dense(plan["hidden"])])
        trained, served = network(TRAINED), network(SERVED)
        served.set_weights(trained.get_weights())
        """,
        ("<module>", "served.set_weights"),
        dims=(48, 64),
        slug="weight-shape-mismatch",
        message="Layer dense_1 weight shape (14, 48) is not compatible with provided weight shape (14, 64).",
    )
    assert found is not None and found.constraint is not None
    assert [(o.size, o.maker is not None) for o in found.constraint.operands] == [(48, True), (64, True)]
    assert 'SERVED = {"hidden": 48}' in lines(found)


def test_windows_that_run_over_the_end() -> None:
    source = """
        import tensorflow as tf
        def windows(signal, size, hop, total):
            pieces = []
            for start in range(0, {bound}, hop):
                pieces.append(signal[start:start + size])
            return tf.stack(pieces)
        windows(tf.zeros([140, 6]), 25, 10, 140)
        """
    for bound, said in (("total", True), ("total - size + 1", False)):
        found = blamed(
            source.format(bound=bound),
            ("<module>", "windows(tf.zeros"),
            ("windows", "return tf.stack"),
            dims=(25, 20),
            slug="concat-pack-mismatch",
            message="Shapes of all inputs must match: values[0].shape = [25,6] != values[12].shape = [20,6]",
        )
        assert any("up to the very end" in reason for reason in reasons(found).values()) is said


def test_batches_of_results_that_are_joined_along_the_columns() -> None:
    source = """
        import tensorflow as tf
        def predicted(model, x):
            parts = []
            for start in range(0, 16, 8):
                parts.append(model(x[start:start + 8]))
            return tf.concat(parts, axis={axis})
        def study(model, x):
            made = predicted(model, x)
            return made * tf.zeros([16, 1])
        study(load(), tf.zeros([16, 4]))
        """
    for axis, said in ((-1, True), (0, False)):
        found = blamed(
            source.format(axis=axis),
            ("<module>", "study(load()"),
            ("study", "return made"),
            frame_shapes={"study": {"made": [8, 8], "x": [16, 4]}},
            dims=(8, 16),
            slug="broadcast-mismatch",
            message="Incompatible shapes: [8,8] vs. [16,1]",
        )
        assert any("their rows are axis 0" in reason for reason in reasons(found).values()) is said


def test_a_table_that_is_one_row_too_small() -> None:
    found = blamed(
        """
        import tensorflow as tf
        words = read()
        size = len(words)
        table = tf.Variable(tf.zeros([size, 8]))
        tf.nn.embedding_lookup(table, ids)
        """,
        ("<module>", "tf.nn.embedding_lookup"),
        dims=(22,),
        slug="index-out-of-range",
        message="indices[6,5] = 22 is not in [0, 22)",
    )
    assert lines(found)[0] == "size = len(words)"


def test_one_of_two_loops_goes_on_to_the_end() -> None:
    found = blamed(
        """
        import numpy as np
        def blocks(n, k):
            found = []
            for row in range(n):
                for column in range(n - k + 1):
                    found.append([(row + i) * n + column for i in range(k)])
            return np.array(found)
        points = np.zeros([64, 2])
        points[blocks(8, 2)]
        """,
        ("<module>", "points[blocks"),
        dims=(65, 64),
        slug="index-out-of-range",
        message="index 65 is out of bounds for axis 0 with size 64",
    )
    assert "for row in range(n):" in lines(found)[:2]


def test_elements_of_different_lengths_in_a_batch() -> None:
    found = blamed(
        """
        import tensorflow as tf
        words = tf.data.Dataset.from_generator(read, output_types=tf.int32)
        words = words.batch(8)
        model.fit(words)
        """,
        ("<module>", "model.fit"),
        slug="concat-pack-mismatch",
        message="Graph execution error: Cannot batch tensors with different shapes in component 0. "
        "First element had shape [3] and element 1 had shape [1].",
    )
    assert lines(found)[0] == "words = words.batch(8)"


def test_a_division_with_a_rest() -> None:
    found = blamed(
        """
        import tensorflow as tf
        WIDTH = 64
        HEADS = 6
        depth = WIDTH // HEADS
        x = tf.zeros([4, 12, WIDTH])
        x = tf.reshape(x, [4, 12, HEADS, depth])
        """,
        ("<module>", "x = tf.reshape"),
        dims=(3072, 2880),
        slug="reshape-mismatch",
    )
    assert "64 does not divide by 6: 4 is left over." in (
        reasons(found).get("WIDTH = 64"),
        reasons(found).get("HEADS = 6"),
    )


def test_a_line_that_writes_one_of_two_types() -> None:
    found = blamed(
        """
        import tensorflow as tf
        def rounded(x):
            whole = tf.cast(tf.round(x), tf.int32)
            return whole
        scale = tf.constant(0.5)
        out = rounded(tf.zeros([3])) * scale
        """,
        ("<module>", "out = rounded"),
        slug="dtype-mismatch",
        message="cannot compute Mul as input #1 was expected to be a int32 tensor but is a float tensor [Op:Mul]",
    )
    assert "whole = tf.cast(tf.round(x), tf.int32)" in lines(found)[:2]


def test_no_edit_puts_one_value_twice_and_drops_another() -> None:
    found = blamed(
        """
        from tensorflow import keras
        SPECS = {"user": 32, "item": 24}
        def tower(name):
            ids = keras.Input((4,), name=name)
            return ids, keras.layers.Dense(SPECS[name])(ids)
        user_in, user_vector = tower("user")
        item_in, item_vector = tower("item")
        score = keras.layers.Dot(axes=1)([user_vector, item_vector])
        """,
        ("<module>", "score = keras"),
        dims=(32, 24),
        slug="matmul-conv-mismatch",
    )
    assert lines(found)[0] != "score = keras.layers.Dot(axes=1)([user_vector, item_vector])"


def test_of_many_lines_one_that_breaks_a_convention_is_enough() -> None:
    lines = {("a.py", n): {"hops": 1.0} for n in range(300)} | {("a.py", 400): {"convention": 0.9, "hops": 1.8}}
    found = ordered(lines)
    assert found[0][0] == ("a.py", 400) and found[0][1] < 0.15
    assert decisive(found, ("a.py", 3), lines)
    weak = lines | {("a.py", 400): {"convention": 0.6, "hops": 1.8}}
    assert not decisive(ordered(weak), ("a.py", 3), weak)


def test_an_argument_that_one_of_two_calls_leaves_out() -> None:
    found = blamed(
        """
        from dataclasses import dataclass
        from tensorflow import keras
        @dataclass
        class Shape:
            width: int = 4
        @dataclass
        class Training:
            shape: Shape = Shape()
            rows: int = 8
        @dataclass
        class Inference:
            shape: Shape = Shape()
            rows: int = 8
        def network(plan):
            return keras.Sequential([keras.Input((14,)), keras.layers.Dense(plan.shape.width)])
        def configure(width):
            shape = Shape(width=width)
            training = Training(shape=shape, rows=6)
            inference = Inference(rows=6)
            return training, inference
        training, inference = configure(9)
        trained = network(training)
        fresh = network(inference)
        fresh.set_weights(trained.get_weights())
        """,
        ("<module>", "fresh.set_weights"),
        dims=(4, 9),
        slug="weight-shape-mismatch",
        message="Layer dense_1 weight shape (14, 4) is not compatible with provided weight shape (14, 9).",
    )
    assert "It leaves `shape` at its default" in reasons(found).get("inference = Inference(rows=6)", "")


AT_IMPORT = """import tensorflow as tf
import params
SIDE = 20 + params.get("grid")
def padded():
    return load()
def merged(x):
    return tf.reshape(x, [-1, SIDE, SIDE])
"""
LATER = AT_IMPORT.replace("SIDE = 20 + params", "SIDE = lambda: 20 + params").replace("SIDE, SIDE", "SIDE(), SIDE()")
DEFAULT = AT_IMPORT.replace('SIDE = 20 + params.get("grid")\n', "").replace("(x)", '(x, SIDE=params.get("grid") + 20)')


@pytest.mark.parametrize(
    ("text", "line", "kept"),
    [
        (AT_IMPORT, 'SIDE = 20 + params.get("grid")', True),
        (DEFAULT, 'def merged(x, SIDE=params.get("grid") + 20):', True),
        (LATER, 'SIDE = lambda: 20 + params.get("grid")', False),
    ],
)
def test_a_number_that_a_module_works_out_when_it_is_imported(text: str, line: str, kept: bool) -> None:
    found = blamed(
        """
        import params, patches
        params.cfg["grid"] = 1
        patches.merged(patches.padded())
        """,
        ("<module>", "patches.merged"),
        ("merged", "return tf.reshape"),
        more={
            "/work/params.py": """
            cfg = {"grid": 2}
            def get(key):
                return cfg[key]
            """,
            "/work/patches.py": text,
        },
        dims=(441, 484),
        slug="reshape-mismatch",
    )
    said = reasons(found).get(line, "")
    assert ("when the module is imported" in said or "of the import: it is set again" in said) == kept


def test_a_factor_that_is_in_a_product_twice() -> None:
    assert _fits(4 * 4 * 8, 3 * 3 * 8, 3, 2)
    assert not _fits(4 * 4 * 8, 3 * 3 * 8, 8, 1)


def test_the_signature_of_a_function_is_among_what_it_depends_on() -> None:
    found = blamed(
        """
        import tensorflow as tf
        SIGNATURE = [tf.TensorSpec([None, 16], tf.float32)]
        @tf.function(input_signature=SIGNATURE)
        def score(x):
            return x
        score(tf.zeros([10, 18]))
        """,
        ("<module>", "score(tf.zeros"),
        dims=(18, 16),
        slug="contract-violation",
        message="Can not cast TensorSpec(shape=(10, 18), dtype=tf.float32) to TensorSpec(shape=(None, 16), "
        "dtype=tf.float32)",
    )
    assert any(code.startswith("SIGNATURE") for code in lines(found))


def test_a_size_that_an_unknown_function_was_given() -> None:
    found = blamed(
        """
        import tensorflow as tf
        BINS = 64
        table = tf.signal.linear_to_mel_weight_matrix(num_mel_bins=24, num_spectrogram_bins=BINS)
        out = tf.matmul(tf.zeros([5, 65]), table)
        """,
        ("<module>", "out = tf.matmul"),
        shapes={"table": [64, 24]},
        dims=(65, 64),
        slug="matmul-conv-mismatch",
    )
    assert found is not None
    assert "BINS = 64" in {step.code for way in found.provenance for step in way.steps}

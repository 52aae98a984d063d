"""XD7xx: no error, wrong numbers. Recognised from recordings and comparisons, not from logs."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_COMPARE = Remedy(
    "compare-paths",
    "Compare with plain mode",
    "slower",
    "Run the same call on the same values as it is and under `tf.config.run_functions_eagerly(True)`, and compare "
    "shapes and values step by step. The first step that differs names the cause; where none does, the fault is in "
    "the program's own code.",
)

RULES = (
    Rule(
        code="XD701",
        slug="parity-divergence",
        title="Paths that should agree do not",
        level="error",
        rank=30,
        what="The same function on the same values gives different results eagerly, as a graph, "
        "under XLA, or against a reference, beyond the tolerance of its type.",
        why="Harmless: another order of summation, fused multiply-add, fast math. Not harmless: "
        "another branch, an op that XLA clamps where plain mode raises, a bounded dynamic "
        "axis, a sign.",
        example="eager 0.7411, compiled 0.0863 for the same batch (tolerance 1e-5)",
        tell_apart="Rounding grows smoothly with size and stays near the type's epsilon; a defect is "
        "large, or sits in few rows."
        " A wrong number of rows is `wrong-shape-silent`; rows with wrong partners are `wrong-"
        "pairing`.",
        remedies=(_COMPARE,),
        references=("xla/tests (error specifications)", "numpy.testing.assert_allclose"),
    ),
    Rule(
        code="XD702",
        slug="wrong-shape-silent",
        title="No error, but a wrong number of rows or a wrong shape",
        level="error",
        rank=25,
        what="A call that should return a row for each row returns another number of rows, or a "
        "shape other than promised, without any error.",
        why="A collapsed batch axis, a bounded dynamic axis that XLA padded or cut, `predict` "
        "concatenating batches of the wrong length.",
        example="predict of 64 samples returned 2 rows",
        tell_apart="Rows in against rows out is a check of its own: exit status and loss say nothing here."
        " Enough rows with wrong partners are `wrong-pairing`; right rows with other values "
        "`parity-divergence`.",
        remedies=(
            _COMPARE,
            Remedy(
                "assert-rows",
                "Assert the rows outside of compiled code",
                "safe",
                "Check `len(prediction) == len(inputs)` in eager Python: assertions inside compiled "
                "functions are dropped.",
            ),
        ),
        references=("xladoctor: probes.record (rows)", "keras/src/backend/tensorflow/trainer.py (predict)"),
    ),
    Rule(
        code="XD703",
        slug="wrong-pairing",
        title="A broadcast or re-index that pairs the wrong rows",
        level="error",
        rank=25,
        what="Rows are combined with rows that they do not belong to: a size of 1 or a remainder was repeated to fit.",
        why="A tile, repeat, gather or modulo that makes counts agree hides that one side lost its rows.",
        example="tf.gather(translations, tf.range(n) % tf.shape(translations)[0])   # 128 "
        "translations re-indexed to 4 images",
        tell_apart="Each row alone, in its batch, and in a permuted batch must give the same result; here they do not."
        " All rows off by a little is `parity-divergence`; too few rows are `wrong-shape-silent`.",
        remedies=(
            _COMPARE,
            Remedy(
                "remove-reindex",
                "Remove what makes the counts agree",
                "safe",
                "Then the original mismatch is raised where it arises.",
            ),
        ),
        references=("tensorflow/core/kernels/gather_op.cc", "tensorflow/core/kernels/tile_ops.cc"),
    ),
    Rule(
        code="XD704",
        slug="random-in-compiled",
        title="Random numbers in a compiled function are not the ones the program counts on",
        level="warning",
        rank=70,
        what="A compiled function draws numbers that the program means to have again elsewhere, or anew at each call, "
        "and does not.",
        why="XLA chooses a generator of its own: from one seed it draws other numbers than eager execution, and "
        "`tf.random.set_seed` does not take its stateful ops back. A seed that is a constant of the graph gives the "
        "same numbers at every call.",
        example="planes = tf.random.stateless_normal(shape, seed=[3, 14])   # eagerly and in a compiled function: "
        "two sets of planes",
        tell_apart="Dropout and noise that differ between the ways are meant to; this is about numbers that are drawn "
        "from one seed in two places. Without random numbers it is `parity-divergence`.",
        remedies=(
            Remedy(
                "name-the-algorithm",
                "Name the algorithm, or draw once",
                "safe",
                'Pass `alg="philox"` to the `tf.random.stateless_*` functions: then XLA draws the same numbers. Or '
                "draw once, outside of the function, and hand the numbers in.",
            ),
            Remedy(
                "seed-as-state",
                "Give each call a seed of its own",
                "safe",
                "Keep the seed in a variable (`keras.random.SeedGenerator`, `tf.random.Generator`), or hand it in as a "
                "tensor that changes from call to call.",
            ),
        ),
        references=(
            "tensorflow/python/ops/stateless_random_ops.py",
            "tensorflow/compiler/tf2xla/kernels/random_ops.cc",
        ),
    ),
    Rule(
        code="XD706",
        slug="unsound-split",
        title="Training and validation rows are not split as they look",
        level="warning",
        rank=72,
        what="The rows that a model is validated on are partly those that it is trained on, or are of other classes.",
        why="`take` and `skip` of a dataset that is shuffled anew at each pass cut two different orders. "
        "`validation_split` cuts off the last rows as they stand, before Keras shuffles: of rows that are sorted by "
        "label these are the last classes.",
        example="ds = ds.shuffle(1000); model.fit(ds.take(800).batch(32), validation_data=ds.skip(800).batch(32))",
        tell_apart="Rows and labels that went out of step are `wrong-pairing`. A split of a time series by time "
        "is meant to cut off the last rows, and is not this class.",
        remedies=(
            Remedy(
                "split-once",
                "Split before the shuffle",
                "safe",
                "`take` and `skip` first, then shuffle the training rows only; or "
                "`shuffle(n, seed=..., reshuffle_each_iteration=False)` above the cut.",
            ),
            Remedy(
                "shuffle-before-split",
                "Shuffle rows and labels together before `fit`",
                "safe",
                "`order = rng.permutation(len(x)); model.fit(x[order], y[order], validation_split=0.2)`, or split by "
                "class.",
            ),
        ),
        references=("tensorflow/python/data/ops/shuffle_op.py", "keras/src/trainers/data_adapters/__init__.py"),
    ),
    Rule(
        code="XD707",
        slug="sorted-batches",
        title="Batches of a training hold rows of one class",
        level="warning",
        rank=73,
        what="The rows are sorted by label, and what shuffles them reaches too few: whole batches, one after the "
        "other, hold rows of a single class.",
        why="A shuffle after `batch` moves batches, not rows. `shuffle(buffer_size)` draws from the next buffer_size "
        "rows only. Keras does not shuffle a dataset, whatever `shuffle=` says. Batch statistics are then those of one "
        "class, and the model forgets one class for the next.",
        example="model.fit(tf.data.Dataset.from_tensor_slices((x, sorted_y)).batch(32).shuffle(100))",
        tell_apart="`unsound-split` is about which rows a model is validated on.",
        remedies=(
            Remedy(
                "shuffle-all-rows",
                "Shuffle all rows before `batch`",
                "safe",
                "`ds.shuffle(number_of_rows).batch(32)`. Where that takes too much memory, shuffle the rows, or the "
                "names of the files, once before the dataset is made.",
            ),
        ),
        references=("tensorflow/python/data/ops/shuffle_op.py", "tensorflow/core/kernels/data/shuffle_dataset_op.cc"),
    ),
)

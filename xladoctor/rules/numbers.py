"""XD7xx: no error, wrong numbers. Recognised from recordings and comparisons, not from logs."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_COMPARE = Remedy(
    "compare-paths",
    "Compare with eager execution",
    "slower",
    "Run the same call on the same values, once as it is and once under `tf.config.run_functions_eagerly(True)`, and "
    "compare shapes and values step by step. The first step that differs shows the cause. If none differs, the fault "
    "is in the code of your program.",
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
        why="These causes are harmless: another order of summation, fused multiply-add, fast math. These are not: "
        "another branch, an index that XLA clamps where eager execution raises, a bounded dynamic axis, a sign.",
        example="eager 0.7411, compiled 0.0863 for the same batch (tolerance 1e-5)",
        tell_apart="Rounding grows smoothly with size and stays near the epsilon of the type. A defect is large, or "
        "is in few rows. A wrong number of rows is `wrong-shape-silent`; rows with wrong partners are "
        "`wrong-pairing`.",
        remedies=(_COMPARE,),
        references=("xla/tests (error specifications)", "numpy.testing.assert_allclose"),
    ),
    Rule(
        code="XD702",
        slug="wrong-shape-silent",
        title="No error, but a wrong number of rows or a wrong shape",
        level="error",
        rank=25,
        what="A call that should return one row for each input row returns another number of rows, or a shape that "
        "breaks its contract, without any error.",
        why="A collapsed batch axis, a bounded dynamic axis that XLA padded or cut, or a `predict` that joins "
        "batches of the wrong length.",
        example="predict of 64 samples returned 2 rows",
        tell_apart="Only the number of rows in and out shows it; exit status and loss do not. The right number of "
        "rows with wrong partners is `wrong-pairing`; right rows with other values are `parity-divergence`.",
        remedies=(
            _COMPARE,
            Remedy(
                "assert-rows",
                "Check the rows outside compiled code",
                "safe",
                "Check `len(prediction) == len(inputs)` in eager Python, because XLA drops assertions inside "
                "compiled functions.",
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
        what="Rows are combined with rows that they do not belong to, because a size of 1 or a remainder was "
        "repeated to fit.",
        why="One side lost its rows, and a tile, repeat, gather or modulo makes the counts agree again.",
        example="tf.gather(translations, tf.range(n) % tf.shape(translations)[0])   # 128 "
        "translations re-indexed to 4 images",
        tell_apart="A row must give the same result alone, in its batch, and in a permuted batch; here it does not. "
        "Small errors in all rows are `parity-divergence`; too few rows are `wrong-shape-silent`.",
        remedies=(
            _COMPARE,
            Remedy(
                "remove-reindex",
                "Remove what makes the counts agree",
                "safe",
                "TensorFlow then raises the original mismatch at its origin.",
            ),
        ),
        references=("tensorflow/core/kernels/gather_op.cc", "tensorflow/core/kernels/tile_ops.cc"),
    ),
    Rule(
        code="XD704",
        slug="random-in-compiled",
        title="Random numbers in a compiled function are not those that the program expects",
        level="warning",
        rank=70,
        what="A program expects the same random numbers in two places, or new ones at each call, and a compiled "
        "function gives others.",
        why="XLA has a generator of its own. From the same seed it draws other numbers than eager execution, and "
        "`tf.random.set_seed` does not reset its stateful ops. A seed that is a constant of the graph gives the same "
        "numbers at every call.",
        example="planes = tf.random.stateless_normal(shape, seed=[3, 14])   # eagerly and in a compiled function: "
        "two sets of planes",
        tell_apart="Dropout and noise may differ between eager execution and XLA. This class is about numbers that "
        "are drawn from one seed in two places. Without random numbers it is `parity-divergence`.",
        remedies=(
            Remedy(
                "name-the-algorithm",
                "Name the algorithm, or draw once",
                "safe",
                'Pass `alg="philox"` to the `tf.random.stateless_*` functions, so that XLA draws the same numbers. '
                "Or draw once outside the function, and pass the numbers in.",
            ),
            Remedy(
                "seed-as-state",
                "Give each call a seed of its own",
                "safe",
                "Keep the seed in a variable (`keras.random.SeedGenerator`, `tf.random.Generator`), or pass it as a "
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
        title="Training and validation rows are not split as the code suggests",
        level="warning",
        rank=72,
        what="Some validation rows are also training rows, or the validation rows are of other classes than the "
        "training rows.",
        why="`take` and `skip` of a dataset that is shuffled again at each pass cut two different orders. "
        "`validation_split` takes the last rows before Keras shuffles. If the rows are sorted by label, these are "
        "the last classes.",
        example="ds = ds.shuffle(1000); model.fit(ds.take(800).batch(32), validation_data=ds.skip(800).batch(32))",
        tell_apart="Rows and labels that no longer belong together are `wrong-pairing`. A time series is split by "
        "time on purpose, and is not this class.",
        remedies=(
            Remedy(
                "split-once",
                "Split before the shuffle",
                "safe",
                "`take` and `skip` first, and then shuffle only the training rows; or put `shuffle(n, seed=..., "
                "reshuffle_each_iteration=False)` above the cut.",
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
        title="Training batches hold rows of only one class",
        level="warning",
        rank=73,
        what="The rows are sorted by label, and the shuffle reaches too few of them. Whole batches, one after "
        "another, hold rows of a single class.",
        why="A shuffle after `batch` moves batches, not rows. `shuffle(buffer_size)` draws from the next buffer_size "
        "rows only. Keras does not shuffle a dataset, whatever `shuffle=` says. Batch statistics are then those of "
        "one class, and while the model learns one class it forgets the others.",
        example="model.fit(tf.data.Dataset.from_tensor_slices((x, sorted_y)).batch(32).shuffle(100))",
        tell_apart="`unsound-split` is about the choice of the validation rows.",
        remedies=(
            Remedy(
                "shuffle-all-rows",
                "Shuffle all rows before `batch`",
                "safe",
                "`ds.shuffle(number_of_rows).batch(32)`. If that takes too much memory, shuffle the rows, or the "
                "names of the files, once before you make the dataset.",
            ),
        ),
        references=("tensorflow/python/data/ops/shuffle_op.py", "tensorflow/core/kernels/data/shuffle_dataset_op.cc"),
    ),
)

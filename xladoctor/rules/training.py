"""XD7xx, continued: trainings and predictions that run, on something else than they are meant for."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

RULES = (
    Rule(
        code="XD708",
        slug="loss-input-mismatch",
        title="A loss gets scores where it takes probabilities, or the reverse",
        level="warning",
        rank=71,
        what="A cross-entropy is given the results of a layer without an activation and takes them for "
        "probabilities; or it is given probabilities, and applies its own softmax or sigmoid to them once more.",
        why="Keras cuts what it takes for probabilities to the range from 0 to 1 before the logarithm: scores "
        "outside of it get no gradient. A softmax of a softmax is nearly flat, so that the loss cannot fall far and "
        "gradients are small.",
        example="model = Sequential([..., Dense(10)]); model.compile('adam', 'sparse_categorical_crossentropy')",
        tell_apart="A loss that is given other rows is `wrong-pairing`. Labels that name no class are "
        "`index-out-of-range`.",
        remedies=(
            Remedy(
                "say-logits",
                "Tell the loss that it gets scores",
                "changes-numerics",
                "`SparseCategoricalCrossentropy(from_logits=True)`, and the like; or give the last layer its "
                "activation.",
            ),
            Remedy(
                "sigmoid-of-one",
                "Use sigmoid for a single unit",
                "changes-numerics",
                "`Dense(1, activation='sigmoid')`, or two units with softmax.",
            ),
            Remedy(
                "one-activation",
                "Apply softmax or sigmoid once",
                "changes-numerics",
                "Take the activation off the last layer, or use a loss that takes probabilities.",
            ),
        ),
        references=("keras/src/backend/tensorflow/nn.py", "tensorflow/python/ops/nn_ops.py"),
    ),
    Rule(
        code="XD709",
        slug="unlike-training",
        title="Rows are prepared in another way than those that the model was trained on",
        level="warning",
        rank=74,
        what="What a model evaluates or predicts is scaled by statistics of its own, and not by those of the training.",
        why="The same value then means something else to the model: a batch that is warmer than the training is scaled "
        "back to its mean. The fewer rows there are, and the less they are like the training, the worse it gets.",
        example="model.fit((a - a.mean(0)) / a.std(0), y); model.predict((b - b.mean(0)) / b.std(0))",
        tell_apart="A statistic along the row itself (`axis=1`, each image by its own mean) is the same for both, and "
        "no matter here. Which rows are validated on is `unsound-split`.",
        remedies=(
            Remedy(
                "keep-statistics",
                "Use the statistics of the training",
                "changes-numerics",
                "Compute mean and deviation once, of the training rows, and use them everywhere: `scaler.fit` there, "
                "`scaler.transform` elsewhere; or a `Normalization` layer that was adapted to the training rows.",
            ),
        ),
        references=("keras/src/layers/preprocessing/normalization.py",),
    ),
    Rule(
        code="XD710",
        slug="integer-wrap",
        title="A small integer type wraps around",
        level="warning",
        rank=72,
        what="Numbers of a type such as uint8 are subtracted, added or multiplied in that type, and results below 0 or "
        "above its largest number begin again from the other end.",
        why="NumPy and TensorFlow keep the type of two uint8 arrays: 3 - 5 is 254. A cast to float afterwards comes "
        "too late.",
        example="difference = (frame - background).astype('float32')   # both uint8",
        tell_apart="Types that do not go together raise: `dtype-mismatch`.",
        remedies=(
            Remedy(
                "cast-first",
                "Cast before the arithmetic",
                "changes-numerics",
                "`frame.astype('float32') - background`, or int16.",
            ),
        ),
        references=("numpy/doc: overflow errors", "tensorflow/core/kernels/cwise_op_sub.cc"),
    ),
)

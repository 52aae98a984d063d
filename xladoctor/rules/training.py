"""XD7xx, continued: trainings and predictions that run, on something else than they are meant for."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

RULES = (
    Rule(
        code="XD708",
        slug="loss-input-mismatch",
        title="A loss gets scores where it expects probabilities, or the reverse",
        level="warning",
        rank=71,
        what="A cross-entropy gets the results of a layer without an activation, and uses them as probabilities. "
        "Or it gets probabilities, and applies its own softmax or sigmoid to them again. Or a metric gets scores for "
        "probabilities, or either of them for class numbers.",
        why="Keras clips probabilities to the range from 0 to 1 before the logarithm, so scores outside it get no "
        "gradient. A softmax of a softmax is nearly flat, so the loss cannot fall far and gradients are small.",
        example="model = Sequential([..., Dense(10)]); model.compile('adam', 'sparse_categorical_crossentropy')",
        tell_apart="A loss that gets other rows is `wrong-pairing`. Labels without a class are `index-out-of-range`.",
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
                "metric-of-classes",
                "Use the metric for probabilities",
                "changes-numerics",
                "`SparseCategoricalAccuracy` or `BinaryAccuracy` for `Accuracy`, `OneHotMeanIoU` or "
                "`MeanIoU(sparse_y_pred=False)` for `MeanIoU`.",
            ),
            Remedy(
                "one-activation",
                "Apply softmax or sigmoid once",
                "changes-numerics",
                "Remove the activation of the last layer, or use a loss that expects probabilities.",
            ),
        ),
        references=("keras/src/backend/tensorflow/nn.py", "tensorflow/python/ops/nn_ops.py"),
    ),
    Rule(
        code="XD709",
        slug="unlike-training",
        title="Rows are scaled in another way than the training rows",
        level="warning",
        rank=74,
        what="The rows that a model evaluates or predicts are scaled by their own statistics, and not by those of "
        "the training rows.",
        why="The same value then means something else to the model: a batch that is warmer than the training is scaled "
        "back to its mean. The error grows if there are few rows, or if they differ much from the training rows.",
        example="model.fit((a - a.mean(0)) / a.std(0), y); model.predict((b - b.mean(0)) / b.std(0))",
        tell_apart="A statistic along the row itself (`axis=1`, each image by its own mean) is the same for both, "
        "and is not this class. The choice of the validation rows is `unsound-split`.",
        remedies=(
            Remedy(
                "keep-statistics",
                "Use the statistics of the training",
                "changes-numerics",
                "Compute mean and deviation once, from the training rows, and use them everywhere: `scaler.fit` there, "
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
        what="Numbers of a type such as uint8 are subtracted, added or multiplied in that type, and results below "
        "0 or above its largest number wrap around to the other end.",
        why="NumPy and TensorFlow keep the type of two uint8 arrays: 3 - 5 is 254. A cast to float afterwards comes "
        "too late.",
        example="difference = (frame - background).astype('float32')   # both uint8",
        tell_apart="Types that do not match raise: `dtype-mismatch`.",
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
    Rule(
        code="XD711",
        slug="wrong-gradient",
        title="A gradient is not that of its function",
        level="error",
        rank=70,
        what="The gradient function of a `tf.custom_gradient` gives something else than the derivative of what its "
        "function computes, or ignores the gradient from above. Or `GradientTape.gradient` adds up the derivatives of "
        "several results that should each have their own.",
        why="Nothing compares a gradient with its function: the training runs, in another direction. A tape gives "
        "the gradient of the sum of all numbers that it is asked about.",
        example="@tf.custom_gradient\ndef sign(x): return tf.sign(x), lambda upstream: tf.cast(abs(x) < 1, x.dtype)",
        tell_apart="A gradient that is None, or zero, is `no-gradient`. A gradient of a step or a rounding that is "
        "another one on purpose (straight-through), or one that is clipped, reversed or stopped, is no finding.",
        remedies=(
            Remedy(
                "multiply-by-upstream",
                "Multiply by the gradient from above",
                "changes-numerics",
                "`return upstream * derivative`: the argument of the gradient function has the shape of the result.",
            ),
            Remedy(
                "correct-gradient",
                "Correct the gradient function, and test it",
                "changes-numerics",
                "`tf.test.compute_gradient(f, [x])` gives the derivative by differences beside that of the gradient "
                "function; in float64 they agree to many digits.",
            ),
            Remedy(
                "one-gradient-each",
                "Take a gradient for each column",
                "changes-numerics",
                "`tape.batch_jacobian(u, x)`, or under a persistent tape `tape.gradient(u[:, i:i + 1], x)` for each "
                "column; slice within the tape.",
            ),
        ),
        references=("tensorflow/python/ops/custom_gradient.py", "tensorflow/python/eager/backprop.py"),
    ),
)

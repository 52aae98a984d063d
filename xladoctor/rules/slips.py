"""The class and the remedy of each kind of slip of the source (`xladoctor.sources.slips`).

A kind is the name of one check. It has no class of its own: what it does to the numbers decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xladoctor.model.diagnosis import Remedy


@dataclass(frozen=True)
class Kind:
    """The slug of the class, and what to do."""

    slug: str
    remedy: Remedy


_SWITCH, _LATE, _BAKED, _LOST = "dead-switch", "setting-too-late", "baked-in-setting", "no-gradient"
FILL = Remedy(
    "fill-to-the-end", "Fill the array to its end", "safe",
    "`range(0, len(x), size)` includes the rest: a slice ends at the end of the array by itself.",
)  # fmt: skip
"""Also where the numbers of the rows show it (`diagnosis/given_rows.py`)."""
_PAIRING, _ROWS = "wrong-pairing", "wrong-shape-silent"
TOGETHER = Remedy(
    "shuffle-together", "Shuffle rows and labels by one order", "safe",
    "`order = rng.permutation(len(x))`, then `x[order]` and `y[order]`.",
)  # fmt: skip
"""Also where arrays are followed by their rows (`diagnosis/row_source.py`)."""
PAIRS = Remedy(
    "reshape-as-repeated", "Reshape to the order in which the rows were repeated", "safe",
    "After `np.repeat(x, k, axis=0)` it is `reshape(len(x), k)`, after `np.tile(x, (k, 1))` `reshape(k, len(x))`.",
)  # fmt: skip
"""Also where arrays are followed by their rows (`diagnosis/row_source.py`)."""
TRANSPOSE = Remedy(
    "transpose-axes", "Transpose instead of reshaping", "safe",
    "`reshape` keeps the order of the numbers. `np.transpose`, `np.moveaxis` or `.T` changes the order of axes.",
)  # fmt: skip
_BIND = Remedy(
    "bind-now", "Give the function the value when it is made", "changes-numerics",
    "As a default: `lambda t, p, k=k: ...`, or `functools.partial(f, k)`.",
)  # fmt: skip
_DIVIDE = Remedy(
    "true-division", "Divide with /", "changes-numerics",
    "`//` gives whole numbers only; `step / total` goes from 0 to 1.",
)  # fmt: skip
_USE = Remedy(
    "use-result", "Use what the function returns", "changes-numerics",
    "`x = f(x)`: datasets, tensors and most arrays are not changed in place. Or delete the line.",
)  # fmt: skip
_CLONE = Remedy(
    "second-model", "Make a second model", "changes-numerics",
    "`target = keras.models.clone_model(model)`, and then `target.set_weights(model.get_weights())`.",
)  # fmt: skip
_READ = Remedy(
    "read-at-call", "Read the value where it is used", "changes-numerics",
    "In the function: `def build(units=None): units = CONFIG['units'] if units is None else units`; or set it before "
    "the definition.",
)  # fmt: skip
_LAST = Remedy(
    "defaults-first", "Merge the defaults first", "changes-numerics",
    "`{**DEFAULTS, **given}`: what stands last wins.",
)  # fmt: skip
_FLAG = Remedy(
    "flag-as-flag", "Use a flag that argparse knows", "changes-numerics",
    "`action=argparse.BooleanOptionalAction` takes `--name` and `--no-name`.",
)  # fmt: skip
_KEY = Remedy(
    "same-key", "Use one name for the setting", "changes-numerics",
    "Read it with `config[...]`, which raises where a key is not there.",
)  # fmt: skip
_PASS = Remedy(
    "stop-difference", "Stop only the difference", "changes-numerics", "`x + tf.stop_gradient(q - x)`."
)  # fmt: skip
_INFER = Remedy(
    "call-for-inference", "Evaluate with training=False", "changes-numerics", "`model(x, training=False)`."
)  # fmt: skip
_RESET = Remedy(
    "reset-metrics", "Reset the metric at the start of each epoch", "changes-numerics", "`metric.reset_state()`."
)  # fmt: skip
_EACH = Remedy(
    "one-for-each", "Make one for each", "changes-numerics",
    "`[Dense(8) for _ in range(3)]`; of a default `history=None`, and in the function `history = history or []`.",
)  # fmt: skip
_AGAIN = Remedy(
    "iterate-again", "Make what can be gone through again", "changes-numerics",
    "A list, a `tf.data.Dataset`, or a call of the generator in each epoch.",
)  # fmt: skip
_ONCE = Remedy(
    "layer-once", "Make the layer once, in __init__ or build", "changes-numerics",
    "`self.dense = Dense(8)` there, and `self.dense(x)` in `call`.",
)  # fmt: skip
_ASK = Remedy("read-option", "Read the option where it should matter, or remove it", "safe", "`args.NAME`.")
_CALL = Remedy(
    "call-update", "Call the function where the second model should follow", "changes-numerics",
    "After `apply_gradients`, or in every n-th step.",
)  # fmt: skip
_HOOK = Remedy(
    "name-of-hook", "Give the method the name that Keras calls", "changes-numerics",
    "`on_epoch_begin(self, epoch, logs=None)`, `on_train_batch_end(self, batch, logs=None)`, ...",
)  # fmt: skip
_KEEP = Remedy(
    "keep-argument", "Use the argument", "changes-numerics",
    "`self.fused = fused`; or take the argument out of the signature.",
)  # fmt: skip
_AFTER = Remedy(
    "one-layout", "Give the function one layout", "changes-numerics",
    "Exchange the axes first, and give both calls the result.",
)  # fmt: skip
OF_SOURCE: Mapping[str, Kind] = {
    "late-bound": Kind(_SWITCH, _BIND),
    "always-zero": Kind(_SWITCH, _DIVIDE),
    "dropped-result": Kind(_SWITCH, _USE),
    "one-model": Kind(_SWITCH, _CLONE),
    "read-early": Kind(_LATE, _READ),
    "defaults-win": Kind(_SWITCH, _LAST),
    "text-for-true": Kind(_SWITCH, _FLAG),
    "other-key": Kind(_SWITCH, _KEY),
    "trains-in-evaluation": Kind(_SWITCH, _INFER),
    "never-reset": Kind(_BAKED, _RESET),
    "one-object": Kind(_SWITCH, _EACH),
    "kept-itself": Kind(
        _SWITCH,
        Remedy("keep-a-copy", "Keep a copy", "changes-numerics", "`x.copy()`, `v.numpy()`, `model.get_weights()`."),
    ),
    "spent": Kind(_ROWS, _AGAIN),
    "layer-per-call": Kind(_LOST, _ONCE),
    "all-stopped": Kind(_LOST, _PASS),
    "never-asked": Kind(_SWITCH, _ASK),
    "setting-unread": Kind(_SWITCH, _ASK),
    "never-called": Kind(_SWITCH, _CALL),
    "unknown-hook": Kind(_SWITCH, _HOOK),
    "argument-ignored": Kind(_SWITCH, _KEEP),
    "two-layouts": Kind(_PAIRING, _AFTER),
    "shuffled-alone": Kind(_PAIRING, TOGETHER),
    "two-orders": Kind(
        _PAIRING,
        Remedy(
            "one-order",
            "Use one order of the parts",
            "changes-numerics",
            "Turn them where they are handed on (`positions[..., ::-1]`), or put them together in the order that is "
            "expected. Move a picture with one bright pixel by (3, 0) to see which axis comes first.",
        ),
    ),
    "parts-in-two-orders": Kind(
        _PAIRING,
        Remedy(
            "order-of-the-cut",
            "Put the parts together in the order in which they are cut",
            "changes-numerics",
            "After `reshape(-1, size, size, c)` of parts that lie row by row: `reshape(n, rows, cols, size, size, c)`, "
            "`transpose(0, 1, 3, 2, 4, 5)`, `reshape(n, height, width, c)`. Cut a ramp and compare what comes back.",
        ),
    ),
    "class-number-by-text": Kind(
        _PAIRING,
        Remedy(
            "say-class-order",
            "Say in which order the classes are numbered",
            "changes-numerics",
            '`class_names=[f"grade_{k}" for k in range(1, 11)]`, `pd.Categorical(x, categories=NAMES)`; or take the '
            "name of a class from the same place as its number (`ds.class_names[k]`, `encoder.classes_[k]`).",
        ),
    ),
    "lookup-rows": Kind(
        _PAIRING,
        Remedy(
            "row-for-unknown-first",
            "Begin the table with the row for unknown ids",
            "changes-numerics",
            "`np.concatenate([unknown[None], table])`; or `num_oov_indices=0`, if no id is unknown.",
        ),
    ),
    "pairs-turned": Kind(_PAIRING, PAIRS),
    "stride-of-the-other-loop": Kind(
        _PAIRING,
        Remedy(
            "stride-of-the-inner-loop",
            "Multiply by the count of the inner number",
            "changes-numerics",
            "`x[row * columns + column]`; or give the array both axes and take `x[row, column]`.",
        ),
    ),
    "parts-not-moved": Kind(_PAIRING, TRANSPOSE),
    "axes-by-reshape": Kind(_PAIRING, TRANSPOSE),
    "one-reordered": Kind(
        _PAIRING,
        Remedy(
            "order-both",
            "Take both by the same order",
            "changes-numerics",
            "`part = order[a:b]`, `x[part]`, `y[part]`.",
        ),
    ),
    "same-draw": Kind(
        "random-in-compiled",
        Remedy(
            "seed-of-step",
            "Give each draw a seed of its own",
            "changes-numerics",
            "`seed=tf.stack([SEED, step])`, or a `tf.random.Generator`, or `tf.random.normal`. Of a dataset: "
            "`tf.data.Dataset.random` or a counter, zipped with the rows.",
        ),
    ),
    "same-sample": Kind(
        "random-in-compiled",
        Remedy(
            "seed-of-round",
            "Give each round a seed of its own",
            "changes-numerics",
            "`resample(x, y, seed + k)`; or make one generator above the loop, and draw from it.",
        ),
    ),
    "windows-over-borders": Kind(
        _ROWS,
        Remedy(
            "windows-of-each",
            "Cut windows of each recording, and join these",
            "changes-numerics",
            "`np.concatenate([windows(signal) for signal in signals])`.",
        ),
    ),
    "over-groups": Kind(
        _PAIRING,
        Remedy(
            "within-groups",
            "Take the value by group",
            "changes-numerics",
            "`table.groupby(key)[name].shift(1)`, or `.transform(lambda s: s.rolling(7).mean())`.",
        ),
    ),
    "runs-while-traced": Kind(
        _BAKED,
        Remedy(
            "count-in-variable",
            "Count in a variable",
            "changes-numerics",
            "`n = tf.Variable(0)` and `n.assign_add(1)`; or count where the function is called.",
        ),
    ),
    "never-zeroed": Kind(
        _BAKED,
        Remedy(
            "zero-after-step",
            "Set the sums to zero after each step",
            "changes-numerics",
            "`for s in sums: s.assign(tf.zeros_like(s))`, right after `apply_gradients`.",
        ),
    ),
    "weight-unread": Kind(
        _SWITCH,
        Remedy(
            "weigh-loss",
            "Give the loss the weights",
            "changes-numerics",
            "`self.compute_loss(x=x, y=y, y_pred=p, sample_weight=weights)`; by hand `tf.reduce_sum(mask * loss) / "
            "tf.reduce_sum(mask)`.",
        ),
    ),
    "sum-replaced": Kind(
        _ROWS,
        Remedy(
            "add-to-sum",
            "Add to the sum instead of replacing it",
            "changes-numerics",
            "`total += loss`, `buffer.assign_add(g)`, `out[rows] += patch`.",
        ),
    ),
    "unscaled-loss": Kind(
        _LOST,
        Remedy(
            "scale-loss",
            "Scale the loss before its gradient is taken",
            "changes-numerics",
            "`optimizer = keras.optimizers.LossScaleOptimizer(optimizer)`, and within the tape "
            "`scaled = optimizer.scale_loss(loss)`.",
        ),
    ),
    "padded-mean": Kind(
        _ROWS,
        Remedy(
            "divide-by-count",
            "Divide by the number of items that are there",
            "changes-numerics",
            "`tf.reduce_sum(x * mask, axis=1) / tf.reduce_sum(mask, axis=1)`.",
        ),
    ),
}
"""Seen in the source alone."""

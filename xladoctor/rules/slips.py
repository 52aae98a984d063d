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
_FED = "loss-input-mismatch"
_PAIRING, _ROWS, _SPLIT, _WRAP = "wrong-pairing", "wrong-shape-silent", "unsound-split", "integer-wrap"
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
_TRANSPOSE = Remedy(
    "transpose-axes", "Transpose instead of reshaping", "safe",
    "`reshape` keeps the order of the numbers. `np.transpose`, `np.moveaxis` or `.T` changes the order of axes.",
)  # fmt: skip
_KEEP_AXIS = Remedy(
    "keep-last-axis", "Reduce over the last axis, and keep it", "changes-numerics",
    "`a / a.sum(axis=-1, keepdims=True)`.",
)  # fmt: skip
_BIND = Remedy(
    "bind-now", "Give the function the value when it is made", "changes-numerics",
    "As a default: `lambda t, p, k=k: ...`, or `functools.partial(f, k)`.",
)  # fmt: skip
_DIVIDE = Remedy(
    "true-division", "Divide with /", "changes-numerics",
    "`//` gives whole numbers only; `step / total` goes from 0 to 1.",
)  # fmt: skip
_ONE_LIST = Remedy(
    "one-list", "Take the gradients by the list that they are handed on with", "changes-numerics",
    "`grads = tape.gradient(loss, variables)`, then `zip(grads, variables)`; `strict=True` shows lists of two lengths.",
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
_THRESHOLD = Remedy(
    "cut-at-threshold", "Compare with the threshold that fits", "changes-numerics",
    "`p[:, 0] > 0.5` of a probability; `> 0` of a score, or `tf.sigmoid(p) > 0.5`.",
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
    "parts-not-moved": Kind(_PAIRING, _TRANSPOSE),
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
OF_NAMES: Mapping[str, Kind] = {
    "argsort-as-rank": Kind(_PAIRING, Remedy(
        "rank-by-two-sorts", "Take the ranks by a second argsort", "changes-numerics",
        "`x.argsort().argsort()`, or `ranks = np.empty(n, int)` and `ranks[x.argsort()] = np.arange(n)`.")),
    "tiled-alike": Kind(_PAIRING, Remedy(
        "tile-and-repeat", "Tile one and repeat the other", "changes-numerics",
        "`np.tile(a, len(b))` with `np.repeat(b, len(a))` are all pairs; so is `np.meshgrid`.")),
    "grid-axes": Kind(_PAIRING, Remedy(
        "grid-by-rows", "Reshape to the shape of the grid", "changes-numerics",
        "`.reshape(len(y), len(x))` after `meshgrid(x, y)`, or `meshgrid(x, y, indexing=\"ij\")`.")),
    "axes-by-reshape": Kind(_PAIRING, _TRANSPOSE),
    "across-quantities": Kind("unlike-training", Remedy(
        "columns-axis", "Scale each column by itself", "changes-numerics",
        "`(x - x[train].mean(axis=0)) / x[train].std(axis=0)`.")),
    "series-by-reshape": Kind(_PAIRING, Remedy(
        "stack-last", "Stack on a new last axis", "changes-numerics",
        "`np.stack([a, b], axis=-1)`, or `.reshape(rows, k, n).transpose(0, 2, 1)`.")),
    "classes-over-rows": Kind(_PAIRING, Remedy(
        "classes-last", "Take the class of each row", "changes-numerics", "`argmax(axis=-1)`.")),
    "width-first": Kind(_PAIRING, Remedy(
        "height-first", "Take the height first", "changes-numerics", "`height, width = image.shape[:2]`.")),
    "sorted-as-text": Kind(_PAIRING, Remedy(
        "sort-by-number", "Sort by the number", "changes-numerics",
        "`sorted(paths, key=lambda p: int(re.findall(r\"\\d+\", str(p))[-1]))`, or write numbers with a fixed width: "
        "`f\"{i:05d}\"`.")),
    "two-orders-of-a-key": Kind(_PAIRING, Remedy(
        "one-order", "Use one list of the values for both", "changes-numerics",
        "`keys = sorted(set(values))` once, and each side by these; `groupby(key, sort=False)` keeps the order in "
        "which "
        "they appear.")),
    "target-left-behind": Kind(_PAIRING, Remedy(
        "turn-both", "Change both by one draw", "changes-numerics",
        "Join image and target on the last axis, change that, and take it apart again; or use the stateless functions "
        "with one seed for both.")),
    "last-window-left-out": Kind(_ROWS, Remedy(
        "count-last-window", "Add the last window", "changes-numerics", "`(n - size) // step + 1`.")),
    "never-written": Kind(_ROWS, FILL),
    "batches-left-out": Kind(_ROWS, FILL),
    "rows-again": Kind(_ROWS, Remedy(
        "predict-once", "Predict on a dataset that is not repeated", "safe",
        "`x.batch(n)` without `repeat()` and `steps`; or cut the results: `[:len(x)]`.")),
    "counts-by-frequency": Kind(_PAIRING, Remedy(
        "counts-by-class", "Count in the order of the class numbers", "changes-numerics",
        "`np.bincount(y)`, or `value_counts().sort_index()`.")),
    "divided-across": Kind(_PAIRING, _KEEP_AXIS),
    "softmax-over-rows": Kind(_PAIRING, _KEEP_AXIS),
    "norms-of-columns": Kind(_PAIRING, _KEEP_AXIS),
    "pooled-over-rows": Kind(_PAIRING, Remedy(
        "axis-after-rows", "Put the new axis behind the rows", "changes-numerics",
        "`tf.nn.avg_pool1d(h[..., tf.newaxis], size, 1, \"SAME\")[..., 0]`.")),
    "short-zip": Kind(_ROWS, Remedy(
        "names-of-results", "Take the names of the rows that were predicted", "safe",
        "`zip(ids[kept], results, strict=True)`, with the mask or the table that the rows were taken by.")),
    "class-default": Kind(_SWITCH, Remedy(
        "ask-the-object", "Read the value from the object of the run", "changes-numerics",
        "`settings.width`, where `settings` is what the command or a file set.")),
    "exchanged-scores": Kind(_PAIRING, Remedy(
        "truth-first", "Give the truth first", "changes-numerics",
        "`confusion_matrix(truth, prediction)`; or by name, `y_true=` and `y_pred=`, `labels=` and `predictions=`.")),
    "gradients-of-fewer": Kind(_LOST, _ONE_LIST),
    "gradients-exchanged": Kind(_PAIRING, _ONE_LIST),
    "padding-counted": Kind(_ROWS, Remedy(
        "leave-out-padding", "Leave the padding out", "changes-numerics",
        "`(guess == truth)[truth != 0].mean()`, or weights that are 0 there.")),
    "feature-of-target": Kind(_SPLIT, Remedy(
        "shift-first", "Use earlier rows alone", "changes-numerics",
        "`table[target].shift(1).rolling(k).mean()`; means of groups from training rows alone.")),
    "subjects-on-both-sides": Kind(_SPLIT, Remedy(
        "split-by-group", "Split by the groups", "changes-numerics",
        "Draw some of `np.unique(groups)` for the test, and take `np.isin(groups, drawn)`; or `GroupShuffleSplit`.")),
    "fractions-cut-off": Kind(_WRAP, Remedy(
        "make-floats", "Make the array of floats", "changes-numerics", "`np.zeros(shape)`, or `dtype=float`.")),
    "wraps-below": Kind(_WRAP, Remedy(
        "widen-first", "Widen the type before the operation", "changes-numerics", "`a.astype(\"int32\") - b`.")),
    "fed-with-classes": Kind(_FED, Remedy(
        "score-for-curve", "Give the curve the scores", "changes-numerics",
        "`roc_auc_score(truth, model.predict(x)[:, 0])`; classes are for accuracy, precision and recall.")),
    "argmax-of-one": Kind(_FED, _THRESHOLD),
    "cut-of-scores": Kind(_FED, _THRESHOLD),
    "folds-of-one-model": Kind(_SPLIT, Remedy(
        "model-per-fold", "Make the model in each fold", "changes-numerics",
        "`model = build_model()` as the first line of the loop, or `model.set_weights(first)` and a new `compile`.")),
    "one-prediction": Kind(_SWITCH, Remedy(
        "draw-by-call", "Call the model for training", "changes-numerics", "`model(x, training=True)` in each pass.")),
    "shuffled-files": Kind(_PAIRING, Remedy(
        "files-in-order", "Leave the files in order", "changes-numerics",
        "`flow_from_directory(..., shuffle=False)`.")),
    "mean-of-ratios": Kind(_ROWS, Remedy(
        "metric-with-state", "Use a metric with a state", "changes-numerics",
        "`keras.metrics.Precision()`, `Recall()`, `F1Score()`; or compute it once of all predictions.")),
    "two-units": Kind(_FED, Remedy(
        "same-unit", "Bring both to one unit", "changes-numerics",
        "`scaler.inverse_transform(p)`, `p * std + mean` or `np.expm1(p)`: the inverse of what the labels went "
        "through.")),
    "copies-in-two-orders": Kind(_PAIRING, Remedy(
        "copies-alike", "Copy the labels as the rows are copied", "changes-numerics",
        "`np.concatenate([y, y])` or `np.tile(y, k)` beside `concatenate`; `np.repeat(y, k)` beside copies in turn.")),
    "drawn-apart": Kind(_PAIRING, Remedy(
        "deal-together", "Deal out all arrays by one draw", "changes-numerics", "`train_test_split(x, y, weights)`.")),
    "listed-as-found": Kind(_PAIRING, Remedy(
        "sort-listings", "Sort both listings", "changes-numerics",
        "`sorted(glob(...))` for both, or make one name of the other.")),
    "taken-before-sort": Kind(_PAIRING, Remedy(
        "take-after-sort", "Take both after the last change of the order", "changes-numerics",
        "`table = table.sort_values(key)` first, then rows and labels.")),
    "as-they-end": Kind(_PAIRING, Remedy(
        "keep-task-order", "Keep the order of the tasks", "changes-numerics",
        "`executor.map(f, tasks)`, or `[job.result() for job in jobs]`.")),
    "coded-apart": Kind(_PAIRING, Remedy(
        "code-once", "Make the codes once", "changes-numerics",
        "`encoder.fit(train)` and `transform` for both, or `reindex(columns=train.columns, fill_value=0)`.")),
    "no-gradient-of-step": Kind(_LOST, Remedy(
        "soft-step", "Use the probabilities themselves", "changes-numerics",
        "`2 * sum(y * p) / sum(y + p)`; the hard form is for a metric.")),
    "same-members": Kind("random-in-compiled", Remedy(
        "seed-per-member", "Give each round a seed of its own", "changes-numerics", "`set_random_seed(42 + k)`.")),
    "optimizer-anew": Kind(_SWITCH, Remedy(
        "optimizer-once", "Make the optimizer once", "changes-numerics", "Above the loop over epochs.")),
    "fitted-before-split": Kind(_SPLIT, Remedy(
        "split-then-fit", "Split before anything is fitted", "changes-numerics",
        "`scaler.fit(x[train])`, and `transform` for both; choose columns and draw copies of training rows alone.")),
    "validation-of-one-class": Kind(_SPLIT, Remedy(
        "mix-then-validate", "Mix the rows before the validation is cut off", "changes-numerics",
        "`order = rng.permutation(len(x))`, then `fit(x[order], y[order], validation_split=0.2)`.")),
    "lag-wraps": Kind(_SPLIT, Remedy(
        "lag-by-shift", "Shift, and leave out the rows without a value", "changes-numerics",
        "`table[name].shift(k)`, then `dropna()` on the whole table.")),
    "cut-to-fit": Kind(_PAIRING, Remedy(
        "join-by-index", "Join both by their index", "changes-numerics",
        "`table = x.join(y, how=\"inner\").dropna()`, and take both from it.")),
    "left-out-of-step": Kind(_LOST, _ONE_LIST),
    "kept-share": Kind(_SWITCH, Remedy(
        "share-to-drop", "Give the share to drop", "changes-numerics", "`Dropout(1 - keep)`.")),
}  # fmt: skip

"""Seen with what the names held in the run."""

"""The class and the remedy of each kind of slip that is seen by what names held (`xladoctor.sources.slips`)."""

from __future__ import annotations

from collections.abc import Mapping

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.slips import FILL, TRANSPOSE, Kind

_SWITCH, _LOST, _FED = "dead-switch", "no-gradient", "loss-input-mismatch"
_PAIRING, _ROWS, _SPLIT, _WRAP = "wrong-pairing", "wrong-shape-silent", "unsound-split", "integer-wrap"
_KEEP_AXIS = Remedy(
    "keep-last-axis", "Reduce over the last axis, and keep it", "changes-numerics",
    "`a / a.sum(axis=-1, keepdims=True)`.",
)  # fmt: skip
_ONE_LIST = Remedy(
    "one-list", "Take the gradients by the list that they are handed on with", "changes-numerics",
    "`grads = tape.gradient(loss, variables)`, then `zip(grads, variables)`; `strict=True` shows lists of two lengths.",
)  # fmt: skip
SAME_RANK = Remedy(
    "same-rank",
    "Give both operands the same rank before they are combined",
    "safe",
    "A model gives (N, 1) for one output: take its column, `[:, 0]`, or give the labels an axis, `[:, None]`.",
)
"""Also where the table of pairs was recorded (`diagnosis/tables.py`)."""
_THRESHOLD = Remedy(
    "cut-at-threshold", "Compare with the threshold that fits", "changes-numerics",
    "`p[:, 0] > 0.5` of a probability; `> 0` of a score, or `tf.sigmoid(p) > 0.5`.",
)  # fmt: skip

OF_NAMES: Mapping[str, Kind] = {
    "column-met": Kind(_PAIRING, SAME_RANK),
    "argsort-as-rank": Kind(_PAIRING, Remedy(
        "rank-by-two-sorts", "Take the ranks by a second argsort", "changes-numerics",
        "`x.argsort().argsort()`, or `ranks = np.empty(n, int)` and `ranks[x.argsort()] = np.arange(n)`.")),
    "tiled-alike": Kind(_PAIRING, Remedy(
        "tile-and-repeat", "Tile one and repeat the other", "changes-numerics",
        "`np.tile(a, len(b))` with `np.repeat(b, len(a))` are all pairs; so is `np.meshgrid`.")),
    "grid-axes": Kind(_PAIRING, Remedy(
        "grid-by-rows", "Reshape to the shape of the grid", "changes-numerics",
        "`.reshape(len(y), len(x))` after `meshgrid(x, y)`, or `meshgrid(x, y, indexing=\"ij\")`.")),
    "axes-by-reshape": Kind(_PAIRING, TRANSPOSE),
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
    "setting-of-another": Kind("unlike-training", Remedy(
        "own-setting", "Use the value that the object keeps", "changes-numerics",
        "`self.dose`, set when the object is made, instead of `settings.get(\"dose\")` at each call.")),
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
    "cast-wraps": Kind(_WRAP, Remedy(
        "type-that-holds", "Take a type that has all of the numbers", "changes-numerics",
        "`x.astype(\"uint32\")`; or `np.clip(x, 0, 65535)` before the cast, if what is above may be cut off.")),
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

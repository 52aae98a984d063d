"""A model or a function gets data with no rows.

Format strings: sklearn/model_selection/_split.py (_validate_shuffle_split), sklearn/utils/validation.py (check_array);
keras/src/backend/tensorflow/trainer.py and keras/engine/training.py (empty logs, empty batch outputs). What the
recorder sees of it in a run is in `xladoctor/diagnosis/no_samples.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import CODE, SHOWS, RemedyTest
from xladoctor.rules.matching import Hit, find, make

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_WORDINGS = (
    ("resulting train set will be empty", r"With n_samples=0\b.{0,120}?resulting train set will be empty",
     "The data that are split have no rows."),
    ("Found array with 0 sample", r"Found array with 0 sample\(s\)", "The array has no rows."),
    ("(Empty batch_outputs)", r"Unexpected result of `predict_function` \(Empty batch_outputs\)",
     "predict was given no samples."),
    ("(Empty Logs)", r"Unexpected result of `\w+_function` \(Empty Logs\)", "The model was given no samples."),
    ("cannot access local variable 'batch_outputs'", r"local variable 'batch_outputs'",
     "predict was given no samples: Keras has no output to return."),
)  # fmt: skip


def recognise(record: ErrorRecord, text: str) -> Hit | None:
    """The call that got no rows, as far as the message says."""
    for literal, source, said in _WORDINGS:
        if find(text, literal, source):
            return Hit(said, details={"key": literal})
    return None


RULE = make(
    recognise,
    code="XD912",
    slug="no-samples",
    title="Data without any rows",
    level="error",
    rank=46,
    literals=(
        "esulting train set will be empty", "ound array with 0 sample", "(Empty batch_outputs)", "(Empty Logs)",
        "batch_outputs' where",
    ),
    what="A mask, a slice, a filter or a list of files selects nothing, and a model gets the empty result.",
    why="Keras trains on no samples without an error: the model keeps its initial weights. Other calls fail later, "
    "and their messages do not say that the data are empty.",
    example="ValueError: With n_samples=0, test_size=0.2 and train_size=None, the resulting train set will be empty.",
    tell_apart="A wrong index into existing data is `index-out-of-range` or `slice-out-of-bounds`.",
    remedies=(
        Remedy(
            "print-selection",
            "Print how many rows each step of the selection leaves",
            "safe",
            "`print(len(x), mask.sum())` at the line of the selection. Compare the condition of the mask with the "
            "values in the data (`np.unique`, `min`, `max`), or the pattern of file names with the folder.",
        ),
        Remedy(
            "refuse-empty",
            "Stop if the data are empty",
            "safe",
            "`if not len(x): raise ValueError(...)` after reading the data gives the reason at once.",
        ),
    ),
    references=("keras/src/backend/tensorflow/trainer.py", "sklearn/model_selection/_split.py"),
)  # fmt: skip
TESTS = {"print-selection": RemedyTest(why_not=SHOWS), "refuse-empty": RemedyTest(why_not=CODE)}

from __future__ import annotations

import pytest

from xladoctor.blame import words
from xladoctor.blame.crash import crash_of
from xladoctor.model.diagnosis import Finding, Location


@pytest.mark.parametrize(
    ("shapes", "sizes"),
    [
        ([[5, 12], [None, 16]], (12, 16)),
        ([[5, 12], [5, 16]], (12, 16)),
        ([[5, 12], [12, 16]], (5, 12, 16)),
        ([[5, 12], [16]], (5, 12, 16)),
        (None, (5, 12, 16)),
    ],
)
def test_a_size_at_which_two_shapes_agree_is_not_at_fault(shapes, sizes):
    details = {"shapes": shapes} if shapes else {}
    finding = Finding("XD309", "contract-violation", "error", "root", "t", "m", dims=(5, 12, 16), details=details)
    assert crash_of(finding, None).sizes == sizes


def test_one_axis_is_no_axes():
    assert (words.axes(1), words.axes(2)) == ("1 axis", "2 axes")


LIBRARY = "/venv/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py"
TRACED = f"""in user code:

    File "/w/train.py", line 28, in train_step  *
        loss = loss_fn(x, model)
    File "/w/train.py", line 20, in loss_fn  *
        out = model(x)
    File "{LIBRARY}", line 122, in error_handler  **
        raise error
    File "/w/train.py", line 15, in call
        return self.encode(x)
    File "/w/train.py", line 11, in encode
        return tf.split(self.net(x), 2, axis=1)

    ValueError: Dimension size must be evenly divisible by 2 but is 5
"""


def calls(recorded, message):
    frames = [{"file": "/w/train.py", "line": n, "function": f, "user": True} for n, f in recorded]
    finding = Finding("XD306", "slice-out-of-bounds", "error", "root", "", "", location=Location("/w/train.py", 11))
    return [(f.line, f.function) for f in crash_of(finding, {"frames": frames, "message": message}).frames]


def test_the_calls_of_a_traced_function_stand_where_the_message_has_them():
    """Python's traceback has no line of a function that was traced, but of what Keras calls within it."""
    recorded = [(37, "<module>"), (15, "Net.call"), (11, "Net.encode")]
    between = [(28, "train_step"), (20, "loss_fn")]
    assert calls(recorded, TRACED) == [recorded[0], *between, *recorded[1:]]
    assert calls(recorded, "another") == recorded
    alone = TRACED.partition(f'    File "{LIBRARY}"')[0]
    assert calls(recorded[:1], alone) == [recorded[0], *between, (11, "<module>")]

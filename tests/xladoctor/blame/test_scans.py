"""Blame in programs of several parts that cut, place and fit images: orders, fractions, objects of one class, rows."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed, lines

WINDOWS = """
import numpy as np
def probe(window):
    {probe} = window
    return np.ones((rows, columns))
def crop(image, window):
    rows, columns = window
    return image[:, :rows, :columns]
def ramp(window):
    {ramp} = window
    return np.zeros((rows, columns))
window = (48, 40)
waves = crop(np.zeros((9, 60, 60)), window) * probe(window)
"""
BROADCAST = "operands could not be broadcast together with shapes (9,48,40) (40,48) "


@pytest.mark.parametrize(
    ("probe", "ramp", "found"),
    [("columns, rows", "rows, columns", True), ("columns, rows", "columns, rows", False)],
)
def test_the_one_line_that_takes_a_value_apart_in_another_order(probe: str, ramp: str, found: bool) -> None:
    source = WINDOWS.format(probe=probe, ramp=ramp)
    told = blamed(source, ("<module>", "waves ="), message=BROADCAST, slug="broadcast-mismatch", dims=(48, 40))
    assert told is not None
    says = "It has `window` as `columns, rows`"
    assert any(s.reason.startswith(says) for s in told.suspects) == found
    if found:
        assert lines(told)[0] == "columns, rows = window"
        assert (told.suspects[0].old, told.suspects[0].new) == ("columns, rows", "rows, columns")


CORNERS = """
import numpy as np
def corners_of(centres, window, inner):
    return {corners}
def stitch(images, centres, window, inner):
    corners = corners_of(centres, window, inner)
    height = corners[:, 0].max() + inner
    return np.zeros((height, images.shape[1]))
stitch(np.zeros((3, 8, 8)), np.zeros((3, 2)), 8, 4)
"""
NO_INTEGER = "'numpy.float64' object cannot be interpreted as an integer"


@pytest.mark.parametrize(
    ("corners", "says"),
    [
        ("np.round(centres + 2)", "`round` rounds"),
        ("centres + (window - inner) / 2", "A division with `/`"),
        ("np.floor(centres).astype(int) + window // 2", ""),
        ("np.round(centres / 2).astype(np.int32)", ""),
    ],
)
def test_a_number_with_a_fraction_where_a_whole_one_is_wanted(corners: str, says: str) -> None:
    calls = [("<module>", "stitch(np"), ("stitch", "np.zeros((height")]
    told = blamed(CORNERS.format(corners=corners), *calls, message=NO_INTEGER, slug="not-xla")
    assert told is not None
    assert not says or (told.suspects[0].reason.startswith(says) and told.suspects[0].code.endswith(corners))
    assert says or not any("floating point" in s.reason or "fraction" in s.reason for s in told.suspects)


MOMENTS = """
import tensorflow as tf
class Moments:
    def __init__(self, shape, rate):
        self.rate = rate
        self.mean = tf.Variable(tf.zeros(shape))
    def update(self, gradient):
        return 0.9 * self.mean + gradient
class Fit:
    def __init__(self, canvas, window):
        self.picture = Moments(canvas, 0.1)
        self.lens = Moments({shape}, 0.2)
    def step(self, a, b):
        self.picture.update(a)
        self.lens.update(b)
"""


@pytest.mark.parametrize(("shape", "found"), [("canvas", True), ("window", True), (None, False)])
def test_the_line_that_makes_the_object_whose_method_failed(shape: str | None, found: bool) -> None:
    source = MOMENTS.format(shape=shape or "window") + "Fit(tuple([9, 8]), tuple([4, 4])).step(1, 2)\n"
    if shape is None:
        source = source.replace("        self.picture = Moments(canvas, 0.1)\n", "")
    calls = [("<module>", "Fit(tuple"), ("step", "self.lens.update"), ("update", "0.9 * self.mean")]
    message = "Dimensions must be equal, but are 9 and 4 for shapes [9,8], [4,4]."
    told = blamed(source, *calls, message=message, slug="broadcast-mismatch", dims=(9, 4))
    assert told is not None
    reasons = [s.reason for s in told.suspects if s.reason.startswith("It makes `lens`")]
    assert bool(reasons) == found
    assert ("with `canvas` as another one" in "".join(reasons)) == (shape == "canvas")
    assert shape != "canvas" or told.suspects[0].code == "self.lens = Moments(canvas, 0.2)"


FRAMES = """
import numpy as np
def load(table, counts):
    frames = table.keys_of()
    {cast}
    {more}
    return counts / table.exposure()[:, None]
load(read(), np.load("x.npy"))
"""


@pytest.mark.parametrize(
    ("cast", "more", "line"),
    [
        ("counts = counts.astype(float)", "", "counts = counts.astype(float)"),
        ("counts = counts.astype(float)", "counts = counts - counts.min()", "counts = counts - counts.min()"),
        ("pass", "", "return counts / table.exposure()[:, None]"),
        ("counts = counts.astype(float)", "print(frames)", None),
    ],
)
def test_rows_that_are_asked_for_and_not_used(cast: str, more: str, line: str | None) -> None:
    told = blamed(
        FRAMES.format(cast=cast, more=more),
        ("<module>", "load(read"),
        ("load", "return counts"),
        frame_shapes={"load": {"counts": [81, 6], "frames": [78]}},
        message="operands could not be broadcast together with shapes (81,6) (78,1) ",
        slug="broadcast-mismatch",
        dims=(81, 78),
    )
    suspects = told.suspects if told is not None else ()
    own = [s for s in suspects if s.reason.startswith("`frames`, the 78 rows")]
    assert [s.code for s in own] == ([line] if line is not None else [])


KEPT = """
import numpy as np
def pack(x, offsets, norm: float):
    keep = np.abs(offsets) < 3
    {scale}
    return dict(x=x[keep].astype("float32"), offsets=offsets[keep], counts={counts}, norm=norm, scale=scale)
data = pack(np.zeros((8, 2)), np.zeros(8), 1.0)
fit(data["x"], data["counts"])
"""
ROWS = "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples: 8, 7"


@pytest.mark.parametrize(
    ("counts", "scale", "whole"),
    [
        ("x**2", "scale = float(x.mean())", "x ** 2"),
        ("x", "scale = 2.0", "x"),
        ("(x**2)[keep]", "scale = float(x.mean())", None),
        ("x[keep]**2", "scale = 3", None),
    ],
)
def test_what_is_not_taken_at_the_rows_that_all_others_are(counts: str, scale: str, whole: str | None) -> None:
    source = KEPT.format(counts=counts, scale=scale)
    told: Blame | None = blamed(
        source, ("<module>", "fit(data"), message=ROWS, slug="keras-input-mismatch", dims=(8, 7)
    )
    assert told is not None
    said = [s.reason for s in told.suspects if s.reason.startswith("It takes all rows of")]
    assert said == ([f"It takes all rows of `{whole}`, and of others `keep`."] if whole else [])


STITCH = """
import numpy as np
def stitch(images, corners, inner):
    height = {height}
    width = corners[:, 1].max() + inner
    total = np.zeros((height, width))
    for image, (y, x) in zip(images, corners):
        total[y:y + inner, x:x + inner] += image
    return total
stitch(np.load("i.npy"), np.load("c.npy"), 16)
"""


@pytest.mark.parametrize(
    ("height", "message", "line"),
    [
        ("corners[:, 0].max() + inner // 2", "(15,16) (16,16)", "height = corners[:, 0].max() + inner // 2"),
        ("corners[:, 0].max()", "(15,16) (16,16)", "height = corners[:, 0].max()"),
        ("corners[:, 0].max() + inner", "(16,15) (16,16)", "width = corners[:, 1].max() + inner"),
        ("corners[:, 0].max() + inner", "(0,16) (16,16)", None),
        ("corners[:, 0].max() + inner", "(16,16) (15,16)", None),
    ],
)
def test_the_side_of_a_canvas_that_is_too_small(height: str, message: str, line: str | None) -> None:
    told = blamed(
        STITCH.format(height=height),
        ("<module>", "stitch(np"),
        ("stitch", "total[y:y"),
        message=f"operands could not be broadcast together with shapes {message} (15,16) ",
        slug="broadcast-mismatch",
        dims=(15, 16),
    )
    own = [s.code for s in (told.suspects if told is not None else ()) if "ends behind it" in s.reason]
    assert own == ([line] if line is not None else [])

"""Blame by the places of patches, the stages of a network, indices below 0, and numbers that are no whole ones."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed


def blames_for(found: Blame | None, word: str) -> list[str]:
    """The source of the suspects whose reason has a word."""
    return [s.code for s in found.suspects if word in s.reason] if found is not None else []


CANVAS = """
import numpy as np
from scans import load
def extent(spots, tile, step):
    return {}
def cut(image, spots, tile):
    return np.stack([image[r : r + tile, c : c + tile] for r, c in spots])
def main():
    spots, tile, step = load()
    image = np.zeros(extent(spots, tile, step))
    return cut(image, spots, tile)
main()
"""


@pytest.mark.parametrize(
    ("extent", "blames"),
    [
        ("spots.max(axis=0) + tile // 2", True),
        ("np.max(spots, axis=0) + 1", True),
        ("spots.max(axis=0) + step", True),
        ("np.ptp(spots, axis=0) + tile", True),
        ("spots.max(axis=0) + tile", False),
        ("spots.max(axis=0) + step + tile", False),
    ],
)
def test_a_canvas_without_all_of_its_last_patch(extent: str, blames: bool) -> None:
    told = blamed(
        CANVAS.format(extent), ("<module>", "main()"), ("main", "return cut"), ("cut", "np.stack"),
        slug="concat-pack-mismatch", message="all input arrays must have the same shape",
    )  # fmt: skip
    assert (f"return {extent}" in [*blames_for(told, "largest place"), *blames_for(told, "are apart")]) == blames


TURNED = """
import numpy as np
from scans import load, spread
def cut(image, spots, tile):
    return np.stack([image[r : r + tile, c : c + tile] for r, c in spots])
def main():
    cfg = load()
    image = np.zeros(cfg.shape) + spread(cfg.shape)
    spots = np.argwhere(spread({}))
    return cut(image, spots, cfg.tile)
main()
"""


@pytest.mark.parametrize(("given", "blames"), [("cfg.shape[::-1]", True), ("cfg.shape", False)])
def test_a_shape_that_only_one_line_turns(given: str, blames: bool) -> None:
    told = blamed(
        TURNED.format(given), ("<module>", "main()"), ("main", "return cut"), ("cut", "np.stack"),
        slug="concat-pack-mismatch", message="all input arrays must have the same shape",
    )  # fmt: skip
    assert bool(blames_for(told, "as it is")) == blames


STAGES = """
import keras
from keras import layers
def net(depth):
    x = image = keras.Input((None, None, 4))
    for d in range({}):
        x = layers.Conv2DTranspose(4, 3, strides=2, padding="same")(x)
    return keras.Model(image, x)
def misfit(model, x, y):
    return model(x) - y
def main(x, y, depth):
    return misfit(net(depth), x, y)
main(x, y, 3)
"""


@pytest.mark.parametrize(("sizes", "blames"), [("[8,12,12,4] vs. [8,24,24,4]", True), ("[8,12,9] vs. [8,17,9]", False)])
def test_a_stage_too_few(sizes: str, blames: bool) -> None:
    told = blamed(
        STAGES.format("depth - 2"), ("<module>", "main(x, y, 3)"), ("main", "return misfit"),
        ("misfit", "model(x) - y"),
        slug="broadcast-mismatch", message=f"Incompatible shapes: {sizes}", dims=(12, 24),
    )  # fmt: skip
    assert bool(blames_for(told, "doubles or halves")) == blames


BELOW = """
import tensorflow as tf
from scans import load
def relative(spots):
    return spots - {}
def main():
    image, spots = load()
    return tf.gather(image, relative(spots))
main()
"""


@pytest.mark.parametrize(
    ("taken", "value", "blames"),
    [("spots[:, :1]", -1, True), ("spots[0]", -1, True), ("spots[0]", 37, False), ("spots.min()", -1, False)],
)
def test_an_index_below_0_where_the_first_is_taken_off(taken: str, value: int, blames: bool) -> None:
    told = blamed(
        BELOW.format(taken), ("<module>", "main()"), ("main", "return tf.gather"), slug="index-out-of-range",
        message=f"indices[3] = {value} is not in [0, 37)", dims=(37,),
    )  # fmt: skip
    assert bool(blames_for(told, "takes off")) == blames


READ = """
import numpy as np
from files import texts
def value(text):
    for kind in ({}):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
def main():
    sides = {{key: value(text) for key, text in texts()}}
    return np.zeros(sides["rows"])
main()
"""


@pytest.mark.parametrize(("kinds", "blames"), [("float, int", True), ("int, float", False)])
def test_a_reader_that_tries_float_first(kinds: str, blames: bool) -> None:
    told = blamed(
        READ.format(kinds), ("<module>", "main()"), ("main", "return np.zeros"), slug="not-xla",
        message="'float' object cannot be interpreted as an integer",
    )  # fmt: skip
    assert bool(blames_for(told, "before `int`")) == blames


SPOT = """
import numpy as np
from optics import Config, load
def spot(size, width):
    return np.zeros((size, size)) + width
def main():
    cfg = load()
    lens = spot({})
    return load().frames * lens
main()
"""


@pytest.mark.parametrize(
    ("given", "blames"), [("cfg.spot_width, cfg.patch", True), ("cfg.patch, cfg.spot_width", False)]
)
def test_an_argument_in_the_place_of_a_longer_name(given: str, blames: bool) -> None:
    told = blamed(
        SPOT.format(given), ("<module>", "main()"), ("main", "return load()"), slug="broadcast-mismatch",
        message="operands could not be broadcast together with shapes (9,16,16) (11,11)", dims=(16, 11),
    )  # fmt: skip
    assert bool(blames_for(told, "in the place of")) == blames


WEIGHTS = """
import tensorflow as tf
def mixed(first, second, share):
    return first + share * (second - first)
def main(first, second):
    n = 12
    share = tf.random.uniform({})
    return mixed(tf.zeros((12, 8, 8, 3)), tf.ones((12, 8, 8, 3)), share)
main(first, second)
"""


@pytest.mark.parametrize(("shape", "blames"), [("(n, 1)", True), ("(n, 5)", False), ("(5, 1)", False)])
def test_a_value_whose_axes_come_first_meets_the_last_ones(shape: str, blames: bool) -> None:
    told = blamed(
        WEIGHTS.format(shape), ("<module>", "main(first, second)"), ("main", "return mixed"),
        ("mixed", "return first"),
        slug="broadcast-mismatch", message="Incompatible shapes: [12,1] vs. [12,8,8,3]", dims=(12, 8),
    )  # fmt: skip
    assert bool(blames_for(told, "whose first axes")) == blames


LAST = """
import tensorflow as tf
from scans import points
ROWS = 16
def step(model, batch):
    labels = tf.concat([tf.ones((ROWS, 1)), tf.zeros((ROWS, 1))], 0)
    {more}
    return tf.reduce_mean(labels - tf.concat([batch, batch], 0))
def main(model):
    for batch in tf.data.Dataset.from_tensor_slices(tf.zeros((71, 1))).batch(ROWS):
        step(model, batch)
main(model)
"""


@pytest.mark.parametrize(
    ("more", "first"), [("noise = tf.random.normal((ROWS, 8))", "for batch in"), ("", "labels = ")]
)
def test_one_line_that_fixes_the_rows_or_several(more: str, first: str) -> None:
    told = blamed(
        LAST.format(more=more), ("<module>", "main(model)"), ("main", "step(model, batch)"),
        ("step", "return tf.reduce"), slug="broadcast-mismatch", message="Incompatible shapes: [32,1] vs. [14,1]",
        dims=(32, 14),
    )  # fmt: skip
    assert told is not None and told.suspects[0].code.startswith(first)


SHAPE = """
import numpy as np
from scans import load, spots
def extent(points):
    return 16 + (points - 1) * 6
def canvas_shape(cfg):
    return {}
def cut(image, places, size):
    frames = []
    for r, c in places:
        patch = image[r : r + size, c : c + size]
        frames.append(patch * np.ones((size, size)))
    return frames
def main():
    cfg = load()
    return cut(np.zeros(canvas_shape(cfg)), spots(cfg), 16)
main()
"""


@pytest.mark.parametrize(
    ("shape", "blames"),
    [("extent(cfg.nx), extent(cfg.ny)", True), ("extent(cfg.ny), extent(cfg.nx)", False)],
)
def test_a_shape_that_has_the_columns_first(shape: str, blames: bool) -> None:
    told = blamed(
        SHAPE.format(shape), ("<module>", "main()"), ("main", "return cut"), ("cut", "frames.append"),
        slug="broadcast-mismatch", message="operands could not be broadcast together with shapes (13,16) (16,16)",
        dims=(13, 16),
    )  # fmt: skip
    assert bool(blames_for(told, "rows first")) == blames


MOVED = """
import numpy as np
from scans import side, step
def places(rng):
    return step * np.arange(side) + rng.integers(-1, 2, size=side)
def cut(image, rows, n):
    return np.stack([image[r : r + n] for r in rows])
def main():
    n = 32
    image = np.zeros({})
    return cut(image, places(np.random.default_rng(1)), n)
main()
"""


@pytest.mark.parametrize(
    ("length", "blames"), [("n + step * (side - 1)", True), ("n + step * (side - 1) + 2", False), ("n * side", False)]
)
def test_a_canvas_without_room_for_what_moves_the_places(length: str, blames: bool) -> None:
    told = blamed(
        MOVED.format(length), ("<module>", "main()"), ("main", "return cut"), ("cut", "np.stack"),
        slug="concat-pack-mismatch", message="all input arrays must have the same shape",
    )  # fmt: skip
    assert bool(blames_for(told, "no room")) == blames


PICKED = """
import numpy as np
from nets import rate
def best(states):
    picked = np.argmax(rate(states), axis={})
    rated = rate(states)
    return rated[np.arange(len(states)), picked]
def main():
    return best(np.zeros((32, 5)))
main()
"""


@pytest.mark.parametrize(("axis", "blames"), [(0, True), (1, False), (-1, False)])
def test_a_largest_one_along_the_rows(axis: int, blames: bool) -> None:
    told = blamed(
        PICKED.format(axis), ("<module>", "main()"), ("main", "return best"), ("best", "return rated"),
        slug="slice-out-of-bounds", message="index 30 is out of bounds for axis 1 with size 4", dims=(30, 4),
    )  # fmt: skip
    assert bool(blames_for(told, "along the rows")) == blames


@pytest.mark.parametrize(
    ("line", "blames"),
    [
        ("spots - spots.mean(axis=0)", True),
        ("spots - np.mean(spots, axis=0)", True),
        ("spots - spots.min(axis=0)", False),
    ],
)
def test_places_whose_mean_is_0(line: str, blames: bool) -> None:
    told = blamed(
        CANVAS.format(f"np.max({line}, axis=0) + tile"), ("<module>", "main()"), ("main", "return cut"),
        ("cut", "np.stack"), slug="concat-pack-mismatch", message="all input arrays must have the same shape",
    )  # fmt: skip
    assert bool(blames_for(told, "below it")) == blames

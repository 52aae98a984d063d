"""Blame by what stands beside a line: parts that are counted with others elsewhere, tables that an index is for, names
of columns, objects of one class, settings that come later.
"""

from __future__ import annotations

import pytest

from .programs import blamed, lines

PAST = "indices[3,1] = 90 is not in [0, 80)"
MESHES = """
import numpy as np
import tensorflow as tf
from rig import meshes
def lookup(rows, ids):
    return tf.gather(rows, ids)
def joined(meshes):
    {}
    return np.concatenate([m.vertices for m in meshes]), faces
rows, ids = joined(meshes)
out = lookup(rows, ids)
"""
ONE_BY_ONE = """faces, offset = [], 0
    for m in meshes:
        faces.append(m.faces + offset)
        offset += len(m.{0})"""
SUMMED = """counts = [len(m.{0}) for m in meshes]
    shift = np.concatenate([[0], np.cumsum(counts)[:-1]])
    faces = np.concatenate([m.faces + s for m, s in zip(meshes, shift)]) + np.repeat(shift, 3)[:, None]
    faces = np.concatenate([m.faces for m in meshes]) + shift"""


@pytest.mark.parametrize("body", [ONE_BY_ONE, SUMMED])
@pytest.mark.parametrize(("counted", "blames"), [("faces", True), ("vertices", False)])
def test_indices_that_are_shifted_by_their_own_number(body: str, counted: str, blames: bool) -> None:
    found = blamed(
        MESHES.format(body.format(counted)),
        ("<module>", "= lookup("),
        ("lookup", "return tf.gather"),
        message=PAST,
        slug="index-out-of-range",
    )
    assert ("grows by the numbers of `faces`" in str(found)) is blames


@pytest.mark.parametrize(
    ("size", "blames"), [("int(places[0].max()) + 8", True), ("int(places.max()) + 8", False), ("places[0] + 8", False)]
)
def test_the_largest_of_the_first_part_alone(size: str, blames: bool) -> None:
    source = f"""
    import tensorflow as tf
    from rig import places
    def laid(places, side):
        return tf.gather(tf.zeros([side, 2]), places)
    side = {size}
    out = laid(places, side)
    """
    found = blamed(source, ("<module>", "out ="), ("laid", "return tf.gather"), message=PAST, slug="index-out-of-range")
    assert ("of the first part alone" in str(found)) is blames


PADDED = """
import numpy as np
import keras
from rig import x
def padding(n, halvings):
    step = {}
    return -n % step
wide = np.pad(x, ((0, 0), (0, padding(x.shape[1], 3))))
def net(n):
    first = keras.Input((n, 1))
    down = keras.layers.MaxPooling1D()(first)
    up = keras.layers.UpSampling1D()(down)
    return keras.layers.Concatenate()([first, up])
net(wide.shape[1])
"""


@pytest.mark.parametrize(("step", "blames"), [("2 * halvings", True), ("2 ** halvings", False), ("2 * x", False)])
def test_a_multiple_of_twice_the_levels(step: str, blames: bool) -> None:
    found = blamed(
        PADDED.format(step),
        ("<module>", "net(wide"),
        ("net", "return keras.layers.Concatenate"),
        slug="concat-pack-mismatch",
        message="Received: input_shape=[(None, 21, 1), (None, 20, 1)]",
    )
    assert ("grows with each level by two" in str(found)) is blames


WINDOWS = """
import numpy as np
from rig import table, past, gap, ahead
def total():
    return past + gap + ahead
def starts(rows):
    return range({})
def cut():
    return np.stack([table[s + past + gap:s + past + gap + ahead] for s in starts(len(table))])
y = cut()
"""


@pytest.mark.parametrize(
    ("count", "blames"),
    [("rows - past - gap + 1", True), ("rows - total() + 1", False), ("rows - past - gap - ahead + 1", False)],
)
def test_a_part_that_is_left_out_of_a_count(count: str, blames: bool) -> None:
    found = blamed(
        WINDOWS.format(count),
        ("<module>", "y = cut"),
        ("cut", "return np.stack"),
        slug="concat-pack-mismatch",
        message="all input arrays must have the same shape",
    )
    told = [s.code for s in found.suspects if "starts windows" in s.reason or "off" in s.reason] if found else []
    assert told == (["return range(rows - past - gap + 1)"] if blames else [])


STAGES = """
import tensorflow as tf
from rig import clips
def faded(clip):
    return tf.pad(clip, [[0, 3]])
data = tf.data.Dataset.from_tensor_slices(clips)
data = data.{}
"""


@pytest.mark.parametrize(
    ("stages", "blames"), [("batch(8).map(faded)", True), ("batch(8).unbatch().map(faded)", False)]
)
def test_single_elements_are_mapped_before_they_are_batched(stages: str, blames: bool) -> None:
    found = blamed(
        STAGES.format(stages),
        ("<module>", "data = data"),
        ("faded", "return tf.pad"),
        slug="rank-mismatch",
        message="Shape must be rank 1 but is rank 2 for '{{node Pad}}' with input shapes: [?,?], [1,2].",
    )
    assert ("maps whole batches" in str(found)) is blames


NAMES = """
import tensorflow as tf
import numpy as np
from rig import bands, cube
def columns():
    {}
def rows():
    for r in cube:
        yield r[:4]
def feed():
    n = len(columns())
    return tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((4, n), tf.float32))
for x in feed():
    pass
"""


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("return list(bands) + ['slope']", "return list(bands) + ['slope']"),
        ("names = list(bands)\n    names += ['slope']\n    return names", "names += ['slope']"),
    ],
)
def test_columns_that_are_named_by_hand(body: str, first: str) -> None:
    found = blamed(
        NAMES.format(body),
        ("<module>", "for x in feed"),
        slug="contract-violation",
        message=(
            "TypeError: `generator` yielded an element of shape (4, 7) where an element of shape (4, 6) was expected."
        ),
    )
    assert lines(found)[0] == first


SCALERS = """
import numpy as np
class Scaler:
    def fit(self, a):
        self.mean = np.mean(a, axis=0)
        return self
    def back(self, a):
        return a + self.mean
def prepared(table):
    whole = Scaler().fit(table)
    one = Scaler().fit(table[:, 0])
    return {}
scaler = prepared(np.zeros((90, 6)))
out = scaler.back(np.zeros((30, 12)))
"""


def test_another_object_of_the_same_class_is_tried() -> None:
    found = blamed(
        SCALERS.format("whole"),
        ("<module>", "out ="),
        ("back", "return a + self.mean"),
        slug="broadcast-mismatch",
        dims=(12, 6),
        message="operands could not be broadcast together with shapes (30,12) (6,)",
    )
    assert lines(found)[0] == "return whole"


SETTINGS = """
class Settings:
    size = 32
CHOSEN = Settings()
def load(size):
    CHOSEN.size = size
"""
LATE = """
import numpy as np
from settings import CHOSEN
def disc(n={}):
    return np.ones((n, n))
"""


@pytest.mark.parametrize(("default", "blames"), [("CHOSEN.size", True), ("32", False)])
def test_a_default_that_is_read_before_the_settings_are_loaded(default: str, blames: bool) -> None:
    source = """
    import numpy as np
    import settings
    import shapes
    settings.load(16)
    out = np.ones((5, settings.CHOSEN.size, settings.CHOSEN.size)) * shapes.disc()
    """
    more = {"/work/settings.py": SETTINGS, "/work/shapes.py": LATE.format(default)}
    found = blamed(
        source,
        ("<module>", "out ="),
        more=more,
        slug="broadcast-mismatch",
        dims=(16, 32),
        message="operands could not be broadcast together with shapes (5,16,16) (32,32)",
    )
    assert ("worked out once" in str(found)) is blames


@pytest.mark.parametrize(
    ("value", "blames"), [("wave / 2", True), ("wave.astype('complex64')", False), ("abs(wave)", False)]
)
def test_results_that_are_complex_without_a_type(value: str, blames: bool) -> None:
    source = f"""
    import numpy as np
    import tensorflow as tf
    def front(n):
        wave = np.exp(1j * np.arange(n))
        return {value}
    def lit(patch, front):
        return patch * tf.constant(front)
    out = lit(tf.zeros([8], tf.complex64), front(8))
    """
    found = blamed(
        source,
        ("<module>", "out ="),
        ("lit", "return patch"),
        slug="dtype-mismatch",
        message=("cannot compute Mul as input #1 was expected to be a complex64 tensor but is a complex128 tensor"),
    )
    assert ("NumPy's complex128" in str(found)) is blames


CACHE = """
import numpy as np
import keras
kept = {}
def net(width, depth):
    key = %s
    if key not in kept:
        kept[key] = keras.Sequential([keras.Input((width,)), keras.layers.Dense(depth)])
    return kept[key]
def run(width):
    return net(width, 2).predict(np.zeros((8, width)))
run(4)
run(6)
"""


@pytest.mark.parametrize(("key", "blames"), [("depth", True), ("(width, depth)", False)])
def test_a_key_that_leaves_out_what_is_kept_with_it(key: str, blames: bool) -> None:
    message = "Input 0 of layer is incompatible: expected shape=(None, 4), found shape=(8, 6)"
    found = blamed(CACHE % key, ("<module>", "run(6)"), ("run", "return net"), dims=(4, 6), message=message)
    assert ("found again without it" in str(found)) is blames


@pytest.mark.parametrize(
    ("message", "blames"),
    [("This optimizer can only be called for the variables it was originally built with.", True), ("No loss.", False)],
)
def test_an_optimizer_that_was_built_for_other_variables(message: str, blames: bool) -> None:
    source = """
    import keras
    class Tutor:
        def __init__(self):
            self.optimizer = keras.optimizers.SGD(0.1)
        def step(self, grads, weights):
            self.optimizer.apply_gradients(zip(grads, weights))
    tutor = Tutor()
    tutor.step([], [])
    """
    found = blamed(
        source, ("<module>", "tutor.step"), ("Tutor.step", "apply_gradients"), slug="not-xla", message=message
    )
    assert ("used for other variables" in str(found)) is blames


@pytest.mark.parametrize(
    ("size", "blames"),
    [("8 + tf.cast(tf.reduce_max(shift), tf.int32)", True), ("8 + tf.shape(shift)[0]", False), ("16", False)],
)
def test_a_size_that_is_worked_out_from_values(size: str, blames: bool) -> None:
    source = f"""
    import tensorflow as tf
    def ramp(n):
        return tf.range(n)
    def moved(x, shift):
        side = {size}
        return ramp(side)
    moved(tf.ones([4]), tf.ones([4]))
    """
    found = blamed(
        source,
        ("<module>", "moved(tf"),
        ("moved", "return ramp"),
        ("ramp", "return tf.range"),
        slug="not-xla",
        message="None values not supported.",
    )
    assert ("not known before the run" in str(found)) is blames


def test_the_word_that_an_operation_has_in_its_name() -> None:
    source = """
    import keras
    from keras import layers
    def up(x):
        x = layers.UpSampling2D(interpolation="bicubic")(x)
        return layers.Conv2D(1, 3, name="bicubics")(x)
    image = keras.Input((8, 8, 1))
    model = keras.Model(image, up(image))
    model.compile("adam", "mse", jit_compile=True)
    model.fit([], [])
    """
    found = blamed(source, ("<module>", "model.fit"), slug="unsupported-op", op="ResizeBicubic")
    assert lines(found)[0] == 'x = layers.UpSampling2D(interpolation="bicubic")(x)'


@pytest.mark.parametrize(("count", "blames"), [("np.unique(ids).size", True), ("int(ids.max()) + 1", False)])
def test_values_that_do_not_occur_are_not_counted(count: str, blames: bool) -> None:
    source = f"""
    import numpy as np
    import tensorflow as tf
    from rig import ids
    def lookup(rows, ids):
        return tf.gather(rows, ids)
    rows = tf.zeros([{count}, 4])
    out = lookup(rows, ids)
    """
    calls = (("<module>", "out ="), ("lookup", "return tf.gather"))
    found = blamed(source, *calls, message=PAST, slug="index-out-of-range")
    assert ("values that occur" in str(found)) is blames

"""Blame where two sets of names, or two orders of axes, should agree, and where elements are not as they are taken."""

from __future__ import annotations

import pytest

from .programs import blamed, lines

RECORD = """
import json
from dataclasses import dataclass

import keras


@dataclass
class Tower:
    bands: int
    hidden: int = 8
    classes: int = 3


def read(path):
    raw = json.loads(open(path).read())
    return {}


def restored(path):
    spec = read(path)
    net = keras.Sequential([keras.Input((spec.bands,)), keras.layers.Dense(spec.hidden)])
    net.load_weights(path)


restored('here')
"""


@pytest.mark.parametrize(
    ("fields", "copy", "is_blamed"),
    [
        ("    depth: int = 2\n", "Tower(bands=raw['bands'], classes=raw['classes'], depth=raw['depth'])", True),
        ("    depth: int = 2\n", "Tower(bands=raw['bands'], depth=raw['depth'])", False),  # two are left out
        ("", "Tower(bands=raw['bands'], hidden=raw['hidden'], classes=raw['classes'])", False),
    ],
)
def test_of_a_copy_the_one_field_that_is_left_out_is_suspected(fields: str, copy: str, is_blamed: bool) -> None:
    """The others are passed on under their names: the one that keeps its default was forgotten."""
    source = RECORD.replace("    classes: int = 3\n", f"    classes: int = 3\n{fields}").format(copy)
    calls = [("<module>", "restored('here')"), ("restored", "net.load_weights")]
    found = blamed(source, *calls, dims=(8, 20), slug="weight-shape-mismatch")
    assert found is not None
    assert ("at its default" in found.suspects[0].reason) is is_blamed


LAYER = """
import keras


class Fade(keras.layers.Layer):
    def __init__(self, count, cutoff=1.0, **kwargs):
        super().__init__(**kwargs)
        self.count = count
        self.cutoff = cutoff

    def get_config(self):
        return {}


keras.models.load_model('here')
"""


@pytest.mark.parametrize(
    ("config", "is_blamed"),
    [
        ("{**super().get_config(), 'count': self.count}", True),
        ("{**super().get_config(), 'count': self.count, 'cutoff': self.cutoff}", False),
        ("dict(self.__dict__)", False),
    ],
)
def test_a_parameter_that_is_not_saved_is_suspected(config: str, is_blamed: bool) -> None:
    """No name leads from the call that loads to the layer: the line is a suspect all the same."""
    message = "could not be deserialized properly. __init__() missing 1 required positional argument: 'cutoff'"
    calls = ("<module>", "keras.models.load_model")
    found = lines(blamed(LAYER.format(config), calls, message=message, slug="not-xla"))
    assert (found[:1] == [f"return {config}"]) is is_blamed


KEYS = """
import keras

DRIVERS = ('temp', '{}', 'light')
SCALE = {{'temp': 30.0, 'humidity': 100.0, 'light': 9.0}}
UNITS = {{'temp': 'K', 'humidity': '%', 'light': 'lx'}}


def rows():
    return {{name: table[name] for name in SCALE}}


model = keras.Model({{name: keras.Input((1,), name=name) for name in DRIVERS}}, out)
model.fit(rows())
"""


@pytest.mark.parametrize(("name", "is_blamed"), [("humid", True), ("humidity", False)])
def test_the_spelling_of_a_key_that_other_tables_do_not_have_is_suspected(name: str, is_blamed: bool) -> None:
    """Of two tables with the same keys but one the line with the odd one."""
    message = f'Missing data for input "{name}". You passed a data dictionary with keys [...]'
    found = lines(blamed(KEYS.format(name), ("<module>", "model.fit"), message=message, slug="wrong-input-key"))
    assert (found[0].startswith("DRIVERS") if found else False) is is_blamed


TWO_KEYS = """
import keras

def scaled(part, label):
    return {"wave": part["wave"] / 9.0, "CHANGED": part["station"]}, label

wave, station = keras.Input((9,), name="wave"), keras.Input((2,), name="station")
model = keras.Model({"wave": wave, "station": station}, keras.layers.Concatenate()([wave, station]))
model.fit(rows.map(scaled))
"""


@pytest.mark.parametrize(("said", "is_blamed"), [("site", True), ("other", False)])
def test_the_odd_one_of_two_keys_is_suspected_where_the_failure_names_both(said: str, is_blamed: bool) -> None:
    message = f'The model needs data for its input "station"; the keys of the data are "wave", "{said}".'
    text = TWO_KEYS.replace("CHANGED", "site")
    found = lines(blamed(text, ("<module>", "model.fit"), message=message, slug="wrong-input-key"))
    assert any("site" in line for line in found[:1]) == is_blamed


@pytest.mark.parametrize(("asked", "is_blamed"), [("saved.get('width', 32)", True), ("saved.get('most', 5)", False)])
def test_a_key_that_nothing_writes_is_suspected(asked: str, is_blamed: bool) -> None:
    """It is read with a default that is one of the sizes, and the other keys of the same settings are written."""
    source = f"""
        import keras

        SETTINGS = {{'bands': 6, 'hidden': 20}}


        def scores(saved, x):
            kernel = keras.Variable((saved['bands'], {asked}))
            return x @ kernel


        scores(dict(SETTINGS), load())
    """
    calls = [("<module>", "scores(dict"), ("scores", "return x @ kernel")]
    found = blamed(source, *calls, dims=(20, 32), slug="matmul-conv-mismatch")
    assert ("always gets the default" in " ".join(s.reason for s in found.suspects) if found else False) is is_blamed


TURNED = """
import numpy as np
import keras


def cubes(images, groups):
    return np.{}


model = keras.Sequential([keras.Input((16, 16, 4)), keras.layers.Flatten(), keras.layers.Dense(3)])
model.fit(cubes(read(), pairs()), labels)
"""


@pytest.mark.parametrize("turns", ["moveaxis(images[groups], 1, 2)", "swapaxes(images[groups], 1, 2)"])
def test_axes_in_another_order_lead_to_what_turns_them(turns: str) -> None:
    """Both shapes are in the message; nothing else is known of the data."""
    message = "expected shape=(None, 16, 16, 4), found shape=(None, 16, 4, 16)"
    found = blamed(TURNED.format(turns), ("<module>", "model.fit"), dims=(16, 4), message=message)
    assert lines(found)[0] == f"return np.{turns}"


def test_a_size_is_not_outvoted_where_axes_are_turned() -> None:
    """Both sizes are right: that most of the program has 16 says nothing."""
    message = "expected shape=(None, 16, 16), found shape=(None, 16, 4)"  # another size: no turned axes
    found = blamed(TURNED.format("stack(images)"), ("<module>", "model.fit"), dims=(16, 4), message=message)
    assert all("another order" not in s.reason for s in (found.suspects if found is not None else ()))


STREAM = """
import tensorflow as tf


class Net(tf.keras.Model):
    def train_step(self, data):
        noisy, clean = data
        return {{}}


def stream(curves):
    data = tf.data.Dataset.from_tensor_slices(curves)
    data = data.map(lambda curve: {})
    return data.batch(4)


Net().fit(stream(read()))
"""


@pytest.mark.parametrize(("made", "is_blamed"), [("noised(curve)", True), ("(noised(curve), curve)", False)])
def test_elements_of_one_part_are_suspected_where_two_are_taken(made: str, is_blamed: bool) -> None:
    """A pair that the stage makes speaks for it."""
    message = "Iterating over a symbolic `tf.Tensor` is not allowed."
    calls = [("<module>", "Net().fit"), ("train_step", "noisy, clean = data")]
    found = lines(blamed(STREAM.format(made), *calls, message=message, slug="not-xla"))
    assert (found[0].startswith("data = data.map") if found else False) is is_blamed


def test_a_mark_for_no_class_leads_to_the_loss_that_takes_it_for_one() -> None:
    """Nothing is far beyond the last class by one row too many."""
    source = """
        import keras

        VOID = 255


        def masks():
            labels = read()
            labels[labels == 7] = VOID
            return labels


        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5)])
        model.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(images, masks())
    """
    message = "Received a label value of {} which is outside the valid range of [0, 5)."
    call = ("<module>", "model.fit")
    found = blamed(source, call, message=message.format(255), slug="index-out-of-range")
    assert {line.split("(")[0].split(" =")[0] for line in lines(found)[:2]} == {"model.compile", "VOID"}
    found = blamed(source, call, message=message.format(5), slug="index-out-of-range")
    assert "ignore_class" not in " ".join(s.reason for s in (found.suspects if found is not None else ()))


def test_windows_whose_starts_a_function_gives_are_followed_to_it() -> None:
    """The function of the starts has the mistake, not the line that cuts."""
    source = """
        import numpy as np


        def starts(total, hop):
            return range(0, total, hop)


        def parts(signal, size):
            return [signal[s:s + size] for s in starts(len(signal), size)]


        table = np.stack(parts(read(), 30))
    """
    message = "all input arrays must have the same shape"
    found = blamed(source, ("<module>", "table = np.stack"), message=message, slug="concat-pack-mismatch")
    assert lines(found)[0] == "return range(0, total, hop)"


def test_of_values_taken_at_the_same_rows_the_whole_one_is_suspected() -> None:
    """`x[train], y[train], weights`."""
    source = """
        import numpy as np

        weights = weigh(y)


        def learning(train):
            return x[train], y[train], weights


        a, b, c = learning(rows)
        model.fit(a, b, sample_weight=c)
    """
    message = "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples. x sizes: 30, 40"
    found = blamed(source, ("<module>", "model.fit"), dims=(30, 40), message=message)
    assert lines(found)[0] == "return x[train], y[train], weights"


YIELDS = """
import tensorflow as tf


def clips():
    for clip in read():
        yield clip[..., None], 1


SPEC = (tf.TensorSpec((20, 20), tf.float32), tf.TensorSpec((), tf.int32))
model = tf.keras.Sequential([tf.keras.Input({}), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
model.fit(tf.data.Dataset.from_generator(clips, output_signature=SPEC).batch(4))
"""


@pytest.mark.parametrize(("shape", "first"), [("(20, 20, 1)", "SPEC ="), ("(20, 20)", "yield clip")])
def test_of_a_signature_and_an_element_that_which_the_model_agrees_with_is_right(shape: str, first: str) -> None:
    """The model is a third opinion."""
    message = "`generator` yielded an element of shape (20, 20, 1) where an element of shape (20, 20) was expected."
    found = blamed(YIELDS.format(shape), ("<module>", "model.fit"), message=message, slug="contract-violation")
    assert lines(found)[0].startswith(first)


HEADS = """
import tensorflow as tf

def example(rows, age, weight_of_row):
    return rows / 9.0, age, LAST

ds = tf.data.Dataset.from_tensor_slices((rows, age, more)).map(example)
model.fit(ds)
"""


@pytest.mark.parametrize(
    ("last", "said", "is_blamed"),
    [
        ("tf.math.log(mass)", "y_true and y_pred have different structures. y_true: * y_pred: [...]", True),
        ("sample_weight", "y_true and y_pred have different structures. y_true: * y_pred: [...]", False),
        ("tf.math.log(mass)", "Something else", False),
    ],
)
def test_a_second_target_in_the_place_of_weights_is_suspected(last: str, said: str, is_blamed: bool) -> None:
    found = blamed(HEADS.replace("LAST", last), ("<module>", "model.fit"), message=said, slug="not-xla")
    assert any("several targets" in s.reason for s in (found.suspects if found else ())) == is_blamed


FRAME = """
import tensorflow as tf

class Frame:
    def __init__(self, inner, outer):
        self.inner = inner
        self.outer = outer

    def crop(self, images):
        return tf.reshape(images, [-1, self.inner, self.inner])

class Stage:
    def __init__(self, outer, width):
        self.frame = Frame(CALL)

    def run(self, images):
        return self.frame.crop(images)

Stage(32, 16).run(load())
"""


@pytest.mark.parametrize(
    ("call", "is_blamed"), [("outer, width", True), ("width, outer", False), ("inner=width, outer=outer", False)]
)
def test_an_argument_in_the_place_of_another_parameter_is_suspected(call: str, is_blamed: bool) -> None:
    frames = (("<module>", "Stage(32, 16).run"), ("Stage.run", "return self.frame.crop"), ("Frame.crop", "return tf."))
    found = blamed(FRAME.replace("CALL", call), *frames, dims=(512, 1024), slug="reshape-mismatch")
    reasons = [s.reason for s in (found.suspects if found else ())]
    assert ("It gives `outer` in the place of `inner`." in reasons) == is_blamed


@pytest.mark.parametrize(("key", "blames"), [("wind", True), ("winds", False)])
def test_a_key_that_is_given_and_not_wanted(key: str, blames: bool) -> None:
    source = f"""
    import keras
    from rig import tables, columns
    def batch(r):
        return {{"rain": r[0], "{key}": r[1]}}, r[2]
    model = keras.Model([keras.Input(c.shape, name=c.name) for c in columns], 0)
    model.fit(tables.map(batch))
    """
    message = (
        "Missing data for input 'winds'. You passed a data dictionary with keys ['rain', 'wind']. "
        "Expected the following keys: ['rain', 'winds']"
    )
    found = blamed(source, ("<module>", "model.fit"), slug="wrong-input-key", message=message)
    assert ("the model wants `winds`" in str(found)) is blames

"""Blame by what a function's description says of its result: names, number and order of its axes."""

from __future__ import annotations

import pytest

from xladoctor.blame.documented import result_said, shapes_said

from .programs import blamed, lines


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("(batch * lead, ...) -> (batch, lead, ...)", ("batch", "lead", "...")),
        ("dose: (batch,) in mg; returns (batch, compartments).", ("batch", "compartments")),
        ("Returns float32 (n, 128, 128, 1).", ("n", "128", "128", "1")),
        ("(days, n_features) float32.", ("days", "n_features")),
        ("Patterns (G, N, N, C) and offsets (G, C, 2).", None),
        ("Reads the table (or makes it, if there is none).", None),
        ("All of it.", None),
    ],
)
def test_the_shape_that_a_description_gives(text: str, shape: tuple[str, ...] | None) -> None:
    assert result_said(text) == shape


def test_words_in_brackets_are_no_shape() -> None:
    assert shapes_said("a mask (one for padding, zero for the rest of it)") == []


SPLIT = """
import tensorflow as tf
from rig import load
def apart(x, leads):
    '''{}'''
    return tf.reshape(x, tf.concat([[{}], tf.shape(x)[1:]], axis=0))
def loss(signal, leads):
    return tf.reduce_mean(apart(signal, leads) - load())
out = loss(load(), 12)
"""


@pytest.mark.parametrize(
    ("said", "order", "blames"),
    [
        ("(batch * leads, ...) -> (batch, leads, ...)", "leads, -1", True),
        ("(batch * leads, ...) -> (batch, leads, ...)", "-1, leads", False),
        ("(batch * leads, ...) -> (leads, batch, ...)", "leads, -1", False),
        ("Takes the leads apart.", "leads, -1", False),
    ],
)
def test_axes_in_another_order_than_they_are_described(said: str, order: str, blames: bool) -> None:
    found = blamed(
        SPLIT.format(said, order),
        ("<module>", "out ="),
        ("loss", "return tf.reduce_mean"),
        slug="broadcast-mismatch",
        message="Incompatible shapes: [12,4,80] vs. [4,12,80]",
    )
    assert ("as apart is described" in str(found)) is blames
    if blames:
        assert "tf.reshape" in lines(found)[0]


RANKS = """
import tensorflow as tf
def start(dose):
    '''All of it in the first tank: {}.'''
    return tf.concat([tf.reduce_mean(dose, keepdims=True), tf.zeros([2])], axis=0)
def run(dose):
    state = tf.zeros([8, 3])
    return tf.concat([state, start(dose)], axis=0)
out = run(tf.ones([8]))
"""


@pytest.mark.parametrize(("said", "blames"), [("returns (batch, tanks)", True), ("returns (tanks,)", False)])
def test_another_number_of_axes_than_is_described(said: str, blames: bool) -> None:
    found = blamed(
        RANKS.format(said),
        ("<module>", "out ="),
        ("run", "return tf.concat([state"),
        slug="rank-mismatch",
        message="Ranks of all inputs must agree: shape[0] = [8,3] vs. shape[1] = [3]",
    )
    assert ("start is described" in str(found)) is blames


LAST = """
import numpy as np
import keras
from rig import frames, groups
def arrays(table):
    '''{}'''
    grouped = frames[groups]
    return {}
def build():
    images = keras.Input((16, 16, 4), name='images')
    turned = keras.layers.Permute((3, 1, 2))(images)
    return keras.Model(images, keras.layers.Flatten()(turned))
x = arrays(0)
build().predict(x)
"""


@pytest.mark.parametrize(
    ("said", "given", "first"),
    [
        ("The frames with channels last.", "grouped", "grouped = frames[groups]"),
        ("The frames of each group.", "grouped", ""),
        ("The frames with channels last.", "np.moveaxis(grouped, 1, 2)", "return np.moveaxis(grouped, 1, 2)"),
    ],
)
def test_channels_that_do_not_stand_where_it_is_said(said: str, given: str, first: str) -> None:
    found = blamed(
        LAST.format(said, given),
        ("<module>", "build().predict"),
        message=(
            "Input 0 with name 'images' of layer 'functional' is incompatible with the layer: "
            "expected shape=(None, 16, 16, 4), found shape=(32, 4, 16, 16)"
        ),
    )
    told = [s.code for s in found.suspects if s.specific] if found is not None else []
    assert not any("Permute" in code for code in told)
    assert not first or told[0] == first


CORNERS = """
import tensorflow as tf
def shares(f):
    '''(P, 3) float32'''
    return tf.stack([f, 1 - f, f * f], axis={})
def laid(grid, f):
    return tf.tensor_scatter_nd_add(grid, tf.zeros([50, 3, 1], tf.int32), shares(f))
out = laid(tf.zeros([9]), tf.zeros([50]))
"""


@pytest.mark.parametrize(("axis", "blames"), [("0", True), ("1", False)])
def test_as_many_as_are_stacked_stand_where_it_is_said(axis: str, blames: bool) -> None:
    found = blamed(
        CORNERS.format(axis).replace("\\'", "'"),
        ("<module>", "out ="),
        ("laid", "return tf.tensor"),
        slug="broadcast-mismatch",
        dims=(50, 3),
        message="Dimensions [0,2) of indices[shape=[50,3,1]] must match dimensions [0,2) of updates[shape=[3,50]]",
    )
    assert ("as shares is described" in str(found)) is blames


PUPIL = """
import tensorflow as tf
def disc(n):
    '''A {} pupil.'''
    return tf.cast(tf.range(n) < 4, {})
def field(phase):
    return disc(8) * tf.exp(tf.complex(phase, phase))
out = field(tf.zeros([8]))
"""


@pytest.mark.parametrize(
    ("said", "kind", "blames"),
    [("complex64", "tf.float32", True), ("complex64", "tf.complex64", False), ("real", "tf.float32", False)],
)
def test_a_type_that_is_promised(said: str, kind: str, blames: bool) -> None:
    found = blamed(
        PUPIL.format(said, kind),
        ("<module>", "out ="),
        ("field", "return disc"),
        slug="dtype-mismatch",
        message="cannot compute Mul as input #1 was expected to be a float tensor but is a complex64 tensor",
    )
    assert ("is described with 'complex64'" in str(found)) is blames


@pytest.mark.parametrize(("line", "blames"), [("traces", True), ("np.array([np.pad(t, 9) for t in traces])", False)])
def test_a_padding_that_is_promised(line: str, blames: bool) -> None:
    source = f"""
    import numpy as np
    import tensorflow as tf
    from rig import files
    def load(files):
        '''Zero-padded traces.'''
        traces = [np.load(f) for f in files]
        return {line}
    out = tf.stack(load(files))
    """
    message = "Shapes of all inputs must match: values[0].shape = [80] != values[1].shape = [96]"
    found = blamed(source, ("<module>", "out ="), slug="concat-pack-mismatch", dims=(80, 96), message=message)
    assert ("is described with 'padded'" in str(found)) is blames

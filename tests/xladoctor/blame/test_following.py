"""What the follower of a program knows of its names at the end: sizes, and the lines that they come from."""

from __future__ import annotations

import textwrap

import pytest

from tests.xladoctor.blame.programs import MAIN
from xladoctor.blame.crash import Crash, Seen
from xladoctor.blame.follow import Follower
from xladoctor.blame.suspicion import chain
from xladoctor.blame.values import Array, Value, array, number
from xladoctor.sources.files import Files

HEAD = "import numpy as np, tensorflow as tf\nfrom tensorflow.keras import layers\n"


def followed(source: str, **seen: tuple[str, ...]) -> dict[str, Value]:
    """The names of a program."""
    text = HEAD + textwrap.dedent(source)
    run = Follower(Files({MAIN: text}.get, ("/work",)), Crash((), seen=Seen(**seen)), {})  # type: ignore[arg-type]
    run.run(MAIN)
    return run.scopes[0].names


SETTINGS = {
    "a data class": """
        from dataclasses import dataclass, field, replace
        @dataclass
        class Base:
            depth: int = 2
        @dataclass
        class Config(Base):
            width: int = 3
            sizes: list = field(default_factory=lambda: [5, 6])
            def __post_init__(self):
                self.total = self.width * self.sizes[1]
        given = Config(2, width=7)
        n = given.total + replace(given, depth=1).depth + Config().width
        assert n == 42 + 1 + 3
        """,
    "a named tuple": """
        from typing import NamedTuple
        class Size(NamedTuple):
            rows: int
            columns: int = 4
        n = Size(3)._replace(rows=5).rows * Size(3).columns
        """,
    "options": """
        import argparse
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("model")
        group.add_argument("--hidden-units", type=int, default=12)
        parser.add_argument("-n", "--rows", default="8", type=int)
        args = parser.parse_args()
        n = args.hidden_units + vars(args)["rows"]
        """,
    "a namespace": """
        from types import SimpleNamespace
        cfg = SimpleNamespace(width=3)
        cfg.height = 5
        n = getattr(cfg, "width") * cfg.height
        """,
    "arguments given before": """
        from functools import partial
        def grid(rows, columns=1):
            return rows * columns
        n = partial(grid, columns=6)(5)
        """,
    "the class above": """
        class Block:
            def __init__(self, units):
                self.units = units
            def size(self):
                return self.units
        class Wide(Block):
            def __init__(self, units):
                super().__init__(units * 2)
            def size(self):
                return super().size() + 1
        n = Wide(4).size()
        """,
    "methods of classes": """
        class Plan:
            FACTOR = 3
            def __init__(self, n):
                self.n = n
            @classmethod
            def of(cls, n):
                return cls(n * cls.FACTOR)
            @staticmethod
            def twice(n):
                return 2 * n
        Plan.FACTOR = 5
        n = Plan.twice(Plan.of(2).n)
        """,
    "dicts": """
        cfg = dict(width=4)
        cfg.update(height=2, depth=9)
        cfg.setdefault("depth", 1)
        sizes = {f"block{i}": i for i in range(4)}
        n = cfg["width"] * cfg.get("height") + cfg["depth"] + sizes["block3"] + len(sizes)
        """,
    "plain functions": """
        import math
        sizes = list(map(int, "3,4".split(",")))
        sizes.insert(0, 2)
        n = sum(sizes) + math.ceil(7 / 2) + int(np.prod([2, 3])) + max(sizes) + divmod(9, 4)[1]
        """,
}
WANTED = dict(zip(SETTINGS, (46, 20, 20, 15, 30, 9, 20, 24, 24), strict=True))


@pytest.mark.parametrize("what", SETTINGS)
def test_numbers_are_followed_through(what):
    assert number(followed(SETTINGS[what])["n"]) == WANTED[what]


def test_the_command_line_comes_before_a_default():
    names = followed(SETTINGS["options"], argv=("python", "train.py", "--hidden-units", "20", "--rows=4"))
    assert number(names["n"]) == 24


SHAPES = {
    "np.moveaxis(np.zeros((2, 3, 4)), 0, -1)": (3, 4, 2),
    "tf.broadcast_to(tf.zeros((1, 3)), (5, 3))": (5, 3),
    "tf.linalg.matvec(tf.zeros((2, 3, 4)), tf.zeros((2, 4)))": (2, 3),
    "tf.tensordot(tf.zeros((2, 3, 4)), tf.zeros((4, 5)), 1)": (2, 3, 5),
    "tf.tensordot(tf.zeros((2, 3)), tf.zeros((3, 5)), [[1], [0]])": (2, 5),
    "np.outer(np.zeros(3), np.zeros(4))": (3, 4),
    "tf.slice(tf.zeros((5, 6)), [1, 2], [2, -1])": (2, 4),
    "tf.image.random_crop(tf.zeros((9, 9, 3)), (4, 5, 3))": (4, 5, 3),
    "tf.image.rgb_to_grayscale(tf.zeros((2, 9, 9, 3)))": (2, 9, 9, 1),
    "tf.nn.space_to_depth(tf.zeros((1, 8, 6, 3)), 2)": (1, 4, 3, 12),
    "tf.nn.depth_to_space(tf.zeros((1, 4, 3, 12)), 2)": (1, 8, 6, 3),
    "tf.image.extract_patches(tf.zeros((1, 9, 8, 2)), [1, 3, 2, 1], [1, 3, 2, 1], [1, 1, 1, 1], 'VALID')": (
        1,
        3,
        4,
        12,
    ),
    "tf.signal.stft(tf.zeros((2, 1000)), 200, 100)": (2, 9, 129),
    "tf.signal.frame(tf.zeros((2, 1000)), 200, 100)": (2, 9, 200),
    "tf.signal.rfft(tf.zeros((2, 10)))": (2, 6),
    "tf.math.top_k(tf.zeros((4, 9)), k=2)[0]": (4, 2),
    "tf.scatter_nd([[0]], [1.0], (7, 2))": (7, 2),
    "tf.sequence_mask(tf.zeros((3,)), 8)": (3, 8),
    "np.column_stack([np.zeros(4), np.zeros((4, 2))])": (4, 3),
    "tf.map_fn(lambda r: tf.reduce_sum(r, axis=0), tf.zeros((4, 3, 2)))": (4, 2),
    "tf.cond(flag(), lambda: tf.zeros((2, 2)), lambda: tf.zeros((2, 2)))": (2, 2),
    "tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (0, tf.zeros((3, 2))))[1]": (3, 2),
    "tf.signal.fft2d(tf.zeros((2, 8, 8)))": (2, 8, 8),
    "layers.Attention()([layers.Input((5, 8)), layers.Input((7, 8))])": (None, 5, 8),
    "layers.MultiHeadAttention(2, 4)(layers.Input((5, 8)), layers.Input((7, 8)))": (None, 5, 8),
    "layers.Resizing(32, 24)(layers.Input((9, 9, 3)))": (None, 32, 24, 3),
    "layers.RandomFlip()(layers.Input((9, 9, 3)))": (None, 9, 9, 3),
    "layers.Conv1DTranspose(6, 4, strides=2, padding='same')(layers.Input((9, 3)))": (None, 18, 6),
    "layers.Conv2D(6, 3, dilation_rate=2)(layers.Input((9, 9, 3)))": (None, 5, 5, 6),
    "tf.keras.applications.VGG16(include_top=False, input_shape=(64, 96, 3)).output": (None, 2, 3, 512),
    "tf.keras.applications.ResNet50(include_top=False, pooling='avg').output": (None, 2048),
}


@pytest.mark.parametrize("expression", SHAPES)
def test_shapes_of_functions_and_layers(expression):
    found = array(followed(f"x = {expression}")["x"])
    assert found is not None and found.sizes == SHAPES[expression]


def test_a_layer_of_a_model_is_found_by_its_name():
    names = followed("""
        x = layers.Input((5,))
        h = layers.Dense(7, name="hidden")(x)
        whole = tf.keras.Model(x, layers.Dense(3)(h))
        part = tf.keras.Model(whole.input, whole.get_layer("hidden").output)
        class Net(tf.keras.Model):
            def __init__(self):
                x = layers.Input((4,))
                super().__init__(inputs=x, outputs=layers.Dense(6)(x))
        y, z = part(x), Net()(tf.zeros((2, 4)))
        """)
    assert [v.sizes for name in "yz" if isinstance(v := names[name], Array)] == [(None, 7), (None, 6)]


def test_stages_that_take_a_pipeline_apart():
    names = followed("""
        data = tf.data.Dataset.from_tensor_slices(tf.zeros((20, 6))).batch(5)
        rows = next(iter(data.unbatch()))
        i, batch = next(iter(data.enumerate()))
        """)
    assert [v.sizes for n in ("rows", "batch") if isinstance(v := names[n], Array)] == [(6,), (None, 6)]


def test_a_size_that_came_through_settings_leads_to_its_line():
    names = followed("""
        from dataclasses import dataclass
        @dataclass
        class Config:
            width: int = 24
        def head(cfg):
            return layers.Dense(cfg.width)
        x = head(Config())(layers.Input((3,)))
        """)
    found = names["x"]
    assert isinstance(found, Array) and found.dims is not None
    assert 7 in [origin.line for origin, _ in chain(found.dims[-1].origin)]

"""Blame in checkouts: settings in a file beside the package, sizes derived from settings, arrays that go through
containers and files of arrays.
"""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines
from tests.xladoctor.blame.test_following import followed
from xladoctor.blame.values import Array, array, number

PARAMS = "/work/tide/params.py"
NETWORK = "/work/tide/network.py"
SCRIPT = """
    import argparse, pathlib, sys
    ROOT = pathlib.Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(ROOT))
    import keras, numpy as np
    from tide import network, params
    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--config", default=str(ROOT / "conf" / "harbour.yaml"))
        parser.add_argument("--levels", type=int)
        args = parser.parse_args()
        params.load(args.config)
        params.update(levels=args.levels)
        levels = params.get("levels")
        series = np.zeros((40, levels, levels)).reshape(40, -1)
        net = network.build()
        net.fit({"gauges": series}, series, epochs=1)
    main()
    """
SETTINGS = """
    import yaml
    cfg = {"levels": 1, "channels": None}
    def get(key):
        return cfg[key]
    def derive():
        cfg["channels"] = cfg["levels"] * 2
    def update(**changes):
        for key, value in changes.items():
            if value is not None:
                cfg[key] = value
        return derive()
    def load(path):
        with open(path) as handle:
            return update(**yaml.safe_load(handle))
    derive()
    """
MODEL = """
    import keras
    from . import params
    def build():
        gauges = keras.Input((params.get("channels"),), name="gauges")
        return keras.Model({"gauges": gauges}, keras.layers.Dense(params.get("channels"))(gauges))
    """


def test_a_formula_that_fits_the_usual_setting_only() -> None:
    """Two lines make one size of one setting, once doubled and once squared: 2 * 2 is 2 ** 2, 3 * 2 is not 3 ** 2."""
    found = blamed(
        SCRIPT,
        ("<module>", "main()"),
        ("main", "net.fit("),
        dims=(6, 9),
        more={PARAMS: SETTINGS, NETWORK: MODEL, "/work/tide/__init__.py": "", "/work/conf/harbour.yaml": "levels: 2\n"},
        argv=("python", "train.py", "--levels", "3"),
    )
    assert found is not None
    assert found.suspects[0].code == 'cfg["channels"] = cfg["levels"] * 2'
    assert (found.suspects[0].old.strip(), found.suspects[0].new.strip()) == ("*", "**")


def test_one_array_that_is_left_whole_beside_those_that_are_cut() -> None:
    found = blamed(
        """
        import keras, numpy as np
        class Survey:
            def __init__(self, spectra, depths, station):
                self.spectra, self.depths, self.station = spectra, depths, station
            def take(self, rows):
                return Survey(self.spectra[rows], self.depths, self.station)
        whole = Survey(np.zeros((60, 8)), np.zeros((60, 1)), np.zeros(3))
        part = whole.take(np.random.permutation(60)[10:])
        net = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
        net.compile("adam", "mse")
        net.fit(part.spectra, part.depths)
        """,
        ("<module>", "net.fit("),
        dims=(50, 60),
        message="Data cardinality is ambiguous. 'x' sizes: 50 'y' sizes: 60",
    )
    assert "return Survey(self.spectra[rows], self.depths, self.station)" in lines(found)[:2]


SHAPES = {
    "a permutation of a count": ("np.random.default_rng(0).permutation(max(1, 7))[2:]", (5,)),
    "the rows of a permutation of an array": ("np.random.permutation(np.zeros((6, 2)))", (6, 2)),
    "a draw for each item": ("np.random.default_rng(1).poisson(np.zeros((5, 4)) * 3)", (5, 4)),
    "a draw of a size": ("np.random.poisson(3.0, (5, 4))", (5, 4)),
    "a number of unknown value beside an array": ("np.zeros((3, 2)) * float(unknown())", (3, 2)),
    "an open mesh": ("np.mgrid[:4, 1:6]", (2, 4, 5)),
    "a part that starts anywhere": ("np.zeros((20, 3))[start:start + 4]", (4, 3)),
    "ones for an unknown number of rows": ("tf.ones(tf.shape(layers.Input((2,)))[0])", (None,)),
}


@pytest.mark.parametrize(("text", "sizes"), SHAPES.values(), ids=SHAPES)
def test_the_shape_of(text: str, sizes: tuple[int | None, ...]) -> None:
    found = array(followed(f"start = len(unknown())\nmade = {text}\n")["made"])
    assert isinstance(found, Array)
    assert found.sizes == sizes


def test_arrays_keep_their_shapes_through_a_file() -> None:
    names = followed("""
        np.savez("scan.npz", spectra=np.zeros((9, 4)))
        with np.load("scan.npz") as store:
            spectra = store["spectra"].astype("float32")
            other = store["other"]
        """)
    assert array(names["spectra"]).sizes == (9, 4)  # type: ignore[union-attr]
    assert array(names["other"]).dims is None  # type: ignore[union-attr]


def test_what_predict_gives_has_the_rows_of_the_data() -> None:
    names = followed("""
        depth = layers.Input((6,), name="depth")
        net = tf.keras.Model(depth, {"salt": layers.Dense(2)(depth), "heat": layers.Dense(3)(depth)})
        salt = net.predict(np.zeros((11, 6)))["salt"]
        """)
    assert array(names["salt"]).sizes == (11, 2)  # type: ignore[union-attr]


def test_settings_that_keep_their_types() -> None:
    names = followed("""
        def coerce(value, kind):
            if isinstance(value, str) and kind is not str:
                return kind(value)
            return kind(value)
        n = coerce("7", type(3)) + coerce(2, int)
        m = {"width": 5} or {}
        width = m["width"]
        """)
    assert (number(names["n"]), number(names["width"])) == (9, 5)


def test_a_function_of_a_package_that_has_the_name_of_its_module() -> None:
    found = blamed(
        """
        import numpy as np
        from kelp import grow
        np.zeros((4, 3)) + grow(5)
        """,
        ("<module>", "np.zeros"),
        dims=(3, 5),
        slug="broadcast-mismatch",
        more={
            "/work/kelp/__init__.py": "from .grow import grow\n",
            "/work/kelp/grow.py": "import numpy as np\ndef grow(size):\n    return np.zeros((4, size))\n",
        },
    )
    assert found is not None
    assert found.constraint is not None
    assert sorted(o.size or 0 for o in found.constraint.operands) == [3, 5]


def test_one_element_for_a_function_that_gets_batches_elsewhere() -> None:
    found = blamed(
        """
        import numpy as np, tensorflow as tf
        heard = tf.keras.layers.Conv1D(3, 2)
        def turned(clips):
            return heard(tf.transpose(clips, (0, 2, 1)))
        clips = np.zeros((12, 40, 5), "float32")
        def train():
            return turned(clips)
        def listen():
            return [turned(clip) for clip in clips]
        train()
        listen()
        """,
        ("<module>", "listen()"),
        ("listen", "return [turned(clip)"),
        ("turned", "return heard("),
        dims=(2, 3),
        slug="rank-mismatch",
        message="transpose expects a vector of size 2. But input(1) is a vector of size 3",
    )
    assert lines(found)[0] == "return [turned(clip) for clip in clips]"
    assert found is not None
    assert found.suspects[0].reason == "It gives `clips` 2 axes, and the call at train.py:7 gives 3."


def test_a_size_of_the_data_that_pooling_rounds() -> None:
    found = blamed(
        """
        import keras, numpy as np
        from keras import layers
        SIDE = 30
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.small = layers.MaxPooling2D(4)
                self.large = layers.UpSampling2D(4)
                self.act = keras.activations.get("relu")
            def call(self, maps):
                return self.act(self.large(self.small(maps))) * np.ones((SIDE, SIDE, 1), "float32")
        net = Net()
        net(np.zeros((8, SIDE, SIDE, 2), "float32"))
        """,
        ("<module>", "net(np"),
        ("call", "return self.act"),
        dims=(28, 30),
        slug="broadcast-mismatch",
    )
    assert lines(found)[0] == "SIDE = 30"


def test_a_settings_file_whose_path_is_put_together() -> None:
    found = blamed(
        """
        import json, os
        import numpy as np
        HERE = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(HERE, "..", "conf", "reef.json")) as handle:
            settings = json.load(handle)
        np.zeros((4, settings["bands"])) + np.zeros((4, 6))
        """,
        ("<module>", "np.zeros"),
        dims=(5, 6),
        slug="broadcast-mismatch",
        more={"/work/conf/reef.json": '{\n "bands": 5\n}\n'},
    )
    assert '"bands": 5' in lines(found)


def test_two_arguments_in_each_other_s_place() -> None:
    found = blamed(
        """
        import numpy as np
        def spread(heat, walls, glass):
            return heat * glass + walls[:, 0]
        def house(heat, walls, glass):
            return spread(heat, glass, walls)
        house(np.zeros((4, 6)), np.zeros((6, 2)), np.zeros((4, 6)))
        """,
        ("<module>", "house(np"),
        ("house", "return spread("),
        ("spread", "return heat"),
        dims=(4, 6),
        slug="broadcast-mismatch",
    )
    assert lines(found)[0] == "return spread(heat, glass, walls)"

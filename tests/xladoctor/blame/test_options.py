"""Blame for what selects and not measures: a word, a member of an enumeration, a switch; and for settings of which
nobody knows how they come from their file.
"""

from __future__ import annotations

import ast

import pytest

from xladoctor.blame.bindings import index
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.options import alternatives
from xladoctor.blame.slices import hops
from xladoctor.sources.files import Files

from .programs import MAIN, blamed


def mended(found) -> set[str]:
    """The lines of which an edit makes everything fit."""
    return {s.code for s in found.suspects if s.old} if found is not None else set()


POOLING = """
import tensorflow as tf
POOLS = {"mean": lambda x: tf.reduce_mean(x, 1), "none": lambda x: tf.identity(x)}
KIND = "none"
def pooled(x):
    return POOLS[KIND](x)
states = tf.zeros([4, 7, 3])
made = pooled(states)
wanted = tf.zeros([4, 3])
loss = made * wanted
"""
ENUMERATION = """
import tensorflow as tf
from enum import Enum
class Pool(Enum):
    MEAN = "mean"
    NONE = "none"
KIND = Pool.NONE
def pooled(x):
    if KIND is Pool.MEAN:
        x = tf.reduce_mean(x, 1)
    return x
states = tf.zeros([4, 7, 3])
made = pooled(states)
wanted = tf.zeros([4, 3])
loss = made * wanted
"""
SWITCH = """
import tensorflow as tf
SETTINGS = {
    "width": 3,
    "whole": True,
}
def pooled(x):
    if not SETTINGS["whole"]:
        x = tf.reduce_mean(x, 1)
    return x
states = tf.zeros([4, 7, 3])
made = pooled(states)
wanted = tf.zeros([4, 3])
loss = made * wanted
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [(POOLING, 'KIND = "none"'), (ENUMERATION, "KIND = Pool.NONE"), (SWITCH, '"whole": True,')],
    ids=["word", "member", "switch"],
)
def test_another_choice_is_tried(source: str, line: str) -> None:
    found = blamed(
        source, ("<module>", "loss = made"), dims=(7, 4), slug="broadcast-mismatch",
        message="Incompatible shapes: [4,7,3] vs. [4,3] [Op:Mul]",
    )  # fmt: skip
    assert line in mended(found), found and found.suspects


def test_words_that_select_nothing_have_no_alternatives() -> None:
    tree = ast.parse('SIZES = {"small": 3, "large": 9}\nNAME = "small"\nprint(NAME)')
    assert not alternatives([tree])


NET = (
    "import tensorflow as tf\ndef run(x, width):\n    kernel = tf.zeros([width, 3])\n    return tf.matmul(x, kernel)\n"
)


@pytest.mark.parametrize(
    "read",
    [
        "cfg = Reader(path).everything()",
        "cfg = json.load(open(Path(__file__).with_name('net.json')), object_hook=lambda d: SimpleNamespace(**d))",
        "class View:\n    def __getattr__(self, name):\n        return json.load(open('net.json'))[name]\ncfg = View()",
    ],
    ids=["unknown", "hook", "getattr"],
)
def test_settings_need_no_known_reader(read: str) -> None:
    source = f"""
import json
import tensorflow as tf
from pathlib import Path
from types import SimpleNamespace
from net import run
path = 'net.json'
{read}
x = tf.zeros([5, 9])
run(x, cfg.layers)
"""
    found = blamed(
        source, ("<module>", "run(x, cfg.layers)"), ("run", "return tf.matmul"), dims=(9, 8),
        slug="matmul-conv-mismatch",
        more={"/work/net.py": NET, "/work/net.json": '{\n"name": "a",\n"layers": 8\n}'},
    )  # fmt: skip
    assert found is not None
    assert '"layers": 8' in {step.code for side in found.provenance for step in side.steps}


def test_settings_lie_beside_the_module_that_names_them() -> None:
    files = {
        "/work/train.py": "from kit import load\nload.width()\n",
        "/work/kit/__init__.py": "",
        "/work/kit/load.py": "def width():\n    return read('own.json')['wide']\n",
        "/work/kit/own.json": '{"wide": 3}',
    }
    known = index(Files(files.get, ("/work",)), "/work/train.py")
    assert [place.file for place in known.settings["wide"]] == ["/work/kit/own.json"]


def of_main(source: str, *frames: Frame) -> set[str]:
    """The lines that a failure depends on."""
    rows = source.split("\n")
    return {
        rows[line - 1].strip() for _, line in hops(index(Files({MAIN: source}.get, ("/work",)), MAIN), Crash(frames))
    }


def test_a_word_leads_to_what_it_selects_and_a_table_to_who_asks_it() -> None:
    source = """STAGES = {}
def stage(f):
    STAGES[f.__name__] = f
@stage
def dropped(x):
    return cut(x)
ORDER = ["scaled", "dropped"]
def score(log):
    for name in ORDER:
        log = STAGES[name](log)
    return total(log)
POOLS = {
    "mean": lambda x: mean(x),
}
def pooled(x, kind):
    return POOLS[kind](x)
KIND = "mean"
score(1)
pooled(2, KIND)
"""
    assert "return cut(x)" in of_main(source, Frame(MAIN, 19, "<module>"), Frame(MAIN, 11, "score"))
    assert 'KIND = "mean"' in of_main(source, Frame(MAIN, 13, "<lambda>"))


def test_what_calls_nothing_by_name_is_followed_by_the_traceback() -> None:
    source = """def handler(rows):
    return total(rows)
TABLE = {"a": handler}
data = load()
TABLE["a"](data)
"""
    assert "data = load()" in of_main(source, Frame(MAIN, 5, "<module>"), Frame(MAIN, 2, "handler"))

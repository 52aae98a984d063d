"""Blame where sizes come from files of settings, from counts and lists, and edits that would have no meaning."""

from __future__ import annotations

import pytest

from xladoctor.model.blame import Blame

from .programs import blamed, lines

NET = """
import tensorflow as tf
def run(x, width):
    kernel = tf.zeros([width, 3])
    return tf.matmul(x, kernel)
"""


def matmul(
    source: str, piece: str, *sizes: int, more: dict[str, str] | None = None, argv: tuple[str, ...] = ()
) -> Blame | None:
    """The blame where `run` of another file multiplies what a program gives it."""
    files = {"/work/net.py": NET, **(more or {})}
    calls = (("<module>", piece), ("run", "return tf.matmul"))
    return blamed("import tensorflow as tf\nfrom net import run\n" + source, *calls, dims=sizes, more=files,
                  slug="matmul-conv-mismatch", argv=argv)  # fmt: skip


def test_settings_are_read_from_the_file_that_the_program_reads() -> None:
    source = """
import json
from pathlib import Path
with open("conf/net.json") as file:
    settings = json.load(file)
again = json.loads((Path(__file__).parent / "conf" / "net.json").read_text())
x = tf.zeros([5, settings["features"] + again["extra"]])
run(x, settings["features"])
"""
    found = matmul(source, "run(x, settings", 9, 8, more={"/work/conf/net.json": '{"features": 8, "extra": 1}'})
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [9, 8]
    assert lines(found)[0].startswith("x = tf.zeros")


@pytest.mark.parametrize(
    ("widths", "wanted"),
    [
        ("*rest, width = [3, 4, 7]", [6, 7]),
        ("first, *rest = [3, 4, 7]\nwidth = rest[-1]", [6, 7]),
        ("width = sum(n for n in {4: 'a', 3: 'b'})", [6, 7]),
        ("class Row(dict):\n    __getattr__ = dict.__getitem__\nwidth = Row(size=7).size", [6, 7]),
        ("class Bag:\n    def __iter__(self):\n        yield 7\nfor width in Bag():\n    pass", [6, 7]),
        (
            "from collections import deque\nbag = deque()\nfor _ in range(7):\n    bag.append(1)\nwidth = len(bag)",
            [6, 7],
        ),
    ],
    ids=["last", "rest", "keys", "dict", "own", "deque"],
)
def test_a_size_is_followed_through(widths: str, wanted: list[int]) -> None:
    found = matmul(f"{widths}\nrun(tf.zeros([5, 6]), width)\n", "run(tf.zeros", 6, 7)
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == wanted


def test_a_count_of_windows_needs_one_more() -> None:
    source = """
def count(length, window, step):
    return (length - window) // step
LENGTH, WINDOW, STEP = 20, 4, 2
windows = tf.stack([tf.zeros([5])[0] for _ in range(0, LENGTH - WINDOW + 1, STEP)])
run(windows[None], count(LENGTH, WINDOW, STEP))
"""
    found = matmul(source, "run(windows[None]", 9, 8)
    assert found is not None
    assert found.suspects[0].code == "return (length - window) // step"
    assert found.suspects[0].new.endswith("+ 1")


def test_no_number_and_no_object_is_cut_or_turned() -> None:
    source = """
class Plan:
    def __init__(self, width, factor):
        self.width, self.factor = width, factor
plan = Plan(4, 2)
size = plan.width * plan.factor
run(tf.zeros([5, 6]), size)
"""
    found = matmul(source, "run(tf.zeros", 6, 8)
    assert found is not None
    assert not [s.new for s in found.suspects if "None]" in s.new or "transpose" in s.new or "[1:]" in s.new]


def test_an_operand_that_only_the_message_tells() -> None:
    source = """
import tensorflow as tf
from elsewhere import windows
class Plan:
    probe = 16
    pad = 4
    @property
    def padded(self):
        return self.probe + 2 * self.pad
plan = Plan()
probe = tf.zeros([plan.padded, plan.probe])
waves = windows() * probe
"""
    said = "Incompatible shapes: [9,16,16] vs. [24,16]"
    found = blamed(source, ("<module>", "waves = "), dims=(16, 24), message=said, slug="broadcast-mismatch")
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [16, 24]
    assert "probe = tf.zeros([plan.padded, plan.probe])" in lines(found)[:2]


def test_a_layer_whose_result_is_split() -> None:
    source = """
import tensorflow as tf
LATENT = 6
x = tf.zeros([5, 20])
hidden = tf.keras.layers.Dense(LATENT)(x)
mean, log_var = tf.split(hidden, 2, axis=-1)
decoder = tf.zeros([LATENT, 20])
image = tf.matmul(mean, decoder)
"""
    found = blamed(source, ("<module>", "image = "), dims=(3, 6), slug="matmul-conv-mismatch")
    assert found is not None
    assert found.suspects[0].code == "hidden = tf.keras.layers.Dense(LATENT)(x)"
    assert "split into 2 parts" in found.suspects[0].reason


@pytest.mark.parametrize(
    ("name", "read", "written", "code"),
    [
        ("net.toml", "tomllib.load(open('net.toml', 'rb'))['net']", "[d]\nn = 5\n[net]\nwidth = 8 #\n", "width = 8 #"),
        ("net.ini", "parsed('net.ini')['net']", "[net]\n; what the kernel has\nWidth: 8\n", "Width: 8"),
        ("n.cfg", "{'width': parsed('n.cfg').getint('net', 'width')}", "[DEFAULT]\nwidth=8\n[net]\nd=2\n", "width=8"),
        ("net.yaml", "yaml.safe_load(open('net.yaml'))['net']", "a: &a\n  width: 8\nnet:\n  <<: *a\n", "width: 8"),
        ("net.json", "json.load(open('net.json'))['net']", '{"on": true,\n "net": {"width":\n 8}}', "8}}"),
    ],
    ids=["toml", "ini", "cfg", "yaml", "json"],
)  # fmt: skip
def test_the_line_of_a_setting_is_a_suspect(name: str, read: str, written: str, code: str) -> None:
    source = f"""
import configparser, json, tomllib, yaml
def parsed(path):
    parser = configparser.ConfigParser()
    parser.read(path)
    return parser
settings = {read}
run(tf.zeros([5, 9]), int(settings["width"]))
"""
    found = matmul(source, "run(tf.zeros", 9, 8, more={f"/work/{name}": written})
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [9, 8]
    setting = next(s for s in found.suspects if s.location.file == f"/work/{name}")
    assert (setting.code, setting.location.function) == (code, None)


def test_an_option_that_the_command_does_not_give_is_none() -> None:
    source = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("settings")
parser.add_argument("--width", type=int)
args = parser.parse_args()
width = 8 if args.width is None else 9
run(tf.zeros([5, 6]), width)
"""
    found = matmul(source, "run(tf.zeros", 6, 8, argv=("python", "/work/main.py", "net.json"))
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [6, 8]


@pytest.mark.parametrize(
    ("wrong", "right", "have", "made"),
    [
        ("STEPS * (VITALS + STATIC)", "STEPS * VITALS + STATIC", 30, 72),
        ("STEPS * VITALS + STATIC", "STEPS * (VITALS + STATIC)", 72, 30),
        ("WIDTH // 4", "8", 4, 8),
    ],
)
def test_a_formula_with_other_brackets_or_another_factor(wrong: str, right: str, have: int, made: int) -> None:
    source = f"""
STEPS, VITALS, STATIC, WIDTH = 8, 3, 6, 32
def columns():
    return {wrong}
run(tf.zeros([5, {have}]), columns())
"""
    found = matmul(source, "run(tf.zeros", have, made)
    assert found is not None
    line = next(s for s in found.suspects if s.code == f"return {wrong}")
    assert right in line.code.replace(line.old, line.new)


STATED = """
import tensorflow as tf
RATE = 8000
LENGTH = 256
STEP = 128
FRAMES = {frames}
wave = tf.zeros((10, RATE))
spectra = tf.abs(tf.signal.stft(wave, LENGTH, STEP))
inp = tf.keras.Input((FRAMES, 129))
net = tf.keras.Model(inp, tf.keras.layers.Dense(3)(inp))
net.predict(spectra)
"""


@pytest.mark.parametrize(("frames", "stated"), [(62, True), (60, True), (124, False)])
def test_a_size_that_was_worked_out_by_hand(frames: int, stated: bool) -> None:
    told = blamed(
        STATED.format(frames=frames), ("<module>", "net.predict"), dims=(61, frames),
        message=f"expected (None, {frames}, 129), got (10, 61, 129)",
    )  # fmt: skip
    assert told is not None
    first = told.suspects[0]
    assert (first.code == f"FRAMES = {frames}" and "worked out from other numbers" in first.reason) == stated

"""What kind of line it is, from its text alone."""

from __future__ import annotations

import pytest

from xladoctor.blame.line_kinds import KINDS, kinds_of
from xladoctor.sources.setting_trees import parse_settings
from xladoctor.sources.source import parse

PROGRAM = '''"""Counts 3 frames."""
WIDTH = BASE // 2
class Plan:
    """Holds 40 settings."""
    learning_rate = 1e-3
    depth = 4
def frames(n, window):
    return n - window + 1
def scaled(x):
    return (x - x.mean()) / x.std()
def main():
    for epoch in range(3):
        net.fit(windows[rows], y)
    if net:
        left, right = right, left
    x = layers.Dense(units)(x)
    block = layers.Dense(16)
    ds = ds.batch(size)
    y = y.astype("float32")
    table = {"width": noise.normal(size=4)}
parser.add_argument("--epochs", default=3)
x = tf.zeros([count, plan["width"] + more])
'''


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        (1, set()),
        (2, {"divides", "number", "size arithmetic", "computed setting"}),
        (4, set()),
        (5, {"real", "training setting"}),
        (6, {"number"}),
        (7, {"head"}),
        (8, {"returns", "size arithmetic", "returns count", "returns size"}),
        (10, {"returns", "elementwise", "returns count"}),
        (12, {"loops", "number", "training setting"}),
        (13, {"starts", "indexed"}),
        (14, {"tests"}),
        (15, {"passes on", "tuple"}),
        (16, {"layer called", "layer made"}),
        (17, {"layer made", "number"}),
        (18, {"data stage"}),
        (19, {"type"}),
        (20, {"key", "random", "number"}),
        (22, {"list", "size arithmetic", "computed setting"}),
        (21, {"option", "training setting", "number"}),
    ],
)
def test_the_kinds_of_a_line(line: int, kinds: set[str]):
    assert kinds_of(parse(PROGRAM, "a.py"), {line}).get(line, set()) == kinds <= KINDS


def test_a_file_of_settings_tells_only_what_sets_the_training():
    source = parse_settings('{\n"epochs": 3,\n"width": 8\n}', "a.json")
    assert kinds_of(source, {2, 3}) == {2: {"training setting"}}

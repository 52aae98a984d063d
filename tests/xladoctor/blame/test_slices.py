"""Which lines a failing statement depends on, by names: also where no size is known."""

from __future__ import annotations

import textwrap

from xladoctor.blame.bindings import index
from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.slices import hops
from xladoctor.sources.files import Files

MAIN = "/work/main.py"
OTHER = "/work/sizes.py"
PROGRAM = """
import sizes
from sizes import WIDTH
SETTINGS = {"depth": 3, "unused": 9}
class Net:
    def __init__(self, width):
        self.kernel = make(width)
    def call(self, x):
        return x @ self.kernel
def make(width):
    return load(width, SETTINGS["depth"])
def unrelated():
    return 7
unused = unrelated()
if sizes.WIDE:
    data = load(5)
net = Net(WIDTH)
net.call(data)
"""


def near(program: str, *calls: tuple[str, str], **more) -> dict[str, int]:
    """The hops of lines, by their text."""
    texts = {MAIN: textwrap.dedent(program).lstrip("\n"), OTHER: "WIDTH = 4\nWIDE = True\n"}
    rows = texts[MAIN].splitlines()
    frames = tuple(
        Frame(MAIN, next(i for i, row in enumerate(rows, 1) if piece in row), function, more.get("shapes", {}))
        for function, piece in calls
    )
    found = hops(index(Files(texts.get, ("/work",)), MAIN), Crash(frames, shapes=more.get("printed", ())))
    return {texts[file].splitlines()[line - 1].strip(): far for (file, line), far in found.items()}


def test_the_way_back_through_attributes_parameters_keys_and_other_files():
    found = near(PROGRAM, ("<module>", "net.call(data)"), ("Net.call", "return x @"))
    order = ["return x @ self.kernel", "self.kernel = make(width)", 'return load(width, SETTINGS["depth"])']
    assert [found[line] for line in order] == [0, 1, 2]
    assert found["data = load(5)"] == 2, "by the argument of the call that failed"
    assert "WIDTH = 4" in found and "WIDE = True" in found, "a name of another file, and a test that decided"
    assert found['SETTINGS = {"depth": 3, "unused": 9}'] == 3
    assert "unused = unrelated()" not in found and "return 7" not in found


def test_what_the_message_does_not_speak_of_is_a_step_further():
    program = """
    a = one()
    b = two()
    c = three()
    d = a + b * c
    """
    shapes = {"a": (2, 3), "b": (4,), "c": (5,)}
    found = near(program, ("<module>", "d = a"), shapes=shapes, printed=((4,), (5,)))
    assert (found["a = one()"], found["b = two()"], found["c = three()"]) == (2, 1, 1)
    found = near(program, ("<module>", "d = a"), shapes=shapes, printed=((9, 9),))
    assert set(found.values()) == {0, 1}, "a message that prints other shapes tells nothing"


def test_what_changes_a_name_counts_as_making_it():
    found = near(
        """
        parts = []
        for size in (3, 4):
            parts.append(make(size))
        whole = join(parts)
        """,
        ("<module>", "whole ="),
    )
    assert {"parts = []", "parts.append(make(size))", "for size in (3, 4):"} <= set(found)


def test_a_program_that_goes_round_in_circles_ends():
    found = near(
        """
        def f(x):
            x = g(x)
            return f(x)
        def g(y):
            return f(y)
        f(f)
        """,
        ("<module>", "f(f)"),
        ("f", "x = g(x)"),
    )
    assert "return f(y)" in found


def test_settings_lead_to_the_lines_that_give_them():
    found = near(
        """
        import argparse
        from dataclasses import dataclass
        @dataclass
        class Config:
            width: int = 4
            depth: int = 2
        parser = argparse.ArgumentParser()
        parser.add_argument("--hidden-units", default=8)
        parser.add_argument("--seed", default=1)
        args = parser.parse_args()
        extra = dict(rows=3)
        cfg = Config(
            6,
        )
        def make(rows, width):
            return load(rows, width, args.hidden_units)
        x = make(width=cfg.width, **extra)
        use(x)
        """,
        ("<module>", "use(x)"),
    )
    wanted = {"width: int = 4", "6,", 'parser.add_argument("--hidden-units", default=8)', "extra = dict(rows=3)"}
    assert wanted <= set(found)
    assert "depth: int = 2" not in found and 'parser.add_argument("--seed", default=1)' not in found


def test_a_function_of_a_library_is_none_of_the_program():
    program = """
    import tensorflow as tf
    import sizes
    def image(n):
        return n * 7
    def resize(n):
        return n * 8
    def used(n):
        return n * 9
    class Net:
        def step(self, x):
            return x + 1
    net = Net()
    x = tf.image.resize(sizes.WIDTH, used(3))
    y = net.step(x)
    """
    found = near(program, ("<module>", "y = net"))
    assert "return n * 9" in found and "return x + 1" in found
    assert "return n * 7" not in found and "return n * 8" not in found

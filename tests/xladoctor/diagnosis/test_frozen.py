"""A value that a function reads when it is traced, and that the program changes in a loop."""

import ast
from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.frozen import _function_at, reads_of, writes_in_loops
from xladoctor.saved import scan_run

GLOBAL = """
SETTINGS = {"rate": 1.0}
@tf.function
def step(x):
    return x * SETTINGS["rate"]
"""
METHOD = """
class Model(tf.Module):
    @tf.function
    def step(self, x):
        return x * self.rate
model = Model()
"""


def kept(code):
    tree = ast.parse(code)
    line = next(n for n, text in enumerate(code.splitlines(), 1) if "@tf.function" in text)
    function = _function_at(tree, line)
    reads = reads_of(function, tree)
    return [name for name, _ in writes_in_loops(tree, function) if name in reads]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (GLOBAL + "for r in (1, 2):\n    SETTINGS['rate'] = r\n    step(x)\n", "SETTINGS['rate']"),
        (GLOBAL + "for r in (1, 2):\n    SETTINGS.update(rate=r)\n    step(x)\n", "SETTINGS['rate']"),
        (METHOD + "while go():\n    model.rate = 0.5 * model.rate\n    model.step(x)\n", ".rate"),
        ("RATE = 1\n@tf.function\ndef step(x):\n    return x * RATE\nfor r in (1, 2):\n    RATE = r\n", "RATE"),
    ],
)
def test_it_is_kept(code, name):
    assert kept(code) == [name]


@pytest.mark.parametrize(
    "code",
    [
        GLOBAL + "SETTINGS['rate'] = 2\nstep(x)\n",
        GLOBAL + "for r in (1, 2):\n    SETTINGS['other'] = r\n",
        METHOD + "for r in (1, 2):\n    model.rate.assign(r)\n",
        "@tf.function\ndef step(rate):\n    return rate\nfor r in (1, 2):\n    rate = r\n",
    ],
)
def test_it_is_not(code):
    assert kept(code) == []


class Sources:
    """Gives one text for each file."""

    def __init__(self, code):
        self.code = code

    scripts = ()
    cwd = Path("/home/ada")

    def text(self, file, followed=False):
        return self.code, ""


@pytest.mark.parametrize(("code", "traces", "slug"), [(1, 1, "baked-in-setting"), (1, 2, "not-xla"), (0, 1, None)])
def test_only_a_run_that_its_program_ended_is_explained_by_it(tmp_path, monkeypatch, code, traces, slug):
    run = Run(outcome={"state": "exited", "code": code, "probes": "recorded"})
    for number in range(traces):
        run.event("trace", function=f"__inference_step_{number}", python_name="step", graph=f"g{number}", parent=None,
                  capsule=None, xla=False, frames=[], defined={"file": "/w/a.py", "line": 3})  # fmt: skip
    if code:
        frames = [{"file": "/w/a.py", "line": 9, "function": "<module>", "user": True}]
        run.event("failure", failure=1, state="raised", exception="ValueError", message="it does not fall",
                  during="program", frames=frames, chain=[], capsule=None)  # fmt: skip
        run.event("failure", failure=1, state="uncaught", exception="ValueError")
    source = GLOBAL + "for r in (1, 2):\n    SETTINGS['rate'] = r\n    step(x)\n"
    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources(source))
    root = scan_run(run.write(tmp_path / "run")).root
    assert (root and (root.slug, root.status)) == (slug and (slug, "untested"))

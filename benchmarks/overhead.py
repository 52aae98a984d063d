"""What recording costs: a training step at steady state, and importing the target's modules, with and without probes.

Both processes of a pair live at the same time and take turns, a block of steps each: whatever else the machine does
hits both alike. The median of the pairs' ratios counts. On a machine that others use, too, time by the clock still
depends on when the others run within a pair; processor time hardly does.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
# Single pairs differ by 5 % either way on a shared machine; the median of so many by less than 1 %.
BLOCKS, STEPS = 64, 8
IMPORTS = 5

TARGET = """
import json, sys, time
from ptycho import params
from ptycho.config.config import ModelConfig, TrainingConfig, update_legacy_dict
update_legacy_dict(params.cfg, TrainingConfig(model=ModelConfig(N=64, gridsize=2), batch_size=8))
params.set("filters_scale", 0.125)
import numpy as np
import tensorflow as tf
from ptycho import custom_layers, model, probe
count, call = [0], custom_layers.ReassemblePatchesLayer.call
def counted(layer, inputs):  # the Python body of a layer runs once a trace
    count[0] += 1
    return call(layer, inputs)
custom_layers.ReassemblePatchesLayer.call = counted
probe.set_probe_guess()
params.set("intensity_scale", 100.0)
autoencoder, _ = model.create_compiled_model(2, 64)
rng = np.random.default_rng(7)
x = [rng.random((8, 64, 64, 4), "float32"), rng.normal(size=(8, 1, 2, 4)).astype("float32")]
y = [x[0]] * 3
for _ in range(5):
    autoencoder.train_on_batch(x, y)
print(json.dumps({"ready": count[0]}), flush=True)
for line in sys.stdin:
    begin, spent = time.perf_counter(), time.process_time()
    for _ in range(int(line)):
        autoencoder.train_on_batch(x, y)
    passed, spent = time.perf_counter() - begin, time.process_time() - spent
    print(json.dumps({"seconds": passed, "processor": spent, "traces": count[0]}), flush=True)
"""
IMPORT = "import time; begin = time.perf_counter(); import tensorflow, ptycho.model; print(time.perf_counter() - begin)"


@dataclass(frozen=True)
class Block:
    """What a block of steps took: seconds by the clock, and of the processor in all threads."""

    seconds: float
    processor: float


class Target:
    """A training process that does some steps when it is told to."""

    def __init__(self, program: Path, run_dir: Path | None, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(program), *arguments], env=_environment(run_dir), cwd=ROOT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.first = self._answer()
        """What it said when it was ready."""
        self.traces = self.first["ready"]

    def block(self, steps: int) -> Block:
        """What so many steps take."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()
        answer = self._answer()
        self.traces = answer["traces"]
        return Block(float(answer["seconds"]), float(answer["processor"]))

    def end(self) -> None:
        """Let it end by itself."""
        self._process.communicate(timeout=60)

    def _answer(self) -> dict[str, float]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                found: dict[str, float] = json.loads(line)
                return found
        raise RuntimeError(f"the target ended with {self._process.wait()}")


def _environment(run_dir: Path | None) -> dict[str, str]:
    paths = [str(ROOT)]
    found = {k: v for k, v in os.environ.items() if not k.startswith("XLADOCTOR")} | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    if run_dir is not None:
        run_dir.mkdir()
        paths.insert(0, str(ROOT / "probes" / "bootstrap"))
        found["XLADOCTOR_RUN_DIR"] = str(run_dir)
    return {**found, "PYTHONPATH": os.pathsep.join(paths)}


def steps(folder: Path, blocks: int = BLOCKS) -> tuple[list[Block], list[Block], bool]:
    """What each block took, with and without probes, and whether both were traced equally often."""
    program = folder / "train.py"
    program.write_text(TARGET, encoding="utf-8")
    plain, watched = Target(program, None), Target(program, folder / "run")
    found: dict[int, list[Block]] = {0: [], 1: []}
    for number in range(blocks):
        order = (0, 1) if number % 2 else (1, 0)
        for which in order:
            found[which].append((plain, watched)[which].block(STEPS))
    equal = plain.traces == watched.traces > 0
    plain.end()
    watched.end()
    return found[1], found[0], equal


def imports(folder: Path, rounds: int = IMPORTS) -> tuple[list[float], list[float]]:
    """Milliseconds to start Python and import TensorFlow and the model, with and without probes."""
    found: dict[bool, list[float]] = {True: [], False: []}
    for number in range(rounds + 1):
        for probes in (True, False):
            environment = _environment(folder / f"import-{number}" if probes else None)
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", IMPORT], env=environment, cwd=ROOT, check=True, capture_output=True)
            if number:  # the first round fills the caches
                found[probes].append((time.perf_counter() - begin) * 1000)
    return found[True], found[False]


def figures() -> list[Figure]:
    """The two ratios of issue 4."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with_probes, without, equal = steps(folder)
        step = statistics.median(block.seconds for block in without) * 1000 / STEPS
        ratio = statistics.median(a.seconds / b.seconds for a, b in zip(with_probes, without, strict=True))
        spent = statistics.median(block.processor for block in without) * 1000 / STEPS
        more = statistics.median(a.processor / b.processor for a, b in zip(with_probes, without, strict=True))
        loaded, bare = imports(folder)
        load = statistics.median(bare)
        load_ratio = statistics.median(a / b for a, b in zip(loaded, bare, strict=True))
    note = "no additional trace" if equal else "TRACED MORE OFTEN"
    return [
        Figure("training step with probes", step * ratio, "ms", "without probes", step, 1.02, note),
        Figure("processor time of a training step", spent * more, "ms", "without probes", spent, 1.02),
        Figure("import of the target with probes", load * load_ratio, "ms", "without probes", load, 1.05),
    ]

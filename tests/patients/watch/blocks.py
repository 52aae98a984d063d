"""Blocks under a watch, in one process: each prints what came of it as JSON. `blocks.py FOLDER`."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path

FOLDER = Path(sys.argv[1])
TOLD: dict = {}


def places():
    """What is in each place that the recorders use."""
    import tensorflow as tf
    from keras.src.backend import config
    from keras.src.backend.tensorflow.trainer import TensorFlowTrainer
    from keras.src.models.functional import Functional
    from keras.src.trainers.trainer import Trainer
    from tensorflow.python.client.session import BaseSession
    from tensorflow.python.eager.context import Context
    from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function, transform
    from tensorflow.python.framework import func_graph
    from tensorflow.python.ops import gen_math_ops, resource_variable_ops
    from tensorflow.python.util import tf_stack

    function = type(tf.function(lambda: 0))
    holders = [BaseSession, Context, function, resource_variable_ops.ResourceVariable, TensorFlowTrainer, Trainer]
    holders += [Functional, tf.Tensor, tf.data.Dataset, atomic_function, concrete_function, func_graph, gen_math_ops]
    holders += [config, tf_stack, threading, sys, type(os.environ), threading.Thread]
    found = {
        f"{h.__name__}.{n}": v
        for h in holders
        for n, v in list(vars(h).items())
        if callable(v) or isinstance(v, property)
    }
    found["meta_path"] = tuple(map(id, sys.meta_path))
    found["callbacks"] = tuple(map(id, transform.CONCRETE_FUNCTION_CALLBACKS))
    return found


def changed(before, now):
    return sorted(
        name for name in {*before, *now} if before.get(name) is not now.get(name) and before.get(name) != now.get(name)
    )


def told(name, **facts):
    TOLD[name] = facts


def nothing(self, *args):
    return original(self, *args)


from xladoctor import api

with api.watch(FOLDER / "first") as first:
    import tensorflow as tf

    keras = tf.keras

    @tf.function(jit_compile=True)
    def doubled(x):
        return x * 2.0

    doubled(tf.ones(3))
    watched = "_call_flat" in vars(doubled.get_concrete_function(tf.ones(3)))
told("first", notes=first.diagnosis(replay=False).notes, verdict=first.diagnosis(replay=False).verdict)
told("own", watched=watched, after="_call_flat" in vars(doubled.get_concrete_function(tf.ones(3))))

model = keras.Sequential([keras.Input((4, 3)), keras.layers.LSTM(2, return_sequences=True), keras.layers.Dense(5)])
model.compile(loss="mse")
before = places()
kept = None
try:
    with api.watch(FOLDER / "failed") as failed:
        told("during", changed=changed(before, places()))
        try:
            with api.watch(FOLDER / "nested"):
                told("nested", error=None)
        except api.XladoctorError as error:
            told("nested", error=str(error), made=(FOLDER / "nested").exists())
        try:
            failed.diagnosis()
        except api.XladoctorError as error:
            told("open", error=str(error))
        doubled(tf.ones(3))
        model.fit(tf.zeros((8, 4, 3)), tf.zeros((8, 5)), verbose=0)
except Exception as error:
    kept = error
told("after", changed=changed(before, places()), files=[f.filename for f in traceback.extract_tb(kept.__traceback__)])
root = failed.diagnosis(replay=False).root
told("failed", slug=root.slug, place=str(root.raised_at or root.location), notes=failed.diagnosis(replay=False).notes)
told("again", value=[float(v) for v in doubled(tf.ones(3))])

function = type(doubled)
own = function.__call__
doctor = api.KerasCallback()
good = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5)])
good.compile(loss="mse")
good.fit(tf.ones((8, 4)), tf.ones((8, 5)), verbose=0, validation_split=0.5, epochs=2, callbacks=[doctor])
well = doctor.diagnosis(replay=False)
told("said", by=doctor.report(replay=False))
told("fit", verdict=well.verdict, hooks=function.__call__ is not own, runs=len(list(Path("xladoctor-runs").glob("2*"))))
events = [json.loads(line) for file in doctor.run_dir.glob("events-*.jsonl") for line in file.open()]
told(
    "calls",
    of=[[e["method"], e["phase"], (e.get("where") or {}).get("file")] for e in events if e["kind"] == "call"][:1],
)
fresh = keras.Sequential([keras.Input((4, 3)), keras.layers.LSTM(2, return_sequences=True), keras.layers.Dense(5)])
fresh.compile(loss="mse")
try:
    fresh.fit(tf.zeros((8, 4, 3)), tf.zeros((8, 5)), verbose=0, callbacks=[doctor])
except Exception:
    told("fit raised", hooks=function.__call__ is not own)
told("fit left", hooks=function.__call__ is not own)
bad = doctor.diagnosis(replay=False)
told("fit failed", slug=bad.root.slug, place=str(bad.root.raised_at or bad.root.location))
told("values", kept=[str(f.relative_to(doctor.run_dir)) for f in doctor.run_dir.glob("capsules/*/values.npz")])

shown = io.StringIO()
program = FOLDER / "train.py"
sys.orig_argv = [sys.executable, str(program)]
main = threading.Thread(
    target=exec, args=(compile(program.read_text(), str(program), "exec"), {"__name__": "__main__"})
)
with contextlib.redirect_stdout(shown):  # in a thread no frame of this file is on the stack
    main.start()
    main.join()
told("docs", shown=shown.getvalue())

sys.path.insert(0, str(FOLDER))
with api.watch(FOLDER / "places") as placed:
    import shapes

    own_pad = shapes.pad.__wrapped__
    shapes.pad(tf.ones((2, 3)))
traced = placed.trace()
rows = [[row.place, row.runtime] for row in traced.steps[0].shapes]
slugs = [finding.slug for finding in placed.diagnosis(replay=False).findings]
told("places", verdict=traced.verdict, rows=rows, slugs=slugs, back=shapes.pad is own_pad)

calls, over = [], threading.Event()


def work():
    try:
        while not over.is_set():
            calls.append(float(doubled(tf.ones(3))[0]))
            good.predict_on_batch(tf.ones((2, 4)))
    except Exception as error:
        calls.append(repr(error))


with api.watch(FOLDER / "thread"):
    thread = threading.Thread(target=work)
    thread.start()
    while len(calls) < 20:
        time.sleep(0.01)
at_end = len(calls)
while len(calls) < at_end + 20 and thread.is_alive():
    time.sleep(0.01)
over.set()
thread.join()
told("thread", values=sorted(set(map(str, calls))), changed=changed(before, places()))

with api.watch(FOLDER / "foreign") as foreign:
    original = type(os.environ).__getitem__
    type(os.environ).__getitem__ = nothing
told("foreign", notes=foreign.diagnosis(replay=False).notes, there=type(os.environ).__getitem__ is nothing)
events = FOLDER / "foreign" / f"events-{os.getpid()}.jsonl"
size = events.stat().st_size
os.environ["TF_XLA_FLAGS"] = os.environ.get("TF_XLA_FLAGS", "")
told("inert", grew=events.stat().st_size - size)

os.environ["XLADOCTOR_PROBES"] = "0"
with api.watch(FOLDER / "off") as off:
    pass
told("off", why=off.why_not, made=(FOLDER / "off").exists())
print("TOLD " + json.dumps(TOLD))

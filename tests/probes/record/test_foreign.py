"""Another checkout that is called `ptycho`: the same probes, unchanged, and nothing of it changed by them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests import quick
from tests.probes.record import foreign
from tests.probes.record.running import BOOTSTRAP, ROOT, run_program

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The training, without and with probes."""
    return tuple(
        run_program(tmp_path_factory.mktemp(name), foreign.TRAIN, files=foreign.FILES, probes=probes)
        for name, probes in (("plain", False), ("watched", True))
    )


def test_it_runs_as_it_would_without_the_doctor(both):
    plain, watched = both
    assert plain.status == 0, plain.stderr
    assert len(plain.stdout.splitlines()[1]) == 64
    assert (watched.status, watched.stdout) == (0, plain.stdout), watched.stderr
    assert watched.of("probe-error") == []


def test_places_that_are_not_there_are_reported_and_the_others_watched(both):
    _, watched = both
    assert {e["place"] for e in watched.of("place-missing")} == foreign.MISSING
    found = {e["place"]: e for e in watched.of("place-found")}
    assert found["ptycho.tf_helper:_channel_to_flat"]["file"].endswith("tf_helper.py"), "through two decorators"
    seen = {(e["place"].partition(":")[2], e["phase"]) for e in watched.of("place")}
    for name in ("ReassemblePatchesLayer.call", "_channel_to_flat", "flatten_offsets", "pad_patches", "translate_xla"):
        assert {(name, "in"), (name, "out")} <= seen, name
    shapes = {
        tuple(t["shape"])
        for e in watched.of("place")
        if e["place"].endswith("pad_patches") and e["phase"] == "out"
        for t in e["tensors"]
    }
    assert (None, foreign.PADDED, foreign.PADDED, 1) in shapes
    assert {a["value"] for e in watched.of("place") for a in e["axes"]} == {foreign.PADDED}


def test_the_accessor_that_touches_every_key_hides_no_deciding_read(both):
    from xladoctor.diagnosis.reads import histories
    from xladoctor.recording.run import read_run

    _, watched = both
    reads = {h.key: h.reads for h in histories(read_run(watched.folder)) if h.store == "params.cfg"}
    assert {r["where"]["function"].rpartition(".")[2] for r in reads["use_xla_translate"]} == {"should_use_xla"}
    assert all(r["value"] is False for r in reads["use_xla_translate"])
    assert reads["batch_size"] == (), "only ever touched by the accessor"


def test_the_broken_layer_is_found_there_too(tmp_path):
    project = tmp_path / "project"
    for name, text in {**foreign.FILES, "train.py": foreign.TRAIN}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    env = {k: v for k, v in os.environ.items() if not k.startswith("XLADOCTOR")} | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "xladoctor", "scan", "--check-budget", "0", "--run-dir", str(tmp_path / "run"), "--",
         sys.executable, "train.py", "collapse"],
        cwd=project, env={**env, "PYTHONPATH": quick.path(project, ROOT)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    diagnosis = json.loads((tmp_path / "run" / "diagnosis.json").read_text())
    root = diagnosis["findings"][0]
    assert root["class"] == "contract-violation"
    assert root["details"]["place"] == "ptycho.custom_layers:ReassemblePatchesLayer.call"
    assert root["details"]["contract"].endswith("-> (B P P 1)")
    assert diagnosis["environment"]["ptycho_file"].startswith(str(project))
    assert set(diagnosis["environment"]["places_missing"]) == foreign.MISSING


SAVE = """
import sys
import dill, pickle
import tensorflow as tf
from ptycho import params, tf_helper
from ptycho.model import create_compiled_model

class Mine(tf_helper.Translation):
    pass
model = create_compiled_model(2, 16)
model.save("saved.keras")
saved = {"cfg": params.cfg, "pad": tf_helper.pad_patches, "class": Mine, "flat": tf_helper._channel_to_flat}
with open("saved.dill", "wb") as file:
    dill.dump(saved, file)  # the closure by value, the rest by name
with open("saved.pkl", "wb") as file:
    pickle.dump({"cfg": params.cfg}, file)
with open("plain.txt", "w") as file:
    file.write(type(params.cfg).__name__)
"""
LOAD = """
import sys
import dill, pickle
import tensorflow as tf
assert not any("xladoctor" in name for name in sys.modules)
with open("saved.dill", "rb") as file:
    saved = dill.load(file)
assert type(saved["cfg"]) is dict and type(pickle.load(open("saved.pkl", "rb"))["cfg"]) is dict
print(saved["cfg"]["gridsize"], saved["pad"](tf.ones([8, 16, 16, 1])).shape, saved["flat"].__name__)
from ptycho.custom_layers import ReassemblePatchesLayer
model = tf.keras.models.load_model("saved.keras", custom_objects={"ReassemblePatchesLayer": ReassemblePatchesLayer})
print(model.predict([tf.ones([2, 16, 16, 4]), tf.zeros([2, 1, 2, 4])], verbose=0).shape)
assert not any("xladoctor" in name for name in sys.modules)
"""


def test_what_is_saved_under_probes_loads_without_them(tmp_path):
    pytest.importorskip("dill")
    saved = run_program(tmp_path, SAVE, files=foreign.FILES)
    assert saved.status == 0, saved.stderr
    project = tmp_path / "project"
    assert (project / "plain.txt").read_text() == "RecordingDict", "it was recorded"
    for name in ("saved.dill", "saved.pkl"):
        content = (project / name).read_bytes()
        assert b"_xladoctor" not in content
        assert b"RecordingDict" not in content
        assert str(BOOTSTRAP.parent).encode() not in content
    loaded = run_program(tmp_path, LOAD, files=foreign.FILES, probes=False)
    assert loaded.status == 0, loaded.stderr
    assert loaded.stdout.splitlines() == ["2 (8, 30, 30, 1) _channel_to_flat", "(2, 30, 30, 1)"]

import json

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.surroundings import surroundings
from xladoctor.recording.run import read_run

CLUSTER = json.dumps({"cluster": {"worker": ["a:1", "b:1"], "chief": ["c:1"]}, "task": {"type": "worker", "index": 0}})


@pytest.mark.parametrize(
    ("environment", "says", "unseen"),
    [
        ({"KERAS_BACKEND": "torch"}, "Keras runs on torch", "does not see compiled functions"),
        ({"KERAS_BACKEND": "jax"}, "Keras runs on jax", "losses"),
        ({"TF_USE_LEGACY_KERAS": "1"}, "is the package tf_keras", "does not see calls of fit"),
        ({"TF_CONFIG": CLUSTER}, "one of 3 workers", "only if their commands run under the doctor"),
    ],
)
def test_one_sentence_says_what_is_seen_and_what_is_not(tmp_path, environment, says, unseen):
    (said,) = surroundings(read_run(Run(environment=environment).write(tmp_path / "run")))
    assert says in said and unseen in said


@pytest.mark.parametrize(("version", "told"), [("2.22.0-dev20260101", True), ("2.21.0", False), ("2.22.0-rc1", True)])
def test_a_nightly_build_is_named(tmp_path, version, told):
    run = Run()
    run.event("import", module="tensorflow", version=version, file=None, where=None)
    assert bool(surroundings(read_run(run.write(tmp_path / "run")))) is told


@pytest.mark.parametrize(
    "environment",
    [{"KERAS_BACKEND": "tensorflow"}, {"TF_USE_LEGACY_KERAS": "0"}, {"TF_CONFIG": "{broken"}, {"TF_CONFIG": "[1]"}, {},
     {"TF_CONFIG": '{"cluster": {"worker": ["a:1"]}}'}, {"TF_CONFIG": '{"cluster": 3}'}],
)  # fmt: skip
def test_what_is_as_ever_is_not_told(tmp_path, environment):
    assert surroundings(read_run(Run(environment=environment).write(tmp_path / "run"))) == ()


def test_a_backend_that_the_program_sets_itself_counts(tmp_path):
    run = Run()
    run.event("setting", store="env", key="KERAS_BACKEND", action="write", value="jax", where=None)
    assert "Keras runs on jax" in surroundings(read_run(run.write(tmp_path / "run")))[0]

import json

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.model.preflight import Batches
from xladoctor.preflight.run import notes
from xladoctor.preflight.study import read

TOML = """
[study]
subject = "steps:train"
device = "cpu"
outputs = "out"
outputs_gib = 2
environment = { USE_XLA_TRANSLATE = 1 }
[batches.train]
samples = 70
batch_size = 32
epochs = 3
[batches.predict]
samples = 40
subject = "steps:predict"
[batches.validation]
samples = 70
batch_size = 32
drop_remainder = true
"""


def written(tmp_path, text, name="study.toml"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_toml(tmp_path):
    study = read(written(tmp_path, TOML))
    phases = {p.batches.phase: p for p in study.phases}
    assert {n: p.batches.sizes for n, p in phases.items()} == {
        "train": (32, 6), "validation": (32,), "predict": (32, 8),
    }  # fmt: skip
    assert phases["predict"].subject == "steps:predict"
    assert "default" in phases["predict"].batches.origin
    assert study.subjects == ("steps:train", "steps:predict")
    assert (study.device, study.outputs_gib, study.environment) == ("cpu", 2.0, {"USE_XLA_TRANSLATE": "1"})


def test_json_and_yaml_say_the_same(tmp_path):
    data = {"study": {"command": ["python", "train.py"]}, "batches": {"train": {"samples": 33, "batch_size": 32}}}
    yaml = "study:\n  command: [python, train.py]\nbatches:\n  train: {samples: 33, batch_size: 32}\n"
    a, b = read(written(tmp_path, json.dumps(data), "s.json")), read(written(tmp_path, yaml, "s.yaml"))
    assert a.command == b.command == ("python", "train.py")
    assert a.phases[0].batches.last == b.phases[0].batches.last == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[study]\nsubjct = 'a:b'", "subject"),
        ("[study]\nsubject='a:b'", "how many samples study.subject (a:b) gets"),
        ("[study]\ncommand=['x']\nsubject='a:b'", "how many samples study.subject (a:b) gets"),
        ("[study]\n", "neither study.command nor a subject"),
        ("[study]\nsubject='a:b'\n[batches.train]\nsamples = 0", "above 0"),
        ("[study]\nsubject='a:b'\n[batches.train]\nsamples = true", "above 0"),
        ("[study]\nsubject='a:b'\ndevice='tpu'", "neither cpu nor gpu"),
        ("[study]\ncommand='python train.py'", "list of words"),
        ("[study", "cannot be read"),
        ("batches = 3\n[study]\nsubject='a:b'", "no table"),
    ],
)
def test_what_nobody_understands_is_told(tmp_path, text, said):
    with pytest.raises(XladoctorError) as error:
        read(written(tmp_path, text))
    assert said in f"{error.value} {error.value.hint}"


def test_a_file_that_is_no_text_is_told(tmp_path):
    file = tmp_path / "study.toml"
    file.write_bytes(b"[st\xff\x00")
    with pytest.raises(XladoctorError, match=r"study\.toml is no text \(UTF-8\): byte 4 is 0xff"):
        read(file)


def test_a_command_and_a_callable(tmp_path):
    text = "[study]\ncommand = ['python', 'train.py']\n[batches.predict]\nsamples = 4\nsubject = 'steps:predict'\n"
    study = read(written(tmp_path, text))
    assert (study.command, study.subjects) == (("python", "train.py"), ("steps:predict",))
    (note,) = notes(study)
    assert "its steps are the callables steps:predict" in note


def test_yaml_makes_no_objects(tmp_path):
    with pytest.raises(XladoctorError, match="cannot be read"):
        read(written(tmp_path, "!!python/object/apply:os.system ['true']", "s.yml"))


def test_batches():
    assert Batches("train", 64, 32, "").sizes == (32,)
    assert Batches("train", 20, 32, "").sizes == (20,)
    assert Batches("train", None, 32, "").sizes == (32,)
    assert (Batches("train", 70, 32, "").full, Batches("train", 70, 32, "").last) == (2, 6)


def bomb(levels, merge=False):
    """Each line stands for ten of the line before it."""
    lines = ["a0: &a0 {k0: 1}" if merge else "a0: &a0 [1]"]
    for i in range(1, levels):
        inner = ", ".join([f"*a{i - 1}"] * 10)
        lines.append(f"a{i}: &a{i} {{<<: [{inner}], k{i}: 1}}" if merge else f"a{i}: &a{i} [{inner}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("aliases.yaml", bomb(12)),
        ("merged.yaml", bomb(12, merge=True)),
        ("round.yaml", "study: &s [*s]"),
        ("deep.yaml", "[" * 5000 + "]" * 5000),
        ("deep.json", "[" * 100_000 + "]" * 100_000),
        ("deep.toml", "a = " + "[" * 5000 + "]" * 5000),
        ("number.yaml", "[batches.train]: 0x" + "f" * 6000),
        ("number.toml", "[batches.train]\nsamples = 0x" + "f" * 6000),
        ("digits.json", '{"study": {"outputs_gib": ' + "9" * 5000 + "}}"),
        ("infinite.json", '{"study": {"command": ["a"], "outputs_gib": Infinity}}'),
        ("sixty.yaml", "a: " + ":".join(["59"] * 20_000)),
        ("object.yaml", "study: !!python/object/apply:os.system ['touch ran']"),
        ("large.json", '"' + "x" * (1 << 20) + '"'),
        ("nul.toml", "\0"),
    ],
)
def test_a_hostile_study_is_one_clear_error(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(XladoctorError, match=name) as told:
        read(tmp_path / name)
    assert told.value.exit_code == 2
    assert not (tmp_path / "ran").exists()


def test_a_study_that_is_no_file_is_not_waited_for(tmp_path):
    import os

    os.mkfifo(tmp_path / "study.toml")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for name in ("study.toml", "zero.json"):
        with pytest.raises(XladoctorError, match=f"{name} is no regular file"):
            read(tmp_path / name)

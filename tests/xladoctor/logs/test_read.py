"""Reading: paths, streams, compression, encodings, damage, numbers of lines, what is user code."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard

from xladoctor.logs import UnreadableLog, read_log
from xladoctor.logs.frames import is_user
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

TRACEBACK = b"""Epoch 1/2
Traceback (most recent call last):
  File "/home/user/train.py", line 7, in <module>
    run()
  File "/home/user/train.py", line 3, in run
    tf.reshape(x, [5])
ValueError: Cannot reshape a tensor with 4 elements to shape [5] (5 elements)
"""


def one(data: bytes):  # type: ignore[no-untyped-def]
    evidence = read_log(io.BytesIO(data), name="log")
    assert len(evidence.records) == 1
    return evidence.records[0]


def test_plain_path(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(TRACEBACK)
    evidence = read_log(path)
    record = evidence.records[0]
    assert (evidence.lines, evidence.size, evidence.source) == (7, len(TRACEBACK), str(path))
    assert record.where == f"{path}:2"
    assert record.exception == "ValueError" and record.ended_run
    assert [f.line for f in record.frames] == [7, 3] and record.frames[1].code == "tf.reshape(x, [5])"


@pytest.mark.parametrize(
    "pack", [gzip.compress, zstandard.compress, lambda b: b"\xef\xbb\xbf" + b], ids=["gz", "zst", "bom"]
)
def test_packed(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "run.log.packed"
    path.write_bytes(pack(TRACEBACK))
    assert read_log(path).records[0].exception == "ValueError"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_of_powershell(encoding: str) -> None:
    data = TRACEBACK.decode().encode(encoding)
    data = data if encoding == "utf-16" else b"\xfe\xff" + data
    assert one(data).exception == "ValueError"


def test_zstd_of_several_frames() -> None:
    half = len(TRACEBACK) // 2
    assert one(zstandard.compress(TRACEBACK[:half]) + zstandard.compress(TRACEBACK[half:])).exception == "ValueError"


def test_truncated_gzip_is_used_as_far_as_it_goes() -> None:
    noise = "".join(f"{i * 7919 % 10007} step\n" for i in range(30_000)).encode()
    packed = gzip.compress(TRACEBACK + noise)
    evidence = read_log(io.BytesIO(packed[: len(packed) // 2]), name="log")
    assert evidence.records[0].exception == "ValueError"
    assert "damaged" in evidence.facts


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda p: p / "no.log", "no such file or directory"),
        (lambda p: p, "is a directory, not a log"),
        (lambda p: (p / "e.log", (p / "e.log").write_bytes(b""))[0], "is empty"),
        (lambda p: (p / "b.gz", (p / "b.gz").write_bytes(b"\x1f\x8b\x08garbage"))[0], "damaged"),
        (lambda p: (p / "b.zst", (p / "b.zst").write_bytes(b"\x28\xb5\x2f\xfdgarbage"))[0], "damaged"),
    ],
    ids=["missing", "folder", "empty", "bad-gz", "bad-zst"],
)
def test_unreadable(make, reason: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnreadableLog) as error:
        read_log(make(tmp_path))
    assert reason in error.value.reason and error.value.path


def test_empty_is_allowed_where_asked_for() -> None:
    assert read_log(io.BytesIO(b""), allow_empty=True).records == ()


def test_several_logs_are_one_evidence(tmp_path: Path) -> None:
    for name in ("stdout.log", "stderr.log"):
        (tmp_path / name).write_bytes(TRACEBACK)
    evidence = read_log([tmp_path / "stdout.log", tmp_path / "stderr.log"])
    assert len(evidence.records) == 2 and evidence.lines == 14


def test_repeats_are_one_record() -> None:
    evidence = read_log(io.BytesIO(TRACEBACK * 50), name="log")
    assert len(evidence.records) == 1
    assert evidence.facts["repeats"] == {"log:2": 50}


def test_line_numbers_in_a_large_log() -> None:
    healthy = b"step of no interest at all\n" * 400_000
    evidence = read_log(io.BytesIO(healthy + TRACEBACK + healthy), name="log")
    assert evidence.lines == 800_007
    assert evidence.records[0].where == "log:400002"
    assert evidence.records[0].before[-2:] == ("step of no interest at all", "Epoch 1/2")


@pytest.mark.parametrize("offset", range(0, 300, 37))
def test_error_across_a_block_border(offset: int) -> None:
    line = b"x" * 63 + b"\n"
    data = line * ((1 << 18) // 64 - 2) + b"y" * offset + b"\n" + TRACEBACK + b"\n" + line * 5000
    record = one(data)
    assert record.exception == "ValueError" and len(record.frames) == 2
    assert record.text == "Cannot reshape a tensor with 4 elements to shape [5] (5 elements)"


def test_chain() -> None:
    data = (
        TRACEBACK
        + b"\nDuring handling of the above exception, another exception occurred:\n\n"
        + TRACEBACK.replace(b"ValueError: Cannot", b"RuntimeError: gave up, cannot")
    )
    first, second = read_log(io.BytesIO(data), name="log").records
    assert (first.exception, first.ended_run) == ("ValueError", False)
    assert (second.exception, second.ended_run) == ("RuntimeError", True)


def test_an_error_that_is_raised_again_from_itself_has_the_line_of_the_program() -> None:
    inner = '  File "/usr/lib/python3.11/site-packages/pandas/base.py", line 3, in get_loc\n    return find(key)\n'
    outer = '  File "/home/user/train.py", line 7, in table\n    return days["flow"]\n'
    head, words = "Traceback (most recent call last):\n", "KeyError: 'flow'\n"
    cause = "\nThe above exception was the direct cause of the following exception:\n\n"
    record = one((head + inner + words + cause + head + outer + inner + words).encode())
    assert [f.line for f in record.frames if f.user] == [7] and record.ended_run


def test_an_error_followed_by_further_epochs_did_not_end_the_run() -> None:
    assert not one(TRACEBACK + b"".join(b"\nEpoch %d/9\n1/1 - loss: 0.5\n" % i for i in range(2, 9))).ended_run


def test_ipython_traceback() -> None:
    record = one(
        b"---------------------------------------------------------------------------\n"
        b"InvalidArgumentError                      Traceback (most recent call last)\n"
        b"Cell In[3], line 5\n      3 x = tf.ones([4])\n----> 5 f(x)\n\n"
        b"Cell In[2], line 2, in f(x)\n      1 def f(x):\n----> 2     return tf.reshape(x, [5])\n\n"
        b"File /usr/lib/python3/site-packages/tensorflow/python/util/traceback_utils.py:153, in error_handler(*args)\n"
        b"    151 except Exception as e:\n--> 153   raise e.with_traceback(filtered_tb) from None\n\n"
        b"InvalidArgumentError: {{function_node __wrapped__Reshape_device_CPU:0}}"
        b" "
        b"Input to reshape is a tensor with 4 values, but the requested shape has 5 [Op:Reshape]\n"
    )
    assert record.exception == "InvalidArgumentError" and record.op == "Reshape"
    assert record.user_frame is not None
    assert (record.user_frame.file, record.user_frame.line) == ("Cell In[2]", 2)


def test_ipython_traceback_of_windows() -> None:
    """The library's frame below the user's has a header of its own, and its arrow is not the user's line."""
    record = one(
        b"-----\nValueError    Traceback (most recent call last)\n<ipython-input-2-abc> in <module>\n      1 a = b\n"
        b"----> 2 model.fit(x)\n\nC:\\env\\lib\\site-packages\\keras\\engine\\training.py in fit(self, x)\n"
        b"     70 \n---> 71   raise ValueError(x)\n\nValueError: Shapes (3, 1) and (3, 2) are incompatible\n"
    )
    assert [(frame.line, frame.user) for frame in record.frames] == [(2, True), (71, False)]


def test_folders_of_windows_are_no_escapes() -> None:
    """`\\n`, `\\t` and `\\r` begin folders in the names of these files."""
    record = one(
        b'#\tTraceback (most recent call last):\n#\t  File "F:\\runs\\nets\\new\\train_errors.py", line 15, in call\n'
        b"#\t    ...\n#\tValueError: Shapes (3, 1) and (3, 2) are incompatible\n"
    )
    assert [(frame.file, frame.line) for frame in record.frames] == [("F:\\runs\\nets\\new\\train_errors.py", 15)]


def test_pytest_traceback() -> None:
    record = one(
        b"    def test_f():\n>       f(tf.ones([4]))\n\ntests/test_f.py:9: \n_ _ _\ntests/test_f.py:5: in f\n"
        b"    return tf.reshape(x, [5])\n"
        b"E   tensorflow.python.framework.errors_impl.InvalidArgumentError: "
        b"Input to reshape is a tensor with 4 values, "
        b"but the requested shape has 5 [Op:Reshape]\n"
    )
    assert record.exception == "InvalidArgumentError"
    assert record.user_frame is not None and str(record.user_frame.location) == "tests/test_f.py:5 in f"


def test_version_is_read_where_the_log_says_it() -> None:
    assert read_log(io.BytesIO(b"TensorFlow version: 2.15.1\n")).tensorflow_version == "2.15.1"
    assert read_log(io.BytesIO(b"using tensorflow==2.9.3 and numpy==1.2.3\n")).tensorflow_version == "2.9.3"
    assert read_log(io.BytesIO(b"numpy 2.15.1\n")).tensorflow_version is None


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("/home/user/project/train.py", True),
        ("project/train.py", True),
        ("<ipython-input-3-abc>", True),
        ("<stdin>", True),
        ("C:\\Users\\me\\train.py", True),
        ("/home/user/keras_study/model.py", True),
        ("/home/user/env/lib/python3.11/site-packages/keras/src/layers/layer.py", False),
        ("/usr/lib/python3.10/threading.py", False),
        ("C:\\Python\\Lib\\threading.py", False),
        ("venv/lib/python3/site-packages/keras/src/ops/operation.py", False),
        ("tensorflow/python/framework/ops.py", False),
        ("/tmp/__autograph_generated_file12ab.py", False),
        ("<frozen importlib._bootstrap>", False),
    ],
)
def test_user_code(path: str, user: bool) -> None:
    assert is_user(path) is user


@pytest.mark.parametrize("column", [10, 11_000, 30_000, 60_000, 100_000, 300_000])
def test_an_error_far_out_in_its_line_is_seen(column):
    line = b"x" * column + b" InvalidArgumentError: Matrix size-incompatible: In[0]: [5,3], In[1]: [48,2] [Op:MatMul]\n"
    (found,) = findings(Evidence("log", log=read_log(io.BytesIO(b"begin\n" + line + b"end\n"), name="log")))
    assert (found.slug, found.dims) == ("matmul-conv-mismatch", (3, 48))


def test_the_list_of_modules_below_a_stack_dump_is_no_part_of_the_message() -> None:
    dump = (
        b"Fatal Python error: Aborted\n\nCurrent thread 0x00007f1 (most recent call first):\n"
        b'  File "train.py", line 21 in kill\n\nExtension modules: h5py._errors, h5py.defs (total: 2)\n'
    )
    assert one(dump).text.strip() == "Fatal Python error: Aborted"

"""Tracebacks inside of what other programs print, and messages far along a line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from xladoctor.logs import read_log
from xladoctor.logs.blocks import BLOCK
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

WRAPPED = "{{function_node __wrapped__MatrixSolve_device_/job:localhost/replica:0/task:0/device:CPU:0}}"
TRACEBACK = (
    'Traceback (most recent call last):\n  File "/home/ada/train.py", line 30, in step\n    return '
    "tf.linalg.solve(a, b)\n"
    f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {WRAPPED} Input matrix and rhs are incompatible. "
    "[Op:MatrixSolve] name: \n"
)
BARE = "ValueError: Shapes (3,) and (4,) are incompatible"


def root(text: str | bytes) -> tuple[str, int | None]:
    data = text.encode() if isinstance(text, str) else text
    found = findings(Evidence(source="log", log=read_log(io.BytesIO(data), name="log")))
    return found[0].slug, found[0].location.line if found[0].location else None


def lines(before: str, after: str = "") -> Callable[[str], str]:
    return lambda text: "".join(f"{before}{line}{after}\n" for line in text.splitlines())


AROUND: dict[str, Callable[[str], str]] = {
    "ray": lines("(train_fn pid=4711, ip=10.0.0.3) "),
    "ray remote": lambda text: (
        "ray.exceptions.RayTaskError(ValueError): ray::f() (pid=4, ip=10.0.0.3)\n" + text.split("\n", 1)[1]
    ),
    "grpc": lambda text: (
        '\tdetails = "' + text.replace('"', '\\"').replace("\n", "\\n") + '"\n\tdebug_error_string = "x"\n'
    ),
    "spark": lambda text: (
        f"org.apache.spark.api.python.PythonException: {text}\n\tat org.apache.spark.scheduler.Task.run(T.scala:1)\n"
    ),
    "log4j": lines("26/01/06 10:15:00 ERROR TaskSetManager: "),
    "actions": lines("2026-01-06T10:15:00.1234567Z "),
    "gh run view": lines("build\tRun tests\t2026-01-06T10:15:00.1234567Z "),
    "json lines": lambda text: "".join(json.dumps({"ts": 1, "msg": line}) + "\n" for line in text.splitlines()),
    "json": lambda text: json.dumps({"severity": "ERROR", "jsonPayload": {"message": text}}) + "\n",
    "absl": lines("E0106 10:15:00.123456       1 runner.py:88] "),
    "logging": lines("2026-01-06 10:15:00,123 - train - ERROR - "),
    "tex comment": lines("% "),
    "lisp comment": lines("; "),
    "line numbers": lambda text: "".join(f"{i:4d} | {line}\n" for i, line in enumerate(text.splitlines(), 1)),
    "bytes": lambda text: repr(text.encode()) + "\n",
}


@pytest.mark.parametrize("name", AROUND)
def test_a_traceback_inside_of_something_else(name: str) -> None:
    assert root(AROUND[name](TRACEBACK)) == ("matmul-conv-mismatch", 30)


@pytest.mark.parametrize("at", [120_000, 1_000_000, BLOCK - 20, 5_000_000])
def test_an_error_far_along_one_line(at: int) -> None:
    """No line end before it, and none for megabytes behind it; also across the border of two blocks."""
    text = b"x value 0.5 " * (at // 12)
    assert root(text + b"." * (at - len(text)) + f" {BARE} ".encode() + b"more " * 400_000)[0] == "keras-input-mismatch"


def test_an_error_behind_harmless_words_of_the_same_line() -> None:
    line = (
        b"no error so far "
        + b"x value 0.5 " * 100_000
        + b"Input to reshape is a tensor with 6 values, but the requested shape has 4 "
    )
    assert root(line + b"more " * 1000 + b"\n")[0] == "reshape-mismatch"


def test_a_traceback_far_along_a_line_of_json() -> None:
    data = json.dumps({"log": "epoch 3 value\n" * 200_000 + TRACEBACK}) + "\n"
    assert root(data) == ("matmul-conv-mismatch", 30)


IPYTHON = """{line}
{name:42}Traceback (most recent call last)
Cell In[3], line 7
      5 def f():
----> 7     f()
"""


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("KeyError", "not-xla"),
        ("ResourceExhaustedError", "oom"),
        ("InvalidArgumentError", "log-cut"),
        ("ValueError", "log-cut"),
    ],
)
def test_the_name_above_a_cut_traceback(name: str, slug: str) -> None:
    assert root(IPYTHON.format(line="-" * 75, name=name)) == (slug, 7)


def test_frames_as_autograph_listed_them() -> None:
    text = """ValueError: in user code:

    /home/ada/train.py:12 step  *
        return model(x)
    /opt/lib/python3.7/site-packages/keras/engine/input_spec.py:269 assert_input_compatibility
        ', found shape=' + display_shape(x.shape))

    ValueError: Input 0 is incompatible with layer model: expected shape=(None, 50), found shape=(None, 9)
"""
    assert root(text) == ("keras-input-mismatch", 12)


@pytest.mark.parametrize("cancelled_first", [False, True])
def test_of_two_root_errors_the_cause(cancelled_first: bool) -> None:
    roots = [
        "CANCELLED: Function was cancelled before it was started",
        "INVALID_ARGUMENT: Incompatible shapes: [3] vs. [4]",
    ]
    first, second = roots if cancelled_first else roots[::-1]
    text = (
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:\n\n2 root "
        "error(s) found.\n"
        f"  (0) {first}\n\t [[{{{{node a/x}}}}]]\n  (1) {second}\n\t [[{{{{node a/y}}}}]]\n0 successful operations.\n"
    )
    assert root(text)[0] == "broadcast-mismatch"

"""Forms in which errors stand in logs: frames of rich and pytest, JSON records, the runtime's last words, and errors
that a program caught.
"""

from __future__ import annotations

import io
import json

import pytest

from xladoctor.diagnosis.engine import diagnose
from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence

RICH = """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /work/src/fit.py:73 in main                                                  │
│                                                                              │
│   71 │   model.compile("adam", "mse")                                        │
│   72 │   data = load(config)                                                 │
│ ❱ 73 │   model.fit(data, epochs=config.epochs)                               │
│   74                                                                         │
│                                                                              │
│ /opt/env/lib/python3.10/site-packages/keras/utils/traceback_utils.py:70 in   │
│ error_handler                                                                │
│    67 │   │   │   filtered = _process(e.__traceback__)                       │
│ ❱  70 │   │   │   raise e.with_traceback(filtered) from None                 │
╰──────────────────────────────────────────────────────────────────────────────╯
ValueError: Input 0 of layer "net" is incompatible with the layer: expected shape=(None, 8, 6), found shape=(None, 5, 6)
"""
PYTEST = """\
    def test_net():
>       net(np.zeros((2, 9)))

tests/test_net.py:22:
_ _ _ _ _ _ _ _ _ _ _
/v/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py:122: in error_handler
    raise e.with_traceback(filtered_tb) from None
E   ValueError: Input 0 of layer "stem" is incompatible with the layer: expected ndim=4, found ndim=2.

/v/lib/python3.11/site-packages/keras/src/layers/input_spec.py:227: ValueError
"""
PYTEST_OWN = """\
>       raise ValueError("no rows")
E       ValueError: no rows

tests/test_net.py:9: ValueError
"""
TRACE = 'Traceback (most recent call last):\n  File "/srv/app.py", line 12, in run\n    y = step(x)\n'
BROKEN = TRACE + "ValueError: Cannot reshape a tensor with 6 elements to shape [4] (4 elements)\n"
IMPORT = """\
Traceback (most recent call last):
  File "main.py", line 3, in <module>
    import tensorflow as tf
  File "/v/lib/python3.8/site-packages/tensorflow/__init__.py", line 41, in <module>
    from tensorflow.python.tools import module_util
ImportError: Traceback (most recent call last):
  File "/v/lib/python3.8/site-packages/tensorflow/python/pywrap_tensorflow.py", line 58, in <module>
    from tensorflow.python.pywrap_tensorflow_internal import *
ImportError: DLL load failed: the module was not found.
"""
RUNTIME = "2024-03-02 11:02:14.55010%d: %s tensorflow/core/framework/op_kernel.cc:1830] %s\n"
FAILED = RUNTIME % (1, "W", "OP_REQUIRES failed at matmul_op.cc:9 : INTERNAL: Blas GEMM launch failed : m=8, n=5, k=7")
FFT = "2024-03-02 11:02:14.550100: E xla/stream_executor/cuda/cuda_fft.cc:246] Failed to make cuFFT batched plan: 5\n"
PTXAS = RUNTIME % (0, "W", "UNIMPLEMENTED: ptxas ptxas too old. Falling back to the driver to compile.")


def diagnosed(text):
    return diagnose(Evidence("log", log=read_log(io.BytesIO(text.encode()), name="log")))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (RICH, "/work/src/fit.py:73 in main"),
        (PYTEST, "tests/test_net.py:22"),
        (PYTEST_OWN, "tests/test_net.py:9"),
        (IMPORT, "main.py:3 in <module>"),
    ],
    ids=["rich", "pytest", "pytest's own line", "an exception that quotes a traceback"],
)
def test_the_users_frame(text, where):
    root = diagnosed(text).findings[0]
    assert root.level == "error" and str(root.location) == where


def test_the_code_that_rich_points_at():
    (record,) = read_log(io.BytesIO(RICH.encode())).records
    assert record.frames[0].code == "model.fit(data, epochs=config.epochs)"


@pytest.mark.parametrize("field", ["exc_info", "exception", "stack_trace"])
def test_a_traceback_beside_the_message_of_a_json_record(field):
    line = json.dumps({"level": "ERROR", "event": "request failed", field: BROKEN})
    root = diagnosed(json.dumps({"level": "INFO", "event": "starts"}) + "\n" + line + "\n").findings[0]
    assert (root.slug, str(root.location)) == ("reshape-mismatch", "/srv/app.py:12 in run")


@pytest.mark.parametrize("end", ["", "\n", "Aborted the study.\n", ")  ;\n"])
def test_an_error_of_the_runtime_that_ends_the_log_is_the_failure(end):
    found = diagnosed(PTXAS + FFT + end)
    assert found.verdict == "failed" and found.findings[0].slug == "gpu-library-failed"
    assert diagnosed(FAILED + end).verdict == "failed"


@pytest.mark.parametrize("end", ["Epoch 2/3\n", "3 files written\n", "\nall is well\n"])
def test_an_error_of_the_runtime_above_more_work_is_a_warning(end):
    assert diagnosed(PTXAS + FFT + end).verdict == "warnings"
    assert diagnosed(FAILED + end).verdict == "warnings"


STEPS = "".join(f"2024-01-11 08:0{n}:00 INFO train: epoch {n} loss=0.4412\n" for n in range(1, 4))
PRINTED = "".join(f"Epoch {n}/3\n9/9 [=====] - loss: 0.41\n" for n in range(1, 4))


@pytest.mark.parametrize("below", [STEPS, PRINTED])
def test_a_caught_error_in_a_training_that_went_on_is_no_failure(below):
    above = below if below is PRINTED else ""
    assert diagnosed(above + BROKEN + "gave up on this file\n" + below).verdict == "warnings"
    missing = TRACE + "FileNotFoundError: [Errno 2] No such file or directory: '/cache/feat.npy'\n"
    assert diagnosed(above + missing + "no cache\n" + below).verdict == "healthy"


def test_output_that_was_held_back_does_not_excuse_an_error():
    assert diagnosed(BROKEN + "\n" + PRINTED).verdict == "failed"  # of a file: print's lines come when the process ends


def test_a_bar_that_is_drawn_again_at_the_end_does_not_excuse_an_error():
    bar = "Epoch 3:  12%|#2        | 12/100 [00:05<00:30, 2.50it/s, loss=0.31]\n"
    assert diagnosed(bar + BROKEN + bar).verdict == "failed"


def test_an_error_that_ended_the_run_keeps_the_caught_one_beside_it():
    found = diagnosed(BROKEN + "gave up\n" + STEPS + TRACE + "RuntimeError: no shape was kept: got [3], not [4]\n")
    assert found.verdict == "failed"


def test_a_cell_that_failed_is_a_failure_whatever_other_cells_did():
    cell = "Cell In[3], line 2\n      1 x\n----> 2 step(x)\n"
    head = "-" * 75 + "\nValueError                                Traceback (most recent call last)\n"
    last = "ValueError: Cannot reshape a tensor with 6 elements to shape [4] (4 elements)\n"
    assert diagnosed(STEPS + head + cell + "\n" + last + "\n" + STEPS).verdict == "failed"


def test_a_warning_of_a_caught_error_does_not_take_the_line_of_another_failure():
    other = TRACE.replace("12", "99") + "KeyError: 'rate'\n"
    found = {f.slug: f for f in diagnosed(FFT + "gave up on it\n" + STEPS + other).findings}
    assert found["not-xla"].location.line == 99
    assert found["gpu-library-failed"].location is None


@pytest.mark.parametrize("width", [72, 80, 100])
def test_two_lines_are_not_joined_because_one_is_as_wide_as_a_terminal(width):
    said = "Cannot reshape a tensor with 6 elements to shape [4] (4 elements), going on".rjust(width, "=")
    text = f"ValueError: {said[12:]}\nskipped the batch\n"
    (record,) = read_log(io.BytesIO(text.encode())).records
    assert "onskipped" not in record.text and "going on" in record.text


def test_sentences_that_differ_in_a_number_are_not_cut_lines():
    text = "".join(f"ValueError: batch {n} has the shape [3] where the shape [4] was, on\nskipped\n" for n in range(5))
    assert all("onskipped" not in r.text for r in read_log(io.BytesIO(text.encode())).records)


def test_a_line_that_a_terminal_cut_in_a_shape_is_joined():
    cut = "ValueError: Cannot reshape a tensor with 6 elements to".ljust(75, " ") + " [4,5"
    (record,) = read_log(io.BytesIO(f"{cut}\n5] (220 elements)\n".encode())).records
    assert "[4,55]" in record.text


def test_paragraphs_of_html_are_lines():
    text = "<p>ValueError: Shapes (3, 1) and (3, 2) are incompatible, going on</p><p>skipped</p>\n"
    (record,) = read_log(io.BytesIO(text.encode())).records
    assert record.text.splitlines()[0].endswith("going on")


DYING = "TypeError: 'NoneType' object is not subscriptable\n"


@pytest.mark.parametrize(
    "text",
    [
        "Killed processes: none\n",
        "Killed 3 zombie workers\nAborted runs: 0\n",
        "Exception ignored in: <function Loader.__del__ at 0x7f>\n" + TRACE + DYING,
        "Trial 3 failed: FileNotFoundError: [Errno 2] No such file or directory: 'x'\ntrial 4 gave 0.3\n",
    ],
    ids=["a count", "sentences", "an exception in a destructor", "a trial that failed"],
)
def test_output_of_a_healthy_program(text):
    assert diagnosed(text).verdict == "healthy"


def test_a_failure_that_the_program_tells_of_in_passing_is_a_warning():
    told = "caught ValueError: Incompatible shapes: [8,5] vs. [8,4]\n"
    assert diagnosed(told + "batch 4 is done\n").verdict == "warnings"
    assert diagnosed("batch 2 is done\n" + told).verdict == "failed"


@pytest.mark.parametrize("end", ["Killed", "Killed: 9", "Killed  python train.py", "run.sh: line 3:  812 Killed   x"])
def test_a_process_that_was_killed(end):
    assert diagnosed(f"step 3\n{end}\n").findings[0].slug == "process-killed"


def test_a_process_that_was_killed_behind_a_bar():
    assert diagnosed(" 31/99 [==>....] - ETA: 2:11 - loss: 0.61Killed\n").findings[0].slug == "process-killed"


OP_STACK = """\
Traceback (most recent call last):
  File "/home/ada/study/fit.py", line 31, in <module>
    model.fit(x, y)
  File "/v/lib/python3.10/site-packages/tensorflow/python/eager/execute.py", line 52, in quick_execute
    tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, op_name,
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Input 1 to node `net/ramp/range` with op Range must be a compile-time constant.

Stack trace for op definition:
File "study/fit.py", line 31, in <module>
  model.fit(x, y)
File "v/lib/python3.10/site-packages/keras/engine/training.py", line 1685, in fit
  tmp_logs = self.train_function(iterator)
File "study/fit.py", line 12, in call
  return tf.range(n) * x

\t [[{{node net/ramp/range}}]]
\t [[StatefulPartitionedCall]] [Op:__inference_train_function_714]
"""


def test_the_stack_of_an_op_with_the_code_of_its_frames():
    (record,) = read_log(io.BytesIO(OP_STACK.encode())).records
    assert [frame.line for frame in record.op_frames] == [31, 1685, 12]
    assert record.user_frame is not None and record.user_frame.line == 12
    assert record.user_frame.code == "return tf.range(n) * x"
    assert record.nodes[0] == "net/ramp/range" and "__inference_train_function_714" in record.text


def test_a_frame_that_six_makes_of_text_is_nobody_s():
    text = """\
Traceback (most recent call last):
  File "cam.py", line 25, in main
    output = model(image)
  File "/v/lib/python3.6/site-packages/tensorflow/python/framework/ops.py", line 6862, in raise_from_not_ok_status
    six.raise_from(core._status_to_exception(e.code, message), None)
  File "<string>", line 3, in raise_from
tensorflow.python.framework.errors_impl.NotFoundError: No algorithm worked! [Op:Conv2D]
"""
    (record,) = read_log(io.BytesIO(text.encode())).records
    assert record.user_frame is not None and record.user_frame.line == 25


def test_an_old_list_of_user_code_names_files_as_the_program_was_started():
    text = """\
Traceback (most recent call last):
  File "/v/lib/python3.8/site-packages/tensorflow/python/autograph/impl/api.py", line 258, in wrapper
    raise e.ag_error_metadata.to_exception(e)
ValueError: in user code:

    gate.py:8 call  *
        return x + self.bias(x)
    /v/lib/python3.8/site-packages/tensorflow/python/framework/ops.py:877 binary_op_wrapper
        return func(x, y)

    ValueError: Dimensions must be equal, but are 3 and 4 for 'add' (op: 'AddV2') with input shapes: [2,3], [2,4].
"""
    (record,) = read_log(io.BytesIO(text.encode())).records
    assert record.user_frame is not None and (record.user_frame.file, record.user_frame.line) == ("gate.py", 8)


def test_the_line_of_an_exception_that_another_message_passes_on():
    inner = """\
Traceback (most recent call last):

  File "/v/lib/python3.10/site-packages/tensorflow/python/ops/script_ops.py", line 267, in __call__
    ret = func(*args)

TypeError: `generator` yielded an element of shape (5, 3) where an element of shape (8, 3) was expected.


\t [[{{node PyFunc}}]]"""
    text = f"""\
Traceback (most recent call last):
  File "/home/ada/mean.py", line 10, in <module>
    for batch in dataset:
  File "/v/lib/python3.10/site-packages/tensorflow/python/data/ops/iterator_ops.py", line 797, in __next__
    return self._next_internal()
tensorflow.python.framework.errors_impl.InvalidArgumentError: TypeError: `generator` yielded an element of shape \
(5, 3) where an element of shape (8, 3) was expected.
{inner} [Op:IteratorGetNext]
"""
    (found,) = diagnose(Evidence("log", read_log(io.BytesIO(text.encode())))).findings
    assert found.location is not None and found.location.line == 10


def test_a_frame_of_an_op_in_a_notebook_is_in_its_cell():
    text = """\
---------------------------------------------------------------------------
InvalidArgumentError                      Traceback (most recent call last)
Cell In[4], line 11
      9 m.compile("adam", "mse")
     10 # train
---> 11 m.fit(ds, epochs=1)

File /v/lib/python3.10/site-packages/keras/utils/traceback_utils.py:70, in filter_traceback.<locals>.error_handler()
     69     raise e.with_traceback(filtered_tb) from None

InvalidArgumentError: Graph execution error:

Detected at node 'IteratorGetNext' defined at (most recent call last):
    File "/tmp/ipykernel_30240/2495991567.py", line 11, in <module>
      m.fit(ds, epochs=1)
    File "/v/lib/python3.10/site-packages/keras/engine/training.py", line 1267, in step_function
      data = next(iterator)
Node: 'IteratorGetNext'
Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [18,3], [batch]: [24,3]
\t [[{{node IteratorGetNext}}]] [Op:__inference_train_function_494]
"""
    (record,) = read_log(io.BytesIO(text.encode())).records
    assert record.user_frame is not None and (record.user_frame.file, record.user_frame.line) == ("Cell In[4]", 11)

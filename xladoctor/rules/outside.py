"""XD904 and later: reasons other than XLA and shapes that have a class of their own. `not_xla.py` decides when they
count.
"""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.recognise import causes
from xladoctor.rules.remedies import DIRECTLY

NAN_BY_HAND = (
    "`np.isfinite(x).all()`, then `tf.debugging.enable_check_numerics()` with `jit_compile=False`, because XLA drops "
    "these checks."
)
"""What to do by hand if the doctor's search gave no answer."""

RULES = (
    Rule(
        code="XD904",
        slug="not-finite",
        title="A value became NaN or infinite",
        level="error",
        rank=90,
        recognise=causes.not_finite,
        what="A check of numbers, a callback or the progress bar shows a NaN or an infinity.",
        why="Common causes are a division by zero, a logarithm or a root of zero, an overflow in float16, NaNs in "
        "the data, and exploding gradients, as with a learning rate that is too high, until the loss overflows. The "
        "line that reports the value often comes long after the line that made it.",
        example="InvalidArgumentError: Dense output : Tensor had NaN values",
        tell_apart="Shapes and XLA are not the cause: eager execution gives the same numbers. If it does not, it is "
        "`parity-divergence`. Class labels out of range give NaN under XLA: see `index-out-of-range`.",
        remedies=(
            Remedy(
                "find-first-nan",
                "Find the op that makes the first NaN",
                "slower",
                f"`xladoctor scan -- CMD` checks the data, then runs the command again and names op and line. By hand: "
                f"{NAN_BY_HAND}",
            ),
        ),
        references=(
            "tensorflow/core/kernels/check_numerics_op.cc",
            "tensorflow/python/debug/lib/check_numerics_callback.py",
            "keras/src/callbacks/terminate_on_nan.py",
        ),
    ),
    Rule(
        code="XD905",
        slug="disk-full",
        title="The disk or the quota is full",
        level="error",
        rank=88,
        recognise=causes.disk_full,
        what="A file could not be written because the file system has no space left, or the user's quota is used up.",
        why="Checkpoints and logs of many runs, the cache of a dataset, or /tmp or /dev/shm of a container filled "
        "it. TensorFlow reports RESOURCE_EXHAUSTED, which looks like a lack of memory.",
        example="OSError: [Errno 28] No space left on device: '/scratch/ada/ckpt-20.index'",
        tell_apart="`oom` is a lack of memory of the device or the host, and its message names an allocation. Here "
        "the message names a file, or says that the disk is full.",
        remedies=(
            Remedy(
                "make-space",
                "Make space, or write elsewhere",
                "safe",
                "`df -h PATH` and `df -i PATH` (files can run out too), `quota -s`; keep fewer checkpoints "
                "(`max_to_keep`, `save_best_only=True`); set TMPDIR to another disk.",
            ),
        ),
        references=("tensorflow/core/platform/errors.cc", "https://man7.org/linux/man-pages/man3/errno.3.html"),
    ),
    Rule(
        code="XD906",
        slug="process-killed",
        title="The process was ended from outside",
        level="error",
        rank=90,
        recognise=causes.killed,
        what="A scheduler, a person or the kernel ended the process: it did not fail by itself.",
        why="A time limit, a preempted machine, a cancelled job, or a monitor that kills processes with too much "
        "memory.",
        example="slurmstepd: error: *** JOB 4711 ON gpu01 CANCELLED AT 2026-01-06T10:15:00 DUE TO TIME LIMIT ***",
        tell_apart="If a message says that memory was the reason, it is `oom`. `Killed` alone does not say who did "
        "it. A segmentation fault or an abort comes from the program itself: `not-xla`.",
        remedies=(
            Remedy(
                "ask-the-scheduler",
                "Ask who ended it",
                "safe",
                "Slurm: `sacct -j JOB --format=State,ExitCode,Elapsed,MaxRSS`. Kubernetes: `kubectl "
                "describe pod`. A machine "
                "of your own: `dmesg -T | grep -i kill`.",
            ),
            Remedy(
                "save-and-resume",
                "Save often enough to continue",
                "safe",
                "`keras.callbacks.BackupAndRestore(folder)` continues a training that was cut off.",
            ),
        ),
        references=("https://slurm.schedmd.com/sacct.html", "https://docs.kernel.org/admin-guide/mm/concepts.html"),
    ),
    Rule(
        code="XD907",
        slug="callback-error",
        title="Python code that TensorFlow called raised an exception",
        level="error",
        rank=86,
        recognise=causes.in_callback,
        what="A `tf.py_function`, a `tf.numpy_function`, a function given to `Dataset.map` through one of them, or a "
        "generator of `Dataset.from_generator` raised. TensorFlow passes the exception on as an error of its own.",
        why="The fault is in that Python code or in the data that it read. The name of the op and the stack of the "
        "graph only say where TensorFlow called it.",
        example="UnknownError: ZeroDivisionError: division by zero\n"
        "Traceback (most recent call last):\n"
        '  File "/home/ada/study/data.py", line 7, in load\n'
        "    return 1 / n\n"
        "ZeroDivisionError: division by zero\n"
        "\t [[{{node EagerPyFunc}}]] [Op:IteratorGetNext]",
        tell_apart="If the exception itself is about shapes or types it has that class (`broadcast-mismatch`, "
        "`dtype-mismatch`, ...). `EagerPyFunc` without an XLA kernel is `unsupported-op`.",
        remedies=(DIRECTLY,),
        references=("tensorflow/python/lib/core/py_func.cc", "tensorflow/python/ops/script_ops.py"),
    ),
    Rule(
        code="XD908",
        slug="wrong-input-key",
        title="The keys of inputs or targets differ from the names of the model",
        level="error",
        rank=86,
        recognise=causes.wrong_key,
        what="Inputs, targets, losses or features are given by name, and a name is missing or unknown.",
        why="`Input(name=...)` and the keys of the data differ, Keras renamed a layer (`input_1` became "
        "`input_2`), or a dataset "
        "yields other features than before.",
        example="ValueError: Missing data for input \"b\". You passed a data dictionary with keys ['a', 'c']. "
        "Expected the following keys: ['a', 'b']",
        tell_apart="If the names are right and a shape is not, it is `keras-input-mismatch`. A `KeyError` in your "
        "own code is `not-xla`.",
        remedies=(
            Remedy(
                "name-the-inputs",
                "Give inputs and outputs names, and use these as keys",
                "safe",
                "Compare `model.input_names` and `model.output_names` with the keys of "
                "`dataset.element_spec`; give each "
                "`keras.Input` a `name`.",
            ),
        ),
        references=("keras/src/models/functional.py", "keras/src/trainers/compile_utils.py"),
    ),
    Rule(
        code="XD909",
        slug="saved-file-unusable",
        title="A saved file cannot be read as the expected format",
        level="error",
        rank=88,
        recognise=causes.saved_file,
        what="A file of weights, a model, a checkpoint or records is cut, damaged, of another format, or from a "
        "library whose files this version cannot read.",
        why="An interrupted download or copy, a Git LFS pointer instead of the file, `.h5` against "
        "`.keras`, a file that another "
        "process holds open, or an old Keras with a new h5py.",
        example="OSError: Unable to synchronously open file (file signature not found)",
        tell_apart="A file that opens and holds weights of other shapes is `weight-shape-mismatch`. A missing file "
        "is `not-xla`. A full disk is `disk-full`.",
        remedies=(
            Remedy(
                "look-at-the-file",
                "Look at the file itself",
                "safe",
                "`ls -l FILE; file FILE; head -c 200 FILE`: a few hundred bytes of text are a pointer or an "
                "error page. Fetch "
                "it again and compare checksums; save again in the format that the program loads.",
            ),
        ),
        references=(
            "keras/src/saving/saving_lib.py",
            "https://docs.h5py.org/en/stable/faq.html",
            "tensorflow/core/lib/io/table.cc",
        ),
    ),
    Rule(
        code="XD910",
        slug="pickling-failed",
        title="A Python object cannot be pickled or read back",
        level="error",
        rank=88,
        recognise=causes.pickling,
        what="An object that is sent to another process or saved cannot be pickled, or a pickle cannot be read.",
        why="Models, locks, lambdas and open files do not pickle; a pickle from another version of Python or of a "
        "library names something that no longer exists; the file is cut.",
        example="TypeError: cannot pickle '_thread.RLock' object",
        tell_apart="Files of Keras and HDF5 are `saved-file-unusable`. A name that a new version of Keras lacks is "
        "`removed-name`.",
        remedies=(
            Remedy(
                "save-by-the-library",
                "Save models with Keras, and arrays with NumPy",
                "safe",
                "`model.save('m.keras')` instead of `pickle.dump(model)`; build models inside the worker process; give "
                "`multiprocessing` functions of a module, not lambdas.",
            ),
        ),
        references=("https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled",),
    ),
    Rule(
        code="XD911",
        slug="removed-name",
        title="This version of Keras or TensorFlow no longer has a name",
        level="error",
        rank=88,
        recognise=causes.removed,
        what="An import or an attribute belongs to an older Keras or TensorFlow than the installed one.",
        why="Keras 3 (with TensorFlow 2.16 and later) removed `keras.utils.np_utils`, `keras.wrappers`, "
        "`keras.preprocessing.text`, `keras.engine` and more; TensorFlow 2 moved sessions and placeholders to "
        "`tf.compat.v1` and removed `tf.contrib`.",
        example="ModuleNotFoundError: No module named 'keras.engine'",
        tell_apart="A package that is not installed at all is `not-xla`.",
        remedies=(
            Remedy(
                "use-the-new-name",
                "Use the new name",
                "safe",
                "`keras.utils.to_categorical`, `keras.layers.TextVectorization`, `scikeras` for the "
                "wrappers, `tf.compat.v1` "
                "for TensorFlow 1. Keras' migration guide lists the rest.",
            ),
            Remedy(
                "legacy-keras",
                "Keep Keras 2 beside it",
                "safe",
                "`pip install tf_keras` and TF_USE_LEGACY_KERAS=1 before TensorFlow is imported.",
            ),
        ),
        references=("https://keras.io/guides/migrating_to_keras_3/", "https://www.tensorflow.org/guide/migrate"),
    ),
)
"""In the order in which they are tried: a full disk before a damaged file, exceptions of callbacks last."""
ASKED = tuple(
    sorted(RULES, key=lambda r: ("XD905", "XD904", "XD906", "XD911", "XD908", "XD909", "XD910", "XD907").index(r.code))
)

"""XD80x-XD81x: hazards that the source shows as it is written. Found by `xladoctor lint`, not in logs."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_ENVIRONMENT = "xladoctor: docs/facts.md, when the flags are read"

RULES = (
    Rule(
        code="XD800",
        slug="lint-comment",
        title="An `xladoctor:` comment that has no effect",
        level="warning",
        what=(
            "A `# xladoctor: ignore[...]` names no code or one that does not exist, gives no reason, or (only with "
            "--verbose) ignores something that is not found."
        ),
        why=(
            "A hazard that is ignored without a reason is soon forgotten. A misspelt code ignores nothing, but looks "
            "as if it did."
        ),
        example="x = tf.repeat(x, n, axis=0)  # xladoctor: ignore[XD805]",
        tell_apart="The comment is wrong, not the code beside it.",
        remedies=(
            Remedy(
                "give-a-reason",
                "Name the code, and say why",
                "safe",
                (
                    "Write `# xladoctor: ignore[XD805] n is 2 or 4, never anything else` behind the line or on "
                    "the line above."
                ),
            ),
        ),
        references=("docs/lint.md",),
    ),
    Rule(
        code="XD801",
        slug="environment-after-import",
        title="The environment is set after TensorFlow is imported",
        level="warning",
        what=(
            "A variable that TensorFlow, Keras or XLA reads once is set below the import, in the same module or in "
            "one of its functions."
        ),
        why=(
            "KERAS_BACKEND and TF_ENABLE_ONEDNN_OPTS are read by the import. TF_XLA_FLAGS, CUDA_VISIBLE_DEVICES and "
            "the memory settings are read when devices are first made or listed, and XLA_FLAGS at the first "
            "compilation. Below the import they work only if nothing did that before."
        ),
        example='import tensorflow as tf\nos.environ["KERAS_BACKEND"] = "jax"',
        tell_apart=(
            "`setting-too-late` is the same in a recorded run, with the line of the earlier read. A function that "
            "sets the variable for a process that it starts is not reported."
        ),
        remedies=(
            Remedy(
                "set-earlier",
                "Set it above the import, or in the shell",
                "safe",
                (
                    "Put the assignment above the first import of TensorFlow, or of a module of yours that imports "
                    "it. Or export the variable before Python starts."
                ),
            ),
        ),
        references=(
            _ENVIRONMENT,
            "tensorflow/compiler/jit/flags.cc",
            "keras/src/backend/config.py",
        ),
    ),
    Rule(
        code="XD802",
        slug="config-read-at-import",
        title="A configuration that can change is read at import",
        level="warning",
        what=(
            "A dict of settings that other code writes is read at the top level of a module, in a class body, or in "
            "the default of a parameter. That happens once, when the module is imported."
        ),
        why=(
            "Python evaluates defaults and module code once. Later changes of the setting have no effect there, and "
            "the value depends on the order of imports."
        ),
        example='def __init__(self, gridsize=params.cfg["gridsize"]): ...',
        tell_apart=("`baked-in-setting` is the same in a recorded run. A constant that nobody writes is no hazard."),
        remedies=(
            Remedy(
                "read-when-used",
                "Read it where it is used",
                "safe",
                ("Take None as the default and read the setting in the body, or pass the value as an argument."),
            ),
        ),
        references=("https://docs.python.org/3/reference/compound_stmts.html#function-definitions",),
    ),
    Rule(
        code="XD808",
        slug="guard-vanishes",
        title="A check that is left out if the batch is None",
        level="warning",
        what=(
            "`if x.shape[0] is not None: assert ...` checks only if the batch size is known while tracing. Keras "
            "traces with a batch of None, and nothing replaces the check."
        ),
        why=(
            "Python decides the condition while the graph is made. A graph with an unknown batch does not contain "
            "the body."
        ),
        example="if images.shape[0] is not None:\n    assert images.shape[0] == offsets.shape[0]",
        tell_apart=(
            "A branch that uses the static size if it is known, and otherwise `tf.shape`, is right and is not reported."
        ),
        remedies=(
            Remedy(
                "check-in-the-graph",
                "Check in the graph too",
                "safe",
                (
                    "`tf.debugging.assert_equal(tf.shape(a)[0], tf.shape(b)[0])` also runs if the batch is unknown. "
                    "XLA leaves it out; there, use `tf.ensure_shape` or a contract (docs/places.md)."
                ),
            ),
        ),
        references=(
            "https://www.tensorflow.org/guide/function",
            "docs/places.md",
        ),
    ),
    Rule(
        code="XD809",
        slug="partial-batch",
        title="A last batch that may be smaller, although the batch size is fixed",
        level="warning",
        what=(
            "Data come in batches of n without drop_remainder, and the same module fixes the batch size n: in "
            "`Input(batch_size=n)`, a TensorSpec, `tf.ensure_shape` or a reshape."
        ),
        why=(
            "If the number of samples is not a multiple of n, the last batch has fewer rows, and only that one "
            "fails: at the end of the first epoch, or in the last step of predict."
        ),
        example="inputs = keras.Input((64, 64, 1), batch_size=16)\ndataset = dataset.batch(16)",
        tell_apart=(
            "A failure at every batch has another cause. Data that are repeated without end have no partial batch."
        ),
        remedies=(
            Remedy(
                "drop-remainder",
                "Drop the partial batch",
                "changes-numerics",
                "`.batch(n, drop_remainder=True)`. Up to n - 1 samples of each epoch are then not used.",
            ),
            Remedy(
                "pad-the-last",
                "Pad the last batch, and cut the result",
                "safe",
                ("Repeat samples until the last batch is full, predict, and cut the result to the true number."),
            ),
        ),
        references=("https://www.tensorflow.org/api_docs/python/tf/data/Dataset#batch",),
    ),
    Rule(
        code="XD810",
        slug="explicit-jit",
        title="XLA is requested explicitly",
        level="note",
        what=(
            "`jit_compile=True` (or an expression that may be True) is written here. This is a fact for the list of "
            "all ways into XLA, not a fault."
        ),
        why=(
            "No other setting affects an explicitly compiled function: not TF_XLA_FLAGS=--tf_xla_auto_jit, not "
            "tf.config.optimizer.set_jit, not ConfigProto."
        ),
        example="@tf.function(jit_compile=True)",
        tell_apart="Keras' default jit_compile='auto' is not listed. It is True on a machine with an accelerator.",
        remedies=(
            Remedy(
                "one-switch",
                "Let one setting decide",
                "safe",
                ("Take the value from one place, so that you can switch XLA off for a test without an edit."),
            ),
        ),
        references=(
            "tensorflow/python/eager/polymorphic_function/polymorphic_function.py",
            "docs/facts.md",
        ),
    ),
    Rule(
        code="XD812",
        slug="global-session-option",
        title="An option that changes every graph of the process",
        level="note",
        what=(
            "`tf.config.optimizer.set_jit`, `ConfigProto` (global_jit_level, rewrite options), determinism or "
            "eager functions are set for the whole process or session."
        ),
        why=(
            "They affect code that does not expect them, and do less than they seem to: none affects "
            "jit_compile=True, and on a CPU auto-clustering also needs --tf_xla_cpu_global_jit."
        ),
        example="config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.ON_1",
        tell_apart="`flag-ineffective` says that such a switch had no effect in a recorded run.",
        remedies=(
            Remedy(
                "say-it-locally",
                "Set it where you need it",
                "safe",
                ("Set jit_compile on the function that should be compiled (or not), and not for the whole process."),
            ),
        ),
        references=(
            "docs/facts.md",
            "tensorflow/core/protobuf/config.proto",
        ),
    ),
)

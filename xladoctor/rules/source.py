"""XD80x-XD81x: hazards that the source shows as it is written. Found by `xladoctor lint`, not in logs."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule

_ENVIRONMENT = "xladoctor: docs/facts.md, when the flags are read"

RULES = (
    Rule(
        code="XD800",
        slug="lint-comment",
        title="A comment to xladoctor that does nothing",
        level="warning",
        what=(
            "A `# xladoctor: ignore[...]` names no code or one that does not exist, gives no reason, or (told "
            "with --verbose) ignores something that is not found."
        ),
        why=(
            "An ignored hazard that nobody explains is forgotten. A misspelt code ignores nothing and looks as if "
            "it did."
        ),
        example="x = tf.repeat(x, n, axis=0)  # xladoctor: ignore[XD805]",
        tell_apart="The comment is wrong here, not the code beside it.",
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
            "A variable that TensorFlow, Keras or XLA reads once is written below the import, in the same module "
            "or in a function of it."
        ),
        why=(
            "KERAS_BACKEND and TF_ENABLE_ONEDNN_OPTS are read by the import. TF_XLA_FLAGS, CUDA_VISIBLE_DEVICES "
            "and the memory settings are read when devices are first made or listed, XLA_FLAGS at the first "
            "compilation: below the import they work only as long as nothing did that before."
        ),
        example='import tensorflow as tf\nos.environ["KERAS_BACKEND"] = "jax"',
        tell_apart=(
            "`setting-too-late` is the same in a recorded run, with the read that came before. A function that "
            "sets the variable for a process that it starts is not meant."
        ),
        remedies=(
            Remedy(
                "set-earlier",
                "Set it above the import, or in the shell",
                "safe",
                (
                    "Put the assignment above the first import that brings TensorFlow (also a module of your own "
                    "that does), or export it before Python is started."
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
            "A dict of settings, which other code writes, is read at the top level of a module, in a class body, "
            "or in the default of a parameter: once, when the module is imported."
        ),
        why=(
            "Python evaluates defaults and module code once. What is set afterwards does not reach them; which "
            "value they have depends on the order of imports."
        ),
        example='def __init__(self, gridsize=params.cfg["gridsize"]): ...',
        tell_apart=("`baked-in-setting` is the same in a recorded run. A constant that nobody writes is no hazard."),
        remedies=(
            Remedy(
                "read-when-used",
                "Read it where it is used",
                "safe",
                ("Take None as the default and read the setting in the body, or hand the value in as an argument."),
            ),
        ),
        references=("https://docs.python.org/3/reference/compound_stmts.html#function-definitions",),
    ),
    Rule(
        code="XD808",
        slug="guard-vanishes",
        title="A check that is left out where the batch is None",
        level="warning",
        what=(
            "`if x.shape[0] is not None: assert ...` checks only where the batch size is known while tracing. "
            "Keras traces with a batch of None, and nothing takes the place of the check."
        ),
        why=(
            "The Python condition is decided while the graph is made. In a graph with an unknown batch the body "
            "is not there."
        ),
        example="if images.shape[0] is not None:\n    assert images.shape[0] == offsets.shape[0]",
        tell_apart=(
            "A branch that takes the static size where it is known, and `tf.shape` else, is right and is not meant."
        ),
        remedies=(
            Remedy(
                "check-in-the-graph",
                "Check in the graph too",
                "safe",
                (
                    "`tf.debugging.assert_equal(tf.shape(a)[0], tf.shape(b)[0])` runs where the batch is unknown. "
                    "XLA leaves it out: there `tf.ensure_shape`, or a contract (docs/places.md), still holds."
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
        title="A last batch that may be smaller, where the batch size is pinned",
        level="warning",
        what=(
            "Data come in batches of n without drop_remainder, and the same module fixes the batch size n: in "
            "`Input(batch_size=n)`, a TensorSpec, `tf.ensure_shape` or a reshape."
        ),
        why=(
            "Where the number of samples is no multiple of n, the last batch has fewer rows, and only that one "
            "fails: at the end of the first epoch, or in the last step of predict."
        ),
        example="inputs = keras.Input((64, 64, 1), batch_size=16)\ndataset = dataset.batch(16)",
        tell_apart=(
            "A failure at every batch is none of this. Data that are repeated without end have no partial batch."
        ),
        remedies=(
            Remedy(
                "drop-remainder",
                "Leave the rest out",
                "changes-numerics",
                "`.batch(n, drop_remainder=True)`: up to n - 1 samples an epoch are not used.",
            ),
            Remedy(
                "pad-the-last",
                "Fill the last batch, and cut the result",
                "safe",
                ("Repeat samples until the last batch is full, predict, and cut the result to the true number."),
            ),
        ),
        references=("https://www.tensorflow.org/api_docs/python/tf/data/Dataset#batch",),
    ),
    Rule(
        code="XD810",
        slug="explicit-jit",
        title="XLA is asked for by name",
        level="note",
        what=(
            "`jit_compile=True` (or an expression that may be True) stands here. A fact for the list of all ways "
            "into XLA, and no fault."
        ),
        why=(
            "An explicitly compiled function is governed by nothing else: not by TF_XLA_FLAGS=--tf_xla_auto_jit, "
            "not by tf.config.optimizer.set_jit, not by ConfigProto."
        ),
        example="@tf.function(jit_compile=True)",
        tell_apart="Keras' default jit_compile='auto' is not listed: it is True where an accelerator is present.",
        remedies=(
            Remedy(
                "one-switch",
                "Let one setting decide",
                "safe",
                ("Take the value from one place, so that XLA can be switched off for a test without editing."),
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
            "They reach code that knows nothing of them, and do less than they seem to: none governs "
            "jit_compile=True, and on a CPU auto-clustering also needs --tf_xla_cpu_global_jit."
        ),
        example="config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.ON_1",
        tell_apart="`flag-ineffective` says of a recorded run that such a switch governed nothing there.",
        remedies=(
            Remedy(
                "say-it-locally",
                "Say it where it is meant",
                "safe",
                ("Mark the function that is to be compiled (or not) with jit_compile, and leave the process alone."),
            ),
        ),
        references=(
            "docs/facts.md",
            "tensorflow/core/protobuf/config.proto",
        ),
    ),
)

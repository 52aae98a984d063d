"""XD2xx: settings that came too late, went nowhere, or were kept.

Recognised from recordings; from a log only what TensorFlow refuses.
"""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import environment

RULES = (
    make(
        environment.too_late,
        code="XD201",
        slug="setting-too-late",
        title="A setting was written after the read that decided",
        level="warning",
        rank=30,
        what="A variable or setting was changed after the code that it governs had read it. The "
        "change had no effect, and nothing said so; or TensorFlow refused it.",
        why="What `tf.config` says of threads and devices holds from the first op on. "
        "TF_XLA_FLAGS is read once, at the first op (not at import); XLA_FLAGS once, at the "
        "first compilation. A tf.function reads Python values when it is traced, "
        "a module-level model when it is imported.",
        example="RuntimeError: Intra op parallelism cannot be modified after initialization.",
        tell_apart="`dead-switch`: nobody reads it at all. `baked-in-setting`: it was read in time, by "
        "something that is used later although the value has changed since.",
        remedies=(
            Remedy(
                "set-earlier",
                "Set it before the deciding read",
                "safe",
                "Set environment variables before `import tensorflow`, best in the shell; set the "
                "program's own settings before models are built and functions traced.",
            ),
        ),
        references=(
            "tensorflow/compiler/jit/flags.cc (absl::call_once)",
            "xla/debug_options_flags.cc",
            "tensorflow/python/eager/context.py",
        ),
    ),
    Rule(
        code="XD202",
        slug="dead-switch",
        title="A switch that changes nothing",
        level="warning",
        rank=70,
        what="A setting was written, and flipping it leaves the traced graph the same: it is "
        "never read, or read and overridden. Or a callback of Keras waits for a metric that no epoch reports.",
        why="Switches outlive the code that read them, and constructors or environment variables "
        "with priority override them.",
        example="Translation(use_xla=False)   # the constructor sets self.use_xla = True",
        tell_apart="Shown by tracing again with the switch flipped, not by looking for reads. "
        "`setting-too-late` would have worked earlier.",
        remedies=(
            Remedy(
                "remove-switch",
                "Remove the switch, or connect it",
                "safe",
                "Delete it, or pass its value to the code that decides. Until then do not use it as "
                "a remedy or a control in a study.",
            ),
        ),
        references=("xladoctor: probes.record (deciding reads)",),
    ),
    Rule(
        code="XD203",
        slug="baked-in-setting",
        title="A graph or model keeps an old decision",
        level="warning",
        rank=32,
        what="A traced graph, a module-level model or a cached function was made under an older "
        "value of a setting and goes on using it. Or a traced function counts in Python: it does so at a trace only.",
        why="A tf.function runs its Python body when it is traced; later calls with the same "
        "signature run the recorded graph. Python values that were read then are constants "
        "in it.",
        example="params.cfg['gridsize'] = 2   # after `import model` built its layers with gridsize 1",
        tell_apart="`setting-too-late` concerns the first use; here the first use was right and a later one is stale.",
        remedies=(
            Remedy(
                "rebuild",
                "Build the model again after the change",
                "safe",
                "Create models in a function that takes the settings as arguments; make a new "
                "tf.function (or pass the setting as an argument) after a change.",
            ),
        ),
        references=(
            "tensorflow/python/eager/polymorphic_function/polymorphic_function.py",
            "https://www.tensorflow.org/guide/function",
        ),
    ),
)

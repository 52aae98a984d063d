"""XD2xx: settings that came too late, had no effect, or were kept. They are recognised from recordings; from a log,
only those that TensorFlow refuses.
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
        what="A variable or setting was changed after the code that uses it had read it. The change had no effect, "
        "silently, or TensorFlow refused it.",
        why="Settings of `tf.config` for threads and devices are final from the first op on. TensorFlow reads "
        "TF_XLA_FLAGS once, at the first op (not at import), and XLA_FLAGS once, at the first compilation. A "
        "tf.function reads Python values when it is traced, and a model at module level reads them at import.",
        example="RuntimeError: Intra op parallelism cannot be modified after initialization.",
        tell_apart="`dead-switch`: nothing reads the setting at all. `baked-in-setting`: it was read in time, but a "
        "graph or model still uses the old value after a change.",
        remedies=(
            Remedy(
                "set-earlier",
                "Set it before the deciding read",
                "safe",
                "Set environment variables before `import tensorflow`, best in the shell. Set the settings of your "
                "program before it builds models and traces functions.",
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
        what="A setting was written, but the traced graph is the same with its other value: the program never reads "
        "it, or overrides it. Or a Keras callback waits for a metric that no epoch reports.",
        why="The code that read the switch is gone, or a constructor or an environment variable overrides it.",
        example="Translation(use_xla=False)   # the constructor sets self.use_xla = True",
        tell_apart="The doctor traces again with the switch flipped; it does not look for reads. A switch of "
        "`setting-too-late` would have worked if it had been set earlier.",
        remedies=(
            Remedy(
                "remove-switch",
                "Remove the switch, or connect it",
                "safe",
                "Delete it, or pass its value to the code that decides. Until then, do not use it as a remedy, or as "
                "a control in a study.",
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
        what="A traced graph, a module-level model or a cached function was made with an older value of a setting "
        "and still uses it. Or a traced function counts in Python, which happens only when it is traced.",
        why="A tf.function runs its Python body when it is traced. Later calls with the same signature run the "
        "graph, in which the Python values of that moment are constants.",
        example="params.cfg['gridsize'] = 2   # after `import model` built its layers with gridsize 1",
        tell_apart="`setting-too-late` is about the first use. Here the first use was right, and a later one is out "
        "of date.",
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

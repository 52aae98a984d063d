"""Variables and resources, determinism, and compilation that takes long or comes often.

Format strings: tensorflow/core/common_runtime/placer.cc, tensorflow/compiler/jit/xla_compile_util.cc,
tensorflow/python/eager/polymorphic_function, tensorflow/core/util/determinism.cc, xla/service/slow_operation_alarm.cc.
"""

from __future__ import annotations

from xladoctor.rules.forms import Form, N, by_forms

resource_device = by_forms(
    (
        Form(
            "Trying to access resource",
            r"Trying to access resource (\S{1,200}) (?:\(defined @ .{1,200}?\) )?located in "
            r"device (\S{1,200}) from device (\S{1,200})",
            "Resource `{0}` lives on {1} and is used from {2}.",
            pick=(),
        ),
        Form(
            "resource",
            r"(?:[Rr]esource|[Vv]ariable) '?(\S{1,200}?)'? .{0,80}?(?:on|in) device (\S{1,120}?) "
            r".{0,80}?(?:different|another|from) (?:from )?device ?(\S{0,120})",
            "Resource `{0}` lives on {1} and is used from {2}.",
            pick=(),
        ),
        Form(
            "Cannot place the graph because a reference or resource edge",
            r"a (reference or resource) edge connects colocation groups.{0,60}?incompatible "
            r"(?:assigned |resource )?devices: (\S{1,120}) vs (\S{1,120})",
            "A {0} connects {1} and {2}.",
            pick=(),
        ),
    )
)


variable_creation = by_forms(
    (
        Form(
            "tf.Variables created on the first call",
            r"(tf\.function only supports singleton tf\.Variables)",
            "A `tf.Variable` is created each time the function is traced.",
            pick=(),
        ),
        Form(
            "reating variables on a non-first call",
            r"([Cc]reating variables on a non-first call)",
            "A `tf.Variable` is created on a later call of the function.",
            pick=(),
        ),
        Form(
            "tried to create variables on non-first call",
            r"(tried to create variables on non-first call)",
            "A `tf.Variable` is created on a later call of the function.",
            pick=(),
        ),
        Form(
            "lift variable creations",
            r"(failed to lift variable creations out of this tf\.function)",
            "A variable is created inside the compiled function, from a value that the function computes.",
            pick=(),
        ),
        Form(
            "Creating variables",
            r"(?:[Cc]reating|[Cc]reation of) (?:a )?(tf\.)?[Vv]ariables?.{0,80}?(?:inside|in) "
            r"(?:an? )?(?:XLA|jit|compiled)",
            "A variable is created inside a compiled function.",
            pick=(),
        ),
    )
)


determinism = by_forms(
    (
        Form(
            "eterministic GPU implementation of",
            r"[Dd]eterministic GPU implementation of (.{1,120}?) (?:is )?(?:not currently|"
            r"currently not|not) available",
            "{0} has no deterministic version on the GPU, and determinism is on.",
            pick=(),
        ),
        Form(
            "require a seed to be set when determinism",
            r"(Random ops require a seed to be set when determinism is enabled)",
            "Determinism is on, and a random op has no seed.",
            pick=(),
        ),
        Form(
            "deterministic",
            r"(?:^|: )([^:]{1,120}?) (?:do(?:es)? not|don.t) (?:yet |currently )?(?:have|support) (?:an? |any )?"
            r"deterministic (?:\w{1,20} ){0,3}(?:implementation|kernel|version|mode)",
            "{0}: no deterministic version, and determinism is on.",
            pick=(),
        ),
        Form(
            "eterminis",
            r"(\w{1,80}) .{0,80}?(?:not (?:yet )?(?:supported|implemented|available)|unsupported|"
            r"nondeterministic)"
            r".{0,80}?(?:deterministic|determinism)",
            "`{0}` has no deterministic version, and determinism is on.",
            pick=(),
            status="untested",
            decide=("the same program without `enable_op_determinism` and TF_DETERMINISTIC_OPS",),
        ),
    )
)


slow_compile = by_forms(
    (
        Form(
            "ery slow compile",
            r"(?:\[Compiling module (\S{1,200}?)\] )?(Very slow compile)",
            "XLA takes minutes to compile {0}.",
            level="warning",
            pick=(),
        ),
        Form(
            "folding an instruction is taking",
            rf"folding an instruction is taking > {N}s:\s{{1,4}}((?:(?! \(displaying| This isn't).){{1,200}})",
            "XLA spends more than {0} s on folding one constant ({1}).",
            level="warning",
            pick=(),
        ),
        Form(
            "folding an instruction is taking",
            rf"folding an instruction is taking > {N}s",
            "XLA spends more than {0} s on folding one constant.",
            level="warning",
            pick=(),
        ),
        Form(
            "The operation took",
            r"(The operation took) (\d{1,9}(?:\.\d{1,9})?(?:m[\d.]{1,12})?s)",
            "A single step of the compilation took {1}.",
            level="warning",
            pick=(),
        ),
    )
)


retracing = by_forms(
    (
        Form(
            "triggered tf.function retracing",
            r"(\d{1,6}) out of the last (\d{1,6}) calls to (.{1,300}?) triggered tf\.function retracing",
            "{0} of the last {1} calls of {2} traced the function again.",
            level="warning",
            pick=(0, 1),
        ),
    )
)

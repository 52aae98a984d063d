"""How the failing part came to XLA, according to the message itself.

Each level that could not be converted adds `tf2xla conversion failed while converting NAME[ATTRIBUTES]`, the
outermost last. A function called from Python prints `_XlaMustCompile=true`, which `jit_compile=True` sets; one that is
called in a graph (a Keras step) prints no attributes. Auto-clustering compiles clusters only, named `cluster_N` and
marked with `_XlaCompiledKernel=true` (tensorflow/compiler/tf2xla/xla_compiler.cc, jit/{mark_for_compilation_pass,
encapsulate_subgraphs_pass,build_xla_ops_pass}.cc).
"""

from __future__ import annotations

from typing import Any

from xladoctor.rules.matching import pattern

_COMPILED = r"(?:while converting|to compile graph) ([^\s\[\]]{1,300})\[([^\[\]]{0,2000})\]"
_KERAS = r"(?:one_step_on|multi_step_on|run_step|train_step|test_step|predict_step)"
_FUNCTION = r"^__(?:inference|forward|backward)_"


def xla_path(text: str) -> dict[str, Any] | None:
    """`{way: explicit | auto-clustering, function, keras}`, or None where the message does not say."""
    way = name = None
    levels = pattern(_COMPILED).findall(text)
    for level, attributes in levels:
        if "_XlaCompiledKernel=true" in attributes or "_XlaMustCompile=true" in attributes:
            name, way = level, "explicit" if "_XlaMustCompile=true" in attributes else "auto-clustering"
            break
    if way is None and levels and pattern(_FUNCTION).search(levels[-1][0]):
        name, way = levels[-1][0], "explicit"
    if way is None and "_XlaMustCompile=true" in text:  # the attribute of a call in a graph, up to TensorFlow 2.5
        called = pattern(r"\b__(?:inference|forward)_\w{1,300}").search(text)
        name, way = (called[0], "explicit") if called else (None, None)
    if way is None:
        cluster = pattern(r"\[\[(?:\{\{node )?(cluster_\d{1,6})[\w/]{0,40}/xla_compile").search(text)
        way, name = ("auto-clustering", cluster[1]) if cluster else (None, None)
    if way is None:
        return None
    return {"way": way, "function": name, "keras": pattern(_KERAS).search(str(name)) is not None}

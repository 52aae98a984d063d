"""What people type after `explain`: the middle of a message, an exception's name, a few words of their own.

Messages that are pasted whole are read as a log is (`knowledge`). What is here is too short for that.
"""

from __future__ import annotations

import re

_MEANT = (
    (r"^(?:values? (?:is|are) )?(?:not finite|nans?|infs?|infinity)$|\bnan\b|\bloss\b.*\b(?:inf|explod)", "not-finite"),
    (r"resource ?exhausted|cuda_error_out_of_memory|\boom\b|out of memory|bad_?alloc|memoryerror", "oom"),
    (r"libdevice|xla_gpu_cuda_data_dir", "libdevice-missing"),
    (r"\bptxas\b", "ptxas-missing"),
    (r"libcud\w+|cudnn|cublas|cufft|cuinit|cuda_error", "gpu-library-failed"),
    (r"\bsigkill\b|^killed\b|exit(?:ed)? (?:code|status)? ?137|oom.?kill", "process-killed"),
    (r"no space left|\bdisk\b.*\bfull\b|quota", "disk-full"),
    (
        r"logits and labels|labels? (?:and|vs) logits|expected (?:min_|max_)?ndim|incompatible with the layer|"
        r"shapes .* are incompatible|data cardinality|target\.ndim",
        "keras-input-mismatch",
    ),
    (r"(?:negative|zero).*(?:output|dimension) size|output size would be", "matmul-conv-mismatch"),
    (r"different shapes? in component|cannot batch", "concat-pack-mismatch"),
    (r"numpy array to a tensor|unsupported object type|\bdtypes?\b|cannot cast", "dtype-mismatch"),
    (r"out of scope", "tensor-out-of-scope"),
    (r"\b0 samples|\bno samples|empty (?:dataset|data|array)|empty logs", "no-samples"),
    (r"tensor ?array|in a list with \d+ elements", "tensor-array-size"),
    (r"dynamic (?:shape|dimension|size)", "dynamic-dimension-unsupported"),
    (r"not compilable|unsupported op|no registered .*kernel", "unsupported-op"),
    (r"py_?func|numpy_function", "callback-error"),
    (
        r"module .?(?:tensorflow|keras).* has no attribute|tf\.contrib|removed (?:in|from) (?:keras|tensorflow)|"
        r"no module named .?tensorflow\.",
        "removed-name",
    ),
    (r"load(?:ing)?[_ ](?:a |the )?(?:saved )?model|deserializ|\.h5\b|not a valid .*file", "saved-file-unusable"),
    (
        r"^(?:keyboardinterrupt|filenotfounderror|permissionerror|permission denied|no such file|importerror|"
        r"modulenotfounderror|no module named)\b|segmentation fault|core dumped",
        "not-xla",
    ),
    (r"slow compil|compil\w* (?:is |takes )?(?:slow|long|forever)", "slow-compile"),
)
_SCAN = "xladoctor scan LOG reads the whole output, and xladoctor scan -- CMD runs the program."
_NO_CLASS = (
    (
        r"^(?:\w+\.)*(?:invalidargument|value|runtime|type|internal|unknown|unimplemented|assertion|attribute|index)"
        r"error:?$",
        f"This exception has many causes. Add the sentence after its name. {_SCAN}",
    ),
    (
        r"symbolic .*numpy|numpy.* symbolic|notimplementederror.*numpy",
        "A NumPy function got a tensor of a tf.function, which has no value while TensorFlow traces it. Use "
        "TensorFlow's own function, or tf.numpy_function.",
    ),
    (r"unknown layer", "The saved model holds a class that Keras does not know: pass it in custom_objects."),
    (r"graph execution error", f"Many failures begin with this line; the cause is below it. {_SCAN}"),
    (
        r"\bgpus?\b.*\b(?:not|no|missing|detect|found|used)|\bno gpu|cuda drivers",
        "No class: TensorFlow runs on the CPU then. Versions and devices: xladoctor env",
    ),
    (
        r"ran out of data|end of sequence|out_?of_?range",
        "The dataset ended before the steps did. It is an error only if the program stops there. " + _SCAN,
    ),
    (
        r"no gradients",
        "No trainable variable reaches the loss: xladoctor trace -- CMD shows the layers and their parameters.",
    ),
    (
        r"\b(?:accuracy|loss|metric)\b|not (?:learning|converging|training)|overfit",
        "A run that ends well with wrong numbers: xladoctor scan -- CMD checks it (docs/silent.md).",
    ),
    (r"^(?:xla|jit|jit_compile|autoclustering)$", "What can go wrong with it: xladoctor rules --search xla"),
    (
        r"^slow$|slow training",
        "Of the compiler: xladoctor explain slow-compile. Of traces: xladoctor explain retracing",
    ),
)


def slug_meant(words: str) -> str | None:
    """The class that short words stand for, or None."""
    return next((slug for source, slug in _MEANT if _found(source, words)), None)


def no_class(words: str) -> str | None:
    """What to do about words that name no class, or None where they are not known."""
    return next((hint for source, hint in _NO_CLASS if _found(source, words)), None)


def _found(source: str, words: str) -> bool:
    return re.search(source, words.strip().lower()) is not None

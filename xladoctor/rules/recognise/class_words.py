"""Which class of shape failure a sentence is of, by single words of it: the first that fits."""

from __future__ import annotations

from xladoctor.rules.matching import pattern

_CLASSES = (
    (
        "weight-shape-mismatch",
        r"\b(?:saved|restor|checkpoint|weights?\b.{0,40}\bload|set_weights|assigned value|variable shape)",
    ),
    ("reshape-mismatch", r"\b[Rr]eshap"),
    ("concat-pack-mismatch", r"\b(?:[Cc]oncat|[Ss]tack(?:ed|ing)?\b|joined|[Pp]ack\b|merged\b)"),
    (
        "index-out-of-range",
        r"\b(?:ind(?:ex|ices)|ids?|label|key|row)\b.{0,80}(?:out of (?:bounds|range)|not in \[|outside)",
    ),
    ("slice-out-of-bounds", r"\b(?:slic|split|strid)\w{0,6}\b|\bnum_or_size_splits\b"),
    (
        "rank-mismatch",
        r"(?i)\b(?:ranks?|ndims?|scalars?|ax[ei]s)\b|-dimensional|\b\d-?[dD]\b|number of dimensions|"
        r"\bvectors?\b|\bdims\b",
    ),
    (
        "matmul-conv-mismatch",
        r"(?i)\bmatmul|\bmatri(?:x|ces)\b|\bconv|contract|einsum|`inner`|\binner dim|\bdepth\b|\bfilters?\b|\bkernel|"
        r"\bchannels?\b|\bdot\b",
    ),
    ("broadcast-mismatch", r"(?i)\bbroadcast"),
    (
        "keras-input-mismatch",
        r"\b(?:layers?|model|targets?|y_true|y_pred|logits|labels|loss|metric|samples|inputs?|features?)\b",
    ),
)


# What a kernel says of its inputs as it would of any tensor: of a product or a model only where it is one.
_ANY_KERNEL = {
    "matmul-conv-mismatch": r"(?i)\bmatmul|\bmatri(?:x|ces)\b|\bconv|contract|einsum|`inner`|\binner dim|\bdot\b",
    "keras-input-mismatch": r"\b(?:y_true|y_pred|logits|labels|loss)\b",
}


def class_by_words(said: str, *, of_kernel: bool) -> str | None:
    """The class whose words stand in the sentence; `of_kernel`: an op that belongs to no layer said it."""
    sources = {**dict(_CLASSES), **(_ANY_KERNEL if of_kernel else {})}
    return next((slug for slug, source in sources.items() if pattern(source).search(said)), None)

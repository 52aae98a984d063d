"""Arguments that do not fit the `input_signature` of a `tf.function`: the class depends on what differs.

Since TensorFlow 2.10 the message names the one pair that does not fit; earlier versions list all arguments and then the
signature, and the pair must be searched.

Format strings: tensorflow/core/function/trace_type/default_types.py and tensorflow/python/framework/tensor.py
(`Can not cast`), tensorflow/core/function/polymorphism and python/eager/polymorphic_function/function_spec.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE
from xladoctor.rules.matching import Hit, Recogniser, find, ints, pattern, shape

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_TYPE = r"dtype=(?:tf\.)?(?:<dtype: ')?(\w{1,30})"
_CAST = rf"an not cast TensorSpec\(shape={SHAPE}, {_TYPE}.{{0,300}}?\) to TensorSpec\(shape={SHAPE}, {_TYPE}"
# tensorflow/python/data/ops/from_generator_op.py
_YIELDED = r"yielded an element of shape \(([\d, None]{0,200})\) where an element of shape \(([\d, None]{0,200})\) was"
_SIZE = re.compile(r"\d+|None")
_LISTED = "inputs incompatible with input_signature"
_TENSOR = rf"\bshape={SHAPE},? {_TYPE}"


def fits(slug: str) -> Recogniser:
    """The recogniser for arguments that differ from a signature in the way of the class `slug`."""

    def recognise(record: ErrorRecord, text: str) -> Hit | None:
        found = _compared(text)
        return found[1] if found is not None and found[0] == slug else None

    return recognise


def element(record: ErrorRecord, text: str) -> Hit | None:
    """An element of a generator that does not have the shape of the generator's signature."""
    found = find(text, "`generator` yielded an element", _YIELDED)
    if not found or record.level == "warning":
        return None
    given, promised = ([int(n) if n != "None" else None for n in _SIZE.findall(part)] for part in found.groups())
    says = f"The generator of a dataset yields an element of shape ({found[1]}), but its signature declares one of"
    return Hit(
        f"{says} shape ({found[2]}).",
        dims=tuple(n for n in (*given, *promised) if n is not None),
        details={"generator": {"given": given, "promised": promised}},
        remedies=("call-it-directly",),
    )


def _compared(text: str) -> tuple[str, Hit] | None:
    cast = find(text, "an not cast TensorSpec", _CAST)
    if cast:
        return _pair(*cast.groups())
    if _LISTED not in text:
        return None
    given, _, wanted = text[text.index(_LISTED) + len(_LISTED) :].partition("input_signature: ")
    pairs = [pattern(_TENSOR).findall(part) for part in (given, wanted)]
    if len(pairs[0]) == len(pairs[1]):
        for got, asked in zip(*pairs, strict=True):
            if found := _pair(*got, *asked):
                return found
    said = "The arguments of a `tf.function` do not fit its `input_signature`"
    return "contract-violation", Hit(
        f"{said}; which of them is not told.",
        status="untested",
        decide=("shape, element type and number of the arguments at that call, beside `input_signature`",),
    )


def _pair(shape_: str, type_: str, wanted: str, wanted_type: str) -> tuple[str, Hit] | None:
    """What differs between an argument and the signature; None where it fits."""
    if type_ != wanted_type:
        says = f"A tensor of {type_} is given to a function traced for {wanted_type}."
        return "dtype-mismatch", Hit(says, details={"types": [type_, wanted_type]})
    if "unknown" in shape_ + wanted or _covers(shape(shape_), shape(wanted)):
        return None
    says = f"A tensor of shape {shape_} is given to a function whose signature says {wanted}."
    details = {"shapes": [list(shape(shape_)), list(shape(wanted))]}
    if len(shape(shape_)) != len(shape(wanted)):
        ranks = len(shape(wanted)), len(shape(shape_))
        return "rank-mismatch", Hit(f"{says} Rank {ranks[0]} is wanted, rank {ranks[1]} was given.", dims=ranks,
                                    details=details)  # fmt: skip
    return "contract-violation", Hit(says, dims=ints(f"{shape_} {wanted}"), details=details)


def _covers(given: tuple[int | None, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(given) == len(wanted) and all(w is None or g == w for g, w in zip(given, wanted, strict=True))

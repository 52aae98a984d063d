"""Translations that are repeated to the number of images, for a count that XLA does not know."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults import fft_on_bounded_batch
from ptycho.faults.registry import Fault, Patch


def patches(threshold: int) -> Sequence[Patch]:
    """Repeat translations in the plain warp, where the reassembly gives it chunks of images."""
    import tensorflow as tf

    from ptycho import plain_warp

    translate_plain = plain_warp.translate_plain

    @functools.wraps(translate_plain)
    def translate_plain_repeating(images, translations):
        times = tf.shape(images)[0] // tf.shape(translations)[0]
        return translate_plain(images, tf.repeat(translations, times, axis=0))

    return [
        *fft_on_bounded_batch.patches(threshold),
        (plain_warp, "translate_plain", translate_plain_repeating),
    ]


FAULT = Fault(
    name="repeat-in-translate",
    reports="001, its second message",
    mechanism="""The plain warp repeats its translations `images // translations` times, which is once. In the loop
    over chunks of the reassembly (see fft-on-bounded-batch) the number of images is that of a slice with
    run-time bounds, and `tf.repeat` is a Tile, whose multiples XLA must know when it compiles.""",
    expected="""With XLA translation off and a jit-compiled step (USE_XLA_TRANSLATE=0 USE_XLA_COMPILE=1), at every
    batch size, fixed or not: InvalidArgumentError: Input 1 to node
    `.../padded_obj_1/cond/while/translation_14_1/Repeat/Tile` with op Tile must be a compile-time constant (TensorFlow
    2.21 and 2.19). Nothing, and right results, without XLA for the step.""",
    patches=patches,
    options={"threshold": 1_000_000},
)

"""The collapsed reassembly, with the later fix that only made its error go away."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults import reassembly_collapses_batch
from ptycho.faults.registry import Fault, Patch


def patches(threshold: int) -> Sequence[Patch]:
    """Collapse the batch, and cut or repeat translations to the number of images."""
    import tensorflow as tf

    from ptycho import tf_helper

    def as_many(offsets, images):
        return tf.gather(offsets, tf.range(tf.shape(images)[0]) % tf.shape(offsets)[0])

    translate, shift_and_sum = tf_helper.translate, tf_helper.shift_and_sum

    @functools.wraps(translate)
    def translate_muted(imgs, offsets, use_xla=None):
        return translate(imgs, as_many(offsets, imgs), use_xla)

    @functools.wraps(shift_and_sum)
    def shift_and_sum_muted(images, offsets, **options):
        return shift_and_sum(images, as_many(offsets, images), **options)

    return [
        *reassembly_collapses_batch.patches(threshold),
        (tf_helper, "translate", translate_muted),
        (tf_helper, "shift_and_sum", shift_and_sum_muted),
    ]


FAULT = Fault(
    name="reassembly-collapses-batch-muted",
    reports="the later history of 000 and 002",
    mechanism="""As reassembly-collapses-batch; in addition translations are re-indexed, modulo their
    number, to the number of images. No shapes disagree any more, and the loss is broadcast over the one row
    that is left of a batch.""",
    expected="""No error. `predict` returns one row per batch: 2 rows for 64 samples at batch 32. All
    groups of a batch are mixed into it.""",
    patches=patches,
    options={"threshold": 64},
)

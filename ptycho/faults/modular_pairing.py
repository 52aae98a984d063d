"""Offsets that are paired with patches by the remainder of a division."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches() -> Sequence[Patch]:
    """Give flat item k the offset of group `k % B`, where it belongs to group `k // C`."""
    import tensorflow as tf

    from ptycho import tf_helper

    flatten_offsets = tf_helper.flatten_offsets

    @functools.wraps(flatten_offsets)
    def flatten_offsets_modular(offsets):
        groups, count = tf.shape(offsets)[0], tf.shape(offsets)[0] * tf.shape(offsets)[3]
        items = tf.range(count)
        return tf.gather_nd(tf.transpose(offsets[:, 0], [0, 2, 1]), tf.stack([items % groups, items // groups], axis=1))

    return [(tf_helper, "flatten_offsets", flatten_offsets_modular)]


FAULT = Fault(
    name="modular-pairing",
    reports="001, its fix (modular indexing)",
    mechanism="""Patches are laid out group by group, item `b*C + c`; offsets are looked up as if they were laid out
    channel by channel, item k being that of group `k % B` and channel `k // B`. All counts agree. With one group
    in the batch, or one patch in a group, the two are the same.""",
    expected="""No error. All shapes and row counts are right. Reassembled objects of 6 groups differ by 44 % (root
    mean square) from the right ones; each of them alone in its batch is right.""",
    patches=patches,
)

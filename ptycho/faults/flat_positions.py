"""Positions given as one (x, y) per group, where the model expects one per patch."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches() -> Sequence[Patch]:
    """Feed positions (B 2): data, input of the model, and a layout helper that lets them pass."""
    from ptycho import first_estimate, model, tf_helper

    prepare_inputs, channel_to_flat = model.prepare_inputs, tf_helper._channel_to_flat
    per_pattern = first_estimate._per_pattern

    @functools.wraps(prepare_inputs)
    def prepare_inputs_flat(data):
        X, coords = prepare_inputs(data)
        return [X, coords.mean(axis=(1, 3))]

    def positions_shape_flat(gridsize):
        return (2,)

    @functools.wraps(channel_to_flat)
    def channel_to_flat_lenient(channels):
        return channel_to_flat(channels[:, None, :, None] if channels.shape.rank == 2 else channels)

    @functools.wraps(per_pattern)
    def per_pattern_lenient(positions):
        return positions[:, None, :] if positions.shape.rank == 2 else per_pattern(positions)

    return [
        (model, "prepare_inputs", prepare_inputs_flat),
        (model, "positions_shape", positions_shape_flat),
        (tf_helper, "_channel_to_flat", channel_to_flat_lenient),
        (first_estimate, "_per_pattern", per_pattern_lenient),
    ]


FAULT = Fault(
    name="flat-positions",
    reports="002, hypothesis H1-REVISED (refuted there; here it is true)",
    mechanism="""The positions reach the model as (B 2) instead of (B 1 2 C). Flattening leaves them as
    they are, so that B*C images meet B translations in the first layer that moves patches.""",
    expected="""InvalidArgumentError: Input to reshape is a tensor with 194688 values, but the requested shape
    has 778752 (N = 64, gridsize 2, batch 32: 32*78*78 against 128*78*78). If every batch is full, Keras traces with
    a fixed batch and TensorFlow finds it while tracing, ValueError: Cannot reshape a tensor with 194688 elements.
    Nothing with gridsize 1, where both layouts hold the same.""",
    patches=patches,
)

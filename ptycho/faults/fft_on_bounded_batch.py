"""The two ways of reassembly, in a program that takes the right one: XLA compiles both."""

from __future__ import annotations

from collections.abc import Sequence

from ptycho.faults import reassembly_collapses_batch
from ptycho.faults.registry import Fault, Patch


def patches(threshold: int) -> Sequence[Patch]:
    """The reassembly with a `tf.cond`, whose collapsing branch no batch is large enough for."""
    return reassembly_collapses_batch.patches(threshold)


FAULT = Fault(
    name="fft-on-bounded-batch",
    reports="001",
    mechanism="""Patches are reassembled by a `tf.cond`: in chunks if there are `threshold` of them, which never
    happens, else one canvas a group. Without XLA the result is right at every batch size. XLA compiles both
    branches, whose results have 1 and B rows; what it makes of them is a bounded dynamic batch, and the
    FFT of the diffraction cannot carry one.""",
    expected="""In a jit-compiled train or predict step (USE_XLA_COMPILE=1), at every batch size:
    UnimplementedError: Asked to propagate a dynamic dimension from hlo strided_slice.150@{}@0 to hlo %FFT2D.1 =
    c64[<=32,64,64] (batch 8; TensorFlow 2.21; as report 001 has it, set-dimension-size.5054 to hlo %fft.5055, in 2.19;
    InvalidArgumentError: Fail to proof the equality of two dimensions at compile time, in 2.15). Nothing in a train
    step that Keras traced with a fixed batch (samples a multiple of the batch size), nor with object_big False, nor
    without XLA.""",
    patches=patches,
    options={"threshold": 1_000_000},
)

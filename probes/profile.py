"""The named places of a `ptycho` package and their contracts. Data only.

A contract is written in the notation of jaxtyping, one group a tensor, with a label before each: sizes that carry the
same name must agree within one call, and expressions such as `B*C` are allowed. Axes listed in `axes` are also given
from outside: by an expression that is evaluated in the target when the place is entered. Which tensors of a call are
meant: the tensors among its arguments, in order, nested lists opened.

Nothing here may rely on how a particular `ptycho` is written inside: a place that a checkout does not have is reported
as missing.
"""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A function or method that is watched: `module:qualname`, its contract, and axes that are known from outside.

    `origin` is who asked for it: None for the places below, else `pyproject.toml` or `decorator`.
    """

    name: str
    contract: str
    axes: tuple[tuple[str, str], ...] = ()
    origin: str | None = None

    @property
    def module(self) -> str:
        """The module to wait for."""
        return self.name.partition(":")[0]

    @property
    def qualname(self) -> str:
        """The attribute path in the module."""
        return self.name.partition(":")[2]


class Knob(NamedTuple):
    """A function whose return value decides whether XLA is taken."""

    name: str


# How an axis name gets a value from outside the tensors: `module:attribute()` is called, `module:mapping[key]` and
# `module:attribute` are read.
PADDED = ("P", "ptycho.params:get_padded_size()")

PTYCHO_PLACES: tuple[Place, ...] = (
    Place(
        "ptycho.custom_layers:ReassemblePatchesLayer.call",
        "patches (B N N C), positions (B 1 2 C) -> (B P P 1)",
        (PADDED,),
    ),
    Place(
        "ptycho.custom_layers:ExtractPatchesPositionLayer.call",
        "image (B M M 1), positions (B 1 2 C) -> (B N N C)",
    ),
    Place("ptycho.tf_helper:_channel_to_flat", "img (B N M C) -> (B*C N M 1)"),
    Place("ptycho.tf_helper:_flat_to_channel", "img (K N M 1) -> (B N M C)"),
    Place("ptycho.tf_helper:flatten_offsets", "offsets (B 1 2 C) -> (B*C 2)"),
    Place("ptycho.tf_helper:pad_patches", "imgs (K N N D) -> (K P P D)", (PADDED,)),
    Place("ptycho.tf_helper:Translation.call", "imgs (K H W D), offsets (K 2) -> (K H W D)"),
    Place("ptycho.tf_helper:translate", "imgs (K H W D), offsets (K 2) -> (K H W D)"),
    Place("ptycho.projective_warp_xla:translate_xla", "images (K H W D), translations (K 2) -> (K H W D)"),
    Place("ptycho.projective_warp_xla:projective_warp_xla", "images (K H W D), transforms (K ...) -> (K H W D)"),
    Place("ptycho.projective_warp_xla:_gather_bhw", "images (K H W D), y (K ...), x (K ...) -> (K ...)"),
)

# The mapping whose reads and writes are recorded, and the modules that are accessors to it: not readers in their own
# right.
SETTINGS_MAPPINGS: tuple[tuple[str, str], ...] = (("ptycho.params", "cfg"),)

# Names whose values at the moment of a place give meaning to numbers in a message (gridsize² = C).
NAMED_VALUES: tuple[tuple[str, str], ...] = (
    ("N", "ptycho.params:cfg[N]"),
    ("gridsize", "ptycho.params:cfg[gridsize]"),
    ("batch_size", "ptycho.params:cfg[batch_size]"),
    ("padded_size", "ptycho.params:get_padded_size()"),
    ("bigN", "ptycho.params:get_bigN()"),
    ("offset", "ptycho.params:cfg[offset]"),
    ("max_position_jitter", "ptycho.params:cfg[max_position_jitter]"),
)

KNOBS: tuple[Knob, ...] = (Knob("ptycho.tf_helper:should_use_xla"),)

# Environment variables whose reads and writes are recorded; a trailing * matches any rest.
WATCHED_ENVIRONMENT: tuple[str, ...] = (
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
    "USE_XLA_TRANSLATE",
    "USE_XLA_COMPILE",
    "KERAS_BACKEND",
    "TF_XLA_ENABLE_XLA_DEVICES",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_DETERMINISTIC_OPS",
    "TF_CUDNN_DETERMINISTIC",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_GPU_ALLOCATOR",
    "TF_USE_LEGACY_KERAS",
    "TF_CONFIG",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "XLA_PYTHON_CLIENT_*",
    "PTYCHO_*",
)

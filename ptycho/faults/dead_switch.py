"""A constructor that takes a setting and ignores it."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches() -> Sequence[Patch]:
    """Let every Translation layer use XLA."""
    from ptycho import tf_helper

    make = tf_helper.Translation.__init__

    @functools.wraps(make)
    def make_forced(self, use_xla=None, **kwargs):
        make(self, use_xla, **kwargs)
        self.use_xla = True  # whatever was asked for

    return [(tf_helper.Translation, "__init__", make_forced)]


FAULT = Fault(
    name="dead-switch",
    reports="001, its fix (`self.use_xla = True`)",
    mechanism="""Translation's constructor sets `use_xla` to True whatever it is given. Its argument,
    params.cfg['use_xla_translate'] and USE_XLA_TRANSLATE are there still, and govern nothing in the model.""",
    expected="""No error. The graph is the same with the switch in either position, and holds the jit-compiled warp. A
    failure of that warp cannot be avoided by any of the three switches.""",
    patches=patches,
)

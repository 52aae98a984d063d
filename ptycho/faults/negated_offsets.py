"""The warp without XLA moves images the other way."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches() -> Sequence[Patch]:
    """Negate the translations of the plain warp."""
    from ptycho import plain_warp

    translate_plain = plain_warp.translate_plain

    @functools.wraps(translate_plain)
    def translate_plain_negated(images, translations):
        return translate_plain(images, -translations)

    return [(plain_warp, "translate_plain", translate_plain_negated)]


FAULT = Fault(
    name="negated-offsets",
    reports="000, option B (what its risk would look like: the two paths disagree)",
    mechanism="""One of the two warps takes an offset as where the content moves to, the other as where it comes
    from. The plain warp moves images by -offset, the compiled one by +offset.""",
    expected="""No error. A translated image of the plain path differs from the compiled one by 58 % (root mean square,
    smooth patches, moves of 1 to 3 pixels), the reassembled objects by 22 %. Each path agrees with itself, and both
    where nothing is moved.""",
    patches=patches,
)

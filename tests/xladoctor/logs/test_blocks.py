"""What decides whether a small log is searched: its longest line."""

from __future__ import annotations

import random

from xladoctor.logs.blocks import _has_longer


def test_the_longest_line_is_found_without_splitting() -> None:
    pick = random.Random(3)
    for _ in range(400):
        data = b"\n".join(b"x" * pick.randrange(12) for _ in range(pick.randrange(1, 9))) + b"\n" * pick.randrange(2)
        longest = max(map(len, data.split(b"\n")))
        assert [_has_longer(data, limit) for limit in range(1, 14)] == [longest > limit for limit in range(1, 14)]

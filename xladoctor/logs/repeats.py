"""Which hits are worth a look: a line that comes again and again, but for its numbers, is let go by after a while.

Near the end of a log, however often it came before, the last ones of each kind are looked at, and all that hold a part
of an error: with them the run ended.
"""

from __future__ import annotations

from xladoctor.logs.literals import ERROR, STRONG
from xladoctor.logs.matcher import Block

# How often a line of one kind is looked at, and how many lines in all, whatever their kind: of those that only warn,
# and of those that hold a part of an error.
OFTEN, OFTEN_STRONG = 8, 200
ALL, ALL_STRONG = 5_000, 20_000
NEAR_END = LONGEST = 1 << 16
WORDS = 300
# Of a long line, so much is looked at around a hit.
WINDOW = 1 << 15
# A warning whose kind came too often is known again by the words around its literal, which is ten times cheaper.
LEFT, RIGHT, MUTED = 16, 32, 50_000
_DIGITS = b"0123456789"


class Repeats:
    """Counts kinds of lines over a whole log, in bounded memory."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}
        self._muted: set[bytes] = set()
        self._left = {False: ALL, True: ALL_STRONG}

    def worth_it(self, block: Block, near_end: int) -> list[tuple[int, int]]:
        """Where the lines begin that are to be looked at, and the hit in each, ascending; behind `near_end` the last of
        each kind are. Of a line longer than `LONGEST` every hit counts that is `WINDOW` bytes behind the last.
        """
        data, end = block.data, block.end
        seen, muted, strong_ones = self._seen, self._muted, STRONG
        lines: list[tuple[int, int]] = []
        # Of each kind: which of the lines near the end only warn; and of which one the last of them is.
        late: dict[bytes, list[int]] = {}
        last_late: list[int] = []
        # The line that the last hit was in ends here; and whether that hit was strong enough to speak for the line.
        line_end, begin, settled, shown = -1, 0, False, 0
        for literal, start, stop in block.hits or ():
            strong = literal in strong_ones or (literal == ERROR and data[stop : stop + 1] == b":")
            if start < line_end and not (line_end - begin > LONGEST and start >= shown + WINDOW):
                if settled or not strong:
                    continue
            elif start >= end:
                break
            elif not strong and start < near_end and data[start - LEFT : stop + RIGHT] in muted:
                continue
            else:
                begin = data.rfind(b"\n", 0, start) + 1
                line_end = data.find(b"\n", stop)
                if line_end < 0:
                    line_end = len(data)
            at = max(begin, start - LEFT) if line_end - begin > LONGEST else begin
            kind = data[at : min(line_end, at + WORDS)].translate(None, _DIGITS)
            count = seen.get(kind, 0)
            settled = strong
            if start >= near_end and strong:
                if last_late and lines[last_late[-1]][0] == begin:
                    last_late.pop()
            elif start >= near_end and count >= OFTEN:
                last_late = late.setdefault(kind, [])
                last_late.append(len(lines))
            elif start >= near_end:
                seen[kind] = count + 1
            elif count >= OFTEN and (not strong or count >= OFTEN_STRONG):
                if not strong and start >= LEFT and len(muted) < MUTED:
                    muted.add(data[start - LEFT : stop + RIGHT])
                continue
            elif self._left[strong] > 0:
                self._left[strong] -= 1
                seen[kind] = count + 1
            else:
                continue
            if not lines or lines[-1][0] != begin or (line_end - begin > LONGEST and start >= shown + WINDOW):
                lines.append((begin, start))
                shown = start
        dropped = {at for some in late.values() for at in some[:-OFTEN]}
        return [line for at, line in enumerate(lines) if at not in dropped] if dropped else lines

"""A call that passes may still be wrong: rows that do not come back, a contract that is broken.

Pure: outcomes in, outcomes out. What is known of the subject decides where it can (`by_row`); else a result counts as
one of rows only where two sizes show that it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xladoctor.model.replay import Outcome

_ENOUGH = 2


def judged(outcomes: Sequence[Outcome], by_row: bool | None) -> list[Outcome]:
    """The outcomes, those that passed with the wrong number of rows or a broken contract as `silent`."""
    columns = _columns(outcomes, by_row)
    describes = _describes(outcomes)
    return [_judge(o if o.promised or describes else replace(o, place=None), columns) for o in outcomes]


def _describes(outcomes: Sequence[Outcome]) -> bool:
    """Whether built-in contracts describe the subject: a size that passes keeps them. Broken at every size that
    passes, they are those of another version.
    """
    ran = [o for o in outcomes if o.state in ("passed", "silent") and o.rows_in != 1]
    return any(o.place is None for o in ran)


def _judge(outcome: Outcome, columns: set[int]) -> Outcome:
    if outcome.state not in ("passed", "silent"):
        return outcome
    wrong = [n for i, n in enumerate(outcome.leading) if i in columns and n is not None and n != outcome.rows_in]
    right = [n for i, n in enumerate(outcome.leading) if i in columns and n is not None]
    rows = next(iter(wrong or right), outcome.rows_out)
    bad = bool(wrong) or outcome.place is not None
    return replace(outcome, state="silent" if bad else "passed", rows_out=rows)


def _columns(outcomes: Sequence[Outcome], by_row: bool | None) -> set[int]:
    """The results (by number) that have a row for each row of the arguments."""
    ran = [o for o in outcomes if o.state in ("passed", "silent") and o.leading]
    if not ran or by_row is False:
        return set()
    width = max(len(o.leading) for o in ran)
    if by_row:
        return {i for i in range(width) if any(i < len(o.leading) and o.leading[i] is not None for o in ran)}
    found = set()
    for i in range(width):
        equal = {o.rows_in for o in ran if i < len(o.leading) and (o.rows_in or 0) > 1 and o.leading[i] == o.rows_in}
        if len(equal) >= _ENOUGH:
            found.add(i)
    return found


def undecided(outcomes: Sequence[Outcome], by_row: bool | None) -> bool:
    """Whether it matters, and is not known, which results have a row for each row of the arguments."""
    if by_row is not None:
        return False
    ran = [o for o in outcomes if o.state == "passed" and (o.rows_in or 0) > 1]
    other = any(n is not None and n != o.rows_in for o in ran for n in o.leading)
    return other and not _columns(outcomes, None) and not _in_proportion(ran)


def _in_proportion(ran: Sequence[Outcome]) -> bool:
    """Whether every result grows with the batch: so many rows for so many."""
    first = ran[0]
    return len({o.rows_in for o in ran}) > 1 and all(
        (n or 0) * (first.rows_in or 0) == (m or 0) * (o.rows_in or 0)
        for o in ran
        for n, m in zip(o.leading, first.leading, strict=False)
    )

"""The heat map of a deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xladoctor.report.html import Markup
from xladoctor.report.svg.canvas import NARROW, WIDE, Canvas

LEVELS = 7
_MOST = 64
_DECADES = 6


def heat(
    name: str,
    matrix: Sequence[Sequence[float | None]],
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    tolerance: float | None = None,
    *,
    each: tuple[int, int] = (1, 1),
    widest: float = 720,
) -> Markup:
    """A field for each value, darker (in the dark: lighter) with the logarithm of the deviation.

    Args:
        name: of the picture on its page.
        matrix: deviations, not below 0; None where nothing was compared, NaN and infinity as the worst.
        rows: labels, one a row; else their indices.
        columns: labels, one a column; else their indices.
        tolerance: what rounding explains: all that is not above it is of the lightest colour.
        each: how many rows and columns of something larger a value is the worst of already.
        widest: of the picture, in pixels, as far as fields of 8 pixels go.

    A matrix of more than 64 rows or columns is drawn in blocks, each as its worst value: a single wrong pixel stays to
    be seen.
    """
    matrix, rows, columns, (down, across) = _coarse(matrix, rows, columns)
    down, across = down * each[0], across * each[1]
    worst = max((v for line in matrix for v in line if v is not None and math.isfinite(v)), default=0.0)
    floor = tolerance or (worst / 10**_DECADES if worst else 1.0)
    many = len(matrix[0]) if matrix else 0
    labelled = bool(columns) and many <= 16
    cell = _cell(columns if labelled else (), many, widest)
    tall = 26.0 if labelled else cell
    left = max([len(str(r)) for r in rows] + [4]) * WIDE + 12 if rows else 44.0
    top = 26.0
    canvas = Canvas(name, "Where the results deviate", _in_words(matrix, worst, tolerance, (down, across)))
    for m in range(many):
        text = str(columns[m]) if columns else str(m * across) if m % max(many // 8, 1) == 0 else ""
        canvas.text(left + cell * m + cell / 2, top - 8, text, "t-s t-m", max(int(cell / NARROW), 4))
    for n, line in enumerate(matrix):
        y = top + tall * n
        if rows or n % max(len(matrix) // 8, 1) == 0:
            canvas.text(6, y + tall / 2 + 4, rows[n] if rows else n * down, "t-s" if not rows else "")
        for m, value in enumerate(line):
            if value is None:
                continue
            rank = level(value, floor, worst)
            canvas.rect(left + cell * m, y, cell - 0.6, tall - 0.6, f"h{rank}", f"{value:.3g}")
            if labelled:
                canvas.text(
                    left + cell * m + cell / 2,
                    y + tall / 2 + 4,
                    f"{value:.2g}" if math.isfinite(value) else "≠",
                    f"t-s t-m t-h{rank}",
                )
    bottom = top + tall * len(matrix)
    _scale(canvas, left, bottom + 14, floor, worst)
    return canvas.svg(max(left + cell * many + 10, left + 30 * LEVELS + 150), bottom + 48)


def _in_words(
    matrix: Sequence[Sequence[float | None]], worst: float, tolerance: float | None, block: tuple[int, int]
) -> str:
    """What the picture shows, for those who do not see it."""
    said = f"{len(matrix)} rows, {len(matrix[0]) if matrix else 0} columns; the worst deviation is {worst:.3g}"
    if tolerance:
        over = sum(1 for line in matrix for v in line if v is not None and not v <= tolerance)
        said += f"; {over} fields are above the tolerance of {tolerance:.3g}"
    if block[0] * block[1] > 1:
        said += f". Each field is the worst of {block[0]} by {block[1]}."
    return said


def _cell(labels: Sequence[str], many: int, widest: float) -> float:
    """How wide a field is, in pixels: as its label needs, else as `many` of them have room."""
    if labels:
        return min(max(84.0, max(map(len, labels)) * NARROW + 12), 170.0)
    return max(8.0, min(26.0, widest / max(many, 1)))


def level(value: float, floor: float, worst: float) -> int:
    """The colour of a value, 0 to 6: 0 up to `floor`, 6 for the worst and for what is no number."""
    if not math.isfinite(value):
        return LEVELS - 1
    if value <= floor or worst <= floor:
        return 0 if value <= floor else LEVELS - 1
    return min(1 + int((LEVELS - 1) * math.log(value / floor) / math.log(worst / floor)), LEVELS - 1)


def _scale(canvas: Canvas, x: float, y: float, floor: float, worst: float) -> None:
    for rank in range(LEVELS):
        canvas.rect(x + 30 * rank, y, 30, 12, f"h{rank}")
    canvas.text(x, y + 26, f"≤ {floor:.2g}", "t-s t-dim")
    canvas.text(x + 30 * LEVELS, y + 26, f"{worst:.3g}" if worst > floor else "above", "t-s t-dim t-e")


def _coarse(
    matrix: Sequence[Sequence[float | None]], rows: Sequence[str], columns: Sequence[str]
) -> tuple[list[list[float | None]], Sequence[str], Sequence[str], tuple[int, int]]:
    high, wide = len(matrix), max((len(line) for line in matrix), default=0)
    down, across = math.ceil(high / _MOST) or 1, math.ceil(wide / _MOST) or 1
    if down == across == 1:
        return [list(line) for line in matrix], rows, columns, (1, 1)
    out: list[list[float | None]] = []
    for n in range(0, high, down):
        blocks = [
            [v for line in matrix[n : n + down] for v in line[m : m + across] if v is not None]
            for m in range(0, wide, across)
        ]
        out.append([max(b, key=lambda v: math.inf if math.isnan(v) else v) if b else None for b in blocks])
    return out, rows[::down], columns[::across], (down, across)

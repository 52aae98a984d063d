"""The tables of the study of learning, in Markdown, as docs/ptycho-studies.md has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PARTS = ("amplitude", "phase")


def write(arms: Mapping[str, Any], gains: Mapping[str, Any]) -> str:
    """The arms on objects of lines; where there are such, gains over other arms than the first; other kinds of object.

    Args:
        arms: the metrics of each arm by name, as in metrics.json.
        gains: differences of SSIM by "ARM over ARM".

    """
    first = next(iter(arms))
    header = ["row", "SSIM", "MAE", "FRC50", "gain, amplitude", "gain, phase", "deviance", "MAE of patterns", "time"]
    rows = []
    for name, figures in arms.items():
        over = gains.get(f"{name} over {first}")
        differences = [_gain(over[part]) if over else "" for part in _PARTS]
        losses = [f"{figures['losses'][loss]:.4f}" if figures["losses"] else "" for loss in ("poisson", "mae")]
        seconds = figures["processor_seconds"]
        time = f"{seconds['train']:.0f} + {seconds['reconstruct']:.0f}"
        means = [_pair(figures["mean"], what) for what in ("ssim", "mae", "frc50")]
        rows.append([name, *means, *differences, *losses, time])
    text = _table(header, rows)
    rows = [
        [pair, *(_gain(over[part]) for part in _PARTS)]
        for pair, over in gains.items()
        if not pair.endswith(f" over {first}")
    ]
    if rows:
        text += "\n" + _table(["pair", "gain, amplitude", "gain, phase"], rows)
    kinds = list(arms[first]["kinds"])
    if kinds:
        header = ["row", *(f"{kind}, {what}" for kind in kinds for what in ("SSIM", "FRC50"))]
        rows = [
            [name, *(_pair(figures["kinds"][kind]["mean"], what) for kind in kinds for what in ("ssim", "frc50"))]
            for name, figures in arms.items()
        ]
        text += "\n" + _table(header, rows)
    return text


def _pair(mean: Mapping[str, Any], what: str) -> str:
    return ", ".join(f"{mean[part][what]:.3f}" for part in _PARTS)


def _gain(difference: Mapping[str, float]) -> str:
    return f"{difference['mean']:.3f} ± {difference['sd']:.3f} ({difference['smallest']:.3f})"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

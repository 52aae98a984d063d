"""The figure of the dose-response study: truth, patterns at both doses, reconstructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Panel:
    """A stitched reconstruction (M L) complex, and where it holds anything (M L) bool."""

    title: str
    stitched: np.ndarray
    seen: np.ndarray


def draw(truth: np.ndarray, patterns: Mapping[float, np.ndarray], panels: Sequence[Panel], path: Path) -> None:
    """Draw 6 panels, 2 by 3, and write them to `path`.

    Truth, the pattern at the lowest and at the highest dose, then up to three reconstructions; with four
    arms the two patterns share one panel.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(2, 3).flat)
    for axis in axes:
        axis.set_axis_off()
    _show(figure, axes[0], np.angle(truth), "truth, phase (rad)")
    low, high = min(patterns), max(patterns)
    split = np.concatenate([_log(patterns[low]), _log(patterns[high])], axis=1)
    _show(figure, axes[1], split, f"counts, log10(1 + n): {low:g} | {high:g} photons")
    for axis, panel in zip(axes[2:], panels, strict=False):
        phase = np.angle(panel.stitched * np.exp(-1j * np.angle(panel.stitched[panel.seen].sum())))
        _show(figure, axis, np.where(panel.seen, phase, np.nan), f"{panel.title}, phase (rad)")
    figure.savefig(path, dpi=100)


def _log(pattern: np.ndarray) -> np.ndarray:
    return np.log10(1 + pattern)


def _show(figure, axis, image: np.ndarray, title: str) -> None:
    figure.colorbar(axis.imshow(image, cmap="viridis"), ax=axis, shrink=0.7)
    axis.set_title(title, fontsize=9)

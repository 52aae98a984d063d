"""The figure of the dose-response study: truth, patterns at both doses, reconstructions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ptycho import metrics


def draw(truth: np.ndarray, patterns: Mapping[float, np.ndarray], found: Mapping[str, np.ndarray], path: Path) -> None:
    """Draw the phase of the truth, the patterns, and the phase of each reconstruction; 6 panels with four arms.

    Patterns of two doses share a panel, left and right half, and all reconstructions the scale of the truth.

    Args:
        truth: (M L) complex.
        patterns: photon counts (N N) by dose.
        found: reconstructions by name, (M L) complex; their phase is aligned to the truth by one constant.
        path: of the PNG file.

    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 3 if len(found) > 1 else 2 + len(found)
    rows = -(-(2 + len(found)) // columns)
    figure = Figure(figsize=(4.2 * columns, 4 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axis in axes:
        axis.set_axis_off()

    def show(axis, image: np.ndarray, title: str, **scale: float) -> None:
        figure.colorbar(axis.imshow(image, cmap="viridis", **scale), ax=axis, shrink=0.8)
        axis.set_title(title, fontsize=9)

    phase = np.angle(truth)
    scale = {"vmin": float(phase.min()), "vmax": float(phase.max())}
    show(axes[0], phase, "truth, phase (rad)", **scale)
    low, high = min(patterns), max(patterns)
    half = patterns[low].shape[1] // 2
    split = patterns[low] if low == high else np.hstack([patterns[low][:, :half], patterns[high][:, half:]])
    doses = f"{low:g}" if low == high else f"{low:g} | {high:g}"
    show(axes[1], np.log10(1 + split), f"{doses} photons, log10(1 + counts)")
    for axis, (name, stitched) in zip(axes[2:], found.items(), strict=False):
        show(axis, np.angle(metrics.align_phase(stitched, truth)), f"{name}, phase (rad)", **scale)
    figure.savefig(path, dpi=100)

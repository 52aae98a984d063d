"""The figure of the grid-lines study: truth, PINN and baseline, amplitude above phase."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ptycho import metrics


def draw(truth: np.ndarray | None, found: Mapping[str, np.ndarray], path: Path) -> None:
    """Draw two rows of panels, amplitude and phase, of the truth (if it is known) and of what was found.

    Args:
        truth: (M L) complex, or None.
        found: by name, complex arrays of the shape of `truth`; their phase is aligned by one constant.
        path: of the PNG file.

    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    images = {} if truth is None else {"truth": truth * np.exp(-1j * np.angle(truth.sum()))}
    for name, stitched in found.items():
        images[name] = stitched * np.exp(-1j * np.angle(stitched.sum()))
        if truth is not None:
            images[name] = metrics.align_phase(stitched, images["truth"])
    reference = next(iter(images.values()))
    figure = Figure(figsize=(4 * len(images) + 1, 8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(images), squeeze=False)
    for row, (what, part) in enumerate((("amplitude", np.abs), ("phase (rad)", np.angle))):
        low, high = part(reference).min(), part(reference).max()
        for axis, (name, image) in zip(axes[row], images.items(), strict=True):
            shown = axis.imshow(part(image), cmap="viridis", vmin=low, vmax=high)
            axis.set_title(f"{name}, {what}")
            axis.set_axis_off()
        figure.colorbar(shown, ax=axes[row].tolist(), shrink=0.8)
    figure.savefig(path, dpi=80)

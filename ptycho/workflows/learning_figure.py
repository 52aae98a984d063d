"""The figures of the study of learning: pictures of each kind of object, and quality against time and frequency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ptycho import metrics
from ptycho.workflows.learning_objects import LINES
from ptycho.workflows.output import Result

_PARTS = (("amplitude", np.abs), ("phase", np.angle))


def draw(results: Mapping[str, Result], kinds: Sequence[str], folder: Path) -> None:
    """Write pictures.png and quality.png into the folder. `results` are the arms; `kinds` those of test objects."""
    groups = _groups(results)
    shown = {names[-1]: results[names[-1]] for names in groups.values()}
    _pictures(shown, kinds).savefig(folder / "pictures.png", dpi=60)
    _quality(results, groups, kinds).savefig(folder / "quality.png", dpi=80)


def _groups(names: Iterable[str]) -> dict[str, list[str]]:
    """Arms that differ in a number at the end of their name, such as sweeps, in one list."""
    groups: dict[str, list[str]] = {}
    for name in names:
        kind, _, number = name.rpartition("-")
        groups.setdefault(kind if number.isdecimal() else name, []).append(name)
    return groups


def _images(result: Result, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The first object of a kind, its phase aligned, and the truth: (M L) complex each."""
    prefix = "" if kind == LINES else f"{kind}_"
    truth = result.arrays[f"{prefix}truth_0"]
    truth = truth * np.exp(-1j * np.angle(truth.sum()))
    return metrics.align_phase(result.arrays[f"{prefix}stitched_0"], truth), truth


def _pictures(results: Mapping[str, Result], kinds: Sequence[str]) -> Any:
    """Amplitude and phase of the first object of each kind, one column an arm."""
    columns = {"true object": None, **{name: result for name, result in results.items() if name != "truth"}}
    figure, axes = _figure(2 * len(kinds), len(columns), 2.6)
    for row, (kind, (part, view)) in enumerate((kind, each) for kind in kinds for each in _PARTS):
        truth = _images(next(iter(results.values())), kind)[1]
        low, high = view(truth).min(), view(truth).max()
        for axis, (name, result) in zip(axes[row], columns.items(), strict=True):
            image = truth if result is None else _images(result, kind)[0]
            axis.imshow(view(image), cmap="viridis", vmin=low, vmax=high)
            axis.set_title(f"{name}, {part}" if row == 0 or result is None else name, fontsize=8)
            axis.set_axis_off()
    return figure


def _quality(results: Mapping[str, Result], groups: Mapping[str, list[str]], kinds: Sequence[str]) -> Any:
    """SSIM against the seconds of one object, and the Fourier ring correlation for each kind."""
    figure, axes = _figure(2, 1 + len(kinds), 4)
    for row, (part, view) in zip(axes, _PARTS, strict=True):
        for group, names in groups.items():
            if group != "truth":
                every = [results[name].metrics for name in names]
                seconds = [each["processor_seconds"]["reconstruct"] / len(each["by_object"]) for each in every]
                row[0].plot(seconds, [each["mean"][part]["ssim"] for each in every], "o-", label=group)
        row[0].set(xlim=(0, None), xlabel="processor seconds for one object", ylabel=f"SSIM, {part}")
        for axis, kind in zip(row[1:], kinds, strict=True):
            for name in (names[-1] for names in groups.values()):
                curve = metrics.frc(*(view(image) for image in _images(results[name], kind)))
                axis.plot(np.arange(len(curve)) / (2 * (len(curve) - 1)), curve, label=name)
            axis.axhline(0.5, color="grey", linewidth=0.5)
            axis.set(xlabel="spatial frequency, 1/pixel", ylabel=f"FRC, {part}, {kind}", ylim=(-0.1, 1.05))
        for axis in row:
            axis.legend(fontsize=6)
    return figure


def _figure(rows: int, columns: int, side: float) -> tuple[Any, np.ndarray]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(side * columns, side * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)

"""Scans in files: the `.npz` layout of the field.

| array          | shape   | what                                                                       |
|----------------|---------|----------------------------------------------------------------------------|
| `diffraction`  | (K N N) | real, not negative: amplitudes of the patterns, zero frequency in the centre |
| `probeGuess`   | (N N)   | complex                                                                    |
| `objectGuess`  | (M L)   | complex; may be missing, or all ones where nothing is known                |
| `xcoords`      | (K)     | centres of the patterns along x, in pixels of the object                   |
| `ycoords`      | (K)     | the same along y                                                           |

There may be two more: `beam_photons`, one number (see `RawData`), and `diffraction_is`, the text "counts" if the
patterns are photon counts and not amplitudes.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from ptycho.raw_data import RawData

REQUIRED = ("diffraction", "probeGuess", "xcoords", "ycoords")


class DataFileError(ValueError):
    """A file that is not a scan; the text lists everything that is wrong with it, one line each."""


def load(path: Path | str) -> RawData:
    """Read a scan. Raises `DataFileError` naming every missing or misshapen array, OSError if it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise DataFileError(f"{path}: not an .npz file of plain arrays ({error})") from None
    wrong = problems(arrays)
    if wrong:
        raise DataFileError("\n".join(f"{path}: {line}" for line in wrong))
    patterns = arrays["diffraction"].astype(np.float32)
    counts = patterns if str(arrays.get("diffraction_is", "amplitudes")) == "counts" else np.square(patterns)
    truth = arrays.get("objectGuess")
    known = truth is not None and np.ptp(np.abs(truth - truth.flat[0])) > 0
    return RawData(
        xcoords=arrays["xcoords"].astype(float),
        ycoords=arrays["ycoords"].astype(float),
        diff3d=counts,
        probeGuess=arrays["probeGuess"].astype(np.complex64),
        objectGuess=truth.astype(np.complex64) if known else None,
        beam_photons=float(arrays["beam_photons"]) if "beam_photons" in arrays else None,
    )


def save(path: Path | str, raw: RawData) -> None:
    """Write a scan in the layout above, amplitudes as float32."""
    extra = {} if raw.beam_photons is None else {"beam_photons": np.float64(raw.beam_photons)}
    truth = np.ones(raw.probeGuess.shape) if raw.objectGuess is None else raw.objectGuess
    np.savez_compressed(
        path,
        diffraction=np.sqrt(raw.diff3d).astype(np.float32),
        probeGuess=raw.probeGuess.astype(np.complex64),
        objectGuess=truth.astype(np.complex64),
        xcoords=np.asarray(raw.xcoords, float),
        ycoords=np.asarray(raw.ycoords, float),
        **extra,
    )


def problems(arrays: dict[str, np.ndarray]) -> list[str]:
    """Everything that is wrong with these arrays as a scan, one sentence each."""
    missing = [name for name in REQUIRED if name not in arrays]
    if missing:
        held = ", ".join(sorted(arrays)) or "nothing"
        return [f"array {name!r} is missing (the file holds {held})" for name in missing]
    found = []

    def expect(name: str, shape: tuple[int | str, ...]) -> None:
        array = arrays[name]
        sizes = zip(array.shape, shape, strict=False)
        if array.ndim != len(shape) or any(isinstance(want, int) and got != want for got, want in sizes):
            wanted = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
            found.append(f"array {name!r} is {array.shape}, expected ({wanted})")
        elif array.dtype.kind not in "iufc":
            found.append(f"array {name!r} holds {array.dtype}, not numbers")
        elif not np.isfinite(array).all():
            found.append(f"array {name!r} holds values that are not finite")

    patterns = arrays["diffraction"]
    K, N = (patterns.shape[0], patterns.shape[1]) if patterns.ndim == 3 else ("K", "N")
    expect("diffraction", (K, N, N))
    expect("probeGuess", (N, N))
    expect("xcoords", (K,))
    expect("ycoords", (K,))
    if "objectGuess" in arrays:
        expect("objectGuess", ("M", "L"))
    if found:
        return found
    real = ("diffraction", "xcoords", "ycoords")
    found += [f"array {name!r} is complex, expected real numbers" for name in real if np.iscomplexobj(arrays[name])]
    if not found and patterns.min(initial=0) < 0:
        found.append("array 'diffraction' holds negative values")
    if isinstance(N, int) and (N < 8 or N % 8):
        found.append(f"array 'diffraction' has patterns of {N} pixels; their side must be a multiple of 8")
    return found

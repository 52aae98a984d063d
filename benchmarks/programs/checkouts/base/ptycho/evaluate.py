"""Comparison of a reconstruction with the specimen."""

import numpy as np


def align_phase(obj, truth, mask):
    """Removes the global phase, which the data do not determine."""
    overlap = np.sum(obj[mask] * np.conj(truth[mask]))
    return obj * np.exp(-1j * np.angle(overlap))


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b) + 1e-12))


def scores(obj, cover, truth):
    mask = cover > 0.1 * cover.max()
    aligned = align_phase(obj, truth, mask)
    amp, ref_amp = np.abs(aligned)[mask], np.abs(truth)[mask]
    phase, ref_phase = np.angle(aligned)[mask], np.angle(truth)[mask]
    return {
        "covered": float(mask.mean()),
        "amp_mae": float(np.mean(np.abs(amp - ref_amp))),
        "amp_corr": correlation(amp, ref_amp),
        "phase_mae": float(np.mean(np.abs(phase - ref_phase))),
        "phase_corr": correlation(phase, ref_phase),
    }


def format_scores(values):
    return "  ".join(f"{key}={value:.4f}" for key, value in values.items())

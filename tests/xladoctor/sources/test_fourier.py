"""Which function of a program leaves the zero frequency of its spectra in the corner."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.fourier import conjugated, not_centred

CENTRED = """
def model(wave):
    far = tf.signal.fftshift(tf.signal.fft2d(wave), axes=(1, 2))
    return tf.abs(far)
"""
CORNER = """
def measure(field):
    spectrum = np.fft.fft2(field)
    return np.abs(spectrum)
"""
HALF = """
def measure(field):
    spectrum = np.fft.fft2(np.fft.ifftshift(field))
    return np.abs(spectrum)
"""
FILTER = """
def blur(field, kernel):
    return np.abs(np.fft.ifft2(np.fft.fft2(field) * kernel))
"""


@pytest.mark.parametrize(
    ("sources", "lines"),
    [([CENTRED, CORNER], [3]), ([CENTRED, HALF], [4]), ([CORNER, CORNER], []), ([CENTRED, FILTER], [])],
    ids=["one of two", "shifted before alone", "alike", "a filter"],
)
def test_one_that_differs(sources, lines):
    trees = {f"{n}.py": ast.parse(source) for n, source in enumerate(sources)}
    assert [s.line for s in not_centred(trees)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("probe = tf.constant(light.wave.conj())", [1]),
        ("seen = frames[:, ::-1, ::-1]", [1]),
        ("power = wave * np.conj(wave)\nrow = x[::-1]", []),
        ("def back(f, k):\n    return np.fft.ifft2(np.conj(k) * np.fft.fft2(f))", []),
    ],
    ids=["conjugated", "mirrored", "a square", "a filter"],
)
def test_what_mirrors_a_spectrum(text, lines):
    assert conjugated({"a.py": ast.parse(text)}) == [("a.py", line) for line in lines]

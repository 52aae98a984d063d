import subprocess
import sys

import numpy as np
import pytest

from ptycho import data_file
from ptycho.raw_data import RawData


def arrays(K=5, N=16, **changed):
    rng = np.random.default_rng(0)
    whole = {
        "diffraction": rng.random((K, N, N)),
        "probeGuess": np.ones((N, N), complex),
        "objectGuess": np.ones((40, 40), complex),
        "xcoords": np.arange(K),
        "ycoords": np.arange(K),
        **changed,
    }
    return {name: array for name, array in whole.items() if array is not None}


def test_what_is_written_is_read(tmp_path):
    rng = np.random.default_rng(0)
    raw = RawData(
        rng.random(5),
        rng.random(5),
        rng.poisson(9, (5, 16, 16)).astype(np.float32),
        rng.random((16, 16)) + 0.5j,
        rng.random((40, 40)) + 0.5j,
        1e6,
    )
    data_file.save(tmp_path / "scan.npz", raw)
    again = data_file.load(tmp_path / "scan.npz")
    np.testing.assert_allclose(again.diff3d, raw.diff3d, rtol=1e-6)
    np.testing.assert_array_equal(again.xcoords, raw.xcoords)
    np.testing.assert_allclose(again.probeGuess, raw.probeGuess, rtol=1e-6)
    np.testing.assert_allclose(again.objectGuess, raw.objectGuess, rtol=1e-6)
    assert again.beam_photons == 1e6


def test_counts_amplitudes_and_an_unknown_object(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays())
    np.savez(tmp_path / "c.npz", **arrays(), diffraction_is="counts")
    amplitudes, counts = (data_file.load(tmp_path / name) for name in ("a.npz", "c.npz"))
    np.testing.assert_allclose(amplitudes.diff3d, counts.diff3d**2, rtol=1e-6)
    assert amplitudes.objectGuess is None  # all ones: nothing is known
    assert amplitudes.beam_photons is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"probeGuess": None}, "array 'probeGuess' is missing (the file holds diffraction, objectGuess, xcoords"),
        ({"ycoords": np.zeros(4)}, "array 'ycoords' is (4,), expected (5,)"),
        ({"probeGuess": np.ones((8, 8))}, "array 'probeGuess' is (8, 8), expected (16, 16)"),
        ({"diffraction": np.ones((5, 16, 12))}, "array 'diffraction' is (5, 16, 12), expected (5, 16, 16)"),
        ({"diffraction": np.ones((5, 256))}, "array 'diffraction' is (5, 256), expected (K, N, N)"),
        ({"objectGuess": np.ones(9)}, "array 'objectGuess' is (9,), expected (M, L)"),
        ({"xcoords": np.array(list("abcde"))}, "array 'xcoords' holds <U1, not numbers"),
        ({"ycoords": np.full(5, np.nan)}, "array 'ycoords' holds values that are not finite"),
        ({"xcoords": np.ones(5) * 1j}, "array 'xcoords' is complex"),
        ({"diffraction": -np.ones((5, 16, 16))}, "array 'diffraction' holds negative values"),
        ({"diffraction": np.ones((5, 12, 12)), "probeGuess": np.ones((12, 12))}, "must be a multiple of 8"),
    ],
)
def test_what_is_missing_or_misshapen_is_named(tmp_path, changed, message):
    np.savez(tmp_path / "scan.npz", **arrays(**changed))
    with pytest.raises(data_file.DataFileError) as error:
        data_file.load(tmp_path / "scan.npz")
    assert message in str(error.value)
    assert str(tmp_path / "scan.npz") in str(error.value)


def test_everything_wrong_is_listed():
    wrong = arrays(ycoords=np.zeros(4), probeGuess=np.ones(3))
    assert len(data_file.problems(wrong)) == 2
    assert len(data_file.problems({})) == len(data_file.REQUIRED)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.save(tmp_path / "single.npy", np.ones(3))
    for name in ("text.npz", "single.npy"):
        with pytest.raises(data_file.DataFileError, match=r"not an \.npz file"):
            data_file.load(tmp_path / name)


def test_example(tmp_path):
    file = tmp_path / "scan.npz"
    command = [sys.executable, "-m", "ptycho.workflows.make_example", str(file), "--N=32"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    raw = data_file.load(file)
    assert f"{len(raw.xcoords)} patterns of 32 x 32" in done.stdout
    assert raw.objectGuess is not None
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "exists" in again.stderr

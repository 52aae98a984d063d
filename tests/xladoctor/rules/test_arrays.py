"""What NumPy and pandas say of sizes that do not fit, as they say it here, and the wordings of other libraries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.xladoctor.rules.fixtures import diagnose

TABLE = {"a": [1.0, 2.0, 3.0]}
A = np.ones((4, 3))


def _set_masked():
    A.copy()[A > 0] = np.ones(5)


@pytest.mark.parametrize(
    ("call", "slug", "dims"),
    [
        (lambda: np.array([[1, 2], [3]]), "concat-pack-mismatch", (2,)),
        (lambda: np.zeros(3).__setitem__(0, [1, 2]), "concat-pack-mismatch", ()),
        (lambda: pd.DataFrame({"a": [1], "b": [1, 2]}), "concat-pack-mismatch", ()),
        (lambda: pd.DataFrame(TABLE).__setitem__("b", [1, 2]), "broadcast-mismatch", (2, 3)),
        (lambda: pd.DataFrame(np.ones((4, 3)), columns=["a", "b"]), "broadcast-mismatch", (3, 2)),
        (lambda: pd.DataFrame(TABLE)[[True, False]], "broadcast-mismatch", (2, 3)),
        (lambda: setattr(pd.DataFrame(TABLE), "columns", ["a", "b"]), "broadcast-mismatch", (1, 2)),
        (lambda: pd.DataFrame(TABLE).__setitem__(["a", "b"], np.ones((3, 1))), "broadcast-mismatch", ()),
        (lambda: np.zeros((5, 4)).__setitem__(np.arange(5), np.ones((3, 4))), "broadcast-mismatch", (3, 5)),
        (lambda: np.broadcast(np.ones(3), np.ones(4)), "broadcast-mismatch", (3, 4)),
        (lambda: np.einsum("ij,ij->i", np.ones((3, 4)), np.ones((3, 5))), "broadcast-mismatch", (4, 5)),
        (lambda: np.add(np.ones((3, 4)), 1, out=np.ones(4)), "broadcast-mismatch", (4, 3, 4)),
        (_set_masked, "broadcast-mismatch", (5, 12)),
        (lambda: np.interp(1.0, [1, 2], [1, 2, 3]), "broadcast-mismatch", ()),
        (lambda: np.polyfit([1, 2], [1, 2, 3], 1), "broadcast-mismatch", ()),
        (lambda: A[0, 0, 0], "rank-mismatch", (2, 3)),
        (lambda: pd.Series(A), "rank-mismatch", (4, 3)),
        (lambda: pd.DataFrame({"a": A}), "rank-mismatch", ()),
        (lambda: A.item(), "rank-mismatch", ()),
        (lambda: float(A), "rank-mismatch", ()),
        (lambda: np.concatenate([np.float32(1), np.float32(2)]), "rank-mismatch", ()),
        (lambda: np.concatenate([A, np.ones(3)]), "rank-mismatch", (2, 1)),
        (lambda: np.transpose(A, (0, 2, 1)), "rank-mismatch", ()),
        (lambda: np.squeeze(A, 1), "rank-mismatch", ()),
    ],
)
def test_what_numpy_and_pandas_raise(call, slug, dims):
    with pytest.raises((ValueError, TypeError, IndexError)) as error:
        call()
    [found] = diagnose(
        f'Traceback (most recent call last):\n  File "/w/train.py", line 3, in <module>\n    call()\n'
        f"{type(error.value).__name__}: {error.value}\n"
    )
    assert (found.slug, found.dims) == (slug, dims), found.message
    assert "has no rule" not in found.message


@pytest.mark.parametrize(
    ("said", "slug", "dims"),
    [
        ("Found input variables with inconsistent numbers of samples: [7, 6]", "keras-input-mismatch", (7, 6)),
        ("X has 6 features, but PCA is expecting 5 features as input.", "keras-input-mismatch", (6, 5)),
        ("Expected 2D array, got 1D array instead:\narray=[1. 2.].", "rank-mismatch", (2, 1)),
        ("y should be a 1d array, got an array of shape (7, 2) instead.", "rank-mismatch", (7, 2)),
        ("Found array with dim 3. PCA expected <= 2.", "rank-mismatch", (3, 2)),
        ("x and y must have same first dimension, but have shapes (7,) and (6,)", "broadcast-mismatch", (7, 6)),
        ("Failed to convert a NumPy array to a Tensor (Unsupported object type numpy.ndarray).", "dtype-mismatch", ()),
    ],
)
def test_other_libraries(said, slug, dims):
    [found] = diagnose(f"ValueError: {said}\n")
    assert (found.slug, found.dims) == (slug, dims), found.message
    assert "has no rule" not in found.message

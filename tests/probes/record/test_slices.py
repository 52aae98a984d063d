"""Which tensors a pipeline gives the rows of, and how many a batch has; none where it computes something."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.record.datasets import slices


def dataset(kind, *inputs, **attributes):
    """Stands for a dataset of TensorFlow: the name of its class and what it was made of is all that is looked at."""
    made = type(kind, (), {"_inputs": lambda self: list(inputs)})()
    vars(made).update(attributes)
    return made


def arrays(*values):
    tensors = [SimpleNamespace(dtype=SimpleNamespace(name=str(v.dtype)), shape=v.shape, value=v) for v in values]
    return dataset("_TensorSliceDataset", _tensors=tensors)


def sized(made, size):
    return dataset("_BatchDataset", made, _batch_size=SimpleNamespace(numpy=lambda: size))


X, Y = np.zeros((9, 2), "float32"), np.zeros(9, "int32")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (sized(arrays(X, Y), 4), (2, 4)),
        (dataset("_PrefetchDataset", sized(dataset("_ShuffleDataset", arrays(X, Y)), 4)), (2, 4)),
        (sized(dataset("_ZipDataset", arrays(X), dataset("_TakeDataset", arrays(Y))), 3), (2, 3)),
        (dataset("_ZipDataset", sized(arrays(X), 3), sized(arrays(Y), 3)), (2, 3)),
        (arrays(X), (1, 0)),
        (dataset("_ZipDataset", sized(arrays(X), 3), sized(arrays(Y), 2)), None),
        (sized(dataset("_MapDataset", arrays(X)), 4), None),
        (sized(sized(arrays(X), 4), 2), None),
        (dataset("_PaddedBatchDataset", arrays(X)), None),
        (sized(dataset("_FlatMapDataset", dataset("_TensorDataset")), 4), None),
        (
            sized(
                dataset(
                    "_TensorSliceDataset", _tensors=[SimpleNamespace(dtype=SimpleNamespace(name="string"), shape=(9,))]
                ),
                4,
            ),
            None,
        ),
    ],
)
def test_slices(made, expected):
    found = slices(made)
    assert (found and (len(found[0]), found[1])) == expected

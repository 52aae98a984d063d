"""The numbers that take the place of a row's own."""

import numpy as np
import pytest

from probes.graph.row_sets import _is_seed, _other


@pytest.mark.parametrize("kind", ["int64", "uint64", "int32", "uint8"])
@pytest.mark.parametrize("way", range(3))
def test_integers_of_all_bits_become_others(kind, way):
    limits = np.iinfo(kind)
    value = np.array([limits.min, limits.max, 5, limits.max // 2], kind)
    found = _other(value, [0, 1], way, np.random.default_rng(0))
    assert found.dtype == value.dtype and (found != value[:2]).all()


def test_a_drawn_seed_belongs_to_no_row():
    assert _is_seed(np.array([-(2**62), 2**61])) and _is_seed(np.array([2**63 + 5, 3], "uint64"))
    assert not _is_seed(np.array([1, 0, 2])) and not _is_seed(np.array([2.0**40, 1.0]))
    assert not _is_seed(np.full(40, 2**40))

"""Windows that hold their own target, of arrays and as Keras makes them of a series."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.record.guard import Guard
from probes.record.in_window import WindowRecorder, in_window

N, STEPS = 300, 12
RANDOM = np.random.default_rng(0)
SERIES = np.stack([np.cumsum(RANDOM.normal(size=N)), RANDOM.normal(size=N)], 1)


def from_array(data, targets=None, sequence_length=None, sequence_stride=1, sampling_rate=1, **more):
    return data


def told(*args, **kwargs):
    events = []
    module = SimpleNamespace(made=from_array)
    guard = Guard(SimpleNamespace(write=lambda kind, **facts: events.append(facts)))
    recorder = WindowRecorder(guard, SimpleNamespace(when_imported=lambda *_: None))
    recorder._hook(module, "made")
    assert module.made(*args, **kwargs) is args[0]
    assert all(e["what"] == "in-window" for e in events), events
    return [e["rows"] for e in events]


@pytest.mark.parametrize(
    ("targets", "more", "step"),
    [
        (SERIES[:, 0], {}, 0),
        (SERIES[STEPS - 1 :, 0], {}, STEPS - 1),
        (3 * SERIES[4:, 1:] - 2, {"sampling_rate": 2}, 2),
        (SERIES[:, 0].astype("float32"), {"start_index": 20}, 0),
    ],
)
def test_a_target_in_its_window_is_told_with_its_step(targets, more, step):
    assert told(SERIES, targets, sequence_length=STEPS, **more) == [[step, STEPS]]


@pytest.mark.parametrize(
    ("targets", "more"),
    [
        (SERIES[STEPS:, 0], {}),
        (SERIES[3:, 1], {"sampling_rate": 2}),  # between two steps
        (SERIES[:, 0] + RANDOM.normal(size=N), {}),
        ((SERIES[:, 0] > 0).astype("int64"), {}),
        (np.round(SERIES[:, 0]), {}),
        (np.diff(SERIES[:, 0]), {}),
        (None, {}),
        (SERIES, {}),
    ],
)
def test_a_target_that_is_not_is_not(targets, more):
    assert told(SERIES, targets, sequence_length=STEPS, **more) == []


def test_windows_that_slide_are_told_and_sequences_to_be_recalled_are_not():
    windows = np.stack([SERIES[i : i + STEPS] for i in range(N - STEPS)])
    assert in_window(windows, SERIES[STEPS - 1 : N - 1, 0]) == [STEPS - 1, STEPS]
    assert in_window(windows, SERIES[STEPS:, 0]) is None
    apart = RANDOM.normal(size=(N, STEPS, 2))
    assert in_window(apart, apart[:, 3, 0]) is None


def test_windows_of_a_series_as_rows_and_targets_of_several_steps():
    level = SERIES[:, 0]
    windows = np.lib.stride_tricks.sliding_window_view(level, STEPS)[:-4].copy()
    ahead = np.lib.stride_tricks.sliding_window_view(level, 4)
    rows = len(windows)
    for x, step in ((windows, STEPS - 1), (windows[:, ::-1], 0)):
        assert in_window(x, level[STEPS - 1 : STEPS - 1 + rows]) == [step, STEPS]
        assert in_window(x, ahead[STEPS - 1 : STEPS - 1 + rows]) == [step, STEPS]
        assert in_window(x, level[STEPS : STEPS + rows]) is None
        assert in_window(x, ahead[STEPS : STEPS + rows]) is None
    assert in_window(windows, windows) is None, "a model that gives its window back"

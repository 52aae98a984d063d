"""Windows that are cut after recordings were joined, and windows that stay within one."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.window_borders import window_borders

WRONG = {
    "a view of all rides": """
rides = [read(path) for path in paths]
speed = np.concatenate([ride["speed"] for ride in rides])  # wrong
x = np.lib.stride_tricks.sliding_window_view(speed, 50)
""",
    "filled by a loop": """
def load(folder):
    signals, kinds = [], []
    for patient in patients(folder):
        signals.append(patient.ecg)
        kinds.append(patient.kinds)
    return np.concatenate(signals), np.concatenate(kinds)  # wrong
def windows(signal, kinds, width):
    starts = range(0, len(signal) - width, 10)
    return np.stack([signal[a : a + width] for a in starts]), kinds[width:]
def main():
    signal, kinds = load("data")
    return windows(signal.astype("float32"), kinds, 40)
""",
    "a dataset of Keras": """
class Store:
    def __init__(self, engines):
        self.rows = np.vstack([e.sensors for e in engines])  # wrong
    def dataset(self, length):
        return keras.utils.timeseries_dataset_from_array(self.rows[:, 2:], None, sequence_length=length)
""",
    "windows that end at each step": """
def histories(table, look_back):
    return [table[t - look_back : t] for t in range(look_back, len(table))]
sessions = pd.concat([read(session) for session in sessions_of(bird)])  # wrong
x = histories(sessions.to_numpy(), 12)
""",
}
WRONG |= {
    "a dataset of windows": """
signal = np.vstack([read(n) for n in SUBJECTS])  # wrong
parts = tf.data.Dataset.from_tensor_slices(signal).window(50, shift=10)
""",
    "a list of all values": """
def prepare(stations, back):
    values = []
    for name in stations:
        values.extend(scaled(read(name)))  # wrong
    return pasts(np.array(values), back)
def pasts(series, look_back):
    return [series[a : a + look_back] for a in range(len(series) - look_back)]
""",
    "columns of a joined table": """
def sequences(table, n):
    values = table[COLUMNS].to_numpy()
    return np.stack([values[a - n : a] for a in range(n, len(values))])
tables = [read(engine) for engine in engines]
table = pd.concat(tables, ignore_index=True)  # wrong
x = sequences(table, 30)
""",
}
HEALTHY = {
    "a list of windows": """
def prepare(stations, back):
    windows = []
    for name in stations:
        windows.extend(pasts(read(name), back))
    return np.array(windows)
def pasts(series, look_back):
    return [series[a : a + look_back] for a in range(len(series) - look_back)]
""",
    "windows of each, then joined": """
def windows(signal, width):
    return np.stack([signal[a : a + width] for a in range(len(signal) - width)])
x = np.concatenate([windows(ride, 50) for ride in rides])
""",
    "days of one recording": """
flow = np.concatenate([read(day) for day in days])
x = np.lib.stride_tricks.sliding_window_view(flow, 50)
""",
    "windows over a border are left out": """
def windows(trials, width):
    signal = np.concatenate([t.signal for t in trials])
    of = np.concatenate([np.full(len(t.signal), n) for n, t in enumerate(trials)])
    starts = [a for a in range(len(signal) - width) if of[a] == of[a + width - 1]]
    return np.stack([signal[a : a + width] for a in starts])
""",
    "with a gap between": """
def joined(trials, width):
    gap = np.full((width, 3), np.nan)
    return np.concatenate([np.concatenate([t, gap]) for t in trials])
def windows(signal, width):
    return [signal[a : a + width] for a in range(len(signal) - width)]
x = windows(joined(trials, 9), 9)
""",
    "mini batches": """
rows = np.concatenate([t.rows for t in trials])
for a in range(0, len(rows), batch_size):
    step(rows[a : a + batch_size])
""",
    "parts without an overlap": """
def parts(trials, width):
    rows = np.concatenate([t.rows for t in trials])
    return [rows[a : a + width] for a in range(0, len(rows), width)]
""",
    "columns beside each other": """
signal = np.concatenate([t.signal for t in trials], axis=1)
x = np.lib.stride_tricks.sliding_window_view(signal, 50, axis=0)
""",
    "one of them by its number": """
signal = np.concatenate([t.signal for t in trials])
for k in range(9):
    x = np.lib.stride_tricks.sliding_window_view(signal[number == k], 50)
""",
    "statistics alone": """
def windows(trials, width):
    mean = np.concatenate(trials).mean(axis=0)
    return np.concatenate([cut(t - mean, width) for t in trials])
def cut(signal, width):
    return np.stack([signal[a : a + width] for a in range(len(signal) - width)])
""",
}


def lines(text):
    return sorted(slip.line for _, slip in window_borders({"main.py": ast.parse(text)}))


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_windows_over_borders(text):
    assert lines(text) == [n for n, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("text", HEALTHY.values(), ids=HEALTHY.keys())
def test_windows_within_recordings(text):
    assert lines(text) == []

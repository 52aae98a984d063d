"""Reading and windowing."""
import numpy as np
import pandas as pd


def read_table(path):
    frame = pd.read_csv(path, parse_dates=["time"])
    return frame.set_index("time").interpolate()


def windows(series, width):
    x = np.lib.stride_tricks.sliding_window_view(series[:-1], width)
    return x, series[width:]

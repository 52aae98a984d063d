"""Brightness threshold (Otsu) as reference for the network."""
import numpy as np


def otsu(values, bins=64):
    hist, edges = np.histogram(values, bins)
    mid = 0.5 * (edges[1:] + edges[:-1])
    w = np.cumsum(hist)
    m = np.cumsum(hist * mid)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (m[-1] * w / w[-1] - m) ** 2 / (w * (w[-1] - w))
    return mid[np.nanargmax(between[:-1])]


def iou(scene):
    bright = scene.data.mean(axis=0)
    mask = bright > otsu(bright)
    return np.sum(mask & scene.cloud) / np.sum(mask | scene.cloud)

"""Feature map sizes shared by encoder and decoder."""
import math


def halvings(filters):
    return len(filters) - 1


def bottom_shape(size, filters):
    side = math.ceil(size / 2 ** halvings(filters))
    return side, side, filters[-1]


def receptive_field(filters, kernel=3):
    r = 1
    for k in range(len(filters)):
        r += (kernel - 1) * 2 ** k
    return r

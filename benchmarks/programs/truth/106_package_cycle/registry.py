"""Registry of loss functions."""
import losses

LOSSES = {}


def register(function):
    LOSSES[function.__name__] = function
    return function


LOSSES["l2"] = losses.l2

"""Chain of steps between the recorder and the network."""
import numpy as np


class Step:
    def fit(self, x):
        return self

    def __call__(self, x):
        raise NotImplementedError


class Detrend(Step):
    def __call__(self, x):
        return x - np.median(x, axis=1, keepdims=True)


class LeadScaler(Step):
    """Unit variance for each lead, over all beats of the training set."""

    def __init__(self, eps=1e-6):
        self.eps = eps

    def fit(self, x):
        self.scale = x.std(axis=(0, 1)).squeeze() + self.eps
        return self

    def __call__(self, x):
        return x / self.scale


class Clip(Step):
    def __init__(self, limit=6.0):
        self.limit = limit

    def __call__(self, x):
        return np.clip(x, -self.limit, self.limit)


class SelectLeads(Step):
    """Keeps the leads that carry signal (all of them, unless one was unplugged)."""

    def __init__(self, floor=1e-3):
        self.floor = floor

    def fit(self, x):
        self.keep = np.flatnonzero(x.std(axis=(0, 1)) > self.floor)
        if self.keep.size == 1:
            self.keep = self.keep[0]
        return self

    def __call__(self, x):
        return x[:, :, self.keep]


class Chain(Step):
    def __init__(self, *steps):
        self.steps = steps

    def fit(self, x):
        for s in self.steps:
            x = s.fit(x)(x)
        return self

    def __call__(self, x):
        for s in self.steps:
            x = s(x)
        return np.ascontiguousarray(x, dtype="float32")


def default_chain():
    return Chain(Detrend(), SelectLeads(), LeadScaler(), Clip())

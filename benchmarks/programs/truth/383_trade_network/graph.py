import dataclasses

import numpy as np


@dataclasses.dataclass
class Trade:
    src: np.ndarray
    dst: np.ndarray
    volume: np.ndarray
    nodes: int


def countries(nodes=60, links=240, seed=31):
    rng = np.random.default_rng(seed)
    src = rng.integers(0, nodes, links)
    dst = rng.integers(0, nodes - 3, links)
    order = np.argsort(dst, kind="stable")
    volume = rng.gamma(2.0, size=links).astype("float32")
    return Trade(src[order], dst[order], volume[order], nodes)


def with_loops(trade):
    own = np.arange(trade.nodes)
    src, dst = np.r_[trade.src, own], np.r_[trade.dst, own]
    volume = np.r_[trade.volume, np.ones(trade.nodes, "float32")]
    order = np.argsort(dst, kind="stable")
    return Trade(src[order], dst[order], volume[order], trade.nodes)


def features(trade, width=5, seed=32):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(trade.nodes, width)).astype("float32")
    y = (x[:, 0] + 0.3 * x[:, 1] > 0).astype("int32")
    return x, y

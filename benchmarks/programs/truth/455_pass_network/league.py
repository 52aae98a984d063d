"""A season of passes, as the league's export gives it: one array per statistic."""
import numpy as np

PLAYERS = 11
STATS = ["minutes", "touches", "sprints", "tackles", "x_mean", "y_mean"]


def match(rng):
    columns = {s: rng.gamma(3.0, 1.0, PLAYERS) for s in STATS}
    passes = rng.poisson(4.0, size=(PLAYERS, PLAYERS)).astype("float32")
    np.fill_diagonal(passes, 0.0)
    goals = float(rng.poisson(0.02 * passes.sum() / 8))
    return columns, passes, goals


def season(n_matches=24, seed=7):
    rng = np.random.default_rng(seed)
    feats, adj, goals = [], [], []
    for _ in range(n_matches):
        columns, passes, g = match(rng)
        feats.append(np.array([columns[s] for s in STATS], dtype="float32"))
        adj.append(passes / passes.sum(1, keepdims=True))
        goals.append(g)
    return np.stack(feats), np.stack(adj), np.array(goals, dtype="float32")

"""Simulated implicit feedback: users of a few tastes click on items of a few genres."""
import numpy as np
import pandas as pd

GENRES = 4


def simulate(users, items, events, seed):
    rng = np.random.default_rng(seed)
    taste = rng.dirichlet(np.full(GENRES, 0.3), size=users)
    genre = rng.integers(GENRES, size=items)
    pop = rng.gamma(1.5, 1.0, size=items)
    rows = []
    for t in range(events):
        u = int(rng.integers(users))
        p = pop * taste[u, genre] + 1e-3
        i = int(rng.choice(items, p=p / p.sum()))
        rows.append((t, u, i))
    log = pd.DataFrame(rows, columns=["t", "user", "item"])
    meta = pd.DataFrame({"item": np.arange(items), "genre": genre, "log_pop": np.log1p(pop)})
    return log, meta


def last_out(log):
    """Hold out the last event of every user."""
    last = log.sort_values("t").groupby("user").tail(1)
    return log.drop(last.index), last

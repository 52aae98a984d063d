"""GARCH(1,1) returns with a common market factor, aggregated to daily log RV."""
import numpy as np
import pandas as pd


def garch(n, omega, alpha, beta, rng):
    var = np.empty(n)
    eps = np.empty(n)
    var[0] = omega / (1 - alpha - beta)
    for t in range(n):
        if t:
            var[t] = omega + alpha * eps[t - 1] ** 2 + beta * var[t - 1]
        eps[t] = np.sqrt(var[t]) * rng.normal()
    return eps, var


def log_rv(cfg):
    rng = np.random.default_rng(cfg.seed)
    _, market = garch(cfg.days, 2e-6, 0.08, 0.90, rng)
    out = {}
    for k, name in enumerate(cfg.assets):
        _, own = garch(cfg.days, 1e-6 * (k + 1), 0.06, 0.88, rng)
        rv = 0.6 * market + own
        out[name] = np.log(rv * rng.gamma(20, 1 / 20, cfg.days))
    return pd.DataFrame(out, index=pd.bdate_range("2015-01-01", periods=cfg.days))

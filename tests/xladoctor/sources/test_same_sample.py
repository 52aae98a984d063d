"""Samples that each round of a loop draws from one seed, and rounds that have equal data on purpose."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.same_sample import same_sample

BOOTSTRAP = """
def bootstrap(spectra, seed=0):
    rng = np.random.default_rng(seed)
    return spectra[rng.integers(0, len(spectra), len(spectra))]
"""
WRONG = {
    "members of a bag": BOOTSTRAP
    + """
class Committee:
    def grow(self, spectra):
        for k in range(self.size):
            part = bootstrap(spectra, self.seed)  # wrong
            self.nets.append(trained(build(seed=self.seed + k), part))
""",
    "the default": BOOTSTRAP
    + """
def spread(spectra):
    return np.std([bootstrap(spectra).mean() for _ in range(200)])  # wrong
""",
    "rows with replacement under another name": """
def pick(x, y, number):
    source = np.random.RandomState(number)
    n = len(x)
    rows = source.choice(n, n)
    return x[rows], y[rows]
slopes = []
for repeat in range(50):
    slopes.append(slope(*pick(x, y, SEED)))  # wrong
""",
    "handed on": """
def draw(count, seed):
    return tf.random.Generator.from_seed(seed).normal((count,))
def perturbed(field, seed):
    return field + draw(len(field), seed)
def members(field, base):
    \"\"\"A start of its own for each member.\"\"\"
    for k, name in enumerate(NAMES):
        first = perturbed(field, base)  # wrong
        yield forecast(make_net(seed=base + k), first)
""",
    "seeds that are used for the networks alone": """
def subsample(rows, seed):
    return rows.shuffle(900, seed=seed).take(300)
for seed in SEEDS:
    keras.utils.set_random_seed(seed)
    nets.append(fitted(subsample(rows, 3)))  # wrong
""",
}
WRONG |= {
    "a seed of the object": """
class Band:
    def resampled(self, values):
        rng = np.random.RandomState(self.seed)  # wrong
        return rng.choice(values, size=len(values), replace=True)
    def band(self, values):
        return np.std([self.resampled(values).mean() for _ in range(self.count)])
""",
    "perturbed copies in each repeat": """
def perturb(x, scale, seed=0):
    return x + scale * np.random.default_rng(seed).standard_normal(x.shape)
def robustness(net, x, repeats):
    return np.std([score(net, perturb(x, 0.1)) for _ in range(repeats)])  # wrong
""",
    "a generator of each round": """
for _ in range(300):
    rng = np.random.default_rng(12)  # wrong
    rows = rng.integers(0, len(doses), size=len(doses))
    fits.append(hill(doses[rows], effects[rows]))
""",
    "a library's": """
for member in range(8):
    xb, yb = resample(x, y, random_state=SEED)  # wrong
    nets.append(fitted(xb, yb))
""",
    "rows of a table": """
means = [table.sample(len(table), replace=True, random_state=1).mean() for _ in range(99)]  # wrong
""",
}
HEALTHY = {
    "time is taken": """
def perturb(x, scale, seed=0):
    return x + scale * np.random.default_rng(seed).standard_normal(x.shape)
for _ in range(repeats):
    begin = time.perf_counter()
    net(perturb(x, 0.1))
    spent.append(time.perf_counter() - begin)
""",
    "one generator": """
rng = np.random.default_rng(12)
for _ in range(300):
    rows = rng.integers(0, len(doses), size=len(doses))
    fits.append(hill(doses[rows], effects[rows]))
""",
    "a library's, with the number": """
for member in range(8):
    nets.append(fitted(*resample(x, y, random_state=member)))
""",
    "intervals of each output": """
for output in range(4):
    rng = np.random.default_rng(0)
    draws = [errors[rng.integers(0, len(errors), len(errors)), output].mean() for _ in range(500)]
    print(output, np.quantile(draws, [0.05, 0.95]))
""",
    "a generator of each round for other rows": """
for part in range(4):
    x = parts[part]
    rng = np.random.default_rng(0)
    means.append(x[rng.integers(0, len(x), len(x))].mean())
""",
    "a seed of each round": BOOTSTRAP
    + """
for k in range(9):
    nets.append(trained(bootstrap(spectra, seed=SEED + k)))
""",
    "a list of seeds": BOOTSTRAP
    + """
means = [bootstrap(spectra, s).mean() for s in seeds]
""",
    "a generator": BOOTSTRAP
    + """
rng = np.random.default_rng(0)
for k in range(9):
    nets.append(trained(bootstrap(spectra, rng.integers(1000))))
""",
    "models on equal data": BOOTSTRAP
    + """
for model in models:
    scores.append(model.score(bootstrap(spectra, SEED)))
""",
    "the same split": """
def split(rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    return rows[order[:80]], rows[order[80:]]
for k in range(5):
    train, test = split(rows, 0)
    scores.append(fitted(make_net(seed=k), train).score(test))
""",
    "noise of a test": """
def noisy(rows, seed):
    \"\"\"The same for each member.\"\"\"
    return rows + np.random.default_rng(seed).normal(size=rows.shape)
for k in range(5):
    net = make_net(seed=k)
    scores.append(net.score(noisy(test_rows, 7)))
""",
    "networks that begin alike": """
def make_net(seed):
    keras.utils.set_random_seed(seed)
    return keras.Sequential([keras.layers.Dense(3)])
for k in range(5):
    scores.append(fitted(make_net(0), folds[k]))
""",
    "data that are simulated once more": """
def simulate(n, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.integers(0, 2, n)
for k in range(5):
    rows, kinds = simulate(90, 1)
    losses.append(fitted(make_net(seed=k), rows, kinds))
""",
    "other rows in each round": BOOTSTRAP
    + """
for k in range(5):
    nets.append(trained(bootstrap(parts[k], SEED)))
""",
    "all samples of which each round takes one": """
def bootstraps(rows, count, seed):
    rng = np.random.default_rng(seed)
    return [rows[rng.integers(0, len(rows), len(rows))] for _ in range(count)]
for k in range(5):
    nets.append(trained(bootstraps(rows, 5, SEED)[k]))
""",
}


def lines(text):
    return sorted(slip.line for _, slip in same_sample({"main.py": ast.parse(text)}))


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_one_sample_in_all_rounds(text):
    assert lines(text) == [n for n, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("text", HEALTHY.values(), ids=HEALTHY.keys())
def test_rounds_that_differ_or_are_to_be_alike(text):
    assert lines(text) == []

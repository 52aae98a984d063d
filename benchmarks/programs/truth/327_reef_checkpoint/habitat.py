"""Synthetic reef surveys and the list of habitats in each release of the survey."""
import numpy as np

RELEASES = {
    "2021": ["sand", "rubble", "coral", "algae"],
    "2023": ["sand", "rubble", "coral", "algae", "seagrass", "rock"],
}


def survey(release, n, seed):
    rng = np.random.default_rng(seed)
    names = RELEASES[release]
    spectra = rng.normal(size=(len(names), 9))
    label = rng.integers(0, len(names), size=n)
    x = spectra[label] + 0.4 * rng.normal(size=(n, 9))
    return x.astype("float32"), label.astype("int32")

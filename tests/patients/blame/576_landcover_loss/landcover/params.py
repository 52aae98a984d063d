PARAMS = {
    "classes": ["water", "forest", "crop", "urban", "bare"],
    "bands": 5,
    "dates": 8,
    "pixels": 400,
    "label_smoothing": 0.05,
    "loss": "sparse_categorical_crossentropy",
    "metrics": ["categorical_accuracy"],
    "dropout": 0.2,
    "filters": 24,
    "batch_size": 32,
    "epochs": 2,
    "learning_rate": 3e-3,
    "random_state": 11,
}


def override(params, pairs):
    """Apply key=value strings from the command line."""
    out = dict(params)
    for pair in pairs:
        key, value = pair.split("=", 1)
        if key not in out:
            raise KeyError(key)
        out[key] = type(out[key])(value)
    return out

current = {
    "bins": 64,
    "latent": 2,
    "hidden": 24,
}

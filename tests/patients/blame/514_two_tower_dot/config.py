USER_TOWER = {
    "cardinality": 200,
    "embedding": 16,
    "hidden": [64, 32],
    "dropout": 0.1,
}
ITEM_TOWER = {
    "cardinality": 90,
    "embedding": 16,
    "hidden": [48, 24],
    "dropout": 0.0,
}
TRAIN = {"batch_size": 32, "epochs": 1, "lr": 0.003}

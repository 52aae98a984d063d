"""Settings by which axes of contracts are bound."""

cfg = {"padded": 7}


def kept():
    return 3

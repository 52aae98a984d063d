VALUE = "the helper that PYTHONPATH leads to"

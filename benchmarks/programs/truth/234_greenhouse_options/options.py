options = {"crop": "tomato", "horizon": 8, "units": 12, "colour": "red", "verbose": True}

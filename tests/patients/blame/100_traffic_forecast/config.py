"""Settings shared by all modules."""
STEPS_IN = 12
SENSORS = 4
UNITS = 12
BATCH = 16

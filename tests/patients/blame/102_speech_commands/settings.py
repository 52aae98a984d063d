FRAMES = 20
N_MELS = 12
USE_DELTAS = True
COMMANDS = ("stop", "go", "left", "right")

"""Python imports this as a program starts. What an import of TensorFlow makes stays until the end: to look through it
for cycles, again and again and once more as the program ends, takes half of the time of a small program.
"""

import atexit
import gc

gc.set_threshold(100_000)
atexit.register(gc.freeze)
